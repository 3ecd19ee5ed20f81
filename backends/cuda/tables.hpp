// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CUDA_TABLES_HPP
#define UPSWEEP_BACKENDS_CUDA_TABLES_HPP

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kernels/runner.hpp"
#include "backends/kernels/single_pass_options.hpp"
#include "backends/kernels/textbook.hpp"

namespace upsweep::cuda {

// An algorithm under the name of a backend.
struct entry {
  std::string_view name;
  // Why it does not serve a scan of up to n elements in such memory, or nothing.
  std::function<std::string(const spec& what, std::int64_t n, memory where)> refusal;
  // For the current device, and a scan that is not refused.
  std::function<std::unique_ptr<kernels::runner>(const spec& what, std::int64_t n)> make;
};

inline entry from_textbook(std::string_view name,
                           const kernels::textbook& (*algorithm)(const spec& what)) {
  const kernels::textbook_entry e{name, algorithm};
  return {name, [e](const spec& what, std::int64_t n, memory) { return e.refusal(what, n); },
          [e](const spec& what, std::int64_t n) { return e.make(what, n); }};
}

// Of one operator and type of accumulators, each file with the kernels of some; else nullptr.
kernels::runner_maker single_pass_narrow(type accumulator, builtin op);
kernels::runner_maker single_pass_wide(type accumulator, builtin op);
kernels::runner_maker single_pass_real(type accumulator, builtin op);
kernels::runner_maker single_pass_pair(type accumulator, builtin op);

// One a file, each with the kernels of its entries.
std::vector<entry> production();
std::vector<entry> block_algorithms();
std::vector<entry> grid_algorithms();
std::vector<entry> peers();

}  // namespace upsweep::cuda

#endif
