// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_CHUNK_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_CHUNK_HPP

// A chunk of order 1 (docs/numerics.md), scanned by one warp in registers: 4 rows of 32 vecs, where
// lane l holds vec l of each row, so that a row lies in memory in one piece, a run is 4 neighbours
// and a row is 8 runs. A step over lanes that differ in one bit of their index gives a block of
// twice the size its total, and its upper half the lower half's total in front of its tree prefix:
// one shuffle for both. 20 shuffles scan a chunk, 8 give its total.

#include "../../port.hpp"
#include "../../scan.hpp"
#include "bytes.hpp"
#include "lens.hpp"
#include "vec.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// How many of each unit make the next. Those of order 1, or smaller ones, for tests on fibers.
template <int Rows, int Chunks, int Tiles>
struct unit_sizes {
  static constexpr int rows = Rows;      // of a chunk
  static constexpr int chunks = Chunks;  // of a tile
  static constexpr int tiles = Tiles;    // of a super
  static constexpr int super_chunks = Chunks * Tiles;
  static constexpr int super_vecs = super_chunks * Rows * warp_size;
  static constexpr int supers = warp_size;  // of a group
};
using order1_sizes = unit_sizes<4, 4, 4>;
using small_sizes = unit_sizes<1, 1, 1>;

// a and b, which was the earlier if b_first.
template <class Op>
UPSWEEP_DEVICE typename Op::value in_order(bool b_first, typename Op::value a,
                                           typename Op::value b) {
  if constexpr (Op::commutes)
    return Op::combine(a, b);
  else
    return b_first ? Op::combine(b, a) : Op::combine(a, b);
}

// The total of a unit, from its sub-units' totals.
template <class Op, int count>
UPSWEEP_DEVICE typename Op::value tree_total(const typename Op::value (&t)[count]) {
  if constexpr (count == 1)
    return t[0];
  else if constexpr (count == 2)
    return Op::combine(t[0], t[1]);
  else
    return Op::combine(Op::combine(t[0], t[1]), Op::combine(t[2], t[3]));
}

template <class T>
UPSWEEP_DEVICE T chosen(bool first, T a, T b) {
  return first ? a : b;
}

// One step of a scan over lanes: total of a block of `bit` lanes, and the tree prefix before a
// lane in its block, if there is any.
template <class Op>
UPSWEEP_DEVICE void double_block(int bit, typename Op::value& total, typename Op::value& before,
                                 bool any_before) {
  const bool upper = (lane_index() & bit) != 0;
  const auto other = shuffle_xor(total, bit);
  if constexpr (Op::neutral) {
    before = Op::combine(upper ? other : Op::identity(), before);
  } else {  // no branch: lanes go both ways
    const auto both = Op::combine(other, before);
    before = chosen(upper, chosen(any_before, both, other), before);
  }
  total = in_order<Op>(upper, total, other);
}

// Gives half of a lane's values to its neighbour at `bit` for half of the neighbour's: the lower
// lane keeps low, the upper high, each with the other's joined.
template <class Op>
UPSWEEP_DEVICE typename Op::value trade(int bit, typename Op::value low, typename Op::value high) {
  const bool upper = (lane_index() & bit) != 0;
  const auto got = shuffle_xor(upper ? low : high, bit);
  return in_order<Op>(upper, upper ? high : low, got);
}

template <class Op>
UPSWEEP_DEVICE typename Op::value total_over(int first_bit, int end_bit, typename Op::value x) {
  for (int bit = first_bit; bit < end_bit; bit *= 2)
    x = in_order<Op>((lane_index() & bit) != 0, x, shuffle_xor(x, bit));
  return x;
}

// Totals over some lanes of 1 or 4 units at once, of each of which every lane has a part: two
// trades leave a lane with one unit of 4, and its neighbours with the others.
template <int count>
UPSWEEP_DEVICE int unit_of_lane() {
  return count == 1 ? 0 : 2 * (lane_index() & 1) + (lane_index() >> 1 & 1);
}

template <class Op, int count>
UPSWEEP_DEVICE typename Op::value total_of_each(const typename Op::value (&part)[count],
                                                int lanes) {
  static_assert(count == 1 || count == 4);
  if constexpr (count == 1) {
    return total_over<Op>(1, lanes, part[0]);
  } else {
    const auto even = trade<Op>(1, part[0], part[2]), odd = trade<Op>(1, part[1], part[3]);
    return total_over<Op>(4, lanes, trade<Op>(2, even, odd));
  }
}
// And the total of all, in every lane, of those.
template <class Op, int count>
UPSWEEP_DEVICE typename Op::value joined_total(typename Op::value of_unit) {
  if constexpr (count == 1)
    return of_unit;
  else
    return total_over<Op>(1, 2, total_over<Op>(2, 4, of_unit));
}

// What is before a unit, and behind its first sub-units with the tree prefix x, if there are any.
template <class Op>
UPSWEEP_DEVICE carry<Op> joined(const carry<Op>& left, typename Op::value x, bool present) {
  return Op::neutral || present ? carry<Op>{true, after(left, x)} : left;
}

