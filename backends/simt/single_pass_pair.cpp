// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/kernels/single_pass.hpp"
#include "backends/simt/tables.hpp"

namespace upsweep::simt {

kernels::runner_maker single_pass_pair(type accumulator, builtin op, bool small_units) {
#ifndef UPSWEEP_SIMT_RAW
  if (small_units) return kernels::pair_runner<kernels::small_sizes>(accumulator, op);
#endif
  return small_units ? nullptr : kernels::pair_runner<kernels::order1_sizes>(accumulator, op);
}

}  // namespace upsweep::simt
