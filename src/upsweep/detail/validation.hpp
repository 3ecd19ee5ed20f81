// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_DETAIL_VALIDATION_HPP
#define UPSWEEP_DETAIL_VALIDATION_HPP

#include "upsweep/detail/backend.hpp"

namespace upsweep::detail {

// Rules of docs/semantics.md, checked once, at the boundary. Both throw upsweep::error.
void validate(const spec& what, const extents& at_most);
request validate(const spec& what, const extents& at_most, const arguments& a, bool writes_output);

}  // namespace upsweep::detail

#endif
