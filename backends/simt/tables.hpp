// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_SIMT_TABLES_HPP
#define UPSWEEP_BACKENDS_SIMT_TABLES_HPP

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kernels/runner.hpp"
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

// One a file, each with the kernels of its entries.
std::vector<entry> textbook_algorithms();

}  // namespace upsweep::simt

#endif
