// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BENCH_CASES_HPP
#define UPSWEEP_BENCH_CASES_HPP

// What is measured: element types, operators, and random input of each.

#include <concepts>
#include <cstdint>

#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep::bench {

// All random inputs keep every partial result exact in its type, whatever the order: floats are
// small integers whose sums stay near 0, signed sums do not overflow. So any two right answers are
// equal bit for bit.

// -7, -5, ... 7: mean 0, so that 2^28 of them sum to some 10^5.
constexpr int odd(std::uint64_t random) { return 2 * static_cast<int>(random & 7) - 7; }

template <class In, class Out>
struct sum_case {
  using in = In;
  using out = Out;
  using tag = upsweep::sum;
  static Out combine(Out a, Out b) { return static_cast<Out>(a + b); }
  static Out identity() { return Out{}; }

  // Odd numbers around 0; whole range for the narrow integers, which wrap; 0..7 for unsigned input.
  static In draw(std::uint64_t random) {
    if constexpr (sizeof(In) == sizeof(Out) && std::integral<In> && sizeof(In) < sizeof(int))
      return static_cast<In>(random);
    else if constexpr (std::unsigned_integral<In>)
      return static_cast<In>(random & 7);
    else
      return static_cast<In>(odd(random));
  }
};

struct affine_case {
  using in = affine_pair<float>;
  using out = in;
  using tag = upsweep::affine;
  static out combine(out l, out r) {
    return {l.coefficient * r.coefficient, r.coefficient * l.offset + r.offset};
  }
  static out identity() { return {1, 0}; }
  static in draw(std::uint64_t random) {
    return {(random & 8) != 0 ? 1.0F : -1.0F, static_cast<float>(odd(random))};
  }
};

struct f32 : sum_case<float, float> {
  static constexpr auto name = "f32";
};
struct f64 : sum_case<double, double> {
  static constexpr auto name = "f64";
};
struct i32 : sum_case<std::int32_t, std::int32_t> {
  static constexpr auto name = "i32";
};
struct i64 : sum_case<std::int64_t, std::int64_t> {
  static constexpr auto name = "i64";
};
struct i8 : sum_case<std::int8_t, std::int8_t> {
  static constexpr auto name = "i8";
};
struct i16 : sum_case<std::int16_t, std::int16_t> {
  static constexpr auto name = "i16";
};
struct u8_i32 : sum_case<std::uint8_t, std::int32_t> {
  static constexpr auto name = "u8-i32";
};
struct affine_f32 : affine_case {
  static constexpr auto name = "affine-f32";
};

template <class Body>
void for_each_case(Body&& body) {
  body(f32{});
  body(f64{});
  body(i32{});
  body(i64{});
  body(i8{});
  body(i16{});
  body(u8_i32{});
  body(affine_f32{});
}

// The operator as a function object, for peers. One side may be an input that converts.
template <class Case>
struct combine {
  using value = typename Case::out;
  value operator()(value a, value b) const { return Case::combine(a, b); }
};

template <class Case>
inline constexpr bool is_mixed = !std::same_as<typename Case::in, typename Case::out>;

}  // namespace upsweep::bench

#endif