// Stores a warp's results of some rows, of which `first` is the first element, and `end` W behind
// the last; straight: as the Outs that they are, and nothing else. plain: in the order of memory.
template <class E, class Out, bool plain = false, int rows, class What, class T>
UPSWEEP_DEVICE void store_rows(const What& what, std::int64_t first, quads<rows> y, T end,
                               bool straight) {
  if (!plain && !straight) return what.template store<Out>(first, y, end);
  what.flip_all(y.row);
  constexpr int vec_bytes = bytes_of_vec<E, Out>;
  const std::int64_t to =
      what.place(first + lane_index() * lens<E>::size) * static_cast<int>(sizeof(Out));
  if (!plain && what.reverse) {
    lens<E>::template store_reversed<Out, rows>(what.out, to, y);
  } else {
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r)
      put_scalars<E, Out>(what.out, to + r * (warp_size * vec_bytes), y.row[r]);
  }
}

// Some rows of a chunk: all of them, or a half.
template <class Op, class E, int Rows>
class chunk_rows {
  using T = typename Op::value;
  using vec = vec_of<Op, E>;

 public:
  static constexpr int rows = Rows;
  static constexpr int row_elements = warp_size * vec::size;
  static constexpr int elements = rows * row_elements;

  quad row[rows];

  // From what is scanned, in memory; `first`: the rows' first element.
  template <class What>
  UPSWEEP_DEVICE void load(const What& what, std::int64_t first) {
    constexpr int element = sizeof(E);
    const std::int64_t i = first + lane_index() * vec::size, at = what.place(i) * element;
    if (what.loaded_straight(first, first + elements)) {
      if (what.reverse) {
        take(lens<E>::template load_reversed<rows>(what.in, at));
      } else {
        UPSWEEP_UNROLL
        for (int r = 0; r < rows; ++r)
          row[r] = load_as<quad>(what.in, at + r * (row_elements * element));
      }
      what.flip_all(row);
    } else if (what.straight_in && first >= what.skipped && first < what.n) {
      take(lens<E>::template load_some<rows>(what.in, at, what.reverse, what.n - i));
      what.flip_all(row);
    } else {
      take(what.template load<rows>(what.memory(), first));
    }
  }

  UPSWEEP_DEVICE void take(const quads<rows>& q) {
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) row[r] = q.row[r];
  }

  // The total, in every lane.
  UPSWEEP_DEVICE T total() const {
    T t[rows];
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) t[r] = vec::fold(row[r]);
    return joined_total<Op, rows>(total_of_each<Op>(t, warp_size));
  }

  // Finds the tree prefixes: of the runs before a vec's run in the chunk, as far as they are in
  // these rows, and of the vecs before it in its run. Returns the total of the rows.
  UPSWEEP_DEVICE T scan() {
    const int lane = lane_index();
    T t[rows];
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      t[r] = vec::fold(row[r]);
      vecs_before_[r] = Op::identity();
      double_block<Op>(1, t[r], vecs_before_[r], false);
      double_block<Op>(2, t[r], vecs_before_[r], (lane & 1) != 0);
      runs_before_[r] = Op::identity();
      double_block<Op>(4, t[r], runs_before_[r], false);
      double_block<Op>(8, t[r], runs_before_[r], (lane & 4) != 0);
      double_block<Op>(16, t[r], runs_before_[r], (lane & 12) != 0);
    }
    if constexpr (rows > 1) {
      UPSWEEP_UNROLL
      for (int r = 1; r < rows; r += 2)
        runs_before_[r] = behind(t[r - 1], runs_before_[r], lane >= 4);
    }
    if constexpr (rows == 4) {
      const T half = Op::combine(t[0], t[1]);
      runs_before_[2] = behind(half, runs_before_[2], lane >= 4);
      runs_before_[3] = Op::combine(half, runs_before_[3]);
    }
    return tree_total<Op>(t);
  }

  // After scan, for the second half of a chunk: what the first one's total is.
  UPSWEEP_DEVICE void follow(T first_half) {
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r)
      runs_before_[r] = behind(first_half, runs_before_[r], r > 0 || lane_index() >= 4);
    follows_ = true;
  }

  // Stores the results, of which `first` is the first element. `before` is what comes before the
  // chunk, `end` W behind these rows; straight: as the Es that they are, and nothing else.
  template <class What>
  UPSWEEP_DEVICE void store(const What& what, std::int64_t first, const carry<Op>& before, T end,
                            bool straight) const {
    const int lane = lane_index();
    carry<Op> at[rows];
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      at[r] = joined<Op>(before, runs_before_[r], follows_ || r > 0 || lane >= 4);
      at[r] = joined<Op>(at[r], vecs_before_[r], lane % 4 != 0);
    }
    quads<rows> y;
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      T follows = end;
      if constexpr (rows > 1)
        if (r + 1 < rows) follows = at[(r + 1) % rows].value;
      const T next = shuffle(lane == 0 ? follows : at[r].value, (lane + 1) % warp_size);
      y.row[r] = vec::scan(row[r], at[r], next, what.exclusive);
    }
    store_rows<E, E>(what, first, y, end, straight);
  }

 private:
  UPSWEEP_DEVICE static T behind(T left, T x, bool present) {
    return Op::neutral || present ? Op::combine(left, x) : left;
  }

  T runs_before_[rows], vecs_before_[rows];
  bool follows_ = false;
};

template <class Op, class E, class Sizes>
using chunk = chunk_rows<Op, E, Sizes::rows>;

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
