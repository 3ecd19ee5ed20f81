// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/tuning.hpp"

#include <charconv>
#include <fstream>
#include <set>
#include <string_view>

#include "upsweep/error.hpp"

namespace upsweep::cpu {

namespace {

std::string_view trimmed(std::string_view s) {
  constexpr const char* blank = " \t\r";
  const auto first = s.find_first_not_of(blank);
  return first == s.npos ? "" : s.substr(first, s.find_last_not_of(blank) + 1 - first);
}

// A number of the policy by its name in the file, and the least value that makes sense.
struct constant {
  std::string_view key;
  std::int64_t policy::*value;
  std::int64_t least;
};
constexpr constant constants[] = {{"parallel_from", &policy::parallel_from, 0},
                                  {"block", &policy::block, 1},
                                  {"stream_stores_from", &policy::stream_stores_from, 0}};

}  // namespace

void read_tuning(const std::string& path, policy& p) {
  std::ifstream file(path);
  const auto refuse = [&](const std::string& why) {
    throw error(errc::invalid_argument, "UPSWEEP_TUNING: " + path + why);
  };
  policy tuned = p;
  std::set<std::string> seen;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string_view given = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (given.empty()) continue;
    const std::string at = ":" + std::to_string(number) + ": '" + std::string(given) + "' ";
    const auto equals = given.find('=');
    if (equals == given.npos) refuse(at + "is not key = value");
    const std::string_view key = trimmed(given.substr(0, equals));
    const std::string_view text = trimmed(given.substr(equals + 1));
    const constant* known = nullptr;
    for (const constant& c : constants)
      if (c.key == key) known = &c;
    if (known == nullptr)
      refuse(at + "has no key of a tuning: parallel_from, block and stream_stores_from are");
    if (!seen.emplace(key).second) refuse(at + "gives a key again");
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size() || value < known->least)
      refuse(at + "is not a number of bytes of at least " + std::to_string(known->least));
    tuned.*known->value = value;
  }
  if (!file.eof()) refuse(": cannot be read");
  std::string keys;
  for (const constant& c : constants)
    if (seen.contains(std::string(c.key))) keys += (keys.empty() ? "" : ", ") + std::string(c.key);
  if (!keys.empty()) tuned.tuning = "UPSWEEP_TUNING (" + path + ") gives " + keys;
  p = tuned;
}

}  // namespace upsweep::cpu
