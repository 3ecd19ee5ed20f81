// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_FLAT_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_FLAT_HPP

// What a flat scan reads and writes: arrays of scalars of any type, made into vecs of elements E
// and back. What depends on the scan and not on E is decided at run time, alike for all threads.

#include <cstddef>
#include <cstdint>

#include "../../port.hpp"
#include "../../scan.hpp"
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

// Bytes begin .. end of an array, in a view of memory where the array's byte b is at base + b.
template <class View, class Index>
struct bytes_in {
  View view;
  Index base, begin, end;
};

template <class View>
UPSWEEP_HOST_DEVICE std::int64_t address_of(const View& a, std::int64_t byte) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(a.data())) + byte;
}

// Calls f with a word of so many bytes, 1 to 16.
template <class F>
UPSWEEP_DEVICE void with_word(int size, F&& f) {
  if (size == 16)
    f(quad{});
  else if (size == 8)
    f(std::uint64_t{});
  else if (size == 4)
    f(std::uint32_t{});
  else if (size == 2)
    f(std::uint16_t{});
  else
    f(std::uint8_t{});
}

// The first bytes of a quad, as a word of 8 or 16.
template <class U>
UPSWEEP_DEVICE U front(const quad& q) {
  if constexpr (sizeof(U) == 16)
    return q;
  else
    return std::uint64_t{q.word[1]} << 32 | q.word[0];
}

// The bytes of two words, one after the other, from byte `from` of the first on.
template <class U>
UPSWEEP_DEVICE quad bytes_from(int from, U low, U high) {
  std::uint32_t w[8] = {};
  const auto put = [&](int byte, U u) {
    constexpr int words = (static_cast<int>(sizeof(U)) + 3) / 4;
    std::uint32_t part[words] = {};
    if constexpr (sizeof(U) < 4)
      part[0] = static_cast<std::uint32_t>(u) << (byte % 4 * 8);
    else
      copy_bits(part, u);
    UPSWEEP_UNROLL
    for (int k = 0; k < words; ++k) w[byte / 4 + k] |= part[k];
  };
  put(0, low);
  put(static_cast<int>(sizeof(U)), high);
  UPSWEEP_UNROLL
  for (int by = 2; by > 0; --by)
    if ((from / 4 & by) != 0) {
      UPSWEEP_UNROLL
      for (int k = 0; k + by < 8; ++k) w[k] = w[k + by];
    }
  quad q;
  UPSWEEP_UNROLL
  for (int k = 0; k < 4; ++k)
    q.word[k] = static_cast<std::uint32_t>((std::uint64_t{w[k + 1]} << 32 | w[k]) >> from % 4 * 8);
  return q;
}

// `bytes` (at most 16) from byte `at` of an array on, of scalars of `size` bytes; 0 for those that
// are not there.
template <class View, class Index>
UPSWEEP_DEVICE quad read_scalars(const bytes_in<View, Index>& a, Index at, int bytes, int size) {
  quad q{};
  with_word(size, [&]<class U>(U) {
    if constexpr (sizeof(U) < 16) {
      UPSWEEP_UNROLL
      for (int b = 0; b < 16; b += static_cast<int>(sizeof(U)))
        if (b < bytes && at + b >= a.begin && at + b < a.end) {
          const U u = load_as<U>(a.view, a.base + at + b);
          if constexpr (sizeof(U) == 8) {
            q.word[b / 4] = static_cast<std::uint32_t>(u);
            q.word[b / 4 + 1] = static_cast<std::uint32_t>(u >> 32);
          } else {
            q.word[b / 4] |= static_cast<std::uint32_t>(u) << (b % 4 * 8);
          }
        }
    }
  });
  return q;
}

