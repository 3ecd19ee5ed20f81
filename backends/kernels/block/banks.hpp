// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_BLOCK_BANKS_HPP
#define UPSWEEP_KERNELS_BLOCK_BANKS_HPP

// Where element i of an array lies in shared memory. The memory has 32 banks of 4 bytes: two
// threads of a warp that want words of one bank, from different rows of 128 bytes, take turns.
// Strides that are powers of two meet few banks; each map but the first spreads them over all.
// place(i) is the element's index, size(n) the elements that n take, n a multiple of a row.

#include "../port.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class T>
inline constexpr int bank_row = 128 / static_cast<int>(sizeof(T));

template <class T>
struct direct {
  UPSWEEP_HOST_DEVICE static constexpr int place(int i) { return i; }
  UPSWEEP_HOST_DEVICE static constexpr int size(int n) { return n; }
};

// A free element after each row moves the next row on by one. M. Harris, S. Sengupta and
// J. D. Owens, Parallel Prefix Sum (Scan) with CUDA, GPU Gems 3, chapter 39, 2007.
template <class T>
struct padded {
  UPSWEEP_HOST_DEVICE static constexpr int place(int i) { return i + i / bank_row<T>; }
  UPSWEEP_HOST_DEVICE static constexpr int size(int n) { return place(n - 1) + 1; }
};

// The number of the row permutes the places within the row, which takes no memory.
template <class T>
struct swizzled {
  UPSWEEP_HOST_DEVICE static constexpr int place(int i) {
    return i ^ (i / bank_row<T> % bank_row<T>);
  }
  UPSWEEP_HOST_DEVICE static constexpr int size(int n) { return n; }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
