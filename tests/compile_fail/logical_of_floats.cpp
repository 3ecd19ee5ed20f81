// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bit and logical operators need integer input and output
#include <cstdint>
#include <upsweep/upsweep.hpp>
#include <vector>

void f(const std::vector<float>& x, std::vector<std::int32_t>& out) {
  upsweep::inclusive_scan(x, out, upsweep::logical_or{});
}
