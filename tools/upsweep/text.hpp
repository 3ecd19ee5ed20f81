// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_COMMAND_TEXT_HPP
#define UPSWEEP_COMMAND_TEXT_HPP

// Elements as text: one real number, or two with a comma between them (re,im or a,u).

#include <cstddef>
#include <string>
#include <string_view>

#include "element.hpp"

namespace upsweep::command {

// `s` in quotes for a message: cut at 40 characters, what does not print shown as \x1b.
std::string shown(std::string_view s);

// Parses `s` into the bytes at `to`. Integers are decimal or 0x hexadecimal; floats also take
// hexadecimal floats, nan and inf, and round to nearest even. Spaces around a number are skipped.
// Errors: `failure`, its message without a subject: "'1e' is no f32 number".
void parse_element(std::string_view s, element e, std::byte* to);

// Appends the element at `from`, in the fewest digits that parse_element reads back exactly.
void format_element(const std::byte* from, element e, std::string& to);

}  // namespace upsweep::command

#endif
