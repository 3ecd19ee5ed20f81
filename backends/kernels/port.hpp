// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_PORT_HPP
#define UPSWEEP_KERNELS_PORT_HPP

// The words that device code is written in. A kernel includes this and nothing else of the outside
// world; its one text is compiled by nvcc for the GPU (port_cuda.hpp) and by the host's compiler
// for CPU fibers (port_simt.hpp). Both bodies define, in namespace upsweep::kernels:
//
// clang-format off
//   UPSWEEP_KERNEL, UPSWEEP_DEVICE      before a kernel, before a function that kernels call
//   UPSWEEP_HOST_DEVICE                 before a function that the host calls too
//   warp_size                           32
//   thread_index(), block_size()        int; blocks and grids have one dimension
//   block_index(), grid_size()          std::int64_t
//   sync_block(), sync_warp()           barriers of all threads of the block, of the warp; they
//                                       order memory among those threads
//   shuffle(x, lane), shuffle_up(x, d)  x of another lane of the warp; all 32 lanes must call.
//                                       shuffle_up gives a lane below d its own x. Order nothing.
//   ballot(p)                           bit l: whether lane l called with true; all 32 must call
//   global<T>                           an array in global memory, passed to kernels by value:
//                                       a[i], a.size(), a.atomic(i)
//   shared<T>                           an array in the block's shared memory: a[i], a.size()
//   UPSWEEP_SHARED(T, name, count)      declares a shared<T> of a constant size
//   UPSWEEP_DYNAMIC_SHARED(T, name)     declares the shared<T> whose bytes the launch gave
//   a.atomic(i).load(order), .store(x, order), .fetch_add(x, order)
//                                       on 4- and 8-byte integers, atomic over the whole device;
//                                       a tagged (below) has loads and stores, relaxed ones
//   to_bits(x), from_bits<T>(bits)      an x of at most 8 bytes as a std::uint64_t, and back
//   order::relaxed, acquire, release, acq_rel
//   fence(order)                        a fence over the whole device
//   pause()                             inside every loop that waits for another block
//   stream                              what launches are queued on, one after the other
//   launch(stream, shape, kernel, arguments...)
//                                       starts a kernel; throws upsweep::error where that fails
// clang-format on
//
// Elements of arrays are read into and written from typed locals; `auto x = a[i]` gives none.

#include <cstdint>

// One text, compiled to different code for each reader: a library may hold all of them.
#if defined(__CUDACC__)
#define UPSWEEP_KERNELS_READER on_gpu
#elif defined(UPSWEEP_SIMT_RAW)
#define UPSWEEP_KERNELS_READER on_raw_fibers
#else
#define UPSWEEP_KERNELS_READER on_fibers
#endif

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// How much a launch starts: blocks of threads (a multiple of warp_size, at most 1024), with bytes
// of dynamic shared memory each.
struct shape {
  std::int64_t blocks = 1;
  int threads = 32;
  int shared_bytes = 0;
};

// A tag and a value of at most 8 bytes, in 16 bytes that are loaded and stored as one.
struct alignas(16) tagged {
  std::uint64_t tag;
  std::uint64_t bits;  // the value: to_bits, from_bits
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#ifdef __CUDACC__
#include "port_cuda.hpp"
#else
#include "port_simt.hpp"
#endif

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

UPSWEEP_DEVICE int lane_index() { return thread_index() % warp_size; }
UPSWEEP_DEVICE int warp_index() { return thread_index() / warp_size; }

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
