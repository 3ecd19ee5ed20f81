// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that are not accumulators in scan order, by whole registers: f16 and bf16 to f32 and
// back, bit by bit as float16 and bfloat16 (types.hpp) do it; integers and f32 to wider ones; and
// all of them from the last to the first.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd_access.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, which compiles it for every target.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "backends/cpu/fetch.hpp"
#include "backends/cpu/simd.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "upsweep/detail/elements.hpp"

#ifndef UPSWEEP_CPU_SIMD_ACCESS_ONCE
#define UPSWEEP_CPU_SIMD_ACCESS_ONCE
namespace upsweep::cpu {
namespace {

// How the elements of a spec lie in memory.
struct elements_in_memory {
  type in, out;
  std::size_t bytes;  // of an accumulator
  bool same;          // those of `in` are accumulators
  bool wider;         // or become such by a conversion that is here
  bool reverse;
};

constexpr bool is_half(type t) { return t == type::f16 || t == type::bf16; }

}  // namespace
}  // namespace upsweep::cpu
#endif

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using I = hn::Rebind<std::int32_t, F>;
using U = hn::Rebind<std::uint32_t, F>;
using H = hn::Rebind<std::uint16_t, F>;

// Instructions for f16 quieten a NaN; the functions of bits keep it, or have one for all.
template <class Half>
inline constexpr bool has_instructions = std::is_same_v<Half, float16> &&
                                         (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3);

template <class Half>
HWY_INLINE hn::Vec<F> widened_by_bits(hn::Vec<H> half) {
  const I i;
  const auto x = hn::PromoteTo(i, half);
  if constexpr (std::is_same_v<Half, bfloat16>) {
    return hn::BitCast(F(), hn::ShiftLeft<16>(x));
  } else {
    const auto magnitude = hn::And(x, hn::Set(i, 0x7fff));
    const auto rebias = hn::Set(i, 0x38000000);
    const auto normal = hn::Add(hn::ShiftLeft<13>(magnitude), rebias);
    const auto denormal =
        hn::BitCast(i, hn::Mul(hn::ConvertTo(F(), magnitude), hn::Set(F(), 0x1p-24f)));
    const auto finite = hn::IfThenElse(hn::Lt(magnitude, hn::Set(i, 0x400)), denormal, normal);
    const auto all =
        hn::IfThenElse(hn::Gt(magnitude, hn::Set(i, 0x7bff)), hn::Add(normal, rebias), finite);
    return hn::BitCast(F(), hn::Or(all, hn::ShiftLeft<16>(hn::AndNot(magnitude, x))));
  }
}

template <class Half>
HWY_INLINE hn::Vec<F> widened(hn::Vec<H> half) {
  if constexpr (has_instructions<Half>) {
    const hn::RebindToSigned<H> h;
    const auto magnitude = hn::And(hn::BitCast(h, half), hn::Set(h, 0x7fff));
    if (hn::AllFalse(h, hn::Gt(magnitude, hn::Set(h, 0x7c00))))
      return hn::PromoteTo(F(), hn::BitCast(hn::Rebind<hwy::float16_t, F>(), half));
  }
  return widened_by_bits<Half>(half);
}

template <class Half>
HWY_INLINE hn::Vec<H> narrowed_by_bits(hn::Vec<F> x) {
  const I i;
  const auto bits = hn::BitCast(i, x);
  const auto magnitude = hn::And(bits, hn::Set(i, 0x7fffffff));
  const auto nan = hn::Gt(magnitude, hn::Set(i, 0x7f800000));
  const auto one = hn::Set(i, 1);
  if constexpr (std::is_same_v<Half, bfloat16>) {
    const auto odd = hn::And(hn::ShiftRight<16>(bits), one);
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(i, 0x7fff)));
    const auto all = hn::IfThenElse(nan, hn::Or(bits, hn::Set(i, 0x400000)), rounded);
    return hn::DemoteTo(H(), hn::BitCast(i, hn::ShiftRight<16>(hn::BitCast(U(), all))));
  } else {
    const auto odd = hn::And(hn::ShiftRight<13>(magnitude), one);
    const auto normal =
        hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(i, 0x38000000 - 0xfff)), odd));
    // 1/2 has ulps of a denormal's size, so that the sum rounds to one.
    const auto denormal =
        hn::Sub(hn::BitCast(i, hn::Add(hn::BitCast(F(), magnitude), hn::Set(F(), 0.5f))),
                hn::Set(i, 0x3f000000));
    const auto finite = hn::IfThenElse(hn::Lt(magnitude, hn::Set(i, 0x38800000)), denormal, normal);
    const auto all =
        hn::IfThenElse(hn::Gt(magnitude, hn::Set(i, 0x477fefff)), hn::Set(i, 0x7c00), finite);
    const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(i, 0x8000));
    return hn::DemoteTo(H(), hn::Or(sign, hn::IfThenElse(nan, hn::Set(i, 0x7e00), all)));
  }
}

