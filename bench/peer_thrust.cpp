// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust on its host systems; no CUDA is called. Its OpenMP system runs scans on one thread (it
// inherits the sequential one), its TBB system on all.
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/version.h>

#ifdef UPSWEEP_BENCH_OPENMP
#include <omp.h>
#include <thrust/system/omp/execution_policy.h>
#endif
#ifdef UPSWEEP_BENCH_TBB
#include <tbb/global_control.h>
#include <thrust/system/tbb/execution_policy.h>
#endif

#include <memory>

#include "bench/harness.hpp"

namespace upsweep::bench {

namespace {

// The element in the type that sums are made in.
template <class Case>
struct converted {
  typename Case::out operator()(typename Case::in x) const {
    return static_cast<typename Case::out>(x);
  }
};

template <class Case, class Policy>
void run(Policy policy, const typename Case::in* in, typename Case::out* out, std::int64_t n) {
  if constexpr (is_mixed<Case>) {
    const auto first = thrust::make_transform_iterator(in, converted<Case>{});
    thrust::inclusive_scan(policy, first, first + n, out, combine<Case>{});
  } else {
    thrust::inclusive_scan(policy, in, in + n, out, combine<Case>{});
  }
}

}  // namespace

void add_thrust() {
  benchmark::AddCustomContext("thrust", std::to_string(THRUST_VERSION));
  for_each_case([]<class Case>(Case) {
#ifdef UPSWEEP_BENCH_OPENMP
    enlist<Case>("thrust.omp", team_sizes(), [](std::int64_t n, int threads) -> scan_call<Case> {
      return [=](auto* in, auto* out) {
        omp_set_num_threads(threads);
        run<Case>(thrust::omp::par, in, out, n);
      };
    });
#endif
#ifdef UPSWEEP_BENCH_TBB
    enlist<Case>("thrust.tbb", team_sizes(), [](std::int64_t n, int threads) -> scan_call<Case> {
      const auto limit = std::make_shared<tbb::global_control>(
          tbb::global_control::max_allowed_parallelism, threads);
      return [n, limit](auto* in, auto* out) { run<Case>(thrust::tbb::par, in, out, n); };
    });
#endif
  });
}

}  // namespace upsweep::bench
