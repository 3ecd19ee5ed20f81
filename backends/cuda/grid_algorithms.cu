// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of the algorithms that differ in their grid strategy.
#include "backends/cuda/tables.hpp"
#include "backends/kernels/algorithms.hpp"

namespace upsweep::cuda {

using namespace kernels;

std::vector<textbook_entry> grid_algorithms() {
  return {{"cuda.naive", textbook_for<textbooks::naive>},
          {"cuda.three_pass", textbook_for<textbooks::three_pass>},
          {"cuda.hybrid", textbook_for<textbooks::hybrid>},
          {"cuda.chained", textbook_for<textbooks::chained>},
          {"cuda.decoupled_lookback", textbook_for<textbooks::decoupled_lookback>}};
}

}  // namespace upsweep::cuda
