// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/cgroup.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <fstream>
#include <sstream>

namespace upsweep::cpu {

namespace {

// Files that are not there, and "max" in place of a number, are no quota.
int threads_in(const std::string& folder) {
  std::int64_t quota = 0, period = 0;
  if (std::ifstream version2(folder + "/cpu.max"); !(version2 >> quota >> period)) {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return INT_MAX;
  return static_cast<int>(std::min<std::int64_t>((quota - 1) / period + 1, INT_MAX));
}

}  // namespace

int cgroup_threads(const std::string& membership, const std::string& mount) {
  int least = INT_MAX;
  std::ifstream lines(membership);
  for (std::string id, controllers, path; std::getline(lines, id, ':') &&
                                          std::getline(lines, controllers, ':') &&
                                          std::getline(lines, path);) {
    std::string root = mount;
    if (!controllers.empty()) {  // version 1
      if (("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
      root += "/cpu";
    }
    // Up to the root, which alone is there where a container sees its own cgroup as that.
    for (;; path.erase(path.rfind('/'))) {
      least = std::min(least, threads_in(root + path));
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace upsweep::cpu
