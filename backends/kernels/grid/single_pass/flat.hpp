// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_FLAT_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_FLAT_HPP

// What a flat scan reads and writes: arrays, made into vecs of elements E and back, and what stands
// at their ends. What depends on the scan and not on E is decided at run time, alike for all
// threads.

#include <cstddef>
#include <cstdint>

#include "../../port.hpp"
#include "../../scan.hpp"
#include "bytes.hpp"
#include "lens.hpp"
#include "vec.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

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
struct flat : lens<E> {
  using T = typename Op::value;
  using vec = vec_of<Op, E>;
  using lens = kernels::lens<E>;
  using lens::encoded, lens::finished, lens::flipped, lens::in_scalar, lens::in_size, lens::made,
      lens::native_out, lens::off_in, lens::off_out, lens::off_scales, lens::out_scalar,
      lens::out_size, lens::parts, lens::reverse, lens::row_elements, lens::truth, lens::truths;
  using typename lens::S;

  global<const std::byte> in;      // the offsets of a split form
  global<const std::byte> scales;  // and its coefficients
  global<std::byte> out;
  global<std::byte> total;   // one element, or empty
  std::int64_t n = 0;        // elements, with those that are not in memory
  std::int64_t skipped = 0;  // of these
  global<const E> given;     // their totals: of the open vec, then of the blocks, where they are
  bool taken_in = false, taken_out = false;        // the arrays hold what the kernel takes as it is
  bool straight_in = false, straight_out = false;  // likewise, with aligned vecs
  bool exclusive = false;
  bool has_init = false;
  E init{};
  global<const std::byte> init_there;  // in device memory, in place of init, unless empty
  E first{};                           // what an exclusive scan without init begins with

  UPSWEEP_DEVICE carry<Op> start() const {
    if (!has_init) return {false, Op::identity()};
    const E e = init_there.size() != 0 ? init_from_memory() : init;
    return {true, vec::widened(e)};
  }

  // Vecs as they lie in straight arrays, from what is scanned, or into it: without a branch.
  template <int rows>
  UPSWEEP_DEVICE void flip_all(quad (&row)[rows]) const {
    if constexpr (inverts<Op>) {
      UPSWEEP_UNROLL
      for (quad& q : row) q = flipped(q);
    }
  }

  // Whether all results of elements begin .. end are stored, and nothing else.
  UPSWEEP_DEVICE bool stored_alone(std::int64_t begin, std::int64_t end) const {
    return (end < n || (end == n && total.size() == 0)) && begin >= skipped &&
           (begin > 0 || has_init || !exclusive);
  }
  // Likewise as they are.
  UPSWEEP_DEVICE bool stored_straight(std::int64_t begin, std::int64_t end) const {
    return straight_out && stored_alone(begin, end);
  }
  // Whether elements begin .. end are all in memory, and may be loaded as they are.
  UPSWEEP_DEVICE bool in_memory(std::int64_t begin, std::int64_t end) const {
    return begin >= skipped && end <= n;
  }
  UPSWEEP_DEVICE bool loaded_straight(std::int64_t begin, std::int64_t end) const {
    return straight_in && in_memory(begin, end);
  }

  // The place of element i, and of those behind it, in an array in memory order.
  UPSWEEP_HOST_DEVICE std::int64_t place(std::int64_t i) const {
    return reverse ? n - i - vec::size : i - skipped;
  }

  // Where a chunk is read from: a view of `in`, and of `scales`, from a byte of each on; words that
  // reach over what is there may be read up to an end.
  template <class View, class Index>
  struct source {
    bytes_in<View, Index> in, scales;
    std::int64_t in_byte, scales_byte;
    Index in_words, scales_words;
  };

  UPSWEEP_DEVICE source<global<const std::byte>, std::int64_t> memory() const {
    // Others may be writing beside what is read.
    const std::int64_t words = in.data() == out.data() ? 0 : in.size();
    return {{in, 0, 0, in.size()}, {scales, 0, 0, scales.size()}, 0, 0, words, scales.size()};
  }

  // A lane's vecs of some rows, of which `first` is the first element; and its results, stored;
  // `end`: W behind the last row.
  template <int rows, class View, class Index>
  UPSWEEP_DEVICE quads<rows> load(const source<View, Index>& there, std::int64_t first) const {
    if (first >= n) return {};  // nothing that is stored is made of it
    return loaded_whole<rows>(there, first) ? load_whole<rows>(there, first)
                                            : load_ragged<rows>(there, first);
  }
  template <class Out, int rows>
  UPSWEEP_DEVICE void store(std::int64_t first, quads<rows> y, T end) const {
    if (first >= n) return;
    const std::int64_t i = first + lane_index() * vec::size;
    if (exclusive && i == 0 && !has_init) y.row[0] = with_first(y.row[0]);
    if (total.size() != 0 && n <= first + rows * row_elements) store_total(i, y, end);
    if (straight_out && first >= skipped) {
      flip_all(y.row);
      lens::template store_some<Out>(out, place(i) * static_cast<int>(sizeof(Out)), reverse, n - i,
                                     y);
    } else if (first >= skipped && first + rows * row_elements <= n) {
      store_whole(first, y);
    } else {
      store_ragged(i, y);
    }
  }

  // W of no elements.
  UPSWEEP_APART void store_total_of_none() const {
    if (total.size() == 0) return;
    const carry<Op> none = start();
    write_total(element_of(finished(quad_of(none.any ? static_cast<E>(none.value) : first))));
  }

