// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_ONE_LAUNCH_HPP
#define UPSWEEP_KERNELS_GRID_ONE_LAUNCH_HPP

// The host's half of a scan in one launch, of a block for each tile, whose blocks draw tickets and
// leave messages of one kind for each other (look_back.hpp). The kernel is the algorithm.

#include <cstddef>
#include <cstdint>

#include "../look_back.hpp"
#include "../port.hpp"
#include "../scan.hpp"
#include "../tile.hpp"
#include "../workspace.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class Op, class Block, class Messages>
struct one_launch {
  static constexpr int default_threads = 256;
  static constexpr std::int64_t max_length(int threads) { return max_tiles * Block::tile(threads); }

  static std::size_t workspace_bytes(std::int64_t n, int threads) {
    return tickets::bytes() + Messages::bytes(tiles_of<Block>(n, threads));
  }

  static void run(void (*kernel)(scan<Op>, tickets, Messages), stream on, const scan<Op>& what,
                  workspace space, int threads) {
    const tickets order_of_start(space);
    const Messages messages(space, tiles_of<Block>(space.length(), threads));
    launch(on, tile_shape<Op, Block>(tiles_of<Block>(what.size(), threads), threads), kernel, what,
           order_of_start, messages);
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
