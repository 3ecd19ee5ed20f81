// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_PORT_HPP
#define UPSWEEP_KERNELS_PORT_HPP

// The words that device code is written in. A kernel includes this and nothing else of the outside
// world; its one text is compiled by nvcc for the GPU (port_cuda.hpp) and by the host's compiler
// for CPU fibers (port_simt.hpp). Both bodies define, in namespace upsweep::kernels:
//
// clang-format off
//   UPSWEEP_KERNEL, UPSWEEP_DEVICE      before a kernel, before a function that kernels call
//   UPSWEEP_APART                       the same, for what is called and not made a part of kernels,
//                                       since it is long and seldom run
//   UPSWEEP_ARGUMENT                    before a kernel's parameter that such functions have by address
//   UPSWEEP_KERNEL_OF(threads, blocks)  before a kernel of at most so many threads a block, of which
//                                       a processor is to hold so many blocks
//   UPSWEEP_HOST_DEVICE                 before a function that the host calls too
//   warp_size                           32
//   thread_index(), block_size()        int; blocks and grids have one dimension
//   block_index(), grid_size()          std::int64_t
//   sync_block(), sync_warp()           barriers of all threads of the block, of the warp; they
//                                       order memory among those threads
//   sync_threads(id, threads)           a barrier of some whole warps of the block, threads in all;
//                                       id 1..15 tells those apart that are in use at once
//   shuffle(x, lane), shuffle_up(x, d), shuffle_down(x, d), shuffle_xor(x, mask)
//                                       x of another lane of the warp; all 32 lanes must call. Where
//                                       there is no such lane, its own x. Order nothing.
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
//   copy_bits(to, from)                 the bits of from, in a type of the same size
//   bytes_of(a, b, digits)              a word of bytes of a (0 to 3) and b (4 to 7), chosen by four
//                                       hexadecimal digits, the lowest byte by the last; 8 more: that
//                                       byte's sign bit, eight times
//   least(a, b)                         of two floats: a NaN wins, and -0.0 is below +0.0
//   min_pairs(a, b)                     of each of the two signed 16-bit halves
//   bit_width(a)                        the bits of a up to its highest that is set
//   add_bytes(w, sum), add_halves(w, sum)
//                                       the sum and each of w's unsigned bytes, or halves
//   half, brain_half                    f16 and bf16, in 2 bytes; convert to float, and, explicitly,
//                                       from it, to nearest even
//   two_of<H>(low, high)                of two floats, each an H, in the halves of a word
//   UPSWEEP_UNROLL                      before a loop of constant length
//   UPSWEEP_ROLLED                      before a loop whose code is to stay short
//   order::relaxed, acquire, release, acq_rel
//   fence(order)                        a fence over the whole device
//   load_as<U>(a, i), store_as(a, i, u) of a global or shared array of std::byte: a U of 1, 2, 4, 8
//                                       or 16 bytes (a quad, below) at byte i, in one access; the
//                                       address is a multiple of its size
//   pause()                             inside every loop that waits for another block
//   stream                              what launches are queued on, one after the other
//   launch(stream, shape, kernel, arguments...)
//                                       starts a kernel; throws upsweep::error where that fails
//   cluster_fits(kernel, shape)         whether a cluster of this shape can run; before its first launch
//   copy_to_device(stream, to, from, bytes), copy_to_host(...)
//                                       between the host's memory, which must stay until the stream
//                                       has come to it, and the device's
//   allow_shared(kernel, bytes)         before its first launch with more than 48 KiB of dynamic
//                                       shared memory
//
// Copies that run beside the threads, and barriers that wait for them. On GPUs before Hopper these
// stop the kernel, and has_bulk_copies is false in the code that is compiled for those.
//
//   UPSWEEP_BARRIERS(name, count)       declares barriers in the block's shared memory; those in
//                                       dynamic shared memory: barriers b(bytes, first_byte, count),
//                                       8 bytes each, first_byte a multiple of 8
//   b.init(i, arrivals)                 once, by one thread, and then sync_block()
//   b.arrive(i)                         one of the arrivals that complete a phase. What the thread
//                                       did is before what those do who wait for the phase.
//   b.arrive_expecting(i, bytes)        the same, and the phase also waits for so many bytes of
//                                       bulk_load and send
//   b.wait(i, parity)                   until the latest phase of this parity has completed: phases
//                                       count from 0, and before the first, those of parity 1 have
//   bulk_load(to, at, from, from_at, bytes, b, i)
//                                       by one thread: starts a copy from a global array of const
//                                       std::byte to a shared one, which the current phase of
//                                       barrier i counts. Addresses and bytes: multiples of 16.
//   bulk_store(to, to_at, from, at, bytes)
//                                       by one thread: starts a copy from a shared array of
//                                       std::byte to a global one. No thread of the same launch may
//                                       touch what it writes.
//   bulk_commit()                       makes a group of the calling thread's copies since the last
//   bulk_wait_read<N>()                 until at most the latest N of the calling thread's groups
//                                       may still be reading shared memory
//   fence_async()                       by each thread that wrote shared memory by itself, before a
//                                       barrier that orders it before a bulk copy of that memory
//
// Blocks of a cluster, which send to each other's shared memory. Before Hopper these stop the kernel.
//
//   arrive_cluster(), wait_cluster()    in turn, by all warps of the cluster, whole: who has waited may
//                                       send to the barriers that threads initialised before they
//                                       arrived. This orders nothing else.
//   send(a, i, x, b, k, block)          by one thread: a copy of x, of 4, 8 or 16 bytes, to element i
//                                       of that block's shared array which a is of this one. The
//                                       current phase of its barrier k counts the bytes, and the
//                                       block must run until they are there.
//   b.wait_sent(i, parity)              b.wait(i, parity), for phases that count what blocks send
// clang-format on
//
// Elements of arrays are read into and written from typed locals; `auto x = a[i]` gives none.

