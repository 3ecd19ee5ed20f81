// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_REGISTERS_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_REGISTERS_HPP

// The scan of arrays that the registers of one wave of blocks hold, a chunk of order 1 in each
// warp: all is loaded at once, and the blocks' totals cross the grid once. Of longer arrays each
// block scans one unit after the other, where there are no bulk copies.

#include <cstddef>
#include <cstdint>

#include "../../look_back.hpp"
#include "../../port.hpp"
#include "../../scan.hpp"
#include "chunk.hpp"
#include "exchange.hpp"
#include "flat.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// A block's unit: a tile for more blocks, a super for fewer messages.
template <class Sizes, bool by_tiles>
struct block_unit {
  static constexpr int warps = by_tiles ? Sizes::chunks : Sizes::super_chunks;
  static constexpr int in_super = by_tiles ? Sizes::tiles : 1;
  static constexpr int threads = warps * warp_size;
  // Blocks that a multiprocessor is to hold: of 64 registers a thread, or 128 for wide values.
  static constexpr int resident(std::size_t value_bytes) {
    return (value_bytes > 8 ? 512 : 1024) / threads;
  }
};

template <class Op, class E, class Sizes, bool by_tiles>
UPSWEEP_KERNEL_OF((block_unit<Sizes, by_tiles>::threads),
                  (block_unit<Sizes, by_tiles>::resident(sizeof(typename Op::value))))
void register_kernel(UPSWEEP_ARGUMENT flat<Op, E> what, tickets more,
                     unit_totals<typename Op::value> totals) {
  using T = typename Op::value;
  using unit_of = block_unit<Sizes, by_tiles>;
  using chunk = kernels::chunk<Op, E, Sizes>;
  constexpr int warps = unit_of::warps, in_super = unit_of::in_super;
  constexpr int unit_elements = warps * chunk::elements;
  constexpr int first_reader = warps > 1 ? 1 : 0;  // of groups before the unit's own
  UPSWEEP_SHARED(ticket, drawn, 1);
  UPSWEEP_SHARED(T, chunk_totals, warps);
  UPSWEEP_SHARED(T, tile_totals, Sizes::tiles);
  UPSWEEP_SHARED(T, group_totals, warp_size);
  UPSWEEP_SHARED(group_part<T>, in_group, 1);

  const int lane = lane_index();
  const int warp = warp_index();
  const std::int64_t units = (what.n + unit_elements - 1) / unit_elements;
  const bool draws = units > grid_size();
  carry<Op> groups = what.start();  // those before group `first`, folded
  std::int64_t first = 0;

  for (std::int64_t unit = block_index(); unit < units;) {
    const std::int64_t begin = unit * unit_elements + warp * chunk::elements;
    std::uint64_t asked = 0;  // nobody waits for the answer before the elements are there
    if (thread_index() == 0) asked = draws ? more.ask() : more.look();
    chunk part;
    part.load(what, begin);

    const T of_chunk = part.total();
    if (lane == 0) chunk_totals[warp] = of_chunk;
    if (thread_index() == 0)
      drawn[0] =
          draws ? more.answer(asked, units - grid_size()) : ticket{units, more.run_of(asked)};
    sync_block();
    const ticket next = drawn[0];
    const int b = static_cast<int>(unit / in_super % warp_size);
    const std::int64_t group = unit / in_super / warp_size;
    if (warp == 0) {
      // A lane has a chunk, then its tile, then its super.
      T t = chunk_totals[lane % warps];
      t = total_over<Op>(1, Sizes::chunks, t);
      if constexpr (!by_tiles) {
        if (lane < warps && lane % Sizes::chunks == 0) tile_totals[lane / Sizes::chunks] = t;
        t = total_over<Op>(Sizes::chunks, warps, t);
      }
      if (lane == 0) totals.publish(unit, next.run, t);
    }
    // While totals travel: all that does not depend on other units'.
    part.scan();
    const int first_chunk = static_cast<int>(unit % in_super) * warps;
    const auto chunk_at = [&](int w) -> chunk_place<Op, Sizes> {
      return {first_chunk + w, [&](int k) -> T {
                return chunk_totals[w % warps / Sizes::chunks * Sizes::chunks + k];
              }};
    };
    const chunk_place<Op, Sizes> here = chunk_at(warp), behind = chunk_at(warp + 1);
    const bool straight = what.stored_straight(begin, begin + chunk::elements);

    // The first warp reads the unit's own group, the others those between it and the last unit's.
    if (warp == 0) {
      T t[in_super];
      wait_for_group(
          totals, group, next.run, [&](std::int64_t u) { return u <= unit; }, t);
      const group_part<T> found = part_of_group<Op>(tree_total<Op>(t), b);
      if (lane == 0) in_group[0] = found;
      if constexpr (by_tiles)
        if (lane == b) {
          UPSWEEP_UNROLL
          for (int k = 0; k < in_super; ++k) tile_totals[k] = t[k];
        }
    }
    do {
      const int count = static_cast<int>(group - first < warp_size ? group - first : warp_size);
      for (int w = warp - first_reader; w >= 0 && w < count; w += warps - first_reader) {
        T t[in_super];
        wait_for_group(
            totals, first + w, next.run, [](std::int64_t) { return true; }, t);
        const T of_group = total_over<Op>(1, warp_size, tree_total<Op>(t));
        if (lane == 0) group_totals[w] = of_group;
      }
      sync_block();
      for (int w = 0; w < count; ++w) {
        const T of_group = group_totals[w];
        groups = {true, groups.then(of_group)};
      }
      first += count;
      if (first < group) sync_block();  // before group_totals changes
    } while (first < group);
    if (!draws && unit == units - 1 && thread_index() == 0) more.finish(next.run);

    const group_part<T> found = in_group[0];
    const super_place<Op> place = place_of<Op>(groups, found, b);
    const auto tile_total = [&](int k) -> T { return tile_totals[k]; };
    part.store(what, begin, here.in(place, tile_total), behind.in(place, tile_total).value,
               straight);
    unit = draws ? grid_size() + next.tile : units;
  }
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
