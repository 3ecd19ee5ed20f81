// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_NAIVE_HPP
#define UPSWEEP_KERNELS_GRID_NAIVE_HPP

// Naive: a thread an output, which folds all elements up to its own. What not to do: threads share
// nothing of their work. Over n elements: work n (n - 1) / 2 combinations, span n - 1, no barrier,
// one launch (in place two: outputs would replace elements that others still read, so that the
// input is copied first).

#include <cstddef>
#include <cstdint>

#include "../port.hpp"
#include "../scan.hpp"
#include "../workspace.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class T>
UPSWEEP_KERNEL void copy_kernel(global<const T> from, global<T> to) {
  const std::int64_t i = block_index() * block_size() + thread_index();
  if (i < to.size()) to[i] = static_cast<T>(from[i]);
}

template <class Op>
UPSWEEP_KERNEL void naive_kernel(scan<Op> what) {
  using T = typename Op::value;
  const std::int64_t i = block_index() * block_size() + thread_index();
  if (i < what.size()) {
    carry<Op> before = what.start();
    for (std::int64_t j = 0; j < i; ++j) before = {true, before.then(what.load(j))};
    const T through = before.then(what.load(i));
    what.store(i, what.exclusive ? before.alone() : through);
    if (i == what.size() - 1) what.store_total(through);
  }
}

template <class Op>
struct naive {
  using T = typename Op::value;
  static constexpr int default_threads = 256;
  static constexpr std::int64_t max_length(int) { return 1 << 16; }  // 2^31 combinations

  static std::size_t workspace_bytes(std::int64_t n, int) { return workspace::bytes<T>(n); }

  static void run(stream on, scan<Op> what, workspace space, int threads) {
    const shape grid{(what.size() + threads - 1) / threads, threads};
    if (what.in.data() == what.out.data()) {
      const global<T> copy = space.take<T>(what.size());
      launch(on, grid, copy_kernel<T>, what.in, copy);
      what.in = {copy.data(), copy.size()};
    }
    launch(on, grid, naive_kernel<Op>, what);
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
