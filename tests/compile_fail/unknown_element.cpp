// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: scannable
#include <upsweep/upsweep.hpp>
#include <vector>

struct point {
  float x, y;
};

void f(const std::vector<point>& x, std::vector<point>& out) { upsweep::inclusive_scan(x, out); }
