// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_MUTANTS_SMALL_KERNELS_HPP
#define UPSWEEP_TESTS_MUTANTS_SMALL_KERNELS_HPP

// Right kernels that use what no scan of the library does, for faults to be planted in.

#include "backends/kernels/port.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// Kogge-Stone of one warp through shared memory: lanes run apart, so that each round reads, waits,
// writes and waits.
template <class Op>
UPSWEEP_KERNEL void scan_warp(global<const typename Op::value> in, global<typename Op::value> out) {
  using T = typename Op::value;
  UPSWEEP_SHARED(T, x, 32);
  const int i = lane_index();
  T sum = in[i];
  x[i] = sum;
  sync_warp();
  for (int d = 1; d < warp_size; d *= 2) {
    if (i >= d) sum = Op::combine(x[i - d], sum);
    sync_warp();  // all have read
    x[i] = sum;
    sync_warp();  // all have written
  }
  out[i] = sum;
}

// Block 0 hands a value to block 1, both words atomic and relaxed, in an order that two fences
// make.
UPSWEEP_KERNEL void hand_over(global<std::uint32_t> value, global<std::uint32_t> flag,
                              global<std::uint32_t> got) {
  if (thread_index() != 0) return;
  if (block_index() == 0) {
    value.atomic(0).store(42, order::relaxed);
    fence(order::release);
    flag.atomic(0).store(1, order::relaxed);
  } else {
    while (flag.atomic(0).load(order::relaxed) == 0) pause();
    fence(order::acquire);
    got[0] = value.atomic(0).load(order::relaxed);
  }
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
