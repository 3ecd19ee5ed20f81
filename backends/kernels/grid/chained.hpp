// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_CHAINED_HPP
#define UPSWEEP_KERNELS_GRID_CHAINED_HPP

// Chained scan (adjacent synchronisation): each block scans its tile while its predecessor works,
// waits for the predecessor's prefix, combines its own total into that, and passes it on. One
// launch, each element read and written once. But the prefix goes from tile to tile, one trip
// through global memory each, and that chain is the span: tiles should be large. Over n elements in
// m tiles: the block scans' work, one combination an element but for tile 0's, and m - 1 along the
// chain; the block scan's barriers and two. How blocks wait: look_back.hpp. S. Yan, G. Long and Y.
// Zhang, StreamScan: Fast Scan Algorithms for GPUs without Global Barrier Synchronization, PPoPP
// 2013.

#include <cstdint>

#include "../look_back.hpp"
#include "../port.hpp"
#include "../scan.hpp"
#include "../tile.hpp"
#include "../workspace.hpp"
#include "one_launch.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class Op, class Block>
UPSWEEP_KERNEL void chained_kernel(scan<Op> what, tickets order_of_start,
                                   chain<typename Op::value> links) {
  using T = typename Op::value;
  UPSWEEP_DYNAMIC_SHARED(T, memory);
  UPSWEEP_SHARED(T, handed_on, 1);
  Block block(memory);
  const int size = Block::tile(block_size());
  const ticket mine = order_of_start.draw();
  load_tile(what, mine.tile * size, block);
  block.scan();

  carry<Op> before = what.start();
  if (thread_index() == 0) {
    if (mine.tile > 0) before = {true, links.wait(mine)};
    const T through = before.then(block.inclusive(size - 1));
    links.publish(mine, through);
    if (mine.tile == grid_size() - 1) what.store_total(through);
    handed_on[0] = before.value;
  }
  sync_block();
  if (mine.tile > 0) before = {true, handed_on[0]};
  store_tile(what, mine.tile * size, block, before);
}

template <class Op, class Block>
struct chained : one_launch<Op, Block, chain<typename Op::value>> {
  static void run(stream on, const scan<Op>& what, workspace space, int threads) {
    chained::one_launch::run(chained_kernel<Op, Block>, on, what, space, threads);
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
