// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_BLOCK_BRENT_KUNG_HPP
#define UPSWEEP_KERNELS_BLOCK_BRENT_KUNG_HPP

// Brent-Kung: a reduction tree leaves at the end of each aligned run of 2d elements the run's sum,
// which at the ends of the runs that begin at 0 is the prefix already; a distribution tree carries
// the prefixes from there to the middles of the runs between. Inclusive and in place.
// Over n elements, a power of two: work 2n - 2 - log2 n combinations (n - 1 and n - 1 - log2 n),
// span 2 log2 n - 1, 2 log2 n barriers. A round's threads are the first ones, so that whole warps
// fall idle; its elements lie 2d apart, which makes bank conflicts (see blelloch.hpp).
// R. P. Brent and H. T. Kung, A Regular Layout for Parallel Adders, IEEE Transactions on Computers
// C-31(3), 1982.

#include "../port.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// Two elements a thread keep all threads busy in the first round; one suits coarsened.hpp.
template <class Op, int PerThread = 2>
class brent_kung {
  using T = typename Op::value;

 public:
  static constexpr int per_thread = PerThread;
  UPSWEEP_HOST_DEVICE static constexpr int tile(int threads) { return per_thread * threads; }
  UPSWEEP_HOST_DEVICE static constexpr int shared_elements(int threads) { return tile(threads); }

  UPSWEEP_DEVICE explicit brent_kung(shared<T> x) : x_(x) {}

  UPSWEEP_DEVICE void put(int i, T v) { x_[i] = v; }

  UPSWEEP_DEVICE void scan() {
    const int n = tile(block_size());
    for (int d = 1; d < n; d *= 2) {  // reduction
      sync_block();
      const int i = end_of_run(2 * d);
      if (i < n) x_[i] = Op::combine(x_[i - d], x_[i]);
    }
    for (int d = n / 4; d >= 1; d /= 2) {  // distribution
      sync_block();
      const int i = end_of_run(2 * d);
      if (i + d < n) x_[i + d] = Op::combine(x_[i], x_[i + d]);
    }
    sync_block();
  }

  UPSWEEP_DEVICE T inclusive(int i) const { return x_[i]; }

 private:
  // The last element of this thread's run, where thread t has run t.
  UPSWEEP_DEVICE static int end_of_run(int length) { return (thread_index() + 1) * length - 1; }

  shared<T> x_;
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
