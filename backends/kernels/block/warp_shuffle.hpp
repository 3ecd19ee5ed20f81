// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_BLOCK_WARP_SHUFFLE_HPP
#define UPSWEEP_KERNELS_BLOCK_WARP_SHUFFLE_HPP

// Warp shuffles: each warp scans its 32 elements in registers, Kogge-Stone by shuffles, which need
// neither shared memory nor a barrier. The warps' totals go through shared memory once; every warp
// scans them all, which spares a second wait for the one that would do it, and takes its own
// prefix. Over n elements in w warps: work n log2 n - (w - 1)^2 - 31 combinations, span log2 n + 1;
// one barrier for the totals, and one that shows the results to all threads. S. Sengupta, M. Harris
// and M. Garland, Efficient Parallel Scan Algorithms for GPUs, NVIDIA Technical Report
// NVR-2008-003, 2008; with the shuffles of later hardware.

#include "../port.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class Op>
class warp_shuffle {
  using T = typename Op::value;

 public:
  static constexpr int per_thread = 1;
  UPSWEEP_HOST_DEVICE static constexpr int tile(int threads) { return threads; }
  UPSWEEP_HOST_DEVICE static constexpr int shared_elements(int threads) {
    return threads + threads / warp_size;  // the results, the warps' totals
  }

  UPSWEEP_DEVICE explicit warp_shuffle(shared<T> x) : x_(x) {}

  UPSWEEP_DEVICE void put(int, T v) { sum_ = v; }

  UPSWEEP_DEVICE void scan() {
    const int warps = block_size() / warp_size;
    sum_ = scan_lanes(sum_, warp_size);
    if (lane_index() == warp_size - 1) x_[block_size() + warp_index()] = sum_;
    sync_block();
    // Lanes beyond the last warp repeat totals, and are of no use.
    const T totals = scan_lanes(x_[block_size() + lane_index() % warps], warps);
    const T before = shuffle(totals, warp_index() > 0 ? warp_index() - 1 : 0);
    if (warp_index() > 0) sum_ = Op::combine(before, sum_);
    x_[thread_index()] = sum_;
    sync_block();
  }

  UPSWEEP_DEVICE T inclusive(int i) const { return x_[i]; }

 private:
  // Kogge-Stone over the first lanes of the warp. All lanes shuffle; those below d keep their own.
  UPSWEEP_DEVICE static T scan_lanes(T x, int lanes) {
    for (int d = 1; d < lanes; d *= 2) {
      const T left = shuffle_up(x, d);
      if (lane_index() >= d) x = Op::combine(left, x);
    }
    return x;
  }

  shared<T> x_;
  T sum_{};
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
