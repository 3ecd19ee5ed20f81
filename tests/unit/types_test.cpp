// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types: sizes, the rule for mixed scans, the 16-bit floats.
#include "upsweep/types.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "formats.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {
namespace {

using testing::all_types;
using testing::format;
using testing::format_of;
using testing::holds;

// Every value that could tell two formats apart: all +-(2^a + 2^b), +-(2^a - 2^b), near every
// bound.
const std::vector<long double>& candidates() {
  static const std::vector<long double> all = [] {
    std::vector<long double> v{0};
    for (int a = -1080; a <= 1024; ++a)
      for (int distance = 0; distance <= 64; ++distance)
        for (const long double s : {1.0L, -1.0L}) {
          const long double high = std::ldexp(s, a), low = std::ldexp(s, a - distance);
          v.push_back(high);
          v.push_back(high + low);
          v.push_back(high - low);
        }
    return v;
  }();
  return all;
}

TEST(types, represents_agrees_with_a_search_over_values) {
  static_assert(std::numeric_limits<long double>::digits >= 64, "candidates are exact");
  constexpr std::size_t n = all_types.size();
  std::array<format, n> formats;
  std::ranges::transform(all_types, formats.begin(), format_of);
  std::array<std::bitset<n>, n> lost;  // [from][to]: a value of `from` that `to` lacks
  for (const long double x : candidates()) {
    std::bitset<n> held;
    for (std::size_t k = 0; k < n; ++k) held[k] = holds(formats[k], x);
    for (std::size_t from = 0; from < n; ++from)
      if (held[from]) lost[from] |= ~held;
  }
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to) {
      const format &f = formats[from], &t = formats[to];
      const bool infinities_and_parts = (t.complex || !f.complex) && (!t.integer || f.integer);
      EXPECT_EQ(represents(all_types[to], all_types[from]), !lost[from][to] && infinities_and_parts)
          << name_of(all_types[from]) << " -> " << name_of(all_types[to]);
    }
}

TEST(types, represents_the_examples_of_the_documentation) {
  EXPECT_TRUE(represents(i64, u8));
  EXPECT_TRUE(represents(f64, i32));
  EXPECT_TRUE(represents(f16, i8));
  EXPECT_FALSE(represents(i32, f64));
  EXPECT_FALSE(represents(f64, i64));
  EXPECT_FALSE(represents(u64, i8));
  EXPECT_FALSE(represents(f16, bf16));
  EXPECT_FALSE(represents(bf16, f16));
  EXPECT_FALSE(represents(f64, c64));
  EXPECT_TRUE(represents(user, user));
  EXPECT_FALSE(represents(user, f32));
  EXPECT_FALSE(represents(f32, user));
}

template <class T>
void expect_layout(type t, std::size_t scalar) {
  EXPECT_EQ(type_of<T>, t);
  EXPECT_EQ(type_of<const T>, t);
  EXPECT_EQ(size_of(t), sizeof(T)) << name_of(t);
  EXPECT_EQ(alignment_of(t), scalar) << name_of(t);
}

TEST(types, tags_sizes_and_alignments) {
  expect_layout<std::int8_t>(i8, 1);
  expect_layout<std::uint8_t>(u8, 1);
  expect_layout<bool>(u8, 1);
  expect_layout<std::int16_t>(i16, 2);
  expect_layout<std::uint16_t>(u16, 2);
  expect_layout<std::int32_t>(i32, 4);
  expect_layout<std::uint32_t>(u32, 4);
  expect_layout<std::int64_t>(i64, 8);
  expect_layout<std::uint64_t>(u64, 8);
  expect_layout<long long>(i64, 8);
  expect_layout<float16>(f16, 2);
  expect_layout<bfloat16>(bf16, 2);
  expect_layout<float>(f32, 4);
  expect_layout<double>(f64, 8);
  expect_layout<std::complex<float>>(c64, 4);
  expect_layout<std::complex<double>>(c128, 8);
  EXPECT_EQ(type_of<affine_pair<float>>, f32);
  EXPECT_EQ(type_of<long double>, user);
  EXPECT_EQ(type_of<void*>, user);
  EXPECT_EQ(size_of(user), 0u);
}

TEST(types, names_are_distinct) {
  std::vector<std::string_view> names;
  for (const type t : all_types) names.push_back(name_of(t));
  for (int id = 0; id <= static_cast<int>(builtin::log_add_exp); ++id)
    names.push_back(name_of(static_cast<builtin>(id)));
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_EQ(name_of(bf16), "bf16");
  EXPECT_EQ(name_of(builtin::log_add_exp), "log_add_exp");
}