// Vecs of so many bytes, a power of two, each `stride` bytes behind the one before; the first
// begins with byte `at`, which is `off` bytes behind an address that words of that size may have.
// What lies around a vec is read with it where it is the array's, if wider is set.
template <int rows, class View, class Index>
UPSWEEP_DEVICE void read_rows(const bytes_in<View, Index>& a, Index at, Index stride, int bytes,
                              int size, int off, bool wider, quad (&row)[rows]) {
  const auto inside = [&](int r) {
    const Index first = at + r * stride - off;
    return first >= a.begin && first + (off == 0 ? bytes : 2 * bytes) <= a.end &&
           (off == 0 || wider);
  };
  with_word(bytes, [&]<class U>(U) {
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r)
      if (inside(r)) {
        const Index first = a.base + at + r * stride - off;
        const U low = load_as<U>(a.view, first);
        row[r] = bytes_from(off, low, off == 0 ? low : load_as<U>(a.view, first + bytes));
      }
  });
  UPSWEEP_ROLLED
  for (int r = 0; r < rows; ++r)
    if (!inside(r)) row[r] = read_scalars(a, at + r * stride, bytes, size);
}

// Bytes begin .. end of a vec that lies from byte `at` of an array on, as far as they are there.
template <class View, class Index>
UPSWEEP_DEVICE void write_scalars(const bytes_in<View, Index>& a, Index at, int begin, int end,
                                  int size, const quad& q) {
  with_word(size, [&]<class U>(U) {
    if constexpr (sizeof(U) < 16) {
      UPSWEEP_UNROLL
      for (int b = 0; b < 16; b += static_cast<int>(sizeof(U)))
        if (b >= begin && b < end && at + b >= a.begin && at + b < a.end) {
          if constexpr (sizeof(U) == 8)
            store_as(a.view, a.base + at + b,
                     std::uint64_t{q.word[b / 4 + 1]} << 32 | q.word[b / 4]);
          else
            store_as(a.view, a.base + at + b, static_cast<U>(q.word[b / 4] >> (b % 4 * 8)));
        }
    }
  });
}

// The vecs of all lanes of a warp, of 8 or 16 bytes, row by row; lanes and rows follow one another
// in memory, downwards if `stride`, from one row to the next, is negative. `at`, `off` as in
// read_rows. Where words of a vec's size lie across two vecs, a lane writes the end of its own with
// the beginning of the next one.
template <int rows, class View, class Index>
UPSWEEP_DEVICE void write_rows(const bytes_in<View, Index>& a, Index at, Index stride, int bytes,
                               int size, int off, const quad (&row)[rows]) {
  const auto whole = [&](Index first) { return first >= a.begin && first + bytes <= a.end; };
  const bool down = stride < 0;
  const int lane = lane_index();
  const int low = off == 0 ? 0 : bytes - off;  // of a vec, the bytes in an earlier word
  UPSWEEP_ROLLED
  for (int r = 0; r < rows; ++r) {
    const bool lower = r > 0 || lane > 0, upper = r + 1 < rows || lane + 1 < warp_size;
    const Index first = at + r * stride;
    const bool mine = whole(first);
    const bool starts = low == 0 || (mine && (down ? upper : lower) && whole(first - bytes));
    const bool goes_on = mine && (low == 0 || ((down ? lower : upper) && whole(first + bytes)));
    quad next = row[r];
    if (low != 0) {
      const int beside = down ? r - 1 : r + 1;
      const bool at_edge = lane == (down ? warp_size - 1 : 0) && beside >= 0 && beside < rows;
      next = shuffle(row[at_edge ? beside : r], (lane + (down ? warp_size - 1 : 1)) % warp_size);
    }
    if (goes_on)
      with_word(bytes, [&]<class U>(U) {
        if constexpr (sizeof(U) >= 8)
          store_as(a.view, a.base + first + low,
                   front<U>(bytes_from(low, front<U>(row[r]), front<U>(next))));
      });
    const int begin = starts ? low : 0, end = goes_on ? low : bytes;
    if (begin < end) write_scalars(a, first, begin, end, size, row[r]);
  }
}

// Totals that a state has of the group that is open: of the elements of its open vec, and of up to
// 16 blocks of vecs. Block b, of 2^b vecs, is there where bit b of the number of whole vecs is set.
inline constexpr int open_totals = 17;

