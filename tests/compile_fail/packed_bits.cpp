// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: contiguous_range
#include <cstdint>
#include <upsweep/upsweep.hpp>
#include <vector>

void f(const std::vector<bool>& flags, std::vector<std::int64_t>& out) {
  upsweep::exclusive_scan(flags, out);
}
