// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_CONVERT_HPP
#define UPSWEEP_TESTS_SUPPORT_CONVERT_HPP

// Between elements in memory and the values of the oracle. The 16-bit floats are decoded and
// rounded by arithmetic in f64, from their definition, apart from the bit operations of the
// library.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "upsweep/types.hpp"

namespace upsweep::testing {

struct small_format {
  int digits;    // significand bits, the hidden one included
  int least;     // exponent of the least normal number
  int greatest;  // exponent of the greatest numbers
};
inline constexpr small_format half_format{11, -14, 15};
inline constexpr small_format brain_format{8, -126, 127};

inline double decode(std::uint16_t bits, const small_format& f) {
  const int fraction_bits = f.digits - 1;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int exponent = (bits & 0x7fff) >> fraction_bits;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == f.greatest - f.least + 2)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, f.least - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits), f.least + exponent - 1 - fraction_bits);
}

// Rounds to nearest, ties to even; every NaN becomes one NaN.
inline std::uint16_t encode(float x, const small_format& f) {
  const int fraction_bits = f.digits - 1;
  const int infinity = (f.greatest - f.least + 2) << fraction_bits;
  if (std::isnan(x)) return static_cast<std::uint16_t>(infinity | 1 << (fraction_bits - 1));
  const int sign = std::signbit(x) ? 0x8000 : 0;
  const double magnitude = std::fabs(static_cast<double>(x));
  if (std::isinf(x)) return static_cast<std::uint16_t>(sign | infinity);
  const int exponent = magnitude == 0 ? f.least : std::max(std::ilogb(magnitude), f.least);
  // In units of the last place: exact before, an integer after the one rounding.
  const double scaled = std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent));
  const int bits = static_cast<int>(scaled) + ((exponent - f.least) << fraction_bits);
  return static_cast<std::uint16_t>(sign | std::min(bits, infinity));
}

template <class V, class T>
V to_value(T x) {
  if constexpr (std::is_same_v<T, float16>)
    return to_value<V>(static_cast<float>(decode(x.bits, half_format)));
  else if constexpr (std::is_same_v<T, bfloat16>)
    return to_value<V>(static_cast<float>(decode(x.bits, brain_format)));
  else if constexpr (std::is_same_v<V, std::complex<float>> ||
                     std::is_same_v<V, std::complex<double>>) {
    using part = typename V::value_type;
    if constexpr (std::is_arithmetic_v<T>)
      return V(static_cast<part>(x), part{0});
    else
      return V(static_cast<part>(x.real()), static_cast<part>(x.imag()));
  } else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<V>(x);
  else
    return V(x.real());  // only where the imaginary part is 0: an init
}

// Whether results held as V are stored in elements of type T.
template <class T, class V>
inline constexpr bool storable = std::is_same_v<T, V> ||
                                 (std::is_integral_v<T> && std::is_integral_v<V>) ||
                                 (std::is_same_v<V, float> &&
                                  (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>));

template <class T, class V>
T to_element(V x) {
  if constexpr (std::is_same_v<T, float16>)
    return float16::from_bits(encode(x, half_format));
  else if constexpr (std::is_same_v<T, bfloat16>)
    return bfloat16::from_bits(encode(x, brain_format));
  else
    return static_cast<T>(x);
}

// Calls f(T{}) with the C++ type of t.
template <class F>
decltype(auto) visit_type(type t, F&& f) {
  switch (t) {
    case type::i8: return f(std::int8_t{});
    case type::u8: return f(std::uint8_t{});
    case type::i16: return f(std::int16_t{});
    case type::u16: return f(std::uint16_t{});
    case type::i32: return f(std::int32_t{});
    case type::u32: return f(std::uint32_t{});
    case type::i64: return f(std::int64_t{});
    case type::f16: return f(float16{});
    case type::bf16: return f(bfloat16{});
    case type::f32: return f(float{});
    case type::f64: return f(double{});
    case type::c64: return f(std::complex<float>{});
    case type::c128: return f(std::complex<double>{});
    default: return f(std::uint64_t{});
  }
}

// Element i of an array of type t, as a V.
template <class V>
V load(type t, const void* p, std::int64_t i) {
  return visit_type(t, [&](auto sample) {
    std::memcpy(&sample, static_cast<const char*>(p) + i * static_cast<std::int64_t>(sizeof sample),
                sizeof sample);
    return to_value<V>(sample);
  });
}

}  // namespace upsweep::testing

#endif
