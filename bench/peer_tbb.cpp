// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parallel algorithms of libstdc++, which run on oneTBB.
#include <tbb/global_control.h>
#include <tbb/version.h>

#include <execution>
#include <memory>
#include <numeric>

#include "bench/harness.hpp"

namespace upsweep::bench {

void add_tbb() {
  benchmark::AddCustomContext("tbb", TBB_VERSION_STRING);
  for_each_case([]<class Case>(Case) {
    enlist<Case>("std.par_unseq", team_sizes(), [](std::int64_t n, int threads) -> scan_call<Case> {
      const auto limit = std::make_shared<tbb::global_control>(
          tbb::global_control::max_allowed_parallelism, threads);
      return [n, limit](auto* in, auto* out) {
        constexpr auto policy = std::execution::par_unseq;
        if constexpr (is_mixed<Case>)
          std::inclusive_scan(policy, in, in + n, out, combine<Case>{}, Case::identity());
        else
          std::inclusive_scan(policy, in, in + n, out, combine<Case>{});
      };
    });
  });
}

}  // namespace upsweep::bench
