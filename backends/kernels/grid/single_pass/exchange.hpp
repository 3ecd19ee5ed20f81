// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_EXCHANGE_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_EXCHANGE_HPP

// What comes before a super and its chunks, made of the totals that all blocks publish
// (look_back.hpp). A warp reads a group of order 1 at once, one of its 32 supers a lane.

#include <cstdint>

#include "../../look_back.hpp"
#include "../../port.hpp"
#include "../../scan.hpp"
#include "chunk.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// By a warp: the totals of a group's units, those of a super to a lane, once all are there that
// wanted(unit) tells; the others are not to be used.
template <class T, int in_super, class Wanted>
UPSWEEP_DEVICE void wait_for_group(const unit_totals<T>& totals, std::int64_t group,
                                   std::uint64_t run, Wanted&& wanted, T (&t)[in_super]) {
  std::int64_t unit[in_super];
  bool is_wanted[in_super];
  UPSWEEP_UNROLL
  for (int k = 0; k < in_super; ++k) {
    unit[k] = (group * warp_size + lane_index()) * in_super + k;
    is_wanted[k] = wanted(unit[k]);
  }
  totals.wait(unit, is_wanted, run, t);
}

// Over the supers of a group: the total of all, in every lane, and the tree prefix of those before
// a lane's. What a lane gives reaches `before` of later lanes only.
template <class Op>
struct group_scan {
  typename Op::value total, before;

  UPSWEEP_DEVICE explicit group_scan(typename Op::value super)
      : total(super), before(Op::identity()) {
    for (int bit = 1; bit < warp_size; bit *= 2)
      double_block<Op>(bit, total, before, (lane_index() & (bit - 1)) != 0);
  }
};

// Of super b in its group: the tree prefix of the supers before it (none for b = 0), and of those
// with it.
template <class T>
struct group_part {
  T before, with;
};

// By a warp, from all supers of the group up to b, one a lane.
template <class Op>
UPSWEEP_DEVICE group_part<typename Op::value> part_of_group(typename Op::value super, int b) {
  const group_scan<Op> scan(super);
  const auto before = shuffle(scan.before, b);
  const auto with = shuffle(scan.before, (b + 1) % warp_size);
  return {before, b + 1 == warp_size ? scan.total : with};
}

// W at the start of a super, and at its end.
template <class Op>
struct super_place {
  carry<Op> before;
  typename Op::value end;
};

// `groups`: all before the super's group, folded.
template <class Op>
UPSWEEP_DEVICE super_place<Op> place_of(const carry<Op>& groups,
                                        const group_part<typename Op::value>& part, int b) {
  return {b == 0 ? groups : carry<Op>{true, groups.then(part.before)}, groups.then(part.with)};
}

// Groups of which a look-back reads the totals at once, wanted or not: there are words for so many
// more.
inline constexpr int groups_at_once = 8;

// The totals of 8 groups at once, the first of some, of each of which a lane has one super: group
// k's total is then in lane lane_of_group(k). Three trades leave a lane one group of the eight.
UPSWEEP_DEVICE constexpr int lane_of_group(int k) { return (k & 1) * 4 + (k & 2) + (k >> 2); }

template <class Op, int count>
UPSWEEP_DEVICE typename Op::value eight_groups(const typename Op::value (&super)[count]) {
  static_assert(count >= groups_at_once);
  typename Op::value a[4];
  UPSWEEP_UNROLL
  for (int k = 0; k < 4; ++k) a[k] = trade<Op>(1, super[k], super[k + 4]);
  const auto even = trade<Op>(2, a[0], a[2]);
  const auto odd = trade<Op>(2, a[1], a[3]);
  return total_over<Op>(8, warp_size, trade<Op>(4, even, odd));
}

// The tree prefix of the first m of some units, 0 <= m < 4; total(k) gives unit k's.
template <class Op, class Total>
UPSWEEP_DEVICE carry<Op> tree_prefix(int m, Total&& total) {
  using T = typename Op::value;
  T x = Op::identity();
  if (m >= 1) x = total(0);
  if (m >= 2) x = Op::combine(x, total(1));
  if (m == 3) x = Op::combine(x, total(2));
  return {m > 0, x};
}

// What a super says of where its chunk c begins, or where it ends if c is one too many.
template <class Op, class Sizes>
struct chunk_place {
  int tile;
  carry<Op> chunks;  // the tree prefix of the tile's chunks before it

  // chunk(k): total of the tile's chunk k.
  template <class Chunk>
  UPSWEEP_DEVICE chunk_place(int c, Chunk&& chunk)
      : tile(c / Sizes::chunks), chunks(tree_prefix<Op>(c % Sizes::chunks, chunk)) {}

  // W there. tile_total(k): of the super's tile k.
  template <class Tile>
  UPSWEEP_DEVICE carry<Op> in(const super_place<Op>& super, Tile&& tile_total) const {
    const auto behind = [](const carry<Op>& left, const carry<Op>& x) -> carry<Op> {
      return Op::neutral || x.any ? carry<Op>{true, after(left, x.value)} : left;
    };
    const carry<Op> tiles = tree_prefix<Op>(tile % Sizes::tiles, tile_total);
    const carry<Op> at = behind(behind(super.before, tiles), chunks);
    return tile == Sizes::tiles ? carry<Op>{true, super.end} : at;
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
