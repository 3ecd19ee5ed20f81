// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the output type cannot represent every value of the input type
#include <cstdint>
#include <upsweep/upsweep.hpp>
#include <vector>

void f(const std::vector<std::int32_t>& x, std::vector<float>& out) {
  upsweep::exclusive_scan(x, out);
}
