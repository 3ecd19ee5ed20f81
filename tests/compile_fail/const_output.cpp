// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: output_array
#include <upsweep/upsweep.hpp>
#include <vector>

void f(const std::vector<float>& x, const std::vector<float>& out) {
  upsweep::inclusive_scan(x, out);
}
