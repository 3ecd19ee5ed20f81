// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the output type cannot represent every value of the input type
#include <cstdint>
#include <upsweep/upsweep.hpp>
#include <vector>

void f(const std::vector<double>& x, std::vector<std::int32_t>& out) {
  upsweep::inclusive_scan(x, out);
}
