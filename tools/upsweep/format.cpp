// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format.hpp"

#include <filesystem>
#include <string>

namespace upsweep::command {

namespace {

struct row {
  std::string_view name;
  format is;
};

constexpr row names[] = {{"npy", format::npy}, {"raw", format::raw}, {"text", format::text}};
constexpr row extensions[] = {
    {".npy", format::npy},  {".raw", format::raw},  {".bin", format::raw},  {".dat", format::raw},
    {".txt", format::text}, {".csv", format::text}, {".text", format::text}};

template <std::size_t N>
std::optional<format> find(const row (&rows)[N], std::string_view name) {
  for (const row& r : rows)
    if (r.name == name) return r.is;
  return std::nullopt;
}

}  // namespace

std::optional<format> format_named(std::string_view name) { return find(names, name); }

std::optional<format> format_by_extension(std::string_view path) {
  return find(extensions, std::filesystem::path(path).extension().string());
}

}  // namespace upsweep::command
