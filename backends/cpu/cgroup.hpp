// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_CGROUP_HPP
#define UPSWEEP_BACKENDS_CPU_CGROUP_HPP

#include <string>

namespace upsweep::cpu {

// Threads that keep the CPU quota of a process busy, rounded up: the least of its cgroups and of
// those above them, of version 2 or 1; INT_MAX without a quota. `membership` is /proc/self/cgroup,
// `mount` /sys/fs/cgroup.
int cgroup_threads(const std::string& membership, const std::string& mount);

}  // namespace upsweep::cpu

#endif
