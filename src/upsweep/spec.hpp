// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_SPEC_HPP
#define UPSWEEP_SPEC_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"
#include "upsweep/value.hpp"

namespace upsweep {

class state;

enum class kind : std::uint8_t { inclusive, exclusive };
using enum kind;

// reverse means flip(scan(flip(x))): the accumulated value is the left operand, init joins first.
enum class direction : std::uint8_t { forward, reverse };
using enum direction;

// How an affine scan gets its elements. pair: `in` holds (coefficient, offset) pairs, and so does
// `out`. split: `coefficients` and `in` (the offsets) are two arrays, and `out` is h alone.
enum class affine_form : std::uint8_t { pair, split };

// flat: one sequence. axis: every row of an outer x length x inner array. The others are segments
// of one sequence, given by offsets, by head flags, or by runs of equal keys.
enum class layout : std::uint8_t { flat, axis, offsets, head_flags, keys };

// ordered: order 1 of docs/numerics.md. compensated: sums with error compensation.
enum class accuracy : std::uint8_t { ordered, compensated };

// What is computed.
struct spec {
  type in = type::f32;
  type out = in;  // must represent every value of `in`; values are combined in this type
  operator_descriptor op{};
  upsweep::kind kind = kind::inclusive;
  upsweep::direction direction = direction::forward;
  upsweep::affine_form affine = affine_form::pair;
  upsweep::layout layout = layout::flat;
  upsweep::accuracy accuracy = accuracy::ordered;

  friend bool operator==(const spec&, const spec&) = default;
};

// How much at most: a plan's runs may be shorter, never longer.
struct extents {
  std::int64_t length = 0;    // elements (pairs, for affine) of the sequence or of a row
  std::int64_t outer = 1;     // axis: rows before ...
  std::int64_t inner = 1;     // ... and inside the scanned axis
  std::int64_t segments = 0;  // segments by offsets

  friend bool operator==(const extents&, const extents&) = default;
};

// One run: pointers, lengths, init. Pointers need the element's own alignment. `in` and `out` may
// be the same pointer if elements have the same size; any other overlap of an output is refused.
struct arguments {
  const void* in = nullptr;
  void* out = nullptr;
  std::int64_t length = 0;          // elements
  value init{};                     // the prefix before element 0, for inclusive scans too
  const void* init_device{};        // or: the init in device memory, of the accumulator type
  void* total = nullptr;            // one output element: init combined with all elements
  upsweep::state* state = nullptr;  // resume here, and leave there the state after this run
  const void* coefficients{};       // split affine: the multipliers, as long as `in`

  // Layouts other than flat.
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  std::array<std::int64_t, 3> in_strides{};   // elements, of (outer, length, inner); all 0: dense
  std::array<std::int64_t, 3> out_strides{};  // likewise
  std::int64_t segments = 0;
  const std::int64_t* offsets = nullptr;  // segments + 1 values
  const std::uint8_t* flags = nullptr;    // non-zero where a segment starts
  const void* keys = nullptr;
  std::size_t key_size = 0;  // bytes of a key

  void* stream = nullptr;  // cudaStream_t, for device memory
};

}  // namespace upsweep

#endif