// A 16-bit float with `digits` significand bits, from its definition.
long double decode(std::uint16_t bits, int digits) {
  const int fraction_bits = digits - 1, exponent_bits = 15 - fraction_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int exponent = bits >> fraction_bits & top;
  const long double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == top)
    return fraction == 0 ? sign * std::numeric_limits<long double>::infinity()
                         : std::numeric_limits<long double>::quiet_NaN();
  const int significand = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
  return sign * std::ldexp(static_cast<long double>(significand),
                           std::max(exponent, 1) - bias - fraction_bits);
}

template <class H>
class half_floats : public ::testing::Test {
 protected:
  static constexpr int digits = std::is_same_v<H, float16> ? 11 : 8;
  static constexpr std::uint16_t infinity = std::is_same_v<H, float16> ? 0x7c00 : 0x7f80;

  static void expect_rounds_to(float x, std::uint16_t bits) {
    EXPECT_EQ(H(x).bits, bits) << std::hexfloat << x;
    EXPECT_EQ(H(-x).bits, bits | 0x8000) << std::hexfloat << -x;
  }
};
using half_types = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(half_floats, half_types);

TYPED_TEST(half_floats, all_65536_values_widen_exactly_and_come_back) {
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    const auto bits = static_cast<std::uint16_t>(b);
    const auto h = TypeParam::from_bits(bits);
    const float wide = h;
    const long double expected = decode(bits, this->digits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(wide)) << b;
      ASSERT_TRUE(std::isnan(static_cast<float>(TypeParam(wide)))) << b;
    } else {
      ASSERT_EQ(static_cast<long double>(wide), expected) << b;
      ASSERT_EQ(std::signbit(wide), (b & 0x8000) != 0) << b;
      ASSERT_EQ(TypeParam(wide).bits, bits) << b;
    }
  }
}

// Between neighbours lo and hi: the middle goes to the even one, and one ulp off it to the nearer.
// The middle after the largest finite value is where values turn into infinity.
TYPED_TEST(half_floats, rounds_to_nearest_even_around_every_midpoint) {
  for (std::uint16_t lo = 0; lo < this->infinity; ++lo) {
    const auto hi = static_cast<std::uint16_t>(lo + 1);
    const long double below = decode(lo, this->digits);
    const long double ulp = lo == 0
                                ? decode(1, this->digits)
                                : below - decode(static_cast<std::uint16_t>(lo - 1), this->digits);
    const long double above = hi == this->infinity ? below + ulp : decode(hi, this->digits);
    const auto middle = static_cast<float>((below + above) / 2);
    ASSERT_EQ(static_cast<long double>(middle), (below + above) / 2);
    this->expect_rounds_to(middle, lo % 2 == 0 ? lo : hi);
    this->expect_rounds_to(std::nextafter(middle, 0.0f), lo);
    this->expect_rounds_to(std::nextafter(middle, std::numeric_limits<float>::infinity()), hi);
    if (this->HasFailure()) break;
  }
}

TYPED_TEST(half_floats, beyond_the_range) {
  this->expect_rounds_to(std::numeric_limits<float>::infinity(), this->infinity);
  this->expect_rounds_to(std::numeric_limits<float>::max(), this->infinity);
  this->expect_rounds_to(std::numeric_limits<float>::denorm_min(), 0);
  EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(std::numeric_limits<float>::quiet_NaN()))));
  // A NaN whose payload is only in the low bits must not become an infinity.
  EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(std::bit_cast<float>(0x7f800001u)))));
}

TYPED_TEST(half_floats, converts_at_compile_time) {
  static_assert(static_cast<float>(TypeParam(1.5f)) == 1.5f);
  static_assert(TypeParam::from_bits(0x8000).bits == 0x8000);
}

TEST(operators, are_equal_by_what_they_are_not_by_name) {
  const operator_descriptor a{.id = builtin::none, .name = "a", .size = 4, .source = "text"};
  operator_descriptor b = a;
  b.name = "b";
  EXPECT_EQ(a, b);
  b.source = "other text";
  EXPECT_NE(a, b);
  EXPECT_NE(operator_descriptor(sum{}), operator_descriptor(product{}));
  EXPECT_EQ(operator_descriptor(sum{}), operator_descriptor{});
}

}  // namespace
}  // namespace upsweep
