// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_BLOCK_BLELLOCH_HPP
#define UPSWEEP_KERNELS_BLOCK_BLELLOCH_HPP

// Blelloch: the up-sweep leaves at the end of each aligned run of 2d elements the run's sum. The
// root then takes the identity, and the down-sweep hands to each run what comes before it: the left
// half gets what the run got, the right half that and the left half's sum. Exclusive and in place.
// Over n elements, a power of two: work n - 1 combinations up and n - 1 down, span 2 log2 n,
// 2 log2 n + 1 barriers. A round's elements lie 2d apart; Banks (banks.hpp) chooses what is done
// about bank conflicts: direct (nothing), padded, or swizzled.
// G. E. Blelloch, Prefix Sums and Their Applications, CMU-CS-90-190, 1990, section 1.2.

#include "../port.hpp"
#include "banks.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class Op, template <class> class Banks = padded>
class blelloch {
  using T = typename Op::value;

 public:
  static constexpr int per_thread = 2;
  UPSWEEP_HOST_DEVICE static constexpr int tile(int threads) { return per_thread * threads; }
  UPSWEEP_HOST_DEVICE static constexpr int shared_elements(int threads) {
    return total(threads) + 1;
  }

  UPSWEEP_DEVICE explicit blelloch(shared<T> x) : x_(x) {}

  UPSWEEP_DEVICE void put(int i, T v) { x_[at(i)] = v; }

  UPSWEEP_DEVICE void scan() {
    const int n = tile(block_size());
    for (int d = 1; d < n; d *= 2) {  // up-sweep
      sync_block();
      const int i = end_of_run(2 * d);
      if (i < n) x_[at(i)] = Op::combine(x_[at(i - d)], x_[at(i)]);
    }
    if (thread_index() == 0) {  // which wrote the root itself, so that no barrier is due
      x_[total(block_size())] = x_[at(n - 1)];
      x_[at(n - 1)] = Op::identity();
    }
    for (int d = n / 2; d >= 1; d /= 2) {  // down-sweep
      sync_block();
      const int i = end_of_run(2 * d);
      if (i < n) {
        const T left = x_[at(i - d)];
        const T before = x_[at(i)];
        x_[at(i - d)] = before;
        x_[at(i)] = Op::combine(before, left);
      }
    }
    sync_block();
  }

  // What comes before the next element; after the last one the total.
  UPSWEEP_DEVICE T inclusive(int i) const {
    return x_[i + 1 < tile(block_size()) ? at(i + 1) : total(block_size())];
  }

 private:
  UPSWEEP_DEVICE static int at(int i) { return Banks<T>::place(i); }
  UPSWEEP_HOST_DEVICE static constexpr int total(int threads) {
    return Banks<T>::size(tile(threads));
  }
  // The last element of this thread's run, where thread t has run t.
  UPSWEEP_DEVICE static int end_of_run(int length) { return (thread_index() + 1) * length - 1; }

  shared<T> x_;
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
