// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_BLOCK_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_BLOCK_HPP

// Single block: one block scans tile after tile and carries the prefix along, so that no other
// block need be waited for. One launch, each element read and written once, but by one of the GPU's
// many processors: for arrays of a few tiles. Over m tiles: the block scan's work and one
// combination an element from the second tile on, m times its span, m times its barriers and one.

#include <cstddef>
#include <cstdint>

#include "../port.hpp"
#include "../scan.hpp"
#include "../tile.hpp"
#include "../workspace.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class Op, class Block>
UPSWEEP_KERNEL void single_block_kernel(scan<Op> what) {
  UPSWEEP_DYNAMIC_SHARED(typename Op::value, memory);
  Block block(memory);
  const int tile = Block::tile(block_size());
  carry<Op> before = what.start();
  for (std::int64_t begin = 0; begin < what.size(); begin += tile) {
    load_tile(what, begin, block);
    block.scan();
    store_tile(what, begin, block, before);
    before = {true, before.then(block.inclusive(tile - 1))};
    sync_block();  // all have read this tile before the next replaces it
  }
  if (thread_index() == 0) what.store_total(before.value);
}

template <class Op, class Block>
struct single_block {
  static constexpr int default_threads = usual_threads<Block>;
  static constexpr std::int64_t max_length(int) { return INT64_MAX; }

  static std::size_t workspace_bytes(std::int64_t, int) { return 0; }

  static void run(stream on, const scan<Op>& what, workspace, int threads) {
    launch(on, tile_shape<Op, Block>(1, threads), single_block_kernel<Op, Block>, what);
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
