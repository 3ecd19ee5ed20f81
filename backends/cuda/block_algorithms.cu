// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of the algorithms that differ in their block scan.
#include "backends/cuda/tables.hpp"
#include "backends/kernels/algorithms.hpp"

namespace upsweep::cuda {

using namespace kernels;

std::vector<entry> block_algorithms() {
  return {from_textbook("cuda.hillis_steele", textbook_for<textbooks::hillis_steele>),
          from_textbook("cuda.kogge_stone", textbook_for<textbooks::kogge_stone>),
          from_textbook("cuda.brent_kung", textbook_for<textbooks::brent_kung>),
          from_textbook("cuda.blelloch", textbook_for<textbooks::blelloch>),
          from_textbook("cuda.warp_shuffle", textbook_for<textbooks::warp_shuffle>),
          from_textbook("cuda.coarsened", textbook_for<textbooks::coarsened>)};
}

}  // namespace upsweep::cuda
