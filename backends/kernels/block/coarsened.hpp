// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_BLOCK_COARSENED_HPP
#define UPSWEEP_KERNELS_BLOCK_COARSENED_HPP

// Thread coarsening: each thread scans K neighbours in registers, one after the other, as cheaply
// as a serial loop; a block scan (Inner) runs over the threads' totals only, and each thread
// combines what comes before it into its K. Over n = K * threads elements: work n - threads,
// Inner's over the threads, and n - K; span 2K - 1 and Inner's; Inner's barriers and two. Global
// memory is read and written with neighbouring threads at neighbouring elements; the tile goes
// through shared memory to give each thread K in a row. There a stride of K would meet few banks,
// so that the tile is padded (banks.hpp).
// D. B. Kirk, W. W. Hwu and I. El Hajj, Programming Massively Parallel Processors, 4th edition,
// 2022, section 11.5.

#include "../port.hpp"
#include "banks.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class Op, int K, class Inner>
class coarsened {
  using T = typename Op::value;
  static_assert(Inner::per_thread == 1, "a thread has one total");

 public:
  static constexpr int per_thread = K;
  UPSWEEP_HOST_DEVICE static constexpr int tile(int threads) { return K * threads; }
  UPSWEEP_HOST_DEVICE static constexpr int shared_elements(int threads) {
    return Inner::shared_elements(threads) + padded<T>::size(tile(threads));
  }

  UPSWEEP_DEVICE explicit coarsened(shared<T> x) : x_(x), inner_(x) {}

  UPSWEEP_DEVICE void put(int i, T v) { x_[at(i)] = v; }

  UPSWEEP_DEVICE void scan() {
    const int thread = thread_index();
    sync_block();
    T own[K];
    for (int k = 0; k < K; ++k) own[k] = x_[at(K * thread + k)];
    for (int k = 1; k < K; ++k) own[k] = Op::combine(own[k - 1], own[k]);
    inner_.put(thread, own[K - 1]);
    inner_.scan();
    if (thread > 0) {
      const T before = inner_.inclusive(thread - 1);
      for (int k = 0; k < K; ++k) own[k] = Op::combine(before, own[k]);
    }
    for (int k = 0; k < K; ++k) x_[at(K * thread + k)] = own[k];
    sync_block();
  }

  UPSWEEP_DEVICE T inclusive(int i) const { return x_[at(i)]; }

 private:
  // Inner has the beginning of the memory, the tile the rest.
  UPSWEEP_DEVICE static int at(int i) {
    return Inner::shared_elements(block_size()) + padded<T>::place(i);
  }

  shared<T> x_;
  Inner inner_;
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
