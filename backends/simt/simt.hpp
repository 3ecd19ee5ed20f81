// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_SIMT_SIMT_HPP
#define UPSWEEP_BACKENDS_SIMT_SIMT_HPP

// For the registry: simt.X, every kernel of ours on CPU fibers.

#include <string_view>

#include "upsweep/detail/backend.hpp"

namespace upsweep::simt {

// The backend of a name, "simt.chained"; nullptr: the family lacks it.
const detail::backend* find(std::string_view name);

}  // namespace upsweep::simt

#endif
