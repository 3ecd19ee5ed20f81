// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: coefficients and offsets of a recurrence must have one type
#include <upsweep/upsweep.hpp>
#include <vector>

void f(const std::vector<float>& b, const std::vector<double>& v, std::vector<double>& h) {
  upsweep::linear_recurrence(b, v, h);
}
