// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of the algorithms that differ in their grid strategy.
#include "backends/cuda/tables.hpp"
#include "backends/kernels/algorithms.hpp"

namespace upsweep::cuda {

using namespace kernels;

std::vector<entry> grid_algorithms() {
  return {from_textbook("cuda.naive", textbook_for<textbooks::naive>),
          from_textbook("cuda.three_pass", textbook_for<textbooks::three_pass>),
          from_textbook("cuda.hybrid", textbook_for<textbooks::hybrid>),
          from_textbook("cuda.chained", textbook_for<textbooks::chained>),
          from_textbook("cuda.decoupled_lookback", textbook_for<textbooks::decoupled_lookback>)};
}

}  // namespace upsweep::cuda
