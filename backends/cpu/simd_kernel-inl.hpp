// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of order 1 in Highway, compiled once for each target (hwy/foreach_target.h).
//
// Order 1 needs only lane-wise operations once equal positions of different units lie in one
// register. A run is a cache line of 4 vecs of 16 bytes. A strip is as many runs as a register has
// lanes; whole registers of input are loaded, and transposed in two steps:
//   in 16-byte blocks, over the runs: element e of a vec against run k;
//   block against register, for what there is one of a vec (totals, bases): vec v against run.
// A chunk goes through three stages:
//   gather: serial folds inside the vecs, prefixes over the vecs, the total of each run;
//   bases:  tree prefixes over the 32 run totals, joined to W at the start of the chunk;
//   emit:   W(i) = (base + vec prefix) + fold, transposed back and stored. Inclusive results are
//           W(i + 1): the last one of a vec is W at the start of the next. So stores are aligned
//           if the output is; stores over two lines cost a tenth to a quarter of the speed.
// gather of the next chunk comes before emit of this one, and its prefixes over the runs too, which
// hides the latency of the bases in two halves: behind gather what joins them, behind emit the
// tree.

// clang-format off
#if defined(UPSWEEP_CPU_SIMD_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_CPU_SIMD_KERNEL_INL
#undef UPSWEEP_CPU_SIMD_KERNEL_INL
#else
#define UPSWEEP_CPU_SIMD_KERNEL_INL
#endif
// clang-format on

#include <bit>
#include <cstring>

#include "backends/cpu/fetch.hpp"
#include "backends/cpu/kernel.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "upsweep/detail/elements.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::size_t run_bytes = 64;
inline constexpr std::size_t runs_per_chunk = order1::runs_per_chunk;
static_assert(run_bytes == order1::vecs_per_run * order1::vec_bytes);

// Registers of an accumulator of P scalars.
template <class V, std::size_t P>
struct element {
  V part[P];
};

template <class T>
struct layout {
  using S = typename accumulator<T>::scalar;
  static constexpr std::size_t components = accumulator<T>::components;
  // A chunk has 32 runs, so at most 32 lanes are of use.
  using D = hn::CappedTag<S, runs_per_chunk>;
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr std::size_t strips = runs_per_chunk / lanes;
  static constexpr std::size_t scalars_per_vec = 16 / sizeof(S);
  static constexpr std::size_t elements_per_vec = scalars_per_vec / components;
  static constexpr std::size_t scalars_per_run = run_bytes / sizeof(S);
  static constexpr std::size_t blocks = lanes / scalars_per_vec;  // vecs in a register
  static constexpr std::size_t registers_per_run = order1::vecs_per_run / blocks;
};

// ---- operators, lane by lane

template <class Op>
struct simd_op;

template <class T>
struct simd_op<sum_op<T>> {
  template <class V, std::size_t P>
  static HWY_INLINE element<V, P> combine(element<V, P> a, element<V, P> b) {
    for (std::size_t p = 0; p < P; ++p) a.part[p] = hn::Add(a.part[p], b.part[p]);
    return a;
  }
};

template <class T>
struct simd_op<product_op<T>> {
  template <class V>
  static HWY_INLINE V multiply(V a, V b) {
    if constexpr (sizeof(T) == 1) {  // by halves of 16-bit lanes: no target multiplies bytes
      const hn::DFromV<V> d;
      const hn::RepartitionToWide<decltype(d)> wide;
      const auto x = hn::BitCast(wide, a), y = hn::BitCast(wide, b);
      const auto even = hn::And(hn::Mul(x, y), hn::Set(wide, 0x00ff));
      const auto odd = hn::Mul(hn::ShiftRight<8>(x), hn::ShiftRight<8>(y));
      return hn::BitCast(d, hn::Or(even, hn::ShiftLeft<8>(odd)));
    } else if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
      // From 32-bit halves: Highway's own 64-bit product leaves the registers on some targets.
      const hn::DFromV<V> d;
      const hn::Repartition<std::uint32_t, decltype(d)> narrow;
      const auto x = hn::BitCast(narrow, a), y = hn::BitCast(narrow, b);
      const auto high_x = hn::BitCast(narrow, hn::ShiftRight<32>(a));
      const auto high_y = hn::BitCast(narrow, hn::ShiftRight<32>(b));
      const V cross = hn::Add(hn::MulEven(high_x, y), hn::MulEven(x, high_y));
      return hn::Add(hn::MulEven(x, y), hn::ShiftLeft<32>(cross));
    } else {
      return hn::Mul(a, b);
    }
  }
  template <class V>
  static HWY_INLINE element<V, 1> combine(element<V, 1> a, element<V, 1> b) {
    return {{multiply(a.part[0], b.part[0])}};
  }
  template <class V>
  static HWY_INLINE element<V, 2> combine(element<V, 2> a, element<V, 2> b) {
    const V ac = hn::Mul(a.part[0], b.part[0]), bd = hn::Mul(a.part[1], b.part[1]);
    const V ad = hn::Mul(a.part[0], b.part[1]), bc = hn::Mul(a.part[1], b.part[0]);
    return {{hn::Sub(ac, bd), hn::Add(ad, bc)}};
  }
};

