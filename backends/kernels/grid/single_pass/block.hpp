// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_BLOCK_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_BLOCK_HPP

// The scan of at most a super of order 1, by one block: half a chunk in each warp's registers,
// whose totals cross the block once. No memory but the arrays.

#include <cstdint>

#include "../../port.hpp"
#include "../../scan.hpp"
#include "chunk.hpp"
#include "exchange.hpp"
#include "flat.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class Sizes>
struct block_parts {
  static constexpr int rows = Sizes::rows % 2 == 0 ? Sizes::rows / 2 : Sizes::rows;  // of a warp
  static constexpr int in_chunk = Sizes::rows / rows;
  static constexpr int in_tile = in_chunk * Sizes::chunks;
  static constexpr int in_super = in_tile * Sizes::tiles;
  static_assert(in_super <= warp_size);
};

// As many warps as have elements; one, for n = 0.
template <class Op, class E, class Sizes>
UPSWEEP_KERNEL_OF(block_parts<Sizes>::in_super* warp_size, 1)
void block_kernel(UPSWEEP_ARGUMENT flat<Op, E> what) {
  using T = typename Op::value;
  using parts = block_parts<Sizes>;
  using part_of_chunk = chunk_rows<Op, E, parts::rows>;
  UPSWEEP_SHARED(T, part_totals, parts::in_super);

  const int lane = lane_index();
  const int warp = warp_index();
  const std::int64_t begin = warp * part_of_chunk::elements + lane * vec_of<Op, E>::size;
  if (what.n == 0 && thread_index() == 0) what.store_total_of_none();
  part_of_chunk part;
  part.load(what, begin, what.straight_in && (warp + 1) * part_of_chunk::elements <= what.n);
  const T total = part.scan();
  if (lane == 0) part_totals[warp] = total;
  sync_block();

  // A lane has a warp's part of a chunk, then the chunk, the tile, the super.
  const T of_part = part_totals[lane < block_size() / warp_size ? lane : 0];
  const T of_chunk = total_over<Op>(1, parts::in_chunk, of_part);
  const T of_tile = total_over<Op>(parts::in_chunk, parts::in_tile, of_chunk);
  const T of_super = total_over<Op>(parts::in_tile, parts::in_super, of_tile);
  const int c = warp / parts::in_chunk;
  const int first = warp / parts::in_tile * parts::in_tile;
  T chunks[3], tiles[3];
  UPSWEEP_UNROLL
  for (int k = 0; k < 3; ++k) {
    chunks[k] = shuffle(of_chunk, (first + k * parts::in_chunk) % warp_size);
    tiles[k] = shuffle(of_tile, k * parts::in_tile % warp_size);
  }
  const carry<Op> start = what.start();
  const super_place<Op> place{start, start.then(shuffle(of_super, 0))};
  const auto at = [&](int chunk) {
    return at_chunk<Op, Sizes>(
        chunk, place, [&](int k) { return tiles[k]; }, [&](int k) { return chunks[k]; });
  };
  const carry<Op> before = at(c);
  T end = at(c + 1).value;
  if constexpr (parts::in_chunk == 2) {
    const T first_half = shuffle(of_part, warp & ~1);
    if (warp % 2 == 0)
      end = after(before, total);
    else
      part.follow(first_half);
  }
  const bool straight =
      what.stored_straight(warp * part_of_chunk::elements, (warp + 1) * part_of_chunk::elements);
  part.store(what, begin, before, end, straight);
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
