// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bool output needs logical_and or logical_or; count flags into integers
#include <array>
#include <upsweep/upsweep.hpp>

void f(const std::array<bool, 3>& flags, std::array<bool, 3>& out) {
  upsweep::inclusive_scan(flags, out);
}