// See minimum_op and maximum_op for why `|` and `&` serve NaN and the zeros. On x86 the second of
// two zeros is their minimum and maximum, and the second of anything and a NaN: both ways round
// give both.
#if HWY_ARCH_X86
inline constexpr bool second_of_ties = true;
#else
inline constexpr bool second_of_ties = false;
#endif

template <class T>
struct simd_op<minimum_op<T>> {
  template <class V>
  static HWY_INLINE element<V, 1> combine(element<V, 1> x, element<V, 1> y) {
    const V a = x.part[0], b = y.part[0];
    if constexpr (std::is_floating_point_v<T> && second_of_ties) {
      return {{hn::Or(hn::Min(a, b), hn::Min(b, a))}};
    } else if constexpr (std::is_floating_point_v<T>) {
      const V tie = hn::Or(a, b);
      return {{hn::IfThenElse(hn::Lt(a, b), a, hn::IfThenElse(hn::Lt(b, a), b, tie))}};
    } else {
      return {{hn::Min(a, b)}};
    }
  }
};

template <class T>
struct simd_op<maximum_op<T>> {
  template <class V>
  static HWY_INLINE element<V, 1> combine(element<V, 1> x, element<V, 1> y) {
    const V a = x.part[0], b = y.part[0];
    if constexpr (std::is_floating_point_v<T> && second_of_ties) {
      const V p = hn::Max(a, b), q = hn::Max(b, a);
      return {{hn::IfThenElse(hn::Eq(p, q), hn::And(p, q), hn::Or(p, q))}};
    } else if constexpr (std::is_floating_point_v<T>) {
      const V tie = hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::Or(a, b));
      return {{hn::IfThenElse(hn::Gt(a, b), a, hn::IfThenElse(hn::Gt(b, a), b, tie))}};
    } else {
      return {{hn::Max(a, b)}};
    }
  }
};

template <class T>
struct simd_op<and_op<T>> {
  template <class V>
  static HWY_INLINE element<V, 1> combine(element<V, 1> a, element<V, 1> b) {
    return {{hn::And(a.part[0], b.part[0])}};
  }
};

template <class T>
struct simd_op<or_op<T>> {
  template <class V>
  static HWY_INLINE element<V, 1> combine(element<V, 1> a, element<V, 1> b) {
    return {{hn::Or(a.part[0], b.part[0])}};
  }
};

template <class T>
struct simd_op<xor_op<T>> {
  template <class V>
  static HWY_INLINE element<V, 1> combine(element<V, 1> a, element<V, 1> b) {
    return {{hn::Xor(a.part[0], b.part[0])}};
  }
};

template <class S>
struct simd_op<affine_op<S>> {
  template <class V>
  static HWY_INLINE element<V, 2> combine(element<V, 2> l, element<V, 2> r) {
    return {{hn::Mul(l.part[0], r.part[0]), hn::Add(hn::Mul(r.part[0], l.part[1]), r.part[1])}};
  }
};

// ---- transposes

// Scalar e of the block in register k <-> scalar k of the block in register e. Each round rotates
// the bits of (k, e) by one; after log2(R) rounds k and e have changed places.
template <class D, std::size_t R>
HWY_INLINE void transpose_blocks(D d, hn::Vec<D> (&r)[R]) {
#pragma GCC unroll 16
  for (std::size_t round = 1; round < R; round *= 2) {
    hn::Vec<D> t[R];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < R / 2; ++i) {
      t[2 * i] = hn::InterleaveLower(d, r[i], r[i + R / 2]);
      t[2 * i + 1] = hn::InterleaveUpper(d, r[i], r[i + R / 2]);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < R; ++i) r[i] = t[i];
  }
}

