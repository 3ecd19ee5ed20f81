// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: builtin_operator
#include <functional>
#include <upsweep/upsweep.hpp>
#include <vector>

void f(const std::vector<float>& x, std::vector<float>& out) {
  upsweep::inclusive_scan(x, out, std::plus<>{});
}
