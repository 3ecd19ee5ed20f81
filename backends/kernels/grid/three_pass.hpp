// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_THREE_PASS_HPP
#define UPSWEEP_KERNELS_GRID_THREE_PASS_HPP

// Three-pass: scan each tile on its own and note its total; scan the totals, the same way if they
// are more than a tile; combine into each tile the total of all tiles before it. Blocks never wait
// for each other: launches, one after the other, are the only barrier.
// Over n elements in tiles of t: the block scans' work and one combination an element but for tile
// 0's, 2 log_t n launches or so, and 4 n memory accesses where a single pass has 2 n.
// `fused` notes the totals in the pass that has them at hand; without it a kernel of its own
// extracts them from the scanned tiles, as often published.
// S. Sengupta, M. Harris, Y. Zhang and J. D. Owens, Scan Primitives for GPU Computing, Graphics
// Hardware 2007; M. Harris, S. Sengupta and J. D. Owens, GPU Gems 3, chapter 39, 2007.

#include <cstddef>
#include <cstdint>

#include "../port.hpp"
#include "../scan.hpp"
#include "../tile.hpp"
#include "../workspace.hpp"
#include "single_block.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// Pass 1: block b scans tile b as if nothing came before it. Its elements are read before the first
// is written, so that `out` may be `in`.
template <class Op, class Block>
UPSWEEP_KERNEL void scan_tiles(scan<Op> what, global<typename Op::value> totals) {
  UPSWEEP_DYNAMIC_SHARED(typename Op::value, memory);
  Block block(memory);
  const int tile = Block::tile(block_size());
  const std::int64_t begin = block_index() * tile;
  load_tile(what, begin, block);
  block.scan();
  store_tile(what, begin, block, {});
  if (thread_index() == 0 && totals.size() != 0) totals[block_index()] = block.inclusive(tile - 1);
}

// Without fusion: a thread a tile, whose total is the last element of its inclusive scan.
template <class Op, class Block>
UPSWEEP_KERNEL void extract_totals(scan<Op> what, global<typename Op::value> totals) {
  const std::int64_t tile = block_index() * block_size() + thread_index();
  const std::int64_t end = (tile + 1) * Block::tile(block_size());
  if (tile < totals.size())
    totals[tile] = what.stored(end < what.size() ? end - 1 : what.size() - 1);
}

// Pass 3, after `totals` is scanned, init included: tile b takes totals[b - 1]; nothing but init
// comes before tile 0.
template <class Op, class Block>
UPSWEEP_KERNEL void add_carries(scan<Op> what, global<typename Op::value> totals) {
  const std::int64_t b = block_index();
  const std::int64_t begin = b * Block::tile(block_size());
  carry<Op> before = what.start();
  if (b > 0) before = {true, totals[b - 1]};
  for (int k = 0; k < Block::per_thread; ++k) {
    const int i = thread_index() + k * block_size();
    const bool alone = what.exclusive && i == 0;
    what.store(begin + i, alone ? before.alone() : before.then(what.stored(begin + i)));
  }
  if (b == grid_size() - 1 && thread_index() == 0) what.store_total(totals[b]);
}

template <class Op, class Block, bool fused = true>
struct three_pass {
  using T = typename Op::value;
  static constexpr int default_threads = usual_threads<Block>;
  static constexpr std::int64_t max_length(int threads) {
    return max_blocks * Block::tile(threads);
  }

  static std::size_t workspace_bytes(std::int64_t n, int threads) {
    const std::int64_t tiles = tiles_of<Block>(n, threads);
    return tiles <= 1 ? 0 : workspace::bytes<T>(tiles) + workspace_bytes(tiles, threads);
  }

  static void run(stream on, const scan<Op>& what, workspace space, int threads) {
    const std::int64_t tiles = tiles_of<Block>(what.size(), threads);
    if (tiles == 1) return single_block<Op, Block>::run(on, what, space, threads);

    const global<T> totals = space.take<T>(tiles);
    // An exclusive scan leaves its tiles' totals in no element.
    const bool noted = fused || what.exclusive;
    launch(on, tile_shape<Op, Block>(tiles, threads), scan_tiles<Op, Block>, what,
           noted ? totals : global<T>{});
    if (!noted)
      launch(on, shape{(tiles + threads - 1) / threads, threads}, extract_totals<Op, Block>, what,
             totals);

    scan<Op> of_totals;
    of_totals.in = {totals.data(), tiles};
    of_totals.out = totals;
    of_totals.has_init = what.has_init;
    of_totals.init = what.init;
    run(on, of_totals, space, threads);

    launch(on, shape{tiles, threads}, add_carries<Op, Block>, what, totals);
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
