// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_DETAIL_ELEMENTS_HPP
#define UPSWEEP_DETAIL_ELEMENTS_HPP

// From elements in memory to accumulators and back.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/detail/operators.hpp"
#include "upsweep/spec.hpp"
#include "upsweep/types.hpp"

namespace upsweep::detail {

// The scalar inside an accumulator, and how many there are.
template <class A>
struct accumulator {
  using scalar = A;
  static constexpr std::size_t components = 1;
};
template <class S>
struct accumulator<std::complex<S>> {
  using scalar = S;
  static constexpr std::size_t components = 2;
};
template <class S>
struct accumulator<affine_pair<S>> {
  using scalar = S;
  static constexpr std::size_t components = 2;
};

// What memory holds where a scan sees an A: the complex or plain scalar, without the pair.
template <class A>
struct scalar_of {
  using type = A;
};
template <class S>
struct scalar_of<affine_pair<S>> {
  using type = S;
};

// Whether elements of type In can be read as S. S is unsigned for signed scans whose operator does
// not see the sign, so integers go by size here; validation has checked the rest.
template <class In, class S>
inline constexpr bool readable = std::is_integral_v<In>&& std::is_integral_v<S>
                                     ? sizeof(In) <= sizeof(S)
                                     : represents(type_of<S>, type_of<In>);

template <class S, class In>
constexpr S convert(In x) {
  if constexpr (is_complex<S> && is_complex<In>)
    return S(static_cast<typename S::value_type>(x.real()),
             static_cast<typename S::value_type>(x.imag()));
  else if constexpr (is_complex<S>)
    return S(static_cast<typename S::value_type>(x));
  else
    return static_cast<S>(x);
}

// How the elements of a scan lie in memory.
enum class shape { plain, logical, pair, split };

// One of the shapes that an A can have.
template <class A>
inline constexpr shape shape_of_any = is_affine_pair<A> ? shape::pair : shape::plain;

inline shape shape_of(const spec& what) {
  switch (what.op.id) {
    case builtin::logical_and:
    case builtin::logical_or: return shape::logical;
    case builtin::affine: return what.affine == affine_form::pair ? shape::pair : shape::split;
    default: return shape::plain;
  }
}

template <class A, class In, shape Shape>
A read(const arguments& a, std::int64_t i) {
  using S = typename scalar_of<A>::type;
  const auto* in = static_cast<const In*>(a.in);
  if constexpr (Shape == shape::plain)
    return convert<S>(in[i]);
  else if constexpr (Shape == shape::logical)
    return in[i] != 0 ? static_cast<S>(~S(0)) : S(0);  // so that the bit operators serve
  else if constexpr (Shape == shape::pair)
    return {convert<S>(in[2 * i]), convert<S>(in[2 * i + 1])};
  else
    return {convert<S>(static_cast<const In*>(a.coefficients)[i]), convert<S>(in[i])};
}

template <class A, class Out, shape Shape>
void write(void* out, std::int64_t i, A x) {
  auto* to = static_cast<Out*>(out);
  if constexpr (Shape == shape::pair) {
    to[2 * i] = x.coefficient;
    to[2 * i + 1] = x.offset;
  } else if constexpr (Shape == shape::split) {
    to[i] = x.offset;
  } else if constexpr (Shape == shape::logical) {
    to[i] = x & 1;
  } else {
    to[i] = static_cast<Out>(x);
  }
}

// Calls f.operator()<T>() with the C++ type of t.
template <class F>
decltype(auto) with_type(type t, F&& f) {
  switch (t) {
    case type::i8: return f.template operator()<std::int8_t>();
    case type::u8: return f.template operator()<std::uint8_t>();
    case type::i16: return f.template operator()<std::int16_t>();
    case type::u16: return f.template operator()<std::uint16_t>();
    case type::i32: return f.template operator()<std::int32_t>();
    case type::u32: return f.template operator()<std::uint32_t>();
    case type::i64: return f.template operator()<std::int64_t>();
    case type::f16: return f.template operator()<float16>();
    case type::bf16: return f.template operator()<bfloat16>();
    case type::f32: return f.template operator()<float>();
    case type::f64: return f.template operator()<double>();
    case type::c64: return f.template operator()<std::complex<float>>();
    case type::c128: return f.template operator()<std::complex<double>>();
    default: return f.template operator()<std::uint64_t>();
  }
}

// Calls f.operator()<Shape>() for the shapes that an A can have.
template <class A, class F>
decltype(auto) with_shape(shape s, F&& f) {
  if constexpr (is_affine_pair<A>) {
    return s == shape::pair ? f.template operator()<shape::pair>()
                            : f.template operator()<shape::split>();
  } else if constexpr (std::is_integral_v<A>) {
    return s == shape::logical ? f.template operator()<shape::logical>()
                               : f.template operator()<shape::plain>();
  } else {
    return f.template operator()<shape::plain>();
  }
}

// Calls f.operator()<Out>() for the stored types of an accumulator A. Signed and unsigned integers
// of one size have the same bytes.
template <class A, class F>
decltype(auto) with_output(type out, F&& f) {
  using S = typename scalar_of<A>::type;
  if constexpr (std::is_same_v<A, float>) {
    if (out == type::f16) return f.template operator()<float16>();
    if (out == type::bf16) return f.template operator()<bfloat16>();
  }
  return f.template operator()<S>();
}

template <class A>
using reader = A (*)(const arguments&, std::int64_t);
template <class A>
using writer = void (*)(void*, std::int64_t, A);

// Calls f.operator()<In, Shape>() for the elements that a valid spec reads into accumulators A.
template <class A, class F>
auto with_input(const spec& what, F&& f) {
  using S = typename scalar_of<A>::type;
  using result = decltype(f.template operator()<S, shape_of_any<A>>());
  return with_type(what.in, [&]<class In>() -> result {
    if constexpr (readable<In, S>)
      return with_shape<A>(shape_of(what),
                           [&]<shape Shape>() { return f.template operator()<In, Shape>(); });
    else
      return {};  // no valid spec comes here
  });
}

template <class A>
reader<A> choose_reader(const spec& what) {
  return with_input<A>(what,
                       []<class In, shape Shape>() -> reader<A> { return read<A, In, Shape>; });
}

template <class A>
writer<A> choose_writer(const spec& what) {
  return with_output<A>(what.out, [&]<class Out>() {
    return with_shape<A>(shape_of(what),
                         []<shape Shape>() -> writer<A> { return write<A, Out, Shape>; });
  });
}

// Calls f.operator()<Op>() with the operator of a valid spec.
template <class F>
decltype(auto) with_operator(const spec& what, F&& f) {
  const type acc = accumulator_of(what.out);
  const auto unsigned_type = [&]<class G>(G&& g) -> decltype(auto) {
    switch (size_of(acc)) {
      case 1: return g.template operator()<std::uint8_t>();
      case 2: return g.template operator()<std::uint16_t>();
      case 4: return g.template operator()<std::uint32_t>();
      default: return g.template operator()<std::uint64_t>();
    }
  };
  const auto arithmetic_type = [&]<class G>(G&& g) -> decltype(auto) {
    switch (acc) {
      case type::f32: return g.template operator()<float>();
      case type::f64: return g.template operator()<double>();
      case type::c64: return g.template operator()<std::complex<float>>();
      case type::c128: return g.template operator()<std::complex<double>>();
      default: return unsigned_type(g);
    }
  };
  const auto ordered_type = [&]<class G>(G&& g) -> decltype(auto) {
    switch (acc) {
      case type::i8: return g.template operator()<std::int8_t>();
      case type::i16: return g.template operator()<std::int16_t>();
      case type::i32: return g.template operator()<std::int32_t>();
      case type::i64: return g.template operator()<std::int64_t>();
      case type::f32: return g.template operator()<float>();
      case type::f64: return g.template operator()<double>();
      default: return unsigned_type(g);
    }
  };
  switch (what.op.id) {
    case builtin::product:
      return arithmetic_type(
          [&]<class T>() -> decltype(auto) { return f.template operator()<product_op<T>>(); });
    case builtin::minimum:
      return ordered_type(
          [&]<class T>() -> decltype(auto) { return f.template operator()<minimum_op<T>>(); });
    case builtin::maximum:
      return ordered_type(
          [&]<class T>() -> decltype(auto) { return f.template operator()<maximum_op<T>>(); });
    case builtin::bit_and:
    case builtin::logical_and:
      return unsigned_type(
          [&]<class T>() -> decltype(auto) { return f.template operator()<and_op<T>>(); });
    case builtin::bit_or:
    case builtin::logical_or:
      return unsigned_type(
          [&]<class T>() -> decltype(auto) { return f.template operator()<or_op<T>>(); });
    case builtin::bit_xor:
      return unsigned_type(
          [&]<class T>() -> decltype(auto) { return f.template operator()<xor_op<T>>(); });
    case builtin::affine:
      if (acc == type::f32) return f.template operator()<affine_op<float>>();
      if (acc == type::f64) return f.template operator()<affine_op<double>>();
      return f.template operator()<affine_op<std::uint32_t>>();
    default:
      return arithmetic_type(
          [&]<class T>() -> decltype(auto) { return f.template operator()<sum_op<T>>(); });
  }
}

}  // namespace upsweep::detail

#endif
