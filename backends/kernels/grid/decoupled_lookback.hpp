// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_DECOUPLED_LOOKBACK_HPP
#define UPSWEEP_KERNELS_GRID_DECOUPLED_LOOKBACK_HPP

// Decoupled look-back: each block scans its tile and publishes the tile's aggregate at once, which
// depends on nobody. Then one warp looks back over the tiles before, 32 at a time, and adds up
// their aggregates until it meets a tile that has its prefix. With that it publishes the tile's own
// prefix and spares later tiles the way. One launch, each element read and written once, and no
// chain of waits from tile to tile as in chained.hpp. Over n elements in m tiles: the block scans'
// work, one combination an element but for tile 0's, and 160 or so a window; the block scan's
// barriers and two. How blocks wait: look_back.hpp. D. Merrill and M. Garland, Single-pass Parallel
// Prefix Scan with Decoupled Look-back, NVIDIA Technical Report NVR-2016-002, 2016.

#include <cstdint>

#include "../look_back.hpp"
#include "../port.hpp"
#include "../scan.hpp"
#include "../tile.hpp"
#include "../workspace.hpp"
#include "one_launch.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// The prefix of all tiles before this one, not the first, by all lanes of one warp.
template <class Op>
UPSWEEP_DEVICE typename Op::value prefix_before(const tile_words<typename Op::value>& words,
                                                ticket mine) {
  using T = typename Op::value;
  const int lane = lane_index();
  carry<Op> later;  // the windows that are done, which come after the one at hand
  for (std::int64_t end = mine.tile;; end -= warp_size) {
    const std::int64_t tile = end - warp_size + lane;
    T x{};
    bool is_prefix = false;
    if (tile >= 0) {
      const auto told = words.wait(tile, mine.run);
      x = told.value;
      is_prefix = told.state == tile_state::prefix;
    }
    const unsigned prefixes = ballot(is_prefix);

    // Combines, earlier tiles on the left, from the last prefix of the window on, if there is one:
    // a lane counts unless a later one has a prefix. Lanes below tile 0 never do, as tile 0 itself
    // publishes nothing but its prefix. The last lane gets all.
    for (int d = 1; d < warp_size; d *= 2) {
      const T left = shuffle_up(x, d);
      if (lane >= d && prefixes >> (lane - d) >> 1 == 0) x = Op::combine(left, x);
    }
    const T window = shuffle(x, warp_size - 1);
    later = {true, later.any ? Op::combine(window, later.value) : window};
    if (prefixes != 0) return later.value;
  }
}

template <class Op, class Block>
UPSWEEP_KERNEL void decoupled_lookback_kernel(scan<Op> what, tickets order_of_start,
                                              tile_words<typename Op::value> words) {
  using T = typename Op::value;
  UPSWEEP_DYNAMIC_SHARED(T, memory);
  UPSWEEP_SHARED(T, handed_on, 1);
  Block block(memory);
  const int size = Block::tile(block_size());
  const ticket mine = order_of_start.draw();
  load_tile(what, mine.tile * size, block);
  block.scan();

  carry<Op> before = what.start();
  if (warp_index() == 0) {
    const T aggregate = block.inclusive(size - 1);
    if (mine.tile > 0) {
      if (lane_index() == 0) words.publish(mine, tile_state::aggregate, aggregate);
      before = {true, prefix_before<Op>(words, mine)};
    }
    if (lane_index() == 0) {
      const T through = before.then(aggregate);
      words.publish(mine, tile_state::prefix, through);
      if (mine.tile == grid_size() - 1) what.store_total(through);
      handed_on[0] = before.value;
    }
  }
  sync_block();
  if (mine.tile > 0) before = {true, handed_on[0]};
  store_tile(what, mine.tile * size, block, before);
}

template <class Op, class Block>
struct decoupled_lookback : one_launch<Op, Block, tile_words<typename Op::value>> {
  static void run(stream on, const scan<Op>& what, workspace space, int threads) {
    decoupled_lookback::one_launch::run(decoupled_lookback_kernel<Op, Block>, on, what, space,
                                        threads);
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
