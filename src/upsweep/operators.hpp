// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_OPERATORS_HPP
#define UPSWEEP_OPERATORS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/export.hpp"
#include "upsweep/types.hpp"

namespace upsweep {

// The operators that the library brings; `none` marks a user operator.
enum class builtin : std::uint8_t {
  none,
  sum,
  product,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,
  logical_and,
  logical_or,
  affine,
  log_add_exp
};

UPSWEEP_API std::string_view name_of(builtin id) noexcept;

// Combines two values of a user type: *result = *left op *right. `result` may alias an argument.
using combine_function = void (*)(void* context, const void* left, const void* right, void* result);

// What the scan combines with. Associative; need not be commutative. It is called only on input
// values, init and results, in order, any number of times. A built-in is complete by its id; a user
// operator gives its value type, and a callback (CPU) or CUDA source text (GPU).
struct operator_descriptor {
  builtin id = builtin::sum;
  std::string name{};
  std::size_t size = 0;                // bytes of a user value
  std::size_t alignment = 0;           // of a user value
  std::vector<std::byte> identity{};   // two-sided identity of a user operator, or empty
  bool commutative = false;            // of a user operator
  bool exact = false;                  // of a user operator: any association gives the same bits
  combine_function combine = nullptr;  // callback, called with `context`
  void* context = nullptr;
  std::string source{};  // CUDA C++ text

  // What makes two operators one and the same; the name is for people only.
  friend bool operator==(const operator_descriptor& a, const operator_descriptor& b) {
    return a.id == b.id && a.size == b.size && a.alignment == b.alignment &&
           a.identity == b.identity && a.commutative == b.commutative && a.exact == b.exact &&
           a.combine == b.combine && a.context == b.context && a.source == b.source;
  }
};

// Tags of the built-in operators, for the typed calls and for spec::op.
template <builtin Id>
struct builtin_tag {
  static constexpr builtin id = Id;
  operator operator_descriptor() const { return operator_descriptor{.id = Id}; }
};

struct sum : builtin_tag<builtin::sum> {};                  // numbers; complex by component
struct product : builtin_tag<builtin::product> {};          // numbers; complex (ac - bd, ad + bc)
struct minimum : builtin_tag<builtin::minimum> {};          // real; NaN wins, -0.0 below +0.0
struct maximum : builtin_tag<builtin::maximum> {};          // real; NaN wins, -0.0 below +0.0
struct bit_and : builtin_tag<builtin::bit_and> {};          // integers
struct bit_or : builtin_tag<builtin::bit_or> {};            // integers
struct bit_xor : builtin_tag<builtin::bit_xor> {};          // integers
struct logical_and : builtin_tag<builtin::logical_and> {};  // integers; results are 0 or 1
struct logical_or : builtin_tag<builtin::logical_or> {};    // integers; results are 0 or 1
struct log_add_exp : builtin_tag<builtin::log_add_exp> {};  // f32, f64: log(exp a + exp b)

// Composition of affine maps on u32, f32 and f64: (a, u) op (b, v) = (a * b, b * u + v). It solves
// h[i] = b[i] * h[i-1] + v[i] (G. E. Blelloch, Prefix Sums and Their Applications, 1990, 1.4).
struct affine : builtin_tag<builtin::affine> {};

}  // namespace upsweep

#endif
