// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: log_add_exp serves f32 and f64
#include <cstdint>
#include <upsweep/upsweep.hpp>
#include <vector>

void f(std::vector<std::int32_t>& x) { upsweep::inclusive_scan(x, x, upsweep::log_add_exp{}); }
