// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_CACHES_HPP
#define UPSWEEP_BACKENDS_CPU_CACHES_HPP

#include <cstdint>
#include <string>

namespace upsweep::cpu {

// Bytes.
struct cache_sizes {
  std::int64_t second = 0;  // of a core
  std::int64_t last = 0;    // that a core shares with its neighbours
};

// Of the processor whose caches `folder` describes, /sys/devices/system/cpu/cpu0/cache; where that
// says nothing, what the C library says, else 1 and 8 MiB. The folder comes first: on EPYC glibc
// before 2.37 takes the sum of all last caches for one.
cache_sizes read_caches(const std::string& folder);

}  // namespace upsweep::cpu

#endif