// Block b of register g <-> block g of register b.
template <class D, std::size_t B>
HWY_INLINE void exchange_blocks(D d, hn::Vec<D> (&r)[B]) {
  if constexpr (B == 2) {
    const auto t = hn::ConcatLowerLower(d, r[1], r[0]);
    r[1] = hn::ConcatUpperUpper(d, r[1], r[0]);
    r[0] = t;
  } else if constexpr (B == 4) {
    // Two registers give two blocks each; Highway has no name for the even and the odd ones.
    const hn::Repartition<std::uint64_t, D> d64;
    const auto pick = [&]<int Blocks>(hn::Vec<D> a, hn::Vec<D> b) HWY_ATTR {
      const auto x = hn::BitCast(d64, a), y = hn::BitCast(d64, b);
      return hn::BitCast(d, decltype(x){_mm512_shuffle_i64x2(x.raw, y.raw, Blocks)});
    };
    const auto ab_low = pick.template operator()<0x44>(r[0], r[1]);
    const auto ab_high = pick.template operator()<0xee>(r[0], r[1]);
    const auto cd_low = pick.template operator()<0x44>(r[2], r[3]);
    const auto cd_high = pick.template operator()<0xee>(r[2], r[3]);
    r[0] = pick.template operator()<0x88>(ab_low, cd_low);
    r[1] = pick.template operator()<0xdd>(ab_low, cd_low);
    r[2] = pick.template operator()<0x88>(ab_high, cd_high);
    r[3] = pick.template operator()<0xdd>(ab_high, cd_high);
  }
}

// Block b + 1 of (low, high) becomes block b.
template <std::size_t B, class D>
HWY_INLINE hn::Vec<D> shift_blocks(D d, hn::Vec<D> high, [[maybe_unused]] hn::Vec<D> low) {
  if constexpr (B == 2) {
    return hn::ConcatLowerUpper(d, high, low);
  } else if constexpr (B == 4) {
    const hn::Repartition<std::uint64_t, D> d64;
    const auto h = hn::BitCast(d64, high), l = hn::BitCast(d64, low);
    return hn::BitCast(d, decltype(h){_mm512_alignr_epi64(h.raw, l.raw, 2)});
  } else {
    return high;
  }
}

// ---- one chunk

template <class Op>
struct chunk_kernel {
  using T = typename Op::value;
  using L = layout<T>;
  using S = typename L::S;
  using D = typename L::D;
  using V = typename L::V;
  static constexpr std::size_t P = L::components;
  static constexpr std::size_t E = L::elements_per_vec;
  static constexpr std::size_t R = L::scalars_per_vec;
  static constexpr std::size_t N = L::lanes;
  static constexpr std::size_t B = L::blocks;
  static constexpr std::size_t H = L::registers_per_run;
  static constexpr std::size_t vecs = order1::vecs_per_run;
  static constexpr std::size_t chunk = runs_per_chunk * run_bytes / sizeof(T);
  using reg = element<V, P>;
  // One value a run, component by component.
  struct per_run {
    alignas(64) S part[P][runs_per_chunk + N];  // whole registers from any run

    T get(std::size_t r) const {
      S s[P];
      for (std::size_t p = 0; p < P; ++p) s[p] = part[p][r];
      T t;
      std::memcpy(&t, s, sizeof t);
      return t;
    }
    void set(std::size_t r, T t) {
      S s[P];
      std::memcpy(s, &t, sizeof t);
      for (std::size_t p = 0; p < P; ++p) part[p][r] = s[p];
    }
    HWY_INLINE reg load(std::size_t r) const {
      reg x;
      for (std::size_t p = 0; p < P; ++p) x.part[p] = hn::LoadU(D(), &part[p][r]);
      return x;
    }
    HWY_INLINE void store(reg x, std::size_t r) {
      for (std::size_t p = 0; p < P; ++p) hn::StoreU(x.part[p], D(), &part[p][r]);
    }
  };

  // What gather keeps of a chunk for emit, register by register: of each vec the folds of its first
  // 1 .. E - 1 elements, and of each run the prefixes over 1, 2 and 3 vecs.
  struct gathered {
    alignas(64) S folds[L::strips][B][H][R][N];
    alignas(64) S prefixes[L::strips][vecs - 1][P][N];
    per_run totals;
  };

  static HWY_INLINE reg op(reg a, reg b) { return simd_op<Op>::combine(a, b); }

  static HWY_INLINE reg load(const S (*from)[N]) {
    reg x;
    for (std::size_t p = 0; p < P; ++p) x.part[p] = hn::Load(D(), from[p]);
    return x;
  }
  static HWY_INLINE void store(reg x, S (*to)[N]) {
    for (std::size_t p = 0; p < P; ++p) hn::Store(x.part[p], D(), to[p]);
  }

