// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_CLUSTER_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_CLUSTER_HPP

// The scan of what one block holds, or one cluster of blocks: half a chunk of order 1 in each
// warp's registers. Warps' totals cross the block through shared memory, once; blocks' totals are
// sent to all blocks of the cluster. No memory but the arrays.

#include <cstdint>

#include "../../port.hpp"
#include "../../scan.hpp"
#include "chunk.hpp"
#include "exchange.hpp"
#include "flat.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// A block's unit: a tile, in a cluster, or a super. The latter takes as many warps as have
// elements, and one for n = 0.
template <class Sizes, bool clustered>
struct cluster_unit {
  static constexpr int rows = Sizes::rows % 2 == 0 ? Sizes::rows / 2 : Sizes::rows;  // of a warp
  // Warps:
  static constexpr int in_chunk = Sizes::rows / rows;
  static constexpr int in_tile = in_chunk * Sizes::chunks;
  static constexpr int warps = clustered ? in_tile : in_tile * Sizes::tiles;
  static constexpr int in_super = clustered ? Sizes::tiles : 1;  // units
  static_assert(warps <= warp_size);
};

template <class Op, class E, class Sizes, bool clustered>
UPSWEEP_KERNEL_OF((cluster_unit<Sizes, clustered>::warps * warp_size), 1)
void cluster_kernel(UPSWEEP_ARGUMENT flat<Op, E> what) {
  using T = typename Op::value;
  using unit = cluster_unit<Sizes, clustered>;
  using part_of_chunk = chunk_rows<Op, E, unit::rows>;
  UPSWEEP_SHARED(T, part_totals, unit::warps);
  UPSWEEP_SHARED(T, block_totals, most_in_cluster);
  UPSWEEP_BARRIERS(sent, 1);

  const int lane = lane_index(), warp = warp_index();
  const int blocks = static_cast<int>(grid_size()), mine = static_cast<int>(block_index());
  if constexpr (clustered) {
    if (thread_index() == 0) {
      sent.init(0, 1);
      sent.arrive_expecting(0, blocks * static_cast<int>(sizeof(T)));
    }
    sync_warp();  // whole warps arrive
    arrive_cluster();
  }
  const std::int64_t first = (std::int64_t{mine} * unit::warps + warp) * part_of_chunk::elements;
  if (what.n == 0 && thread_index() == 0) what.store_total_of_none();
  part_of_chunk part;
  part.load(what, first);
  const T total = part.scan();
  if (lane == 0) part_totals[warp] = total;
  sync_block();

  // A lane has a warp's part of a chunk, then the chunk, the tile, the unit.
  const T of_part = part_totals[lane < block_size() / warp_size ? lane : 0];
  const T of_chunk = total_over<Op>(1, unit::in_chunk, of_part);
  const T of_tile = total_over<Op>(unit::in_chunk, unit::in_tile, of_chunk);
  const T of_unit = shuffle(total_over<Op>(unit::in_tile, unit::warps, of_tile), 0);
  const int first_of_tile = warp / unit::in_tile * unit::in_tile;
  T chunks[3], tiles[3];  // of the warp's tile; of its super
  UPSWEEP_UNROLL
  for (int k = 0; k < 3; ++k) {
    chunks[k] = shuffle(of_chunk, (first_of_tile + k * unit::in_chunk) % warp_size);
    tiles[k] = shuffle(of_tile, k * unit::in_tile % unit::warps);
  }

  const int b = mine / unit::in_super;
  group_part<T> found{Op::identity(), of_unit};
  if constexpr (clustered) {
    wait_cluster();  // all blocks are here
    if (warp == 0 && lane < blocks) send(block_totals, mine, of_unit, sent, 0, lane);
    sent.wait_sent(0, 0);
    const auto total_of = [&](int block) -> T { return block_totals[block < blocks ? block : 0]; };
    T t[unit::in_super];
    UPSWEEP_UNROLL
    for (int k = 0; k < unit::in_super; ++k) t[k] = total_of(lane * unit::in_super + k);
    found = part_of_group<Op>(tree_total<Op>(t), b);
    UPSWEEP_UNROLL
    for (int k = 0; k < 3; ++k) tiles[k] = total_of(b * unit::in_super + k);
  }

  const super_place<Op> place = place_of<Op>(what.start(), found, b);
  const int c = (mine % unit::in_super * unit::warps + warp) / unit::in_chunk;
  const auto at = [&](int chunk) {
    return chunk_place<Op, Sizes>(chunk, [&](int k) { return chunks[k]; }).in(place, [&](int k) {
      return tiles[k];
    });
  };
  const carry<Op> before = at(c);
  T end = at(c + 1).value;
  if constexpr (unit::in_chunk == 2) {
    const T first_half = shuffle(of_part, warp & ~1);
    if (warp % 2 == 0)
      end = after(before, total);
    else
      part.follow(first_half);
  }
  part.store(what, first, before, end,
             what.stored_straight(first, first + part_of_chunk::elements));
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
