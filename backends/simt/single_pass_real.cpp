// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/kernels/single_pass.hpp"
#include "backends/simt/tables.hpp"

namespace upsweep::simt {

kernels::runner_maker single_pass_real(type accumulator, builtin op, bool small_units) {
  return small_units ? kernels::real_runner<kernels::small_sizes>(accumulator, op)
                     : kernels::real_runner<kernels::order1_sizes>(accumulator, op);
}

}  // namespace upsweep::simt