  // What gather does beside its loads: for each line of input, and for each register of it.
  struct in_caches {
    HWY_INLINE void line(std::size_t) {}
    HWY_INLINE void a_register() {}
  };
  struct from_memory : fetcher {
    from_memory(const T* in, std::int64_t ahead)
        : fetcher(in, sizeof(T) * chunk, ahead * static_cast<std::int64_t>(sizeof(T))) {}
    HWY_INLINE void line(std::size_t j) { fetch_line(j); }
    HWY_INLINE void a_register() {}
  };
  // And lines of results go past the caches.
  struct past_caches : from_memory {
    const S* from;
    S* to;
    HWY_INLINE void a_register() {
      hn::Stream(hn::Load(D(), from), D(), to);
      from += N;
      to += N;
    }
  };
  static constexpr std::size_t registers = runs_per_chunk * L::registers_per_run;

  // Register h of R runs of the chunk from `run` on, which begin at `rows`; x[e] becomes element e
  // of their vecs.
  template <class Beside>
  static HWY_INLINE void load_vecs(const S* rows, std::size_t run, std::size_t h, reg (&x)[E],
                                   Beside& beside) {
    rows += h * N;
    V r[R];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < R; ++k) {
      r[k] = hn::LoadU(D(), rows + k * L::scalars_per_run);
      if (h == 0) beside.line(run + k);
      beside.a_register();
    }
    transpose_blocks(D(), r);
#pragma GCC unroll 16
    for (std::size_t e = 0; e < E; ++e)
      for (std::size_t p = 0; p < P; ++p) x[e].part[p] = r[e * P + p];
  }
  // To register h of R runs, which begin at `rows`. The lines of the next chunk are fetched: on a
  // Xeon, stores that wait for theirs cost a sixth of the speed.
  static HWY_INLINE void store_vecs(const reg* x, std::size_t h, S* rows) {
    V r[R];
#pragma GCC unroll 16
    for (std::size_t e = 0; e < E; ++e)
      for (std::size_t p = 0; p < P; ++p) r[e * P + p] = x[e].part[p];
    transpose_blocks(D(), r);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < R; ++k) {
      S* const row = rows + k * L::scalars_per_run;
      hn::StoreU(r[k], D(), row + h * N);
      // Past the end of an array it is harmless, but no pointer may be made by addition.
      if (h == 0)
        __builtin_prefetch(
            reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(row) + sizeof(T) * chunk), 1);
    }
  }

  // From registers that hold blocks of B vecs of R runs to registers that hold one vec of N runs,
  // and back.
  static HWY_INLINE void exchange(reg* x) {
    for (std::size_t p = 0; p < P; ++p) {
      V r[B];
#pragma GCC unroll 4
      for (std::size_t b = 0; b < B; ++b) r[b] = x[b].part[p];
      exchange_blocks(D(), r);
#pragma GCC unroll 4
      for (std::size_t b = 0; b < B; ++b) x[b].part[p] = r[b];
    }
  }

  // Total of each run of the strip that begins with `run`; with Keep, also what emit needs.
  template <bool Keep, class Beside>
  static HWY_INLINE reg gather_strip(const S* strip, std::size_t run, S (*folds)[H][R][N],
                                     S (*prefixes)[P][N], Beside& beside) {
    reg total[vecs];
#pragma GCC unroll 4
    for (std::size_t h = 0; h < H; ++h) {
#pragma GCC unroll 4
      for (std::size_t b = 0; b < B; ++b) {
        reg x[E];
        load_vecs(strip + b * R * L::scalars_per_run, run + b * R, h, x, beside);
        reg fold = x[0];
#pragma GCC unroll 16
        for (std::size_t e = 1; e < E; ++e) {
          if (Keep) store(fold, folds[b][h] + e * P);
          fold = op(fold, x[e]);
        }
        total[h * B + b] = fold;
      }
      exchange(total + h * B);
    }
    const reg two = op(total[0], total[1]);
    if (Keep) {
      store(total[0], prefixes[0]);
      store(two, prefixes[1]);
      store(op(two, total[2]), prefixes[2]);
    }
    return op(two, op(total[2], total[3]));
  }

  // Of the first so many strips.
  template <bool Keep, class Beside = in_caches>
  static void gather(const T* in, gathered* g, per_run& totals, Beside beside = {},
                     std::size_t strips = L::strips) {
    const S* scalars = reinterpret_cast<const S*>(in);
    for (std::size_t s = 0; s < strips; ++s) {
      const S* strip = scalars + s * N * L::scalars_per_run;
      if constexpr (Keep)
        totals.store(gather_strip<true>(strip, s * N, g->folds[s], g->prefixes[s], beside), s * N);
      else
        totals.store(gather_strip<false>(strip, s * N, nullptr, nullptr, beside), s * N);
    }
  }

  // Inclusive tree prefixes over the run totals (Sklansky): in the round of d, each run in the
  // upper half of its block of 2d takes the last total of the lower half on its left.
  static void prefix_runs(per_run& x) {
    if constexpr (sizeof(S) < 4) {
      prefix_narrow_runs(x.part[0]);
    } else {
      reg r[L::strips];
#pragma GCC unroll 16
      for (std::size_t s = 0; s < L::strips; ++s) r[s] = x.load(s * N);
#pragma GCC unroll 16
      for (std::size_t d = 1; d < N; d *= 2) {
        const sklansky_step step(d);
#pragma GCC unroll 16
        for (std::size_t s = 0; s < L::strips; ++s) r[s] = step(r[s]);
      }
#pragma GCC unroll 16
      for (std::size_t d = 1; d < L::strips; d *= 2)
#pragma GCC unroll 16
        for (std::size_t s = 0; s < L::strips; ++s)
          if ((s & d) != 0) r[s] = op(last_lane((r[(s & ~(2 * d - 1)) + d - 1])), r[s]);
#pragma GCC unroll 16
      for (std::size_t s = 0; s < L::strips; ++s) x.store(r[s], s * N);
    }
  }

  // The same in registers of 16 bytes, in which bytes can be looked up on every target. Of integers
  // any order gives the same bits, so that what is before a register joins all of it at once.
  static void prefix_narrow_runs(S* x) {
    static_assert(P == 1 && std::is_integral_v<S>);
    constexpr std::size_t lanes = 16 / sizeof(S);
    using D16 = hn::CappedTag<S, lanes>;
    using V16 = hn::Vec<D16>;
    const D16 d;
    const auto combine = [](V16 a, V16 b) HWY_ATTR {
      return simd_op<Op>::combine(element<V16, 1>{{a}}, element<V16, 1>{{b}}).part[0];
    };
    const auto from_lane = [d](V16 v, auto lane_of) HWY_ATTR {
      const hn::Repartition<std::uint8_t, D16> bytes;
      alignas(16) std::uint8_t index[16];
      for (std::size_t i = 0; i < 16; ++i)
        index[i] = static_cast<std::uint8_t>(lane_of(i / sizeof(S)) * sizeof(S) + i % sizeof(S));
      return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, v), hn::Load(bytes, index)));
    };
    V16 before = hn::Zero(d);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < runs_per_chunk; r += lanes) {
      V16 v = hn::LoadU(d, x + r);
#pragma GCC unroll 16
      for (std::size_t step = 1; step < lanes; step *= 2) {
        const V16 left = from_lane(v, [step](std::size_t i) {
          return (i & step) != 0 ? (i & ~(2 * step - 1)) + step - 1 : i;
        });
        alignas(16) S is_upper[lanes];
        for (std::size_t i = 0; i < lanes; ++i) is_upper[i] = (i & step) != 0 ? S(1) : S(0);
        const auto upper = hn::Ne(hn::Load(d, is_upper), hn::Zero(d));
        v = hn::IfThenElse(upper, combine(left, v), v);
      }
      if (r > 0) v = combine(before, v);
      before = from_lane(v, [](std::size_t) { return lanes - 1; });
      hn::StoreU(v, d, x + r);
    }
  }

  // The round of d inside a register.
  struct sklansky_step {
    using U = hn::TFromD<hn::RebindToSigned<D>>;
    decltype(hn::SetTableIndices(D(), static_cast<const U*>(nullptr))) from;
    hn::Mask<D> upper;

    HWY_INLINE explicit sklansky_step(std::size_t d) {
      alignas(64) U index[N];
      alignas(64) S is_upper[N];
      for (std::size_t i = 0; i < N; ++i) {
        const bool u = (i & d) != 0;
        index[i] = static_cast<U>(u ? (i & ~(2 * d - 1)) + d - 1 : i);
        is_upper[i] = u ? S(1) : S(0);
      }
      from = hn::SetTableIndices(D(), index);
      upper = hn::Ne(hn::Load(D(), is_upper), hn::Zero(D()));
    }
    HWY_INLINE reg operator()(reg x) const {
      reg left;
      for (std::size_t p = 0; p < P; ++p) left.part[p] = hn::TableLookupLanes(x.part[p], from);
      const reg joined = op(left, x);
      for (std::size_t p = 0; p < P; ++p)
        x.part[p] = hn::IfThenElse(upper, joined.part[p], x.part[p]);
      return x;
    }
  };

  static HWY_INLINE reg last_lane(reg x) {
    using U = typename sklansky_step::U;
    alignas(64) U index[N];
    for (std::size_t i = 0; i < N; ++i) index[i] = static_cast<U>(N - 1);
    for (std::size_t p = 0; p < P; ++p)
      x.part[p] = hn::TableLookupLanes(x.part[p], hn::SetTableIndices(D(), index));
    return x;
  }

  // W at the start of every run, and at the end of the last. Without a W at the start of the chunk,
  // that of the first run is left to patch_first_run.
  static void make_bases(const per_run& prefixes, const std::optional<T>& start, T end,
                         per_run& bases) {
    reg w;
    if (start) {
      S s[P];
      std::memcpy(s, &*start, sizeof(T));
      for (std::size_t p = 0; p < P; ++p) w.part[p] = hn::Set(D(), s[p]);
    }
    bases.set(0, start ? *start : prefixes.get(0));
#pragma GCC unroll 16
    for (std::size_t s = 0; s < L::strips; ++s) {
      const reg k = prefixes.load(s * N);
      bases.store(start ? op(w, k) : k, s * N + 1);
    }
    bases.set(runs_per_chunk, end);
  }

  // Stores the results of all elements of the first so many strips.
  template <bool Exclusive>
  static void emit(const gathered& g, const per_run& bases, T* out,
                   std::size_t strips = L::strips) {
    S* scalars = reinterpret_cast<S*>(out);
    for (std::size_t s = 0; s < strips; ++s)
      emit_strip<Exclusive>(g.folds[s], g.prefixes[s], bases, s * N,
                            scalars + s * N * L::scalars_per_run);
  }

  template <bool Exclusive>
  static HWY_INLINE void emit_strip(const S (*folds)[H][R][N], const S (*prefixes)[P][N],
                                    const per_run& bases, std::size_t run, S* strip) {
    reg start[vecs];
    start[0] = bases.load(run);
#pragma GCC unroll 4
    for (std::size_t v = 1; v < vecs; ++v) start[v] = op(start[0], load(prefixes[v - 1]));
#pragma GCC unroll 4
    for (std::size_t h = 0; h < H; ++h) exchange(start + h * B);
#pragma GCC unroll 4
    for (std::size_t h = 0; h < H; ++h) {
#pragma GCC unroll 4
      for (std::size_t b = 0; b < B; ++b) {
        reg w[E + 1];
        w[0] = start[h * B + b];
#pragma GCC unroll 16
        for (std::size_t e = 1; e < E; ++e) w[e] = op(w[0], load(folds[b][h] + e * P));
        if constexpr (!Exclusive) {
          const reg next = h + 1 < H ? start[(h + 1) * B + b] : bases.load(run + b * R + 1);
          for (std::size_t p = 0; p < P; ++p)
            w[E].part[p] = shift_blocks<B>(D(), next.part[p], w[0].part[p]);
        }
        store_vecs(w + (Exclusive ? 0 : 1), h, strip + b * R * L::scalars_per_run);
      }
    }
  }

  // The results of the first run where nothing comes before it, so that the lanes have no base. The
  // end of the run is the base of the next, and right.
  static void patch_first_run(const T* in, bool exclusive, T* w) {
    constexpr std::int64_t run = odometer<Op>::run, vec = odometer<Op>::vec;
    if (exclusive) *w++ = Op::identity();
    T before = in[0], fold = in[0];  // W at the start of the vec, and its elements so far
    for (std::int64_t i = 0; i < run - 1; ++i) {
      fold = i % vec == 0 ? in[i] : Op::combine(fold, in[i]);
      w[i] = i < vec ? fold : Op::combine(before, fold);
      if ((i + 1) % vec == 0) before = w[i];
    }
  }
};