template <class Half>
HWY_INLINE hn::Vec<H> narrowed(hn::Vec<F> x) {
  if constexpr (has_instructions<Half>) {
    if (hn::AllFalse(F(), hn::IsNaN(x)))
      return hn::BitCast(H(), hn::DemoteTo(hn::Rebind<hwy::float16_t, F>(), x));
  }
  return narrowed_by_bits<Half>(x);
}

// ---- conversions: the type in memory, the accumulator's, a register of them, and one

template <class Half>
struct half_to_float {
  using in = std::uint16_t;
  using out = float;
  static HWY_INLINE hn::Vec<F> of(hn::Vec<H> x) { return widened<Half>(x); }
  static float of_one(in x) { return static_cast<float>(Half::from_bits(x)); }
};

template <class In, class Out>
struct widening {
  using in = In;
  using out = Out;
  using D = hn::ScalableTag<Out>;
  static HWY_INLINE hn::Vec<D> of(hn::Vec<hn::Rebind<In, D>> x) {
    if constexpr (sizeof(Out) == 8 && sizeof(In) < 4) {  // 1 and 2 bytes to 8: no such instruction
      using middle = std::conditional_t<std::is_signed_v<In>, std::int32_t, std::uint32_t>;
      return hn::PromoteTo(D(), hn::PromoteTo(hn::Rebind<middle, D>(), x));
    } else {
      return hn::PromoteTo(D(), x);
    }
  }
  static Out of_one(In x) { return x; }
};

// ---- elements first .. first + count - 1 in scan order

// Where they begin in an array of a.length elements: with Reverse, that is the last of them.
template <bool Reverse>
std::int64_t begin_of(const arguments& a, std::int64_t first, std::int64_t count) {
  return Reverse ? a.length - first - count : first;
}

// Far: of arrays that are more than the caches hold. The next 16 KiB are fetched meanwhile.
template <class T, bool Reverse, bool Far>
struct reading {
  static constexpr std::int64_t ahead = Reverse ? -fetcher::granule : fetcher::granule;
  fetcher next;

  // Of chunks of accumulators of A bytes.
  template <std::size_t A>
  static reading of(const T* from) {
    return {fetcher(from, static_cast<std::size_t>(order1::chunk(A)) * sizeof(T), ahead)};
  }
  HWY_INLINE void at(std::int64_t k) const {
    const auto byte = static_cast<std::size_t>(k) * sizeof(T);
    if (Far && byte % fetcher::line == 0) next.fetch_line(byte / fetcher::line);
  }
};

template <class Conversion, bool Reverse, bool Far>
void load(const arguments& a, std::int64_t first, std::int64_t count, void* to) {
  using In = typename Conversion::in;
  using Out = typename Conversion::out;
  const hn::ScalableTag<Out> d;
  const hn::Rebind<In, decltype(d)> d_in;
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
  const In* from = static_cast<const In*>(a.in) + begin_of<Reverse>(a, first, count);
  auto* out = static_cast<Out*>(to);
  const auto ahead = reading<In, Reverse, Far>::template of<sizeof(Out)>(from);
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    ahead.at(k);
    if constexpr (Reverse)
      hn::StoreU(Conversion::of(hn::Reverse(d_in, hn::LoadU(d_in, from + count - k - lanes))), d,
                 out + k);
    else
      hn::StoreU(Conversion::of(hn::LoadU(d_in, from + k)), d, out + k);
  }
  for (; k < count; ++k) out[k] = Conversion::of_one(from[Reverse ? count - 1 - k : k]);
}

