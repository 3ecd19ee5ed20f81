// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_POLICY_HPP
#define UPSWEEP_BACKENDS_CPU_POLICY_HPP

#include <cstdint>
#include <string>

namespace upsweep::cpu {

// How cpu.openmp spends the machine on one scan. It decides speed alone, never a bit of a result.
struct policy {
  int threads = 0;                      // at most; 0: as OpenMP would choose at each run
  std::int64_t parallel_from = 0;       // bytes of accumulators; one thread below
  std::int64_t block = 0;               // bytes of accumulators a thread takes at a time, at most
  std::int64_t stream_stores_from = 0;  // bytes in + out; memory fetched ahead from there on
  std::string tuning{};                 // the file that gave some of these, and which, in words

  std::string text() const;
};

// For a plan with this limit of threads, on this machine: by its caches, or by the file that
// UPSWEEP_TUNING names. Throws what read_tuning does.
policy make_policy(int threads);

// What a run finds around it that bears on threads.
struct surroundings {
  bool in_parallel = false;  // inside a caller's parallel region
  bool may_fork = true;      // OpenMP grants another active level
  int openmp_threads = 1;    // what OpenMP would take: OMP_NUM_THREADS, or the processors
  int processors = 1;        // that the process may run on
  int quota = 1;             // threads that its cgroups' CPU quota keeps busy
};

// Threads for a run under this limit: without one, a single thread inside a caller's parallel
// region; and never more than the quota, nor so many that the OpenMP library would end the process
// for want of them.
int threads_for(int limit, const surroundings& now);
int threads_now(int limit);

}  // namespace upsweep::cpu

#endif