// ---- many chunks

// Chunks of results on their way past the caches, for outputs that are larger: such lines need not
// be read before they are written. A chunk waits here until the next but one is gathered, and its
// lines are stored between loads, so that memory reads while it writes.
template <class Op>
class staged_results {
  using T = typename Op::value;
  using K = chunk_kernel<Op>;
  using S = typename K::S;
  static constexpr std::size_t line = 64, bytes = K::chunk * sizeof(T);

 public:
  // `out`: of the first chunk.
  explicit staged_results(T* out)
      : out_(reinterpret_cast<std::byte*>(out)),
        off_(reinterpret_cast<std::uintptr_t>(out) % line),
        begun_(off_ == 0) {}

  // Room for the next chunk, behind the beginning of a line that the one before has left.
  T* room() {
    std::memcpy(lines_, lines_ + bytes, off_);
    return reinterpret_cast<T*>(lines_ + off_);
  }
  // The chunk is there.
  void add() {
    waits_ = begun_;
    if (begun_) return;
    std::memcpy(out_, lines_ + off_, bytes);  // its first line is not all ours
    out_ += bytes;
    begun_ = true;
  }
  // The lines of the chunk that waits, for the gather of `in`.
  bool waits() const { return waits_; }
  typename K::past_caches take(const T* in, std::int64_t ahead) {
    const typename K::past_caches lines{typename K::from_memory(in, ahead),
                                        reinterpret_cast<const S*>(lines_),
                                        reinterpret_cast<S*>(out_ - off_)};
    out_ += bytes;
    waits_ = false;
    return lines;
  }
  void flush() {
    if (!waits_) return;
    typename K::past_caches lines = take(nullptr, 0);
    for (std::size_t r = 0; r < K::registers; ++r) lines.a_register();
  }
  // But for flush_streamed().
  void finish() {
    flush();
    std::memcpy(out_ - off_, lines_ + bytes, off_);
  }

