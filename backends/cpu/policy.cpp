// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/policy.hpp"

#include <algorithm>
#include <cstdlib>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "backends/cpu/caches.hpp"
#include "backends/cpu/cgroup.hpp"
#include "backends/cpu/tuning.hpp"

namespace upsweep::cpu {

namespace {

std::string size(std::int64_t bytes) {
  return bytes < 1024 ? std::to_string(bytes) + " bytes" : std::to_string(bytes / 1024) + " KiB";
}

}  // namespace

policy make_policy(int threads) {
  static const cache_sizes caches = read_caches("/sys/devices/system/cpu/cpu0/cache");
  // A block and its output stay in half of L2 between the two reads of a block.
  policy p{.threads = threads,
           .parallel_from = 512 << 10,
           .block = std::clamp<std::int64_t>(caches.second / 4, 32 << 10, 256 << 10),
           // Input and output beside what else the last cache holds; of the hundreds of MiB that
           // many cores share, one scan has never found more than this.
           .stream_stores_from = std::min<std::int64_t>(caches.last / 4 * 3, 48 << 20)};
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
