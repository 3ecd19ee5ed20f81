// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_OPERATORS_HPP
#define UPSWEEP_TESTS_SUPPORT_OPERATORS_HPP

// The operators of docs/numerics.md, section 1, for the oracle, and two more for tests of order.
// Written apart from the library's own. Integers are scanned in 64 bits and cut when stored, which
// gives the same as any narrower wrapping type.

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace upsweep::testing {

template <class T>
struct add {
  using value = T;
  static value combine(value a, value b) { return a + b; }
};

template <class T>
struct add<std::complex<T>> {
  using value = std::complex<T>;
  static value combine(value a, value b) { return {a.real() + b.real(), a.imag() + b.imag()}; }
};

template <class T>
struct multiply {
  using value = T;
  static value combine(value a, value b) { return a * b; }
};

template <class T>
struct multiply<std::complex<T>> {
  using value = std::complex<T>;
  static value combine(value x, value y) {
    const T a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    const T ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    return {ac - bd, ad + bc};
  }
};

// Whether a comes before b; for floats -0.0 comes before +0.0. No NaNs here.
template <class T>
bool precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a == b) return std::signbit(a) && !std::signbit(b);
  return a < b;
}

template <class T>
struct least {
  using value = T;
  static value combine(value a, value b) {
    if (a != a) return a;
    if (b != b) return b;
    return precedes(a, b) ? a : b;
  }
};

template <class T>
struct greatest {
  using value = T;
  static value combine(value a, value b) {
    if (a != a) return a;
    if (b != b) return b;
    return precedes(a, b) ? b : a;
  }
};

struct and_bits {
  using value = std::uint64_t;
  static value combine(value a, value b) { return a & b; }
};

struct or_bits {
  using value = std::uint64_t;
  static value combine(value a, value b) { return a | b; }
};

struct xor_bits {
  using value = std::uint64_t;
  static value combine(value a, value b) { return a ^ b; }
};

template <class T>
struct map_of {  // h -> b * h + v
  T b, v;
};

template <class T>
struct compose {
  using value = map_of<T>;
  static value combine(value x, value y) {
    const T scaled = y.b * x.v;
    return {x.b * y.b, scaled + y.v};
  }
};

// Ranges of neighbours (AccelerateHS/accelerate#348): anything but (lo..k)(k+1..hi), in that order,
// gives `poison` for good. It shows a changed order, a gap, a repetition, an invented element.
struct adjacent {
  struct value {
    std::int32_t lo, hi;
    friend bool operator==(const value&, const value&) = default;
  };
  static constexpr value poison{-1, -1};
  static value combine(value a, value b) {
    if (a == poison || b == poison || a.hi + 1 != b.lo) return poison;
    return {a.lo, b.hi};
  }
};

// Products of 2 x 2 matrices modulo 2^32 (JuliaGPU/AcceleratedKernels.jl#78): exact, not
// commutative.
struct matrix_product {
  struct value {
    std::uint32_t a, b, c, d;  // rows (a, b), (c, d)
    friend bool operator==(const value&, const value&) = default;
  };
  static value combine(value x, value y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
};

}  // namespace upsweep::testing

#endif
