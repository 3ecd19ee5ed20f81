// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_BLOCK_KOGGE_STONE_HPP
#define UPSWEEP_KERNELS_BLOCK_KOGGE_STONE_HPP

// Kogge-Stone: in the round of d, each element takes the prefix of d elements that ends d to its
// left. One buffer, so a round reads, waits for all readers, writes, and waits for all writers.
// Over n elements: work n log2 n - n + 1 combinations, span log2 n, 2 log2 n + 1 barriers.
// P. M. Kogge and H. S. Stone, A Parallel Algorithm for the Efficient Solution of a General Class
// of Recurrence Equations, IEEE Transactions on Computers C-22(8), 1973.

#include "../port.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class Op>
class kogge_stone {
  using T = typename Op::value;

 public:
  static constexpr int per_thread = 1;
  UPSWEEP_HOST_DEVICE static constexpr int tile(int threads) { return threads; }
  UPSWEEP_HOST_DEVICE static constexpr int shared_elements(int threads) { return threads; }

  UPSWEEP_DEVICE explicit kogge_stone(shared<T> x) : x_(x) {}

  UPSWEEP_DEVICE void put(int i, T v) { x_[i] = v; }

  UPSWEEP_DEVICE void scan() {
    const int i = thread_index();
    sync_block();
    T sum = x_[i];
    for (int d = 1; d < block_size(); d *= 2) {
      T left{};
      if (i >= d) left = x_[i - d];
      sync_block();
      if (i >= d) {
        sum = Op::combine(left, sum);
        x_[i] = sum;
      }
      sync_block();
    }
  }

  UPSWEEP_DEVICE T inclusive(int i) const { return x_[i]; }

 private:
  shared<T> x_;
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