// A scan that goes on inside a group has that group's first elements, which are not in memory,
// before those of its arrays: of each open block the total, in the place of its first element, and
// behind it identities. Every total and prefix of an element of the arrays then has order 1's bits:
// each aligned block that it is made of is an open block; or lies behind them all; or contains the
// place between, and so is made of such blocks in its turn, down to the open vec. In an open block
// identities join its total from the right alone, which changes no bit (complex products but for:
// their scans begin on group borders).
template <class Op, class E>
struct flat {
  using T = typename Op::value;
  using vec = vec_of<Op, E>;
  using S = typename scalar_of<E>::type;
  static constexpr int parts = static_cast<int>(sizeof(E) / sizeof(S));

  global<const std::byte> in;      // the offsets of a split form
  global<const std::byte> scales;  // and its coefficients
  global<std::byte> out;
  global<std::byte> total;   // one element, or empty
  std::int64_t n = 0;        // elements, with those that are not in memory
  std::int64_t skipped = 0;  // of these
  global<const E> given;     // their totals: of the open vec, then of the blocks, where they are
  scalar from{}, to{};
  form made{};
  bool native_in = false, native_out = false;      // the arrays hold Es as they are
  int off_in = 0, off_scales = 0, off_out = 0;     // bytes of vecs behind a multiple of their size
  bool straight_in = false, straight_out = false;  // native, aligned, forward, bits as they are
  bool exclusive = false;
  bool reverse = false;
  bool truth = false;  // what is not 0 counts as all ones; of results the lowest bit is kept
  bool has_init = false;
  std::uint32_t flip = 0, flip_high = 0;  // bits inverted on the way in and out, word by word
  std::uint32_t keep = ~std::uint32_t{0}, keep_high = ~std::uint32_t{0};  // of results
  E init{};
  global<const std::byte> init_there;  // in device memory, in place of init, unless empty
  E first{};                           // what an exclusive scan without init begins with
  int in_size = 0, out_size = 0;       // bytes of an element in each array
  int in_scalar = 0, out_scalar = 0;   // and of a scalar

  UPSWEEP_DEVICE carry<Op> start() const {
    if (!has_init) return {false, Op::identity()};
    const E e = init_there.size() != 0 ? init_from_memory() : init;
    return {true, vec::widened(e)};
  }

  UPSWEEP_DEVICE quad flipped(quad q) const {
    q.word[0] ^= flip;
    q.word[1] ^= flip_high;
    q.word[2] ^= flip;
    q.word[3] ^= flip_high;
    return q;
  }

  // Whether the results of elements begin .. end may be stored as they are, and nothing else.
  UPSWEEP_DEVICE bool stored_straight(std::int64_t begin, std::int64_t end) const {
    return straight_out && (end < n || (end == n && total.size() == 0)) && begin >= skipped &&
           (begin > 0 || has_init || !exclusive);
  }
  // Whether elements begin .. end may be loaded as they are.
  UPSWEEP_DEVICE bool loaded_straight(std::int64_t begin, std::int64_t end) const {
    return straight_in && begin >= skipped && end <= n;
  }

  // The place of element i, and of those behind it, in an array in memory order.
  UPSWEEP_HOST_DEVICE std::int64_t place(std::int64_t i) const {
    return reverse ? n - i - vec::size : i - skipped;
  }

  // Where a chunk is read from: a view of `in`, and of `scales`, from a byte of each on; whether
  // others may be writing there what they have read of `in`.
  template <class View, class Index>
  struct source {
    bytes_in<View, Index> in, scales;
    std::int64_t in_byte, scales_byte;
    bool overwritten;
  };

  UPSWEEP_DEVICE source<global<const std::byte>, std::int64_t> memory() const {
    return {{in, 0, 0, in.size()}, {scales, 0, 0, scales.size()}, 0, 0, in.data() == out.data()};
  }

