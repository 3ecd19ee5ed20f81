// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_OPERATORS_HPP
#define UPSWEEP_KERNELS_OPERATORS_HPP

// The built-in operators on the device. `value` is the element; combine(l, r) is l op r; identity()
// is two-sided; where `neutral`, it leaves the bits of every value as they are, so that it may
// stand for nothing. first() is what an exclusive scan without init begins with. `commutes`: r op l
// has the bits of l op r. `exact`: every order of operations gives the same bits.

#include "port.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class T>
inline constexpr bool is_float = T(1) / T(2) != T(0);

template <class S>
struct complex {
  S re, im;
  complex() = default;
  UPSWEEP_HOST_DEVICE explicit constexpr complex(S r, S i = S(0)) : re(r), im(i) {}
  UPSWEEP_HOST_DEVICE friend complex operator-(complex x) { return complex(-x.re, -x.im); }
  UPSWEEP_HOST_DEVICE friend complex operator+(complex l, complex r) {
    return complex(l.re + r.re, l.im + r.im);
  }
  UPSWEEP_HOST_DEVICE friend complex operator*(complex l, complex r) {
    return complex(l.re * r.re - l.im * r.im, l.re * r.im + l.im * r.re);
  }
};
template <class S>
inline constexpr bool is_float<complex<S>> = true;
template <class T>
inline constexpr bool is_complex = false;
template <class S>
inline constexpr bool is_complex<complex<S>> = true;

template <class T>
struct sum_op {
  using value = T;
  static constexpr bool neutral = true, commutes = true, exact = !is_float<T>;
  // -0.0 for floats: +0.0 + -0.0 would lose the sign of the right side.
  UPSWEEP_HOST_DEVICE static T identity() { return -T(0); }
  UPSWEEP_HOST_DEVICE static T first() { return T(0); }
  UPSWEEP_HOST_DEVICE static T combine(T l, T r) { return l + r; }
};

template <class T>
struct product_op {
  using value = T;
  // Not neutral: complex 1 times an infinity is a NaN.
  static constexpr bool neutral = !is_complex<T>, commutes = true, exact = !is_float<T>;
  UPSWEEP_HOST_DEVICE static T identity() { return T(1); }
  UPSWEEP_HOST_DEVICE static T first() { return identity(); }
  UPSWEEP_HOST_DEVICE static T combine(T l, T r) { return l * r; }
};

// The ends of a type's order.
template <class T>
UPSWEEP_HOST_DEVICE constexpr T highest() {
  if constexpr (is_float<T>)
    return static_cast<T>(__builtin_huge_val());
  else if constexpr (T(-1) < T(0))
    return static_cast<T>(~(T(1) << (sizeof(T) * 8 - 1)));
  else
    return ~T(0);
}
template <class T>
UPSWEEP_HOST_DEVICE constexpr T lowest() {
  if constexpr (is_float<T>)
    return -highest<T>();
  else
    return static_cast<T>(~highest<T>());
}

template <class T>
struct minimum_op {
  using value = T;
  static constexpr bool neutral = true, commutes = true, exact = true;
  UPSWEEP_HOST_DEVICE static T identity() { return highest<T>(); }
  UPSWEEP_HOST_DEVICE static T first() { return identity(); }
  UPSWEEP_HOST_DEVICE static T combine(T l, T r) {
    if constexpr (is_float<T>)
      return least(l, r);
    else
      return r < l ? r : l;
  }
};

// Of narrower integers E, in a T: the identity is one of E too.
template <class T, class E>
struct narrow_minimum_op : minimum_op<T> {
  UPSWEEP_HOST_DEVICE static T identity() { return T(highest<E>()); }
  UPSWEEP_HOST_DEVICE static T first() { return identity(); }
};

template <class T>
struct maximum_op {
  using value = T;
  static constexpr bool neutral = true, commutes = true, exact = true;
  UPSWEEP_HOST_DEVICE static T identity() { return lowest<T>(); }
  UPSWEEP_HOST_DEVICE static T first() { return identity(); }
  UPSWEEP_HOST_DEVICE static T combine(T l, T r) {
    if constexpr (is_float<T>)
      return -least(-l, -r);
    else
      return r > l ? r : l;
  }
};

template <class T>
struct and_op {
  using value = T;
  static constexpr bool neutral = true, commutes = true, exact = true;
  UPSWEEP_HOST_DEVICE static T identity() { return ~T(0); }
  UPSWEEP_HOST_DEVICE static T first() { return identity(); }
  UPSWEEP_HOST_DEVICE static T combine(T l, T r) { return l & r; }
};

template <class T>
struct or_op {
  using value = T;
  static constexpr bool neutral = true, commutes = true, exact = true;
  UPSWEEP_HOST_DEVICE static T identity() { return T(0); }
  UPSWEEP_HOST_DEVICE static T first() { return identity(); }
  UPSWEEP_HOST_DEVICE static T combine(T l, T r) { return l | r; }
};

template <class T>
struct xor_op {
  using value = T;
  static constexpr bool neutral = true, commutes = true, exact = true;
  UPSWEEP_HOST_DEVICE static T identity() { return T(0); }
  UPSWEEP_HOST_DEVICE static T first() { return identity(); }
  UPSWEEP_HOST_DEVICE static T combine(T l, T r) { return l ^ r; }
};

// The map h -> coefficient * h + offset.
template <class S>
struct affine_map {
  S coefficient;
  S offset;
};

template <class S>
inline constexpr bool is_float<affine_map<S>> = is_float<S>;

// Composition, the left map first (G. E. Blelloch, Prefix Sums and Their Applications, 1990, 1.4).
template <class S>
struct affine_op {
  using value = affine_map<S>;
  // Not neutral: 1 times an infinity is one, but 0 times it is a NaN.
  static constexpr bool neutral = false, commutes = false, exact = !is_float<S>;
  UPSWEEP_HOST_DEVICE static value identity() { return {S(1), -S(0)}; }
  UPSWEEP_HOST_DEVICE static value first() { return {S(1), S(0)}; }
  UPSWEEP_HOST_DEVICE static value combine(value l, value r) {
    return {l.coefficient * r.coefficient, r.coefficient * l.offset + r.offset};
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
