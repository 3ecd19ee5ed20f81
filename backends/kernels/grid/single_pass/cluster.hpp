// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_CLUSTER_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_CLUSTER_HPP

// The scan of what one block holds, or one cluster of blocks, in registers. Warps' totals cross the
// block through shared memory, once; those of tiles are sent to all blocks of the cluster. No
// memory but the arrays.

#include <cstdint>

#include "../../port.hpp"
#include "../../scan.hpp"
#include "chunk.hpp"
#include "exchange.hpp"
#include "flat.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// Tiles that a block of a cluster has at most.
template <class Sizes>
inline constexpr int most_tiles_each = Sizes::tiles % 2 == 0 ? 2 : 1;

// A block's unit: so many tiles, in a cluster; or alone, for each = 0, a super, which takes as many
// warps as have elements, and one for n = 0.
template <class Sizes, int each>
struct cluster_unit {
  static constexpr bool clustered = each > 0;
  static constexpr int tiles = clustered ? each : Sizes::tiles;
  // Of a warp: half a chunk. A whole one where a block has more, which fewer warps start sooner
  // for.
  static constexpr int rows = each < 2 && Sizes::rows % 2 == 0 ? Sizes::rows / 2 : Sizes::rows;
  // Warps:
  static constexpr int in_chunk = Sizes::rows / rows;
  static constexpr int in_tile = in_chunk * Sizes::chunks;
  static constexpr int warps = in_tile * tiles;
  static constexpr int in_super = Sizes::tiles / tiles;  // units
  static_assert(warps <= warp_size);
};

template <class Op, class E, class Sizes, int each>
UPSWEEP_KERNEL_OF((cluster_unit<Sizes, each>::warps * warp_size), 1)
void cluster_kernel(UPSWEEP_ARGUMENT flat<Op, E> what) {
  using T = typename Op::value;
  using unit = cluster_unit<Sizes, each>;
  using part_of_chunk = chunk_rows<Op, E, unit::rows>;
  UPSWEEP_SHARED(T, part_totals, unit::warps);
  UPSWEEP_SHARED(T, tile_totals, most_in_cluster * unit::tiles);
  UPSWEEP_BARRIERS(sent, 1);

  const int lane = lane_index(), warp = warp_index();
  const int blocks = static_cast<int>(grid_size()), mine = static_cast<int>(block_index());
  if constexpr (unit::clustered) {
    if (thread_index() == 0) {
      sent.init(0, 1);
      sent.arrive_expecting(0, blocks * unit::tiles * static_cast<int>(sizeof(T)));
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
  if constexpr (unit::clustered) {
    wait_cluster();  // all blocks are here
    UPSWEEP_UNROLL
    for (int k = 0; k < unit::tiles; ++k) {
      const T x = shuffle(of_tile, k * unit::in_tile);
      if (warp == 0 && lane < blocks) send(tile_totals, mine * unit::tiles + k, x, sent, 0, lane);
    }
    sent.wait_sent(0, 0);
    const auto total_of = [&](int tile) -> T {
      return tile_totals[tile < blocks * unit::tiles ? tile : 0];
    };
    T t[Sizes::tiles];
    UPSWEEP_UNROLL
    for (int k = 0; k < Sizes::tiles; ++k) t[k] = total_of(lane * Sizes::tiles + k);
    found = part_of_group<Op>(tree_total<Op>(t), b);
    UPSWEEP_UNROLL
    for (int k = 0; k < 3; ++k) tiles[k] = total_of(b * Sizes::tiles + k);
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
