// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/caches.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace upsweep::cpu {

namespace {

std::int64_t by_the_library(int name, std::int64_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

// As the kernel writes it, such as 32768K.
std::int64_t size_in(const std::string& file) {
  std::ifstream text(file);
  std::int64_t bytes = 0;
  char unit = ' ';
  if (!(text >> bytes)) return 0;
  if (text >> unit) bytes *= unit == 'K' ? 1 << 10 : unit == 'M' ? 1 << 20 : 1;
  return bytes;
}

}  // namespace

cache_sizes read_caches(const std::string& folder) {
  cache_sizes found;
  int deepest = 2;
  for (int k = 0;; ++k) {
    const std::string index = folder + "/index" + std::to_string(k);
    int level = 0;
    std::string type;
    if (!(std::ifstream(index + "/level") >> level)) break;
    std::ifstream(index + "/type") >> type;
    const std::int64_t bytes = type == "Instruction" ? 0 : size_in(index + "/size");
    if (bytes <= 0) continue;
    if (level == 2) found.second = bytes;
    if (level >= deepest) {
      deepest = level;
      found.last = bytes;
    }
  }
  if (found.second == 0) found.second = by_the_library(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
  if (found.last == 0) found.last = by_the_library(_SC_LEVEL3_CACHE_SIZE, 8 << 20);
  found.last = std::max(found.last, found.second);
  return found;
}

}  // namespace upsweep::cpu
