// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CUDA_CUDA_HPP
#define UPSWEEP_BACKENDS_CUDA_CUDA_HPP

#include <string_view>

#include "upsweep/detail/backend.hpp"

// The CUDA family, as the registry sees it.
namespace upsweep::cuda {

// The backend of a name ("cuda.naive"), or nullptr if this build has none.
const detail::backend* find(std::string_view name);

// All NVIDIA GPUs; nullptr until the process has loaded the driver.
const detail::device_family* devices();

}  // namespace upsweep::cuda

#endif
