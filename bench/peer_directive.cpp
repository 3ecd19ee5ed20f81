// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GCC's own scan: the OpenMP 5.0 scan directive.
#include "bench/harness.hpp"

namespace upsweep::bench {

namespace {

template <class Case>
void scan_directive(const typename Case::in* in, typename Case::out* out, std::int64_t n,
                    int threads) {
  using value = typename Case::out;
#pragma omp declare reduction(join:value                                  \
                              : omp_out = Case::combine(omp_out, omp_in)) \
    initializer(omp_priv = Case::identity())
  value prefix = Case::identity();
  if (threads == 1) {
#pragma omp simd reduction(inscan, join : prefix)
    for (std::int64_t i = 0; i < n; ++i) {
      prefix = Case::combine(prefix, static_cast<value>(in[i]));
#pragma omp scan inclusive(prefix)
      out[i] = prefix;
    }
  } else {
#pragma omp parallel for simd reduction(inscan, join : prefix) num_threads(threads)
    for (std::int64_t i = 0; i < n; ++i) {
      prefix = Case::combine(prefix, static_cast<value>(in[i]));
#pragma omp scan inclusive(prefix)
      out[i] = prefix;
    }
  }
}

}  // namespace

void add_directive() {
  for_each_case([]<class Case>(Case) {
    enlist<Case>("omp.scan", team_sizes(), [](std::int64_t n, int threads) -> scan_call<Case> {
      return [=](auto* in, auto* out) { scan_directive<Case>(in, out, n, threads); };
    });
  });
}

}  // namespace upsweep::bench
