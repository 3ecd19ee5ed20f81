// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TYPES_HPP
#define UPSWEEP_TYPES_HPP

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "upsweep/export.hpp"

namespace upsweep {

// The element types. f16 is IEEE 754 binary16, bf16 the upper half of a binary32, c64 and c128 are
// two f32 or two f64 (real, imaginary). `user` stands for the value type of a user operator.
enum class type : std::uint8_t {
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  bf16,
  f32,
  f64,
  c64,
  c128,
  user
};
using enum type;

// Bytes of one element; 0 for `user`, whose size its operator gives.
UPSWEEP_API std::size_t size_of(type t) noexcept;

// Alignment that a pointer to elements must have: that of the scalar inside.
UPSWEEP_API std::size_t alignment_of(type t) noexcept;

// "i8" ... "c128", "user".
UPSWEEP_API std::string_view name_of(type t) noexcept;

namespace detail {

struct type_facts {
  bool integer, is_signed, complex;
  int digits;    // significand bits, or value bits of an integer
  int exponent;  // largest binary exponent of a float; 0 for integers
};

constexpr type_facts facts_of(type t) noexcept {
  switch (t) {
    case type::i8: return {true, true, false, 7, 0};
    case type::u8: return {true, false, false, 8, 0};
    case type::i16: return {true, true, false, 15, 0};
    case type::u16: return {true, false, false, 16, 0};
    case type::i32: return {true, true, false, 31, 0};
    case type::u32: return {true, false, false, 32, 0};
    case type::i64: return {true, true, false, 63, 0};
    case type::u64: return {true, false, false, 64, 0};
    case type::f16: return {false, true, false, 11, 16};
    case type::bf16: return {false, true, false, 8, 128};
    case type::f32: return {false, true, false, 24, 128};
    case type::f64: return {false, true, false, 53, 1024};
    case type::c64: return {false, true, true, 24, 128};
    case type::c128: return {false, true, true, 53, 1024};
    case type::user: break;
  }
  return {};
}

}  // namespace detail

// Whether `to` represents every value of `from` exactly: the condition for a mixed scan.
constexpr bool represents(type to, type from) noexcept {
  if (to == type::user || from == type::user) return to == from;
  const detail::type_facts t = detail::facts_of(to);
  const detail::type_facts f = detail::facts_of(from);
  if (f.complex && !t.complex) return false;
  if (t.integer) return f.integer && f.digits <= t.digits && (t.is_signed || !f.is_signed);
  if (f.integer) return f.digits <= t.digits;
  return f.digits <= t.digits && f.exponent <= t.exponent;
}

// The type that values are combined in: f32 for f16 and bf16, else the output type itself.
constexpr type accumulator_of(type out) noexcept {
  return out == type::f16 || out == type::bf16 ? type::f32 : out;
}

// IEEE 754 binary16, for storage. Conversion from float rounds to nearest, ties to even.
struct float16 {
  std::uint16_t bits = 0;

  float16() = default;
  explicit constexpr float16(float x) noexcept : bits(round(x)) {}
  static constexpr float16 from_bits(std::uint16_t b) noexcept {
    float16 h;
    h.bits = b;
    return h;
  }
  constexpr operator float() const noexcept {
    const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
    const std::uint32_t magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u)  // infinity, NaN
      return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude < 0x0400u) {  // zero, denormal: magnitude * 2^-24 is exact in f32
      const float m = static_cast<float>(magnitude) * 0x1p-24f;
      return sign != 0 ? -m : m;
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
  }

 private:
  static constexpr std::uint16_t round(float x) noexcept {
    const std::uint32_t b = std::bit_cast<std::uint32_t>(x);
    const auto sign = static_cast<std::uint16_t>(b >> 16 & 0x8000u);
    const std::uint32_t a = b & 0x7fffffffu;
    std::uint32_t h = 0;
    if (a > 0x7f800000u) {
      h = 0x7e00u;  // NaN
    } else if (a >= 0x477ff000u) {
      h = 0x7c00u;  // rounds to infinity
    } else if (a >= 0x38800000u) {
      h = (a - 0x38000000u + 0x0fffu + (a >> 13 & 1u)) >> 13;
    } else if (a > 0x33000000u) {  // denormal: shift the significand into place, then round
      const std::uint32_t shift = 126u - (a >> 23);
      const std::uint32_t m = (a & 0x7fffffu) | 0x800000u;
      const std::uint32_t rest = m & ((1u << shift) - 1u);
      const std::uint32_t half = 1u << (shift - 1u);
      h = m >> shift;
      h += rest > half || (rest == half && (h & 1u) != 0) ? 1u : 0u;
    }
    return static_cast<std::uint16_t>(sign | h);
  }
};

// The upper half of an IEEE 754 binary32, for storage. Conversion from float rounds to nearest,
// ties to even.
struct bfloat16 {
  std::uint16_t bits = 0;

  bfloat16() = default;
  explicit constexpr bfloat16(float x) noexcept : bits(round(x)) {}
  static constexpr bfloat16 from_bits(std::uint16_t b) noexcept {
    bfloat16 h;
    h.bits = b;
    return h;
  }
  constexpr operator float() const noexcept {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  }

 private:
  static constexpr std::uint16_t round(float x) noexcept {
    const std::uint32_t b = std::bit_cast<std::uint32_t>(x);
    const bool nan = (b & 0x7fffffffu) > 0x7f800000u;
    const std::uint32_t rounded = nan ? b | 0x400000u : b + 0x7fffu + (b >> 16 & 1u);
    return static_cast<std::uint16_t>(rounded >> 16);
  }
};

// One element of an affine scan: the map h -> coefficient * h + offset.
template <class T>
struct affine_pair {
  T coefficient{};
  T offset{};
  friend bool operator==(const affine_pair&, const affine_pair&) = default;
};

namespace detail {

template <class T>
inline constexpr bool is_affine_pair = false;
template <class T>
inline constexpr bool is_affine_pair<affine_pair<T>> = true;

template <class T>
constexpr type tag_of() noexcept {
  if constexpr (is_affine_pair<T>)
    return tag_of<decltype(T::offset)>();
  else if constexpr (std::is_same_v<T, bool>)
    return type::u8;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 1)
    return std::is_signed_v<T> ? type::i8 : type::u8;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 2)
    return std::is_signed_v<T> ? type::i16 : type::u16;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return std::is_signed_v<T> ? type::i32 : type::u32;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return std::is_signed_v<T> ? type::i64 : type::u64;
  else if constexpr (std::is_same_v<T, float16>)
    return type::f16;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return type::bf16;
  else if constexpr (std::is_same_v<T, float>)
    return type::f32;
  else if constexpr (std::is_same_v<T, double>)
    return type::f64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return type::c64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return type::c128;
  else
    return type::user;
}

}  // namespace detail

// The tag of a C++ type: integers by size and sign, bool as u8, an affine_pair by its scalar;
// type::user for any other type.
template <class T>
inline constexpr type type_of = detail::tag_of<std::remove_cv_t<T>>();

}  // namespace upsweep

#endif
