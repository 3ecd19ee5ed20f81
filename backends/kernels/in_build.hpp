// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_IN_BUILD_HPP
#define UPSWEEP_KERNELS_IN_BUILD_HPP

// Which operators, on which elements in memory, a build has kernels for: all, or of the simt
// backends with -Dsimt_kernels=few those whose kernels differ in kind.

#include <cstdint>
#include <type_traits>

#include "operators.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

#ifdef UPSWEEP_SIMT_FEW
template <class Op, class E = typename Op::value>
inline constexpr bool in_build = false;
template <class T, class E>
inline constexpr bool in_build<sum_op<T>, E> = !std::is_same_v<E, complex<float>>;
template <>
inline constexpr bool in_build<narrow_minimum_op<std::int32_t, std::int8_t>, std::int8_t> = true;
template <>
inline constexpr bool in_build<minimum_op<std::int32_t>, std::int32_t> = true;
template <>
inline constexpr bool in_build<minimum_op<double>, double> = true;
template <>
inline constexpr bool in_build<affine_op<float>, affine_map<float>> = true;

inline constexpr const char* no_kernel =
    "it has no kernel for this operator on this type in a build with simt_kernels=few";
#else
template <class Op, class E = typename Op::value>
inline constexpr bool in_build = true;

inline constexpr const char* no_kernel = "it has no kernel for this operator on this type";
#endif

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