  // A lane's vecs of a chunk, the first of which begins with element i.
  template <int rows, class View, class Index>
  UPSWEEP_APART void load_rows(const source<View, Index>& there, std::int64_t i,
                               quad (&row)[rows]) const {
    const int bytes = in_size * vec::size;
    const Index stride = (reverse ? -row_elements : row_elements) * in_size;
    const std::int64_t at = place(i) * in_size;
    quad other[rows] = {};
    read_rows(there.in, static_cast<Index>(at - there.in_byte), stride, bytes, in_scalar, off_in,
              !there.overwritten, row);
    if (made == form::split)
      read_rows(there.scales, static_cast<Index>(at - there.scales_byte), stride, bytes, in_scalar,
                off_scales, true, other);
    UPSWEEP_ROLLED
    for (int r = 0; r < rows; ++r) {
      quad q = row[r];
      if (!native_in) q = decoded(q, other[r]);
      if (truth) q = truths(q);
      if (reverse) q = reversed(q);
      row[r] = flipped(q);
      if (i + r * row_elements < skipped) row[r] = with_given(i + r * row_elements, row[r]);
    }
  }

  // A lane's results of some rows of a chunk, whose first vec begins with element i; next: W behind
  // each vec; straight: what stored_straight says of them all.
  template <int rows>
  UPSWEEP_DEVICE void store(std::int64_t i, const quad (&y)[rows], const T (&next)[rows],
                            bool straight) const {
    if (straight) {
      UPSWEEP_UNROLL
      for (int r = 0; r < rows; ++r)
        store_as(out, (i - skipped + r * row_elements) * static_cast<int>(sizeof(E)),
                 flipped(y[r]));
    } else {
      // Copies, so that y and next need not lie in memory.
      quad results[rows];
      T behind[rows];
      UPSWEEP_UNROLL
      for (int r = 0; r < rows; ++r) {
        results[r] = y[r];
        behind[r] = next[r];
      }
      store_rows(i, results, behind);
    }
  }

  // W of no elements.
  UPSWEEP_APART void store_total_of_none() const {
    if (total.size() == 0) return;
    const carry<Op> none = start();
    write_total(element_of(finished(quad_of(none.any ? static_cast<E>(none.value) : first))));
  }

 private:
  static constexpr int row_elements = warp_size * vec::size;

  UPSWEEP_DEVICE quad with_given(std::int64_t i, const quad& q) const {
    E e[vec::size];
    copy_bits(e, q);
    UPSWEEP_UNROLL
    for (int k = 0; k < vec::size; ++k)
      if (i + k < skipped) e[k] = static_cast<E>(Op::identity());
    // A block begins where what is left to its right is less than the last bit of its place.
    const auto mine = static_cast<std::uint32_t>(i / vec::size);
    const std::uint32_t left = static_cast<std::uint32_t>(skipped / vec::size) - mine;
    if (mine == 0 || left < (mine & (~mine + 1))) e[0] = given[bit_width(left)];
    quad r;
    copy_bits(r, e);
    return r;
  }

  template <int rows>
  UPSWEEP_APART void store_rows(std::int64_t i, quad (&y)[rows], const T (&next)[rows]) const {
    UPSWEEP_ROLLED
    for (int r = 0; r < rows; ++r) {
      const std::int64_t first_element = i + r * row_elements;
      quad q = y[r];
      if (exclusive && first_element == 0 && !has_init) q = with_first(q);
      q = finished(q);
      if (first_element < n && n <= first_element + vec::size && total.size() != 0)
        store_total(first_element, q, next[r]);
      if (reverse) q = reversed(q);
      y[r] = native_out ? q : encoded(q);
    }
    const bytes_in<global<std::byte>, std::int64_t> a{out, 0, 0, out.size()};
    const std::int64_t stride = (reverse ? -row_elements : row_elements) * out_size;
    write_rows(a, place(i) * out_size, stride, out_size * vec::size, out_scalar, off_out, y);
  }

  UPSWEEP_DEVICE quad finished(quad q) const {
    q = flipped(q);
    q.word[0] &= keep;
    q.word[1] &= keep_high;
    q.word[2] &= keep;
    q.word[3] &= keep_high;
    return q;
  }

  UPSWEEP_DEVICE static quad quad_of(E e) {
    E all[vec::size] = {};
    all[0] = e;
    quad q;
    copy_bits(q, all);
    return q;
  }
  UPSWEEP_DEVICE static E element_of(const quad& q) {
    E all[vec::size];
    copy_bits(all, q);
    return all[0];
  }

  UPSWEEP_DEVICE quad with_first(const quad& y) const {
    E e[vec::size];
    copy_bits(e, y);
    e[0] = first;
    quad q;
    copy_bits(q, e);
    return q;
  }