 private:
  // Whether all vecs may be read by words.
  template <int rows, class View, class Index>
  UPSWEEP_DEVICE bool loaded_whole(const source<View, Index>& there, std::int64_t first) const {
    return in_memory(first, first + rows * row_elements) &&
           words_are_there<rows>(there.in_words, there.in_byte, first, off_in) &&
           (made != form::split ||
            words_are_there<rows>(there.scales_words, there.scales_byte, first, off_scales));
  }
  template <int rows, class View, class Index>
  UPSWEEP_DEVICE quads<rows> load_whole(const source<View, Index>& there,
                                        std::int64_t first) const {
    const bytes_in<View, Index>&x = there.in, &c = there.scales;
    return lens::template load<rows>(*this, x.view, x.base + at_lane<Index>(first, there.in_byte),
                                     c.view, c.base + at_lane<Index>(first, there.scales_byte));
  }

  // The same, whatever is there.
  template <int rows, class View, class Index>
  UPSWEEP_APART quads<rows> load_ragged(source<View, Index> there, std::int64_t first) const {
    const auto read = [&](const bytes_in<View, Index>& a, std::int64_t from, int off) {
      return read_ragged<rows>(a, at_lane<Index>(first, from),
                               lens::template stride<Index>(in_size), in_size * vec::size,
                               in_scalar, off);
    };
    const quads<rows> x = read(there.in, there.in_byte, off_in);
    const quads<rows> e = lens::template elements_of<rows>(
        *this, x,
        made == form::split ? read(there.scales, there.scales_byte, off_scales) : quads<rows>{});
    return first < skipped ? with_given(first + lane_index() * vec::size, e) : e;
  }

  template <int rows>
  UPSWEEP_DEVICE void store_whole(std::int64_t first, const quads<rows>& y) const {
    lens::template store<rows>(*this, out, at_lane<std::int64_t>(first, 0, out_size), y);
  }

  // The same, whatever is there, of vecs of which the first begins with element i.
  template <int rows>
  UPSWEEP_APART void store_ragged(std::int64_t i, quads<rows> y) const {
    write_ragged(bytes_in<global<std::byte>, std::int64_t>{out, 0, 0, out.size()},
                 place(i) * out_size, lens::template stride<std::int64_t>(out_size),
                 out_size * vec::size, out_scalar, off_out,
                 lens::template bytes_of<rows>(*this, y));
  }

  // Where a lane's vec of the row lies that begins with `first`, behind byte `from` of its array.
  template <class Index>
  UPSWEEP_DEVICE Index at_lane(std::int64_t first, std::int64_t from, int element) const {
    return static_cast<Index>(place(first + lane_index() * vec::size) * element - from);
  }
  template <class Index>
  UPSWEEP_DEVICE Index at_lane(std::int64_t first, std::int64_t from) const {
    return at_lane<Index>(first, from, in_size);
  }

  template <int rows>
  UPSWEEP_DEVICE bool words_are_there(std::int64_t end, std::int64_t from, std::int64_t first,
                                      int off) const {
    if (off == 0) return true;
    const std::int64_t low =
        reverse ? place(first + rows * row_elements - vec::size) : place(first);
    const std::int64_t begin = low * in_size - from - off;
    return begin >= 0 && begin + (rows * row_elements + vec::size) * in_size <= end;
  }

  // Of vecs, of which the first begins with element i: with what stands for skipped elements.
  template <int rows>
  UPSWEEP_APART quads<rows> with_given(std::int64_t i, quads<rows> x) const {
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const std::int64_t place = i + r * row_elements;
      if (place >= skipped) continue;
      E e[vec::size];
      copy_bits(e, x.row[r]);
      UPSWEEP_UNROLL
      for (int k = 0; k < vec::size; ++k)
        if (place + k < skipped) e[k] = static_cast<E>(Op::identity());
      // A block begins where what is left to its right is less than the last bit of its place.
      const auto mine = static_cast<std::uint32_t>(place / vec::size);
      const std::uint32_t left = static_cast<std::uint32_t>(skipped / vec::size) - mine;
      if (mine == 0 || left < (mine & (~mine + 1))) e[0] = given[bit_width(left)];
      copy_bits(x.row[r], e);
    }
    return x;
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

  // W behind the last element, if it is in a vec of these, of which the first begins with i; `end`:
  // W behind them all.
  template <int rows>
  UPSWEEP_APART void store_total(std::int64_t i, quads<rows> y, T end) const {
    const int lane = lane_index();
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const std::int64_t left = n - i - r * row_elements;
      E e[vec::size];
      copy_bits(e, finished(y.row[r]));
      const int last = static_cast<int>(left) - (exclusive ? 0 : 1);
      // An exclusive scan has W behind a vec as the next one's first result.
      const auto first_of = [&](int row) -> T { return vec::widened(element_of(y.row[row])); };
      const T behind_row = r + 1 < rows ? first_of((r + 1) % rows) : end;
      const T next = shuffle(lane == 0 ? behind_row : first_of(r), (lane + 1) % warp_size);
      E whole = element_of(finished(quad_of(static_cast<E>(next))));
      UPSWEEP_UNROLL
      for (int k = 0; k < vec::size; ++k)
        if (k == last) whole = e[k];
      if (left > 0 && left <= vec::size) write_total(whole);
    }
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
