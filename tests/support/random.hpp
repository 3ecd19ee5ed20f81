// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_RANDOM_HPP
#define UPSWEEP_TESTS_SUPPORT_RANDOM_HPP

#include <cstdint>

namespace upsweep::testing {

// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014) read at any position: number `index`
// of stream `seed`, without state.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// Draws in turn from one stream.
class dice {
 public:
  explicit constexpr dice(std::uint64_t seed) : seed_(random_bits(seed, 0)) {}

  constexpr std::uint64_t bits() { return random_bits(seed_, ++position_); }
  // A number of [least, greatest].
  constexpr std::int64_t between(std::int64_t least, std::int64_t greatest) {
    const auto span = static_cast<std::uint64_t>(greatest - least) + 1;
    return least + static_cast<std::int64_t>(span == 0 ? bits() : bits() % span);
  }
  constexpr bool one_in(int n) { return between(1, n) == 1; }
  template <class Range>
  constexpr auto one_of(const Range& r) {
    return r[bits() % r.size()];
  }

 private:
  std::uint64_t seed_;
  std::uint64_t position_ = 0;
};

}  // namespace upsweep::testing

#endif
