// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/policy.hpp"

#include <algorithm>
#include <cstdlib>

#ifdef _OPENMP
#include <omp.h>
#endif
#include <unistd.h>

#include "backends/cpu/cgroup.hpp"
#include "backends/cpu/tuning.hpp"

namespace upsweep::cpu {

namespace {

std::int64_t cache_bytes(int name, std::int64_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

std::string size(std::int64_t bytes) {
  return bytes < 1024 ? std::to_string(bytes) + " bytes" : std::to_string(bytes / 1024) + " KiB";
}

}  // namespace

policy make_policy(int threads) {
  const std::int64_t l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
  const std::int64_t last = std::max(l2, cache_bytes(_SC_LEVEL3_CACHE_SIZE, 8 << 20));
  // A block and its output stay in half of L2 between the two reads of a block.
  policy p{.threads = threads,
           .parallel_from = 512 << 10,
           .block = std::clamp<std::int64_t>(l2 / 4, 32 << 10, 256 << 10),
           .stream_stores_from = last};
  if (const char* file = std::getenv("UPSWEEP_TUNING"); file != nullptr && *file != '\0')
    read_tuning(file, p);
  return p;
}

std::string policy::text() const {
  const std::string team = threads == 0   ? "OpenMP's threads"
                           : threads == 1 ? "one thread"
                                          : "at most " + std::to_string(threads) + " threads";
  return team + ", one below " + size(parallel_from) + ", blocks of " + size(block) +
         ", non-temporal stores from " + size(stream_stores_from) +
         (tuning.empty() ? "" : "; " + tuning);
}

int threads_for(int limit, const surroundings& now) {
  if (!now.may_fork || (now.in_parallel && limit == 0)) return 1;
  constexpr int harmless = 16;  // on any machine; more may end the process for want of them
  return std::min(
      {limit > 0 ? limit : now.openmp_threads, std::max(harmless, now.processors), now.quota});
}

int threads_now([[maybe_unused]] int limit) {
#ifdef _OPENMP
  static const int quota = cgroup_threads("/proc/self/cgroup", "/sys/fs/cgroup");
  return threads_for(limit, {.in_parallel = omp_in_parallel() != 0,
                             .may_fork = omp_get_active_level() < omp_get_max_active_levels(),
                             .openmp_threads = omp_get_max_threads(),
                             .processors = omp_get_num_procs(),
                             .quota = quota});
#else
  return 1;
#endif
}

}  // namespace upsweep::cpu
