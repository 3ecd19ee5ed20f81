// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>

#include "bench/harness.hpp"

namespace upsweep::bench {

void add_std() {
  for_each_case([]<class Case>(Case) {
    enlist<Case>("std.inclusive_scan", {1}, [](std::int64_t n, int) -> scan_call<Case> {
      return [n](auto* in, auto* out) {
        if constexpr (is_mixed<Case>)
          std::inclusive_scan(in, in + n, out, combine<Case>{}, Case::identity());
        else
          std::inclusive_scan(in, in + n, out, combine<Case>{});
      };
    });
  });
}

}  // namespace upsweep::bench