 private:
  alignas(line) std::byte lines_[bytes + line];
  std::byte* out_;  // of the chunk that waits, or comes next
  std::size_t off_;
  bool begun_, waits_ = false;
};

template <class Op>
struct simd_scan {
  using T = typename Op::value;
  using K = chunk_kernel<Op>;
  using G = generic_kernel<Op>;
  static constexpr std::int64_t chunk = odometer<Op>::chunk;
  static constexpr std::int64_t run = odometer<Op>::run;
  static constexpr std::int64_t few = 32;  // elements that one by one take less than a whole chunk
  static_assert(chunk == static_cast<std::int64_t>(K::chunk));

  static void scan(const stream<T>& s, std::int64_t first, std::int64_t count, bool exclusive,
                   odometer<Op>& at) {
    const std::int64_t head = std::min(count, (chunk - at.position() % chunk) % chunk);
    if (head != 0) G::scan(s, first, head, exclusive, at);
    const std::int64_t chunks = (count - head) / chunk;
    scan_chunks(s, first + head, chunks, exclusive, at);
    const std::int64_t done = head + chunks * chunk;
    if (done == count) return;
    const auto tail = count - done <= few ? G::scan : scan_tail;
    tail(s, first + done, count - done, exclusive, at);
  }

  static void scan_chunks(const stream<T>& s, std::int64_t first, std::int64_t chunks,
                          bool exclusive, odometer<Op>& at) {
    if (chunks == 0) return;
    const bool staged = s.past_caches && s.out != nullptr;
    alignas(64) T in_buffer[chunk], out_buffer[chunk];
    staged_results<Op> results(staged ? s.out + first : nullptr);
    typename K::gathered g[2];
    const T* in = G::read(s, first, chunk, in_buffer);
    gather<true>(s, in, &g[0], g[0].totals);
    K::prefix_runs(g[0].totals);
    T first_run[run];  // of the input, which the output may overwrite
    std::memcpy(static_cast<void*>(first_run), in, sizeof first_run);

    std::optional<T> start = at.chunk_prefix();
    for (std::int64_t c = 0; c < chunks; ++c) {
      typename K::gathered& now = g[c % 2];
      const std::int64_t here = first + c * chunk;
      typename K::per_run bases;
      at.push_chunk(now.totals.get(runs_per_chunk - 1));
      const T end = *at.chunk_prefix();
      K::make_bases(now.totals, start, end, bases);

      if (c + 1 < chunks) {
        typename K::gathered& next = g[(c + 1) % 2];
        in = G::read(s, here + chunk, chunk, in_buffer);
        if (results.waits())
          K::template gather<true>(in, &next, next.totals,
                                   results.take(in, s.in != nullptr ? s.ahead : 0));
        else
          gather<true>(s, in, &next, next.totals);
        K::prefix_runs(next.totals);
      } else {
        results.flush();
      }
      T* out = staged ? results.room() : s.out != nullptr ? s.out + here : out_buffer;
      emit(now, bases, exclusive, out);
      if (!start) K::patch_first_run(first_run, exclusive, out);
      if (staged) results.add();
      if (s.out == nullptr) s.store(s.args, here, chunk, out);
      start = end;
    }
    if (staged) results.finish();
  }

