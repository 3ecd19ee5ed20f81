// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_COMMAND_FORMAT_HPP
#define UPSWEEP_COMMAND_FORMAT_HPP

#include <optional>
#include <string_view>

namespace upsweep::command {

// npy: one NumPy array. raw: little-endian elements, nothing else. text: one element a line.
enum class format { npy, raw, text };

// "npy", "raw", "text".
std::optional<format> format_named(std::string_view name);

// What the extension of a file name says; nothing if it is none of ours.
std::optional<format> format_by_extension(std::string_view path);

}  // namespace upsweep::command

#endif
