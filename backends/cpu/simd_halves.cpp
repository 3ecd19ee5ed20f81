// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f16 and bf16 to f32 and back, bit by bit as float16 and bfloat16 (types.hpp) do it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd_halves.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, which compiles it for every target.
#include <cstdint>
#include <type_traits>

#include "backends/cpu/fetch.hpp"
#include "backends/cpu/simd.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using I = hn::Rebind<std::int32_t, F>;
using U = hn::Rebind<std::uint32_t, F>;
using H = hn::Rebind<std::uint16_t, F>;

template <class Half>
HWY_INLINE hn::Vec<F> widened(hn::Vec<H> half) {
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
HWY_INLINE hn::Vec<H> narrowed(hn::Vec<F> x) {
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

// Far: of arrays that are more than the caches hold.
template <class Half, bool Far>
void load_halves(const arguments& a, std::int64_t first, std::int64_t count, float* to) {
  const auto* from = static_cast<const std::uint16_t*>(a.in) + first;
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(F())), in_line = std::int64_t{32};
  fetcher ahead(from, fetcher::granule);
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    if (Far && k % in_line == 0) ahead.next_line();
    hn::StoreU(widened<Half>(hn::LoadU(H(), from + k)), F(), to + k);
  }
  for (; k < count; ++k) to[k] = static_cast<float>(Half::from_bits(from[k]));
}

template <class Half, bool Far>
void store_halves(const arguments& a, std::int64_t first, std::int64_t count, const float* from) {
  auto* to = static_cast<std::uint16_t*>(a.out) + first;
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(F()));
  constexpr auto bytes = static_cast<std::size_t>(lanes) * sizeof *to;
  // No target has such stores of less than 16 bytes.
  const bool streams = Far && bytes >= 16 && reinterpret_cast<std::uintptr_t>(to) % bytes == 0;
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const auto half = narrowed<Half>(hn::LoadU(F(), from + k));
    if (streams)
      hn::Stream(half, H(), to + k);
    else
      hn::StoreU(half, H(), to + k);
  }
  for (; k < count; ++k) to[k] = Half(from[k]).bits;
}

template <class Half>
half_access access_to() {
  return {load_halves<Half, false>, load_halves<Half, true>, store_halves<Half, false>,
          store_halves<Half, true>};
}

inline half_access make_half_access(type t) {
  if (t == type::f16) return access_to<float16>();
  if (t == type::bf16) return access_to<bfloat16>();
  return {};
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // a SIMD target

#if HWY_ONCE
namespace upsweep::cpu {

half_access simd_half_access([[maybe_unused]] simd_target target, [[maybe_unused]] type t) {
#if HWY_TARGETS & HWY_AVX3
  if (target == HWY_AVX3) return N_AVX3::make_half_access(t);
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == HWY_AVX2) return N_AVX2::make_half_access(t);
#endif
#if HWY_TARGETS & HWY_SSE4
  if (target == HWY_SSE4) return N_SSE4::make_half_access(t);
#endif
#if HWY_TARGETS & HWY_NEON
  if (target == HWY_NEON) return N_NEON::make_half_access(t);
#endif
  return {};
}

}  // namespace upsweep::cpu
#endif
