// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/tables.hpp"
#include "backends/kernels/single_pass.hpp"

namespace upsweep::cuda {

kernels::runner_maker single_pass_real(type accumulator, builtin op) {
  return kernels::real_runner<kernels::order1_sizes>(accumulator, op);
}

}  // namespace upsweep::cuda
