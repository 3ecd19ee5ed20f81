// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"
#include "upsweep/backends.hpp"

namespace upsweep::command {

namespace {

std::string json_string(const std::string& s) {
  std::string text = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < ' ' ? fmt::format("\\u{:04x}", c) : std::string(1, c);
  }
  return text + '"';
}

void list_json(const std::vector<backend_info>& all) {
  const char* separator = "[\n";
  for (const backend_info& b : all) {
    fmt::print(
        "{}  {{\"name\": {}, \"role\": {}, \"deterministic\": {}, \"known\": true, \"compiled\": "
        "{}, "
        "\"available\": {}, \"reason\": {}}}",
        separator, json_string(b.name), json_string(name_of(b.role)), b.deterministic, b.compiled,
        b.available, json_string(b.reason));
    separator = ",\n";
  }
  fmt::print("\n]\n");
}

void list_table(const std::vector<backend_info>& all) {
  std::size_t width = 0;
  for (const backend_info& b : all) width = std::max(width, b.name.size());
  const auto yes = [](bool b) { return b ? "yes" : "no"; };
  const auto line = [&](auto... columns) {
    fmt::print("{:<{}}  {:<10}  {:<13}  {:<8}  {:<9}  {}\n", columns...);
  };
  line("backend", width, "role", "deterministic", "compiled", "available", "why not");
  for (const backend_info& b : all)
    line(b.name, width, name_of(b.role), yes(b.deterministic), yes(b.compiled), yes(b.available),
         b.reason.empty() ? "-" : b.reason);
}

}  // namespace

void list(bool json) { json ? list_json(backends()) : list_table(backends()); }

}  // namespace upsweep::command
