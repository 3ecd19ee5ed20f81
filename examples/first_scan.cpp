// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <iostream>
#include <vector>

#include <upsweep/upsweep.hpp>

int main() {
  const std::vector<std::uint8_t> keep{1, 0, 1, 1, 0, 1};
  std::vector<std::int64_t> slot(keep.size());
  const std::int64_t kept = upsweep::exclusive_scan(keep, slot);  // summed in 64 bits
  for (const std::int64_t s : slot) std::cout << s << ' ';        // 0 1 1 2 3 3
  std::cout << "kept " << kept << '\n';                           // kept 4
}
