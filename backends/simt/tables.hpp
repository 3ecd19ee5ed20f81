// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_SIMT_TABLES_HPP
#define UPSWEEP_BACKENDS_SIMT_TABLES_HPP

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kernels/runner.hpp"
#include "backends/kernels/single_pass_options.hpp"
#include "backends/simt/settings.hpp"

namespace upsweep::simt {

// An algorithm under the name of a backend.
struct entry {
  std::string_view name;
  // Why it does not serve a scan of up to n elements, or nothing; whatever the settings are.
  std::function<std::string(const spec& what, std::int64_t n)> refusal;
  std::function<std::unique_ptr<kernels::runner>(const spec& what, std::int64_t n,
                                                 const settings& how)>
      make;
};

// Of one operator and type of accumulators, each file with the kernels of some; else nullptr.
// small_units: not order 1, but units of which a short scan fills many; in checked builds alone,
// since each size of units takes minutes to compile with a sanitizer.
kernels::runner_maker single_pass_narrow(type accumulator, builtin op, bool small_units);
kernels::runner_maker single_pass_wide(type accumulator, builtin op, bool small_units);
kernels::runner_maker single_pass_real(type accumulator, builtin op, bool small_units);
kernels::runner_maker single_pass_pair(type accumulator, builtin op, bool small_units);

// One a file, each with the kernels of its entries.
std::vector<entry> production();
std::vector<entry> textbook_algorithms();

}  // namespace upsweep::simt

#endif