template <class Half, bool Reverse, bool Far>
void store_halves(const arguments& a, std::int64_t first, std::int64_t count, const void* from) {
  auto* to = static_cast<std::uint16_t*>(a.out) + begin_of<Reverse>(a, first, count);
  const auto* in = static_cast<const float*>(from);
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(F()));
  constexpr auto bytes = static_cast<std::size_t>(lanes) * sizeof *to;
  // Stored from the lowest address on. No target has such stores of less than 16 bytes.
  const bool streams = Far && bytes >= 16 && reinterpret_cast<std::uintptr_t>(to) % bytes == 0;
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    auto half = narrowed<Half>(hn::LoadU(F(), Reverse ? in + count - k - lanes : in + k));
    if constexpr (Reverse) half = hn::Reverse(H(), half);
    if (streams)
      hn::Stream(half, H(), to + k);
    else
      hn::StoreU(half, H(), to + k);
  }
  for (; k < count; ++k) to[k] = Half(in[Reverse ? count - 1 - k : k]).bits;
}

// Elements of Bytes, from the last to the first.
template <std::size_t Bytes>
struct reversal {
  using lane = std::conditional_t<Bytes <= 2, std::uint16_t,
                                  std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>;
  using D = hn::ScalableTag<lane>;
  static constexpr auto in_register =
      static_cast<std::int64_t>(hn::MaxLanes(D()) * sizeof(lane) / Bytes);

  static HWY_INLINE hn::Vec<D> of(hn::Vec<D> x) {
    const auto lanes = hn::Reverse(D(), x);
    if constexpr (Bytes == 1)
      return hn::Or(hn::ShiftLeft<8>(lanes), hn::ShiftRight<8>(lanes));
    else if constexpr (Bytes == 16)
      return hn::Shuffle01(lanes);
    else
      return lanes;
  }

  struct element {
    std::byte bytes[Bytes];
  };
  static const element* elements(const void* p) { return static_cast<const element*>(p); }
  static element* elements(void* p) { return static_cast<element*>(p); }

  using bytes = hn::Repartition<std::uint8_t, D>;  // elements need not be aligned as lanes
  static HWY_INLINE hn::Vec<D> get(const element* e) {
    return hn::BitCast(D(), hn::LoadU(bytes(), reinterpret_cast<const std::uint8_t*>(e)));
  }
  static HWY_INLINE void put(hn::Vec<D> x, element* e) {
    hn::StoreU(hn::BitCast(bytes(), x), bytes(), reinterpret_cast<std::uint8_t*>(e));
  }

  template <bool Far>
  static void load(const arguments& a, std::int64_t first, std::int64_t count, void* to) {
    const element* from = elements(a.in) + begin_of<true>(a, first, count);
    const auto ahead = reading<element, true, Far>::template of<Bytes>(from);
    element* out = elements(to);
    std::int64_t k = 0;
    for (; k + in_register <= count; k += in_register) {
      ahead.at(k);
      put(of(get(from + count - k - in_register)), out + k);
    }
    for (; k < count; ++k) out[k] = from[count - 1 - k];
  }

  template <bool Far>
  static void store(const arguments& a, std::int64_t first, std::int64_t count, const void* from) {
    element* to = elements(a.out) + begin_of<true>(a, first, count);
    const element* in = elements(from);
    const bool streams = Far && reinterpret_cast<std::uintptr_t>(to) % (in_register * Bytes) == 0;
    std::int64_t k = 0;
    for (; k + in_register <= count; k += in_register) {
      const auto x = of(get(in + count - k - in_register));
      if (streams)
        hn::Stream(hn::BitCast(bytes(), x), bytes(), reinterpret_cast<std::uint8_t*>(to + k));
      else
        put(x, to + k);
    }
    for (; k < count; ++k) to[k] = in[count - 1 - k];
  }
};

// ---- which of them

template <class Conversion, bool Reverse>
access loads() {
  return {.load = load<Conversion, Reverse, false>, .load_far = load<Conversion, Reverse, true>};
}