#include <cstddef>
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
  bool together = false;  // all blocks run at once; the launch fails where they do not fit
  bool cluster = false;   // and are one cluster, of most_in_cluster blocks at most
};

inline constexpr int most_in_cluster = 16;

// A tag and a value of at most 8 bytes, in 16 bytes that are loaded and stored as one.
struct alignas(16) tagged {
  std::uint64_t tag;
  std::uint64_t bits;  // the value: to_bits, from_bits
};

// 16 bytes that load_as and store_as move as one.
struct alignas(16) quad {
  std::uint32_t word[4];
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#ifdef __CUDACC__
#include "port_cuda.hpp"
#else
#include "port_simt.hpp"
#endif

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// The upper half of a float.
struct brain_half {
  std::uint16_t bits;

  brain_half() = default;
  UPSWEEP_DEVICE explicit brain_half(float x) {
    const std::uint32_t b = static_cast<std::uint32_t>(to_bits(x));
    const bool nan = (b & 0x7fffffffu) > 0x7f800000u;
    const std::uint32_t rounded = nan ? b | 0x400000u : b + 0x7fffu + (b >> 16 & 1u);
    bits = static_cast<std::uint16_t>(rounded >> 16);
  }
  UPSWEEP_DEVICE operator float() const {  // NOLINT(google-explicit-constructor)
    return from_bits<float>(std::uint64_t{bits} << 16);
  }
};

template <class H>
UPSWEEP_DEVICE std::uint32_t two_of(float low, float high) {
  return std::uint32_t{H(low).bits} | std::uint32_t{H(high).bits} << 16;
}

template <class F>
UPSWEEP_HOST_DEVICE F least(F a, F b) {
  const F low = a < b || a != a ? a : b;
  return a == b ? from_bits<F>(to_bits(a) | to_bits(b)) : low;  // zeros of either sign
}

UPSWEEP_DEVICE int lane_index() { return thread_index() % warp_size; }
UPSWEEP_DEVICE int warp_index() { return thread_index() / warp_size; }

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
