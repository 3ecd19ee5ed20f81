// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_CPU_HPP
#define UPSWEEP_BACKENDS_CPU_CPU_HPP

#include "upsweep/detail/backend.hpp"

// The CPU family, as the registry sees it.
namespace upsweep::cpu {

const detail::backend& serial();
const detail::backend& openmp();

}  // namespace upsweep::cpu

#endif
