// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: scannable
#include <upsweep/upsweep.hpp>
#include <vector>

void f(const std::vector<long double>& x, std::vector<long double>& out) {
  upsweep::inclusive_scan(x, out);
}
