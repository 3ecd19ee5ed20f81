// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/types.hpp"

#include "upsweep/operators.hpp"

namespace upsweep {

namespace {

struct row {
  std::string_view name;
  std::size_t size, alignment;
};

constexpr row rows[] = {{"i8", 1, 1},  {"u8", 1, 1},    {"i16", 2, 2}, {"u16", 2, 2},
                        {"i32", 4, 4}, {"u32", 4, 4},   {"i64", 8, 8}, {"u64", 8, 8},
                        {"f16", 2, 2}, {"bf16", 2, 2},  {"f32", 4, 4}, {"f64", 8, 8},
                        {"c64", 8, 4}, {"c128", 16, 8}, {"user", 0, 1}};

constexpr std::string_view builtin_names[] = {
    "user",   "sum",     "product",     "minimum",    "maximum", "bit_and",
    "bit_or", "bit_xor", "logical_and", "logical_or", "affine",  "log_add_exp"};

}  // namespace

std::size_t size_of(type t) noexcept { return rows[static_cast<std::size_t>(t)].size; }
std::size_t alignment_of(type t) noexcept { return rows[static_cast<std::size_t>(t)].alignment; }
std::string_view name_of(type t) noexcept { return rows[static_cast<std::size_t>(t)].name; }
std::string_view name_of(builtin id) noexcept {
  return builtin_names[static_cast<std::size_t>(id)];
}

}  // namespace upsweep
