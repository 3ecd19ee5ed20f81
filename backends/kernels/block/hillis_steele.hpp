// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_BLOCK_HILLIS_STEELE_HPP
#define UPSWEEP_KERNELS_BLOCK_HILLIS_STEELE_HPP

// Hillis-Steele: in the round of d, each element takes the prefix of d elements that ends d to its
// left. Two buffers: a round reads one and writes the other, so one barrier parts it from the next.
// Over n elements: work n log2 n - n + 1 combinations, span log2 n, log2 n + 1 barriers.
// W. D. Hillis and G. L. Steele, Data Parallel Algorithms, Communications of the ACM 29(12), 1986.

#include "../port.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class Op>
class hillis_steele {
  using T = typename Op::value;

 public:
  static constexpr int per_thread = 1;
  UPSWEEP_HOST_DEVICE static constexpr int tile(int threads) { return threads; }
  UPSWEEP_HOST_DEVICE static constexpr int shared_elements(int threads) { return 2 * threads; }

  UPSWEEP_DEVICE explicit hillis_steele(shared<T> x) : x_(x) {}

  UPSWEEP_DEVICE void put(int i, T v) { x_[from_ + i] = v; }

  UPSWEEP_DEVICE void scan() {
    const int i = thread_index();
    sync_block();
    T sum = x_[from_ + i];
    for (int d = 1; d < block_size(); d *= 2) {
      if (i >= d) sum = Op::combine(x_[from_ + i - d], sum);
      from_ = block_size() - from_;  // the other buffer
      x_[from_ + i] = sum;
      sync_block();
    }
  }

  UPSWEEP_DEVICE T inclusive(int i) const { return x_[from_ + i]; }

 private:
  shared<T> x_;
  int from_ = 0;  // where the buffer begins that holds the latest
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
