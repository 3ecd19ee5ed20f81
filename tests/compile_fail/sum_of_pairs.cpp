// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the affine operator needs ranges of affine_pair, and they need it
#include <upsweep/upsweep.hpp>
#include <vector>

void f(std::vector<upsweep::affine_pair<float>>& x) { upsweep::inclusive_scan(x, x); }
