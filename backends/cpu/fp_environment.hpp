// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_FP_ENVIRONMENT_HPP
#define UPSWEEP_BACKENDS_CPU_FP_ENVIRONMENT_HPP

#include "upsweep/detail/fp_environment.hpp"

namespace upsweep::cpu {

using detail::fp_environment;

}  // namespace upsweep::cpu

#endif
