// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/policy.hpp"

#include <algorithm>

#ifdef _OPENMP
#include <omp.h>
#endif
#include <unistd.h>

namespace upsweep::cpu {

namespace {

std::int64_t cache_bytes(int name, std::int64_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

std::string kib(std::int64_t bytes) { return std::to_string(bytes / 1024) + " KiB"; }

}  // namespace

policy make_policy(int threads) {
#ifdef _OPENMP
  // libgomp ends the process when it is asked for more threads than it can start.
  const int sane = std::max(256, omp_get_num_procs());
  const int most = std::min(threads > 0 ? threads : omp_get_max_threads(), sane);
#else
  const int most = 1 + 0 * threads;
#endif
  const std::int64_t l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
  const std::int64_t last = std::max(l2, cache_bytes(_SC_LEVEL3_CACHE_SIZE, 8 << 20));
  // A block and its output stay in half of L2 between the two reads of a block.
  return {.threads = most,
          .parallel_from = 512 << 10,
          .block = std::clamp<std::int64_t>(l2 / 4, 32 << 10, 256 << 10),
          .stream_stores_from = last};
}

std::string policy::text() const {
  return "at most " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") +
         ", one below " + kib(parallel_from) + ", blocks of " + kib(block) +
         ", non-temporal stores from " + kib(stream_stores_from);
}

bool inside_parallel_region() {
#ifdef _OPENMP
  return omp_in_parallel() != 0;
#else
  return false;
#endif
}

}  // namespace upsweep::cpu
