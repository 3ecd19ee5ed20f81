// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: contiguous_range
#include <list>
#include <upsweep/upsweep.hpp>
#include <vector>

void f(const std::list<float>& x, std::vector<float>& out) { upsweep::inclusive_scan(x, out); }
