// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the affine operator serves u32, f32 and f64
#include <cstdint>
#include <upsweep/upsweep.hpp>
#include <vector>

void f(std::vector<upsweep::affine_pair<std::int8_t>>& x) {
  upsweep::inclusive_scan(x, x, upsweep::affine{});
}
