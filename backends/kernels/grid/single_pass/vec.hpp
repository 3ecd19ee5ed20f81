// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_VEC_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_VEC_HPP

// What a lane holds of a chunk at a time: a vec of order 1, 16 bytes of elements E. Arithmetic is
// done in Op::value, which is E but for narrow integers: these widen to 32 bits, and wrap when they
// are packed again. Bytes are combined two at a time where their operator can.

#include <cstdint>

#include "../../operators.hpp"
#include "../../port.hpp"
#include "../../scan.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// The scalar that an element is made of.
template <class E>
struct scalar_of {
  using type = E;
};
template <class S>
struct scalar_of<complex<S>> {
  using type = S;
};
template <class S>
struct scalar_of<affine_map<S>> {
  using type = S;
};

// An operator on two bytes at once, each in 16 bits of a word: `neutral` in both, and what is left
// of a result that goes on.
template <class Op>
struct on_pairs {
  static constexpr bool served = false;
};
template <>
struct on_pairs<sum_op<std::uint32_t>> {
  static constexpr bool served = true;
  static constexpr std::uint32_t neutral = 0, kept = 0x00ff00ff;
  UPSWEEP_DEVICE static std::uint32_t combine(std::uint32_t l, std::uint32_t r) { return l + r; }
};
template <>
struct on_pairs<or_op<std::uint32_t>> {
  static constexpr bool served = true;
  static constexpr std::uint32_t neutral = 0, kept = 0xffffffff;
  UPSWEEP_DEVICE static std::uint32_t combine(std::uint32_t l, std::uint32_t r) { return l | r; }
};
template <>
struct on_pairs<xor_op<std::uint32_t>> {
  static constexpr bool served = true;
  static constexpr std::uint32_t neutral = 0, kept = 0xffffffff;
  UPSWEEP_DEVICE static std::uint32_t combine(std::uint32_t l, std::uint32_t r) { return l ^ r; }
};
template <>
struct on_pairs<narrow_minimum_op<std::int32_t, std::int8_t>> {
  static constexpr bool served = true;
  static constexpr std::uint32_t neutral = 0x007f007f, kept = 0xffffffff;
  UPSWEEP_DEVICE static std::uint32_t combine(std::uint32_t l, std::uint32_t r) {
    return min_pairs(l, r);
  }
};

template <class Op>
inline constexpr bool is_sum = false;
template <class T>
inline constexpr bool is_sum<sum_op<T>> = true;

// Whether scans by it may invert bits, to be scans by another operator.
template <class Op>
inline constexpr bool inverts = false;
template <class T>
inline constexpr bool inverts<or_op<T>> = true;
template <class T>
inline constexpr bool inverts<minimum_op<T>> = true;
template <class T, class E>
inline constexpr bool inverts<narrow_minimum_op<T, E>> = true;

// x and what is before it; where the operator has a neutral element, that stands for nothing.
template <class Op>
UPSWEEP_DEVICE typename Op::value after(const carry<Op>& before, typename Op::value x) {
  if constexpr (Op::neutral)
    return Op::combine(before.value, x);
  else
    return before.then(x);
}

template <class Op, class E>
struct vec_of {
  using T = typename Op::value;
  using pairs = on_pairs<Op>;
  static constexpr int size = 16 / static_cast<int>(sizeof(E));

  UPSWEEP_DEVICE static T widened(E e) { return static_cast<T>(e); }

  UPSWEEP_DEVICE static T fold(const quad& q) {
    if constexpr (sizeof(E) < 4 && is_sum<Op>) {
      T t = 0;
      UPSWEEP_UNROLL
      for (const std::uint32_t w : q.word) t = sizeof(E) == 1 ? add_bytes(w, t) : add_halves(w, t);
      return t;
    } else if constexpr (sizeof(E) == 1 && pairs::served) {
      std::uint32_t both = pairs::neutral;
      UPSWEEP_UNROLL
      for (const std::uint32_t w : q.word)
        both = pairs::combine(both, pairs::combine(even(w), odd(w)));
      return Op::combine(value(both), value(both >> 16));
    } else {
      E e[size];
      copy_bits(e, q);
      T t = widened(e[0]);
      UPSWEEP_UNROLL
      for (int k = 1; k < size; ++k) t = Op::combine(t, widened(e[k]));
      return t;
    }
  }

  // The results of the elements: `before` is what comes before the first, `next` W behind the last.
  UPSWEEP_DEVICE static quad scan(const quad& q, const carry<Op>& before, T next, bool exclusive) {
    if constexpr (sizeof(E) == 1 && pairs::served) {
      return scan_bytes(q, before.value, exclusive);
    } else {
      E x[size], y[size];
      copy_bits(x, q);
      T open = widened(x[0]), w = before.value;
      UPSWEEP_UNROLL
      for (int k = 0; k < size; ++k) {
        if (exclusive) y[k] = static_cast<E>(w);
        if (k + 1 == size)
          w = next;
        else if constexpr (Op::exact && Op::neutral)
          w = Op::combine(w, widened(x[k]));
        else
          w = after(before, open);
        if (!exclusive) y[k] = static_cast<E>(w);
        if (k + 1 < size) open = Op::combine(open, widened(x[k + 1]));
      }
      quad r;
      copy_bits(r, y);
      return r;
    }
  }

 private:
  // Bytes 0 and 2 of a word, and 1 and 3.
  static constexpr bool is_signed = T(-1) < T(0);
  UPSWEEP_DEVICE static std::uint32_t even(std::uint32_t w) {
    return bytes_of(w, 0, is_signed ? 0xa280 : 0x4240);
  }
  UPSWEEP_DEVICE static std::uint32_t odd(std::uint32_t w) {
    return bytes_of(w, 0, is_signed ? 0xb391 : 0x4341);
  }
  UPSWEEP_DEVICE static T value(std::uint32_t half) {
    return static_cast<T>(is_signed ? bytes_of(half, 0, 0x9910) : half & 0xffff);
  }

  UPSWEEP_DEVICE static quad scan_bytes(const quad& q, T first, bool exclusive) {
    quad y;
    auto before = bytes_of(static_cast<std::uint32_t>(first), 0, 0x1010) & pairs::kept;
    std::uint32_t last = before << 24;
    UPSWEEP_UNROLL
    for (int w = 0; w < 4; ++w) {
      const std::uint32_t a = even(q.word[w]);
      const std::uint32_t both = pairs::combine(a, odd(q.word[w]));
      const std::uint32_t lower = bytes_of(both, pairs::neutral, 0x1054);  // both's lower half
      const std::uint32_t odds = pairs::combine(before, pairs::combine(lower, both));
      const std::uint32_t evens = pairs::combine(bytes_of(before, odds, 0x5410), a);
      const std::uint32_t all = bytes_of(evens, odds, 0x6240);
      y.word[w] = exclusive ? bytes_of(last, all, 0x6543) : all;
      last = all;
      before = bytes_of(odds, 0, 0x3232) & pairs::kept;
    }
    return y;
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
