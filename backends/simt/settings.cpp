// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/settings.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "upsweep/error.hpp"

namespace upsweep::simt {

namespace {

[[noreturn]] void refuse(std::string_view key, std::string_view value, std::string_view wanted) {
  throw error(errc::invalid_argument, "UPSWEEP_SIMT: " + std::string(key) + "=" +
                                          std::string(value) + " is not " + std::string(wanted));
}

template <class N>
void parse(std::string_view key, std::string_view value, N least, N& into) {
  N n{};
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), n);
  if (status != std::errc{} || end != value.data() + value.size() || n < least)
    refuse(key, value, "a number of at least " + std::to_string(least));
  into = n;
}

void set(settings& s, std::string_view key, std::string_view value) {
  if (key == "seed") {
    parse(key, value, std::uint64_t{0}, s.device.seed);
  } else if (key == "order") {
    if (value == "fifo")
      s.device.order = schedule::fifo;
    else if (value == "reverse")
      s.device.order = schedule::reverse;
    else if (value == "random")
      s.device.order = schedule::random;
    else
      refuse(key, value, "fifo, reverse or random");
  } else if (key == "resident") {
    parse(key, value, 1, s.device.resident);
  } else if (key == "preempt") {
    parse(key, value, 0, s.device.preempt);
  } else if (key == "patience") {
    parse(key, value, 1, s.device.patience);
  } else if (key == "threads") {
    parse(key, value, 0, s.threads);
    const bool fit =
        s.threads >= 32 && s.threads <= 1024 && std::has_single_bit(unsigned(s.threads));
    if (s.threads != 0 && !fit) refuse(key, value, "0 or a power of two from 32 to 1024");
  } else {
    refuse(key, value, "a setting: seed, order, resident, preempt, patience and threads are");
  }
}

}  // namespace

settings settings_from_environment() {
  settings s;
  const char* const text = std::getenv("UPSWEEP_SIMT");
  std::string_view rest = text != nullptr ? text : "";
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t equals = std::min(item.find('='), item.size());
    set(s, item.substr(0, equals), item.substr(std::min(equals + 1, item.size())));
  }
  return s;
}

}  // namespace upsweep::simt
