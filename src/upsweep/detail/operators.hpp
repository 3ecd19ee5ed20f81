// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_DETAIL_OPERATORS_HPP
#define UPSWEEP_DETAIL_OPERATORS_HPP

// The built-in operators on accumulators, in scalar text for the host. Signed integers run the
// unsigned text where both give the same bits: wrapping sums and products.

#include <bit>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/types.hpp"

namespace upsweep::detail {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

template <class T>
struct sum_op {
  using value = T;
  static T identity() { return T(0); }
  static T combine(T a, T b) { return static_cast<T>(a + b); }
};

template <class T>
struct product_op {
  using value = T;
  static T identity() { return T(1); }
  static T combine(T a, T b) {
    if constexpr (is_complex<T>) {
      const auto ac = a.real() * b.real(), bd = a.imag() * b.imag();
      const auto ad = a.real() * b.imag(), bc = a.imag() * b.real();
      return T(ac - bd, ad + bc);
    } else if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(std::uint32_t)) {
      return static_cast<T>(std::uint32_t{a} * std::uint32_t{b});
    } else {
      return a * b;
    }
  }
};

// NaN wins; -0.0 is below +0.0. Unequal numbers never tie, so `a == b` meets only equal bits or two
// zeros, and a NaN keeps its exponent under `|`.
template <class T>
struct minimum_op {
  using value = T;
  static T identity() {
    if constexpr (std::is_floating_point_v<T>)
      return std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::max();
  }
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      if (a < b) return a;
      if (b < a) return b;
      return std::bit_cast<T>(std::bit_cast<bits>(a) | std::bit_cast<bits>(b));
    } else {
      return b < a ? b : a;
    }
  }
};

template <class T>
struct maximum_op {
  using value = T;
  static T identity() {
    if constexpr (std::is_floating_point_v<T>)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      if (a > b) return a;
      if (b > a) return b;
      const bits x = std::bit_cast<bits>(a), y = std::bit_cast<bits>(b);
      return std::bit_cast<T>(a == b ? x & y : x | y);
    } else {
      return a < b ? b : a;
    }
  }
};

template <class T>
struct and_op {
  using value = T;
  static T identity() { return static_cast<T>(~T(0)); }
  static T combine(T a, T b) { return a & b; }
};

template <class T>
struct or_op {
  using value = T;
  static T identity() { return T(0); }
  static T combine(T a, T b) { return a | b; }
};

template <class T>
struct xor_op {
  using value = T;
  static T identity() { return T(0); }
  static T combine(T a, T b) { return a ^ b; }
};

template <class S>
struct affine_op {
  using value = affine_pair<S>;
  static value identity() { return {S(1), S(0)}; }
  static value combine(value l, value r) {
    return {l.coefficient * r.coefficient, r.coefficient * l.offset + r.offset};
  }
};

}  // namespace upsweep::detail

#endif
