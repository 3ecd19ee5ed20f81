// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_UNIT_FORMATS_HPP
#define UPSWEEP_TESTS_UNIT_FORMATS_HPP

// The element types from the definition of their formats, apart from the library's own tables.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "upsweep/types.hpp"

namespace upsweep::testing {

inline constexpr std::array all_types = {i8,  u8,  i16,  u16, i32, u32, i64,
                                         u64, f16, bf16, f32, f64, c64, c128};

// What a format holds, from its definition: an integer's bounds, or a float's significand bits and
// its smallest and largest exponents (values are m * 2^e with |m| < 2^digits).
struct format {
  bool integer;
  long double lowest, highest;
  int digits, least_exponent, greatest_exponent;
  bool complex;
};

template <class T>
format integer_format() {
  using l = std::numeric_limits<T>;
  return {true, static_cast<long double>(l::min()), static_cast<long double>(l::max()), 0, 0, 0,
          false};
}

inline format format_of(type t) {
  switch (t) {
    case i8: return integer_format<std::int8_t>();
    case u8: return integer_format<std::uint8_t>();
    case i16: return integer_format<std::int16_t>();
    case u16: return integer_format<std::uint16_t>();
    case i32: return integer_format<std::int32_t>();
    case u32: return integer_format<std::uint32_t>();
    case i64: return integer_format<std::int64_t>();
    case u64: return integer_format<std::uint64_t>();
    case f16: return {false, 0, 0, 11, -24, 5, false};
    case bf16: return {false, 0, 0, 8, -133, 120, false};
    case f32: return {false, 0, 0, 24, -149, 104, false};
    case f64: return {false, 0, 0, 53, -1074, 971, false};
    case c64: return {false, 0, 0, 24, -149, 104, true};
    case c128: return {false, 0, 0, 53, -1074, 971, true};
    case user: break;
  }
  return {};
}

inline bool holds(const format& f, long double x) {
  if (f.integer) return std::trunc(x) == x && f.lowest <= x && x <= f.highest;
  if (x == 0) return true;
  int e = 0;
  const long double m = std::frexp(x, &e);  // x = m * 2^e, 0.5 <= |m| < 1
  const int exponent = std::max(e - f.digits, f.least_exponent);
  return exponent <= f.greatest_exponent &&
         std::trunc(std::ldexp(m, e - exponent)) == std::ldexp(m, e - exponent);
}

}  // namespace upsweep::testing

#endif