  UPSWEEP_DEVICE static quad reversed(const quad& q) {
    E e[vec::size], r[vec::size];
    copy_bits(e, q);
    UPSWEEP_UNROLL
    for (int k = 0; k < vec::size; ++k) r[k] = e[vec::size - 1 - k];
    quad back;
    copy_bits(back, r);
    return back;
  }

  UPSWEEP_DEVICE static quad truths(const quad& q) {
    E e[vec::size];
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
  UPSWEEP_DEVICE quad decoded(const quad& q, const quad& scale) const {
    S s[parts * vec::size] = {};
    const auto read = [&]<class In>(In) {
      if constexpr (readable<In, S>) {
        In x[16 / sizeof(In)], c[16 / sizeof(In)];
        copy_bits(x, q);
        copy_bits(c, scale);
        if constexpr (parts == 1) {
          UPSWEEP_UNROLL
          for (int k = 0; k < vec::size; ++k) s[k] = S(x[k]);
        } else if (made == form::pair) {
          if constexpr (parts * vec::size * sizeof(In) <= 16) {
            UPSWEEP_UNROLL
            for (int k = 0; k < parts * vec::size; ++k) s[k] = S(x[k]);
          }
        } else {
          UPSWEEP_UNROLL
          for (int k = 0; k < vec::size; ++k) {
            s[parts * k] = made == form::real ? S(x[k]) : S(c[k]);
            s[parts * k + parts - 1] = made == form::real ? S(0) : S(x[k]);
          }
        }
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
    quad e;
    copy_bits(e, s);
    return e;
  }

  // And back; of a split form the second scalars alone.
  UPSWEEP_DEVICE quad encoded(const quad& y) const {
    S s[parts * vec::size];
    copy_bits(s, y);
    quad q{};
    if constexpr (parts == 2) {
      S t[16 / sizeof(S)] = {};
      UPSWEEP_UNROLL
      for (int k = 0; k < vec::size; ++k) t[k] = s[2 * k + 1];
      copy_bits(q, t);
    } else if constexpr (is_float<S> && sizeof(S) == 4) {
      UPSWEEP_UNROLL
      for (int k = 0; k < 4; k += 2)
        q.word[k / 2] = to == scalar::f16 ? std::uint32_t{half(s[k]).bits} |
                                                std::uint32_t{half(s[k + 1]).bits} << 16
                                          : std::uint32_t{brain_half(s[k]).bits} |
                                                std::uint32_t{brain_half(s[k + 1]).bits} << 16;
    }
    return q;
  }

  // W behind the last element, which is in the vec that begins with i.
  UPSWEEP_DEVICE void store_total(std::int64_t i, const quad& y, T next) const {
    E e[vec::size];
    copy_bits(e, y);
    E whole = element_of(finished(quad_of(static_cast<E>(next))));
    const int last = static_cast<int>(n - i) - (exclusive ? 0 : 1);
    UPSWEEP_UNROLL
    for (int k = 0; k < vec::size; ++k)
      if (k == last) whole = e[k];
    write_total(whole);
  }

  UPSWEEP_DEVICE void write_total(const E& whole) const {
    const quad q = native_out ? quad_of(whole) : encoded(quad_of(whole));
    const bytes_in<global<std::byte>, std::int64_t> a{total, 0, 0, total.size()};
    write_scalars<global<std::byte>, std::int64_t>(a, 0, 0, out_size, out_scalar, q);
  }

  UPSWEEP_APART E init_from_memory() const {
    const bytes_in<global<const std::byte>, std::int64_t> a{init_there, 0, 0, init_there.size()};
    const quad q = read_scalars<global<const std::byte>, std::int64_t>(
        a, 0, static_cast<int>(init_there.size()), static_cast<int>(sizeof(S)));
    if constexpr (parts == 2) {
      if (made == form::split) {  // h alone, which stands for (1, h)
        S s[16 / sizeof(S)];
        copy_bits(s, q);
        return E{S(1), s[0]};
      }
    }
    return element_of(flipped(truth ? truths(q) : q));
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
