// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: minimum and maximum need ordered values
#include <complex>
#include <upsweep/upsweep.hpp>
#include <vector>

void f(std::vector<std::complex<float>>& x) { upsweep::inclusive_scan(x, x, upsweep::minimum{}); }
