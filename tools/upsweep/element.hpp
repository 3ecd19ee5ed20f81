// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_COMMAND_ELEMENT_HPP
#define UPSWEEP_COMMAND_ELEMENT_HPP

#include <cstddef>

#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep::command {

// How an element lies in memory and in files: one real scalar, or two for a complex number (re, im)
// and for an affine pair (a, u).
struct element {
  type scalar;
  int scalars;
  std::size_t size() const { return size_of(scalar) * static_cast<std::size_t>(scalars); }
};

inline element element_of(type t, builtin op) {
  if (t == type::c64) return {type::f32, 2};
  if (t == type::c128) return {type::f64, 2};
  return {t, op == builtin::affine ? 2 : 1};
}

}  // namespace upsweep::command

#endif
