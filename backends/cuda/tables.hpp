// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CUDA_TABLES_HPP
#define UPSWEEP_BACKENDS_CUDA_TABLES_HPP

#include <vector>

#include "backends/kernels/textbook.hpp"

namespace upsweep::cuda {

// One a file, each with the kernels of its entries.
std::vector<kernels::textbook_entry> block_algorithms();
std::vector<kernels::textbook_entry> grid_algorithms();
std::vector<kernels::textbook_entry> peers();

}  // namespace upsweep::cuda

#endif
