// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_LENS_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_LENS_HPP

// Scalars of any type, form and direction, seen as the vecs of elements that a kernel scans.

#include <cstdint>

#include "../../port.hpp"
#include "bytes.hpp"
#include "vec.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// Of what an array holds. No scan tells signed from unsigned 64-bit integers on the way in.
enum class scalar : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, f16, bf16, f32, f64 };

// How elements lie in memory: one scalar each; two, neighbours; one, of a complex number whose
// imaginary part is 0; one in each of two arrays, of which the output is like the second.
enum class form : std::uint8_t { single, pair, real, split };

template <>
inline constexpr bool is_float<half> = true;
template <>
inline constexpr bool is_float<brain_half> = true;

// Whether a scan may make an S of an In: what it loses nothing by.
template <class In, class S>
inline constexpr bool readable = sizeof(In) < sizeof(S)
                                     ? is_float<S> || !is_float<In>
                                     : sizeof(In) == sizeof(S) && is_float<In> == is_float<S>;

// A vec of elements E, from its scalars in front of a quad, and back.
template <class E, class In>
UPSWEEP_DEVICE quad from_scalars(const quad& q) {
  constexpr int size = 16 / static_cast<int>(sizeof(E));
  In x[16 / sizeof(In)];
  E e[size];
  copy_bits(x, q);
  UPSWEEP_UNROLL
  for (int k = 0; k < size; ++k) e[k] = E(x[k]);
  quad r;
  copy_bits(r, e);
  return r;
}
template <class E, class Out>
UPSWEEP_DEVICE quad to_scalars(const quad& y) {
  if constexpr (sizeof(Out) == sizeof(E)) {
    return y;
  } else {
    static_assert(sizeof(E) == 4 && sizeof(Out) == 2);
    float s[4];
    copy_bits(s, y);
    return {{two_of<Out>(s[0], s[1]), two_of<Out>(s[2], s[3])}};
  }
}

// Bytes of a vec of elements E in an array of scalars S.
template <class E, class S>
inline constexpr int bytes_of_vec = 16 / static_cast<int>(sizeof(E)) * static_cast<int>(sizeof(S));

// An aligned vec as scalars at byte `at` of a view.
template <class E, class Out, class View, class Index>
UPSWEEP_DEVICE void put_scalars(const View& view, Index at, const quad& y) {
  store_as(view, at, front<decltype(word_of<bytes_of_vec<E, Out>>())>(to_scalars<E, Out>(y)));
}

// How vecs of elements E are made of the bytes of arrays, and back: what does not depend on where
// they lie. Few words, which functions apart take in registers: a kernel's parameters are slow to
// read by address.
template <class E>
struct lens {
  using S = typename scalar_of<E>::type;
  static constexpr int size = 16 / static_cast<int>(sizeof(E));  // of a vec
  static constexpr int parts = static_cast<int>(sizeof(E) / sizeof(S));
  static constexpr int row_elements = warp_size * size;

  std::uint32_t flip = 0, flip_high = 0;  // bits inverted on the way in and out, word by word
  std::uint32_t keep = ~std::uint32_t{0}, keep_high = ~std::uint32_t{0};  // of results
  scalar from{}, to{};
  form made{};
  bool native_in = false, native_out = false;  // the arrays hold Es as they are
  bool reverse = false;
  bool truth = false;  // what is not 0 counts as all ones; of results the lowest bit is kept
  std::uint8_t in_size = 0, out_size = 0;                // bytes of an element in each array
  std::uint8_t in_scalar = 0, out_scalar = 0;            // and of a scalar
  std::uint8_t off_in = 0, off_scales = 0, off_out = 0;  // of vecs, behind a multiple of their size

  UPSWEEP_DEVICE bool flips() const { return (flip | flip_high) != 0; }
  UPSWEEP_DEVICE quad flipped(quad q) const {
    q.word[0] ^= flip;
    q.word[1] ^= flip_high;
    q.word[2] ^= flip;
    q.word[3] ^= flip_high;
    return q;
  }
  UPSWEEP_DEVICE quad finished(quad q) const {
    q = flipped(q);
    q.word[0] &= keep;
    q.word[1] &= keep_high;
    q.word[2] &= keep;
    q.word[3] &= keep_high;
    return q;
  }

  // From a lane's vec of a row to that of the next, in bytes of elements of so many.
  template <class Index>
  UPSWEEP_DEVICE Index stride(int element) const {
    return (reverse ? -row_elements : row_elements) * element;
  }

