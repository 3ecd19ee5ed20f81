// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_SIMD_HPP
#define UPSWEEP_BACKENDS_CPU_SIMD_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "backends/cpu/kernel.hpp"

namespace upsweep::cpu {

// An instruction set that kernels were compiled for: a Highway target, or 0 for plain C++.
using simd_target = std::int64_t;

// The best target of this machine, or the one that UPSWEEP_CPU_TARGET names. Throws
// errc::unavailable if this build or this machine has no such target.
simd_target choose_simd_target();

// The kernel of a built-in operator; instantiated in the simd_*.cpp files.
template <class Op>
kernel<Op> simd_kernel(simd_target target);

// How to reach the elements of a flat scan, as a stream does, where registers of this target
// convert them or turn them round; far: in arrays that are more than the caches hold. nullptr for
// what is reached in another way, and for plain C++.
struct access {
  loader load = nullptr, load_far = nullptr;
  storer store = nullptr, store_far = nullptr;
};
access simd_access(simd_target target, const spec& what);

// Stores past the caches are then before what the thread does next.
void flush_streamed();

}  // namespace upsweep::cpu

#endif
