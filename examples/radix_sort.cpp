// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan is made once and runs often: least-significant-digit radix sort, whose every pass turns
// the counts of a digit into the offsets where its keys go.
#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

#include <upsweep/upsweep.hpp>

int main() {
  std::vector<std::uint32_t> key(1'000'000), sorted(key.size());
  for (std::uint32_t i = 0; i < key.size(); ++i) key[i] = i * 2'654'435'761U;

  constexpr int digit_bits = 8, digits = 1 << digit_bits;
  upsweep::plan offsets({.in = upsweep::u32, .out = upsweep::u64, .kind = upsweep::exclusive},
                        {.length = digits});
  std::array<std::uint32_t, digits> count{};
  std::array<std::uint64_t, digits> next{};

  for (int shift = 0; shift < 32; shift += digit_bits) {
    const auto digit = [shift](std::uint32_t k) { return k >> shift & (digits - 1); };
    count.fill(0);
    for (const std::uint32_t k : key) ++count[digit(k)];
    offsets.run({.in = count.data(), .out = next.data(), .length = digits});
    for (const std::uint32_t k : key) sorted[next[digit(k)]++] = k;
    key.swap(sorted);
  }

  for (std::size_t i = 0; i < key.size(); i += 100'000) std::cout << key[i] << '\n';
}
