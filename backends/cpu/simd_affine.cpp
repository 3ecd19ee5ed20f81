// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd_affine.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, which compiles it for every target.
#include "backends/cpu/simd_kernel-inl.hpp"

#if HWY_ONCE
#include "backends/cpu/simd_choose.hpp"

namespace upsweep::cpu {

template kernel<affine_op<std::uint32_t>> simd_kernel<affine_op<std::uint32_t>>(simd_target);
template kernel<affine_op<float>> simd_kernel<affine_op<float>>(simd_target);
template kernel<affine_op<double>> simd_kernel<affine_op<double>>(simd_target);

}  // namespace upsweep::cpu
#endif
