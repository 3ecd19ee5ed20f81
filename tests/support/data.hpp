// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_DATA_HPP
#define UPSWEEP_TESTS_SUPPORT_DATA_HPP

#include <array>
#include <cstdint>
#include <string_view>

#include "upsweep/types.hpp"

namespace upsweep::testing {

// What test data look like. Every element is a function of (seed, index) alone.
enum class distribution : std::uint8_t {
  small,     // few integers: no float operation of the scan rounds (up to some 2^22 elements)
  full,      // any bits; floats include infinities and NaNs
  wide,      // exponents over all but the ends of the range; integers of any magnitude
  denormal,  // denormals and their neighbours; single bits
  zeros,     // a stretch of -0.0, then zeros of both signs among others
  special,   // wide, with NaN, infinities, zeros and extremes strewn in at a rate of the seed's
  runs,      // constant runs
  near_one   // 1 +- a little: long products stay in range; odd integers
};
inline constexpr std::array distributions{
    distribution::small, distribution::full,    distribution::wide, distribution::denormal,
    distribution::zeros, distribution::special, distribution::runs, distribution::near_one};

std::string_view name_of(distribution d);

// What an element is to its operator. Factors keep a product from vanishing or blowing up at once;
// float coefficients of affine maps have |b| <= 1, so that the recurrence stays bounded.
enum class purpose : std::uint8_t { addend, factor, coefficient };

// Writes elements 0 .. n-1 of the stream, each `stride` elements after the one before.
void generate(type t, distribution d, purpose p, std::uint64_t seed, std::int64_t n, void* to,
              std::int64_t stride = 1);

}  // namespace upsweep::testing

#endif