  // Of what was read of s.
  template <bool Keep>
  static void gather(const stream<T>& s, const T* in, typename K::gathered* g,
                     typename K::per_run& totals) {
    if (s.in != nullptr && s.ahead != 0)
      K::template gather<Keep>(in, g, totals, typename K::from_memory(in, s.ahead));
    else
      K::template gather<Keep>(in, g, totals);
  }

  // Fewer elements than a chunk, as so many strips as hold them: what the lanes make of the bytes
  // after them is never stored. Whole strips need no buffer.
  static void scan_tail(const stream<T>& s, std::int64_t first, std::int64_t count, bool exclusive,
                        odometer<Op>& at) {
    constexpr auto strip = static_cast<std::int64_t>(K::N) * run;
    const auto strips = static_cast<std::size_t>((count + strip - 1) / strip);
    const bool whole = count % strip == 0;
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    alignas(64) T in_buffer[chunk], out_buffer[chunk];
    const T* in = in_buffer;
    if (!whole)
      std::memset(static_cast<void*>(in_buffer + count), 0, strips * strip * sizeof(T) - bytes);
    if (s.in == nullptr)
      s.load(s.args, first, count, in_buffer);
    else if (whole)
      in = s.in + first;
    else
      std::memcpy(static_cast<void*>(in_buffer), s.in + first, bytes);

    typename K::gathered g;
    typename K::per_run bases;
    const std::optional<T> start = at.chunk_prefix();
    K::template gather<true>(in, &g, g.totals, {}, strips);
    for (std::size_t r = strips * K::N; r < runs_per_chunk; r += K::N)
      g.totals.store(g.totals.load(0), r);  // of no meaning, as what is made of them
    const typename K::per_run totals = g.totals;
    K::prefix_runs(g.totals);
    push_tail(totals, g.totals, in, count, at);
    K::make_bases(g.totals, start, totals.get(0), bases);
    T first_run[run];  // of the input, which the output may overwrite
    if (!start) std::memcpy(static_cast<void*>(first_run), in, sizeof first_run);
    T* out = whole && s.out != nullptr ? s.out + first : out_buffer;
    emit(g, bases, exclusive, out, strips);
    if (!start) K::patch_first_run(first_run, exclusive, out);
    if (s.out == nullptr)
      s.store(s.args, first, count, out);
    else if (!whole)
      std::memcpy(static_cast<void*>(s.out + first), out, bytes);
  }

