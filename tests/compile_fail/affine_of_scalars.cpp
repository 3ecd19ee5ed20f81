// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the affine operator needs ranges of affine_pair, and they need it
#include <upsweep/upsweep.hpp>
#include <vector>

void f(const std::vector<float>& x, std::vector<float>& out) {
  upsweep::inclusive_scan(x, out, upsweep::affine{});
}
