// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of the algorithms that differ in their block scan.
#include "backends/cuda/tables.hpp"
#include "backends/kernels/algorithms.hpp"

namespace upsweep::cuda {

using namespace kernels;

std::vector<textbook_entry> block_algorithms() {
  return {{"cuda.hillis_steele", textbook_for<textbooks::hillis_steele>},
          {"cuda.kogge_stone", textbook_for<textbooks::kogge_stone>},
          {"cuda.brent_kung", textbook_for<textbooks::brent_kung>},
          {"cuda.blelloch", textbook_for<textbooks::blelloch>},
          {"cuda.warp_shuffle", textbook_for<textbooks::warp_shuffle>},
          {"cuda.coarsened", textbook_for<textbooks::coarsened>}};
}

}  // namespace upsweep::cuda
