// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_DETAIL_SELECTION_HPP
#define UPSWEEP_DETAIL_SELECTION_HPP

#include <string>
#include <string_view>

#include "upsweep/detail/backend.hpp"

namespace upsweep::detail {

struct selection {
  const registration* chosen = nullptr;
  std::string why{};
};

// The backend for this scan: by the name given, else by UPSWEEP_BACKEND, else the first production
// backend that is available where the data live and serves the scan. Throws upsweep::error.
selection select(const spec& what, const extents& at_most, const plan_options& options);

// Probes of a process, each made once.
const availability& availability_of(const registration& r);

}  // namespace upsweep::detail

#endif