  // Moves `at` on from the border of a chunk over `count` elements, fewer than a chunk, by the
  // totals of their runs and the prefixes over these.
  static void push_tail(const typename K::per_run& totals, const typename K::per_run& prefixes,
                        const T* in, std::int64_t count, odometer<Op>& at) {
    const auto runs = static_cast<std::size_t>(count / run);
    const std::size_t block = std::bit_floor(runs);
    if (block != 0) at.push_first_runs(block, prefixes.get(block - 1));
    for (std::size_t r = block; r < runs; ++r) at.push_run(totals.get(r));
    for (std::int64_t i = count / run * run; i < count; ++i) at.push(in[i]);
  }

  static void emit(const typename K::gathered& g, const typename K::per_run& bases, bool exclusive,
                   T* out, std::size_t strips = K::L::strips) {
    if (exclusive)
      K::template emit<true>(g, bases, out, strips);
    else
      K::template emit<false>(g, bases, out, strips);
  }

  static void reduce(const stream<T>& s, std::int64_t first, std::int64_t supers, T* totals) {
    constexpr std::int64_t chunks_per_super = order1::chunks_per_tile * order1::tiles_per_super;
    alignas(64) T buffer[chunk];
    tree_counter<Op, chunks_per_super> counter;
    for (std::int64_t c = 0; c < supers * chunks_per_super; ++c) {
      const std::int64_t here = first + c * chunk;
      typename K::per_run runs;
      const T* in = G::read(s, here, chunk, buffer);
      gather<false>(s, in, nullptr, runs);
      K::prefix_runs(runs);
      T total = runs.get(runs_per_chunk - 1);
      if (counter.push(total)) *totals++ = total;
    }
  }
};

template <class Op>
kernel<Op> make_simd_kernel() {
  return {hwy::TargetName(HWY_TARGET), simd_scan<Op>::reduce, simd_scan<Op>::scan};
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // a SIMD target

#endif  // per-target include guard
