// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_SIMD_CHOOSE_HPP
#define UPSWEEP_BACKENDS_CPU_SIMD_CHOOSE_HPP

// Included after every target of simd_kernel-inl.hpp: simd_kernel over the targets compiled.

#include "backends/cpu/simd.hpp"

namespace upsweep::cpu {

template <class Op>
kernel<Op> simd_kernel([[maybe_unused]] simd_target target) {
#if HWY_TARGETS & HWY_AVX3
  if (target == HWY_AVX3) return N_AVX3::make_simd_kernel<Op>();
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == HWY_AVX2) return N_AVX2::make_simd_kernel<Op>();
#endif
#if HWY_TARGETS & HWY_SSE4
  if (target == HWY_SSE4) return N_SSE4::make_simd_kernel<Op>();
#endif
#if HWY_TARGETS & HWY_NEON
  if (target == HWY_NEON) return N_NEON::make_simd_kernel<Op>();
#endif
  return scalar_kernel<Op>();
}

}  // namespace upsweep::cpu

#endif
