// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream compaction: flags, an exclusive scan of them, and every kept element knows its place.
#include <cstdint>
#include <iostream>
#include <vector>

#include <upsweep/upsweep.hpp>

int main() {
  const std::int64_t n = 100'000;
  std::vector<int> reading(n);
  for (std::int64_t i = 0; i < n; ++i) reading[i] = static_cast<int>(i * 37 % 101) - 50;

  std::vector<std::uint8_t> keep(n);
  for (std::int64_t i = 0; i < n; ++i) keep[i] = reading[i] > 40;

  std::vector<std::int64_t> slot(n);  // 64 bits: counts of any length fit
  const std::int64_t kept = upsweep::exclusive_scan(keep, slot);

  std::vector<int> compact(kept);
  for (std::int64_t i = 0; i < n; ++i)  // no order between iterations: each has its own slot
    if (keep[i] != 0) compact[slot[i]] = reading[i];

  for (const int r : compact) std::cout << r << '\n';
}
