// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_TILE_HPP
#define UPSWEEP_KERNELS_TILE_HPP

// What a grid strategy and a block scan have to do with each other. A strategy (grid/) is a
// template over a block scan (block/), a class of which each thread of a block makes one object:
//
//   static constexpr int per_thread                   elements of a tile for each thread
//   static constexpr int tile(int threads)            per_thread * threads
//   static constexpr int shared_elements(int threads) of T in dynamic shared memory, exactly
//   explicit block_scan(shared<T>)                    the dynamic shared memory
//   void put(int i, T)                                element i, by thread i % threads
//   void scan()                                       by all threads, all elements put
//   T inclusive(int i)                                any result, by any thread
//
// Before the next tile's first put there must be a barrier. Threads are a power of two, 32 to 1024.

#include <cstdint>

#include "port.hpp"
#include "scan.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// Of one launch.
inline constexpr std::int64_t max_blocks = 0x7fffffff;

// Where the caller has no wish: tiles of 1024 elements at least.
template <class Block>
inline constexpr int usual_threads = Block::per_thread == 1 ? 1024 : 512;

template <class Block>
constexpr std::int64_t tiles_of(std::int64_t n, int threads) {
  return (n + Block::tile(threads) - 1) / Block::tile(threads);
}

template <class Op, class Block>
constexpr shape tile_shape(std::int64_t blocks, int threads) {
  return {blocks, threads,
          Block::shared_elements(threads) * static_cast<int>(sizeof(typename Op::value))};
}

// Gives a block scan the tile that begins at an element. All loads start before the first one's
// value is used, so that they travel together.
template <class Op, class Block>
UPSWEEP_DEVICE void load_tile(const scan<Op>& what, std::int64_t begin, Block& block) {
  typename Op::value x[Block::per_thread];
  for (int k = 0; k < Block::per_thread; ++k)
    x[k] = what.load(begin + thread_index() + k * block_size());
  for (int k = 0; k < Block::per_thread; ++k) block.put(thread_index() + k * block_size(), x[k]);
}

// Writes the tile out, after what comes before it. Exclusive is inclusive one element later.
template <class Op, class Block>
UPSWEEP_DEVICE void store_tile(const scan<Op>& what, std::int64_t begin, const Block& block,
                               const carry<Op>& before) {
  for (int k = 0; k < Block::per_thread; ++k) {
    const int i = thread_index() + k * block_size();
    const int last = what.exclusive ? i - 1 : i;
    what.store(begin + i, last < 0 ? before.alone() : before.then(block.inclusive(last)));
  }
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