template <class Half, bool Reverse>
access halves() {
  access a = loads<half_to_float<Half>, Reverse>();
  a.store = store_halves<Half, Reverse, false>;
  a.store_far = store_halves<Half, Reverse, true>;
  return a;
}

template <class Half>
access halves(bool reverse) {
  return reverse ? halves<Half, true>() : halves<Half, false>();
}

template <std::size_t Bytes>
access reversed() {
  using R = reversal<Bytes>;
  return {R::template load<false>, R::template load<true>, R::template store<false>,
          R::template store<true>};
}

inline access reversed(std::size_t bytes) {
  switch (bytes) {
    case 1: return reversed<1>();
    case 2: return reversed<2>();
    case 4: return reversed<4>();
    case 8: return reversed<8>();
    default: return reversed<16>();
  }
}

template <class In, class Out>
access widened() {
  return loads<widening<In, Out>, false>();
}

// From integers of 1 or 2 bytes.
template <class In>
access widened_to(std::size_t bytes) {
  constexpr bool sign = std::is_signed_v<In>;
  if constexpr (sizeof(In) < 2)
    if (bytes == 2) return widened<In, std::conditional_t<sign, std::int16_t, std::uint16_t>>();
  if (bytes == 4) return widened<In, std::conditional_t<sign, std::int32_t, std::uint32_t>>();
  return widened<In, std::conditional_t<sign, std::int64_t, std::uint64_t>>();
}

inline access half_access(type t, bool reverse) {
  return t == type::f16 ? halves<float16>(reverse) : halves<bfloat16>(reverse);
}

inline access make_loads(const elements_in_memory& e) {
  if (e.same) return e.reverse ? reversed(e.bytes) : access{};
  if (!e.wider) return {};
  if (is_half(e.in)) return half_access(e.in, e.reverse);
  if (e.reverse) return {};
  switch (e.in) {
    case type::i8: return widened_to<std::int8_t>(e.bytes);
    case type::u8: return widened_to<std::uint8_t>(e.bytes);
    case type::i16: return widened_to<std::int16_t>(e.bytes);
    case type::u16: return widened_to<std::uint16_t>(e.bytes);
    case type::i32: return widened<std::int32_t, std::int64_t>();
    case type::u32: return widened<std::uint32_t, std::uint64_t>();
    default: return widened<float, double>();
  }
}

inline access make_access(const elements_in_memory& e) {
  const access in = make_loads(e);
  const access out = is_half(e.out) ? half_access(e.out, e.reverse)
                     : e.reverse    ? reversed(e.bytes)
                                    : access{};
  return {in.load, in.load_far, out.store, out.store_far};
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // a SIMD target

#if HWY_ONCE
namespace upsweep::cpu {

namespace {

bool is_integer(type t) {
  return with_type(t, []<class T>() { return std::is_integral_v<T>; });
}

elements_in_memory elements_of(const spec& what) {
  const type accumulator = accumulator_of(what.out);
  const bool integers = is_integer(what.in) && is_integer(accumulator);
  const std::size_t from = size_of(what.in), to = size_of(accumulator);
  return {.in = what.in,
          .out = what.out,
          .bytes = shape_of(what) == shape::pair ? 2 * to : to,
          .same = what.in == accumulator || (integers && from == to),
          .wider = (integers && from < to) || (what.in == type::f32 && accumulator == type::f64) ||
                   (is_half(what.in) && accumulator == type::f32),
          .reverse = what.direction == direction::reverse};
}

}  // namespace

access simd_access([[maybe_unused]] simd_target target, const spec& what) {
  [[maybe_unused]] const elements_in_memory e = elements_of(what);
  const shape lie = shape_of(what);
  const bool served = lie == shape::plain || (lie == shape::pair && e.same && !is_half(e.out));
  if (!served) return {};
#if HWY_TARGETS & HWY_AVX3
  if (target == HWY_AVX3) return N_AVX3::make_access(e);
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == HWY_AVX2) return N_AVX2::make_access(e);
#endif
#if HWY_TARGETS & HWY_SSE4
  if (target == HWY_SSE4) return N_SSE4::make_access(e);
#endif
#if HWY_TARGETS & HWY_NEON
  if (target == HWY_NEON) return N_NEON::make_access(e);
#endif
  return {};
}

}  // namespace upsweep::cpu
#endif
