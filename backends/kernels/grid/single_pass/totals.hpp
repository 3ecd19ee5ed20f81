// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_TOTALS_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_TOTALS_HPP

// What a state needs to go past the elements of a run, or of an aggregate, which has no results:
// the totals of their groups and supers.

#include <cstdint>

#include "../../look_back.hpp"
#include "../../port.hpp"
#include "chunk.hpp"
#include "exchange.hpp"
#include "flat.hpp"
#include "registers.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// Of an aggregate: publishes the totals of its first supers.
template <class Op, class E, class Sizes>
UPSWEEP_KERNEL_OF((block_unit<Sizes, false>::threads),
                  (block_unit<Sizes, false>::resident(sizeof(typename Op::value))))
void super_totals_kernel(UPSWEEP_ARGUMENT flat<Op, E> what, std::int64_t supers,
                         unit_totals<typename Op::value> totals) {
  using T = typename Op::value;
  using chunk = kernels::chunk<Op, E, Sizes>;
  constexpr int warps = Sizes::super_chunks;
  constexpr int super_elements = warps * chunk::elements;
  UPSWEEP_SHARED(T, chunk_totals, warps);

  const int lane = lane_index();
  const int warp = warp_index();
  for (std::int64_t super = block_index(); super < supers; super += grid_size()) {
    const std::int64_t begin = super * super_elements;
    chunk part;
    part.load(what, begin + warp * chunk::elements);
    const T of_chunk = part.total();
    if (lane == 0) chunk_totals[warp] = of_chunk;
    sync_block();
    if (warp == 0) {
      const T t = chunk_totals[lane % warps];
      const T of_super = total_over<Op>(1, warps, t);
      if (lane == 0) totals.publish(super, no_run, of_super);
    }
    sync_block();  // before the next super's chunk_totals
  }
}

// Stores the totals of the whole groups of some supers, and then those of the supers that are left.
// A warp has a group. `after`: the launch before was a run, which published its units' totals.
template <class Op, class E, class Sizes, bool by_tiles>
UPSWEEP_KERNEL void group_totals_kernel(unit_totals<typename Op::value> totals, tickets more,
                                        bool after, std::int64_t supers, global<E> to) {
  using T = typename Op::value;
  constexpr int in_super = block_unit<Sizes, by_tiles>::in_super;
  const std::int64_t warps = block_size() / warp_size;
  const std::int64_t group = block_index() * warps + warp_index();
  const int lane = lane_index();
  if (group * warp_size < supers) {
    T t[in_super];
    wait_for_group(
        totals, group, after ? more.run_of(more.look()) - 1 : no_run,
        [&](std::int64_t unit) { return unit < supers * in_super; }, t);
    const T of_super = tree_total<Op>(t);
    const T of_group = total_over<Op>(1, warp_size, of_super);
    if ((group + 1) * warp_size <= supers) {
      if (lane == 0) to[group] = static_cast<E>(of_group);
    } else if (group * warp_size + lane < supers) {
      to[group + lane] = static_cast<E>(of_super);
    }
  }
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