  // A lane's vecs of some rows, aligned Es, from byte `at` of a view on and downwards; and its
  // results, as Outs. Apart: as a part of the kernels they would slow scans in the other direction,
  // which wait for instructions.
  template <int rows, class View, class Index>
  UPSWEEP_APART static quads<rows> load_reversed(View view, Index at) {
    quads<rows> x;
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r)
      x.row[r] =
          reversed(load_as<quad>(view, at - r * (warp_size * static_cast<int>(sizeof(quad)))));
    return x;
  }
  template <class Out, int rows, class View, class Index>
  UPSWEEP_APART static void store_reversed(View view, Index at, quads<rows> y) {
    constexpr int bytes = bytes_of_vec<E, Out>;
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r)
      put_scalars<E, Out>(view, at - r * (warp_size * bytes), reversed(y.row[r]));
  }

  // The same where an array ends among them: `there` elements are, from the lane's first one on, in
  // scan order; 0 stands for the others, and their results are not stored.
  template <int rows, class View>
  UPSWEEP_APART static quads<rows> load_some(View view, std::int64_t at, bool reverse,
                                             std::int64_t there) {
    using word = decltype(word_of<static_cast<int>(sizeof(E))>());
    const ending<rows> end(there);
    const auto row_at = [&](int r) -> std::int64_t {
      return at + (reverse ? -r : r) * row_elements * std::int64_t{sizeof(E)};
    };
    word last[size] = {};
    UPSWEEP_UNROLL
    for (int k = 0; k < size; ++k)
      if (k < end.count)
        last[k] = load_as<word>(view, row_at(end.row) + scalar_at(k, reverse, sizeof(E)));
    quads<rows> x;
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      x.row[r] = quad{};
      if (r == end.row) copy_bits(x.row[r], last);
      if (r < end.row) {
        const quad q = load_as<quad>(view, row_at(r));
        x.row[r] = reverse ? reversed(q) : q;
      }
    }
    return x;
  }
  template <class Out, int rows, class View>
  UPSWEEP_APART static void store_some(View view, std::int64_t at, bool reverse, std::int64_t there,
                                       quads<rows> y) {
    using word = decltype(word_of<bytes_of_vec<E, Out> / size>());
    const ending<rows> end(there);
    const auto row_at = [&](int r) -> std::int64_t {
      return at + (reverse ? -r : r) * std::int64_t{warp_size * bytes_of_vec<E, Out>};
    };
    quad last{};
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      if (r == end.row) last = y.row[r];
      if (r < end.row)
        put_scalars<E, Out>(view, row_at(r), reverse ? reversed(y.row[r]) : y.row[r]);
    }
    word w[16 / sizeof(word)];
    copy_bits(w, to_scalars<E, Out>(last));
    UPSWEEP_UNROLL
    for (int k = 0; k < size; ++k)
      if (k < end.count)
        store_as(view, row_at(end.row) + scalar_at(k, reverse, sizeof(word)), w[k]);
  }

  // A lane's vecs of some rows, which words may be read for: of a view from byte `at` on, and of
  // another, of a split form's coefficients, from byte scales_at on.
  template <int rows, class View, class Index>
  UPSWEEP_APART static quads<rows> load(lens how, View view, Index at, View scales,
                                        Index scales_at) {
    const int bytes = how.in_size * size;
    const auto stride = how.template stride<Index>(how.in_size);
    const auto x = read_words<rows>(view, at, stride, bytes, how.off_in);
    return how.made == form::split
               ? how.made_of(x, read_words<rows>(scales, scales_at, stride, bytes, how.off_scales))
               : how.made_of(x, {});
  }

  // Writes a lane's results, which are all to be there, from byte `at` of a view on.
  template <int rows, class View, class Index>
  UPSWEEP_APART static void store(lens how, View view, Index at, quads<rows> y) {
    write_words(view, at, how.template stride<Index>(how.out_size), how.out_size * size,
                how.out_scalar, how.off_out, how.made_for_memory(y));
  }

  // The two below, apart: what ragged rows are made of, and made into.
  template <int rows>
  UPSWEEP_APART static quads<rows> elements_of(lens how, quads<rows> x, quads<rows> scale) {
    return how.made_of(x, scale);
  }
  template <int rows>
  UPSWEEP_APART static quads<rows> bytes_of(lens how, quads<rows> y) {
    return how.made_for_memory(y);
  }

  // Elements, in order, of vecs as they lie in memory.
  template <int rows>
  UPSWEEP_DEVICE quads<rows> made_of(const quads<rows>& x, const quads<rows>& scale) const {
    quads<rows> e = native_in ? x : decoded(x, scale);
    if (truth) {
      UPSWEEP_UNROLL
      for (quad& q : e.row) q = truths(q);
    }
    if (reverse) {
      UPSWEEP_UNROLL
      for (quad& q : e.row) q = reversed(q);
    }
    if (flips()) {
      UPSWEEP_UNROLL
      for (quad& q : e.row) q = flipped(q);
    }
    return e;
  }
  // And results as they are to lie there.
  template <int rows>
  UPSWEEP_DEVICE quads<rows> made_for_memory(quads<rows> y) const {
    const auto all = [&](auto&& f) {
      UPSWEEP_UNROLL
      for (quad& q : y.row) q = f(q);
    };
    if (flips() || truth) all([&](const quad& q) { return finished(q); });
    if (reverse) all(reversed);
    if (!native_out) all([&](const quad& q) { return encoded(q); });
    return y;
  }

  // The row in which a lane's elements end, and how many of its vec are there, fewer than all.
  template <int rows>
  struct ending {
    int row, count;
    UPSWEEP_DEVICE explicit ending(std::int64_t there) {
      const auto most = static_cast<std::int64_t>(rows) * row_elements;
      const int left = static_cast<int>(there < 0 ? 0 : there < most ? there : most);
      row = left / row_elements;
      count = left % row_elements;
      if (count >= size) {
        count = 0;
        ++row;
      }
    }
  };

  // Where element k of a vec lies in it, of so many bytes each.
  UPSWEEP_DEVICE static int scalar_at(int k, bool reverse, int bytes) {
    return (reverse ? size - 1 - k : k) * bytes;
  }

  UPSWEEP_DEVICE static quad reversed(const quad& q) {
    E e[size], r[size];
    copy_bits(e, q);
    UPSWEEP_UNROLL
    for (int k = 0; k < size; ++k) r[k] = e[size - 1 - k];
    quad back;
    copy_bits(back, r);
    return back;
  }

  UPSWEEP_DEVICE static quad truths(const quad& q) {
    E e[size];
    copy_bits(e, q);
    if constexpr (parts == 1 && !is_float<E>) {
      UPSWEEP_UNROLL
      for (E& x : e) x = x != E(0) ? static_cast<E>(~E(0)) : E(0);
    }
    quad t;
    copy_bits(t, e);
    return t;
  }

  // Elements from the scalars of their arrays.
  template <int rows>
  UPSWEEP_DEVICE quads<rows> decoded(const quads<rows>& q, const quads<rows>& scale) const {
    quads<rows> e{};
    const auto read = [&]<class In>(In) {
      if constexpr (readable<In, S>) {
        UPSWEEP_UNROLL
        for (int r = 0; r < rows; ++r) e.row[r] = of_scalars<In>(q.row[r], scale.row[r]);
      }
    };
    switch (from) {
      case scalar::i8: read(std::int8_t{}); break;
      case scalar::u8: read(std::uint8_t{}); break;
      case scalar::i16: read(std::int16_t{}); break;
      case scalar::u16: read(std::uint16_t{}); break;
      case scalar::i32: read(std::int32_t{}); break;
      case scalar::u32: read(std::uint32_t{}); break;
      case scalar::i64: read(std::int64_t{}); break;
      case scalar::f16: read(half{}); break;
      case scalar::bf16: read(brain_half{}); break;
      case scalar::f32: read(float{}); break;
      default: read(double{});
    }
    return e;
  }

  template <class In>
  UPSWEEP_DEVICE quad of_scalars(const quad& q, const quad& scale) const {
    if constexpr (parts == 1) {
      return from_scalars<S, In>(q);
    } else {
      S s[parts * size] = {};
      In x[16 / sizeof(In)], c[16 / sizeof(In)];
      copy_bits(x, q);
      copy_bits(c, scale);
      if (made == form::pair) {
        if constexpr (parts * size * sizeof(In) <= 16) {
          UPSWEEP_UNROLL
          for (int k = 0; k < parts * size; ++k) s[k] = S(x[k]);
        }
      } else {
        UPSWEEP_UNROLL
        for (int k = 0; k < size; ++k) {
          s[parts * k] = made == form::real ? S(x[k]) : S(c[k]);
          s[parts * k + parts - 1] = made == form::real ? S(0) : S(x[k]);
        }
      }
      quad e;
      copy_bits(e, s);
      return e;
    }
  }

  // And back; of a split form the second scalars alone.
  UPSWEEP_DEVICE quad encoded(const quad& y) const {
    quad q{};
    if constexpr (parts == 2) {
      S s[parts * size], t[16 / sizeof(S)] = {};
      copy_bits(s, y);
      UPSWEEP_UNROLL
      for (int k = 0; k < size; ++k) t[k] = s[2 * k + 1];
      copy_bits(q, t);
    } else if constexpr (is_float<S> && sizeof(S) == 4) {
      q = to == scalar::f16 ? to_scalars<S, half>(y) : to_scalars<S, brain_half>(y);
    }
    return q;
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
