// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_SETTING_HPP
#define UPSWEEP_KERNELS_SETTING_HPP

// Settings in an environment variable: a list of key=value with commas between. Errors name the
// variable, the key and the value (upsweep::error, invalid_argument).

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "upsweep/error.hpp"

namespace upsweep::detail {

struct setting {
  std::string_view variable, key, value;

  [[noreturn]] void refuse(std::string_view wanted) const {
    throw error(errc::invalid_argument, std::string(variable) + ": " + std::string(key) + "=" +
                                            std::string(value) + " is not " + std::string(wanted));
  }

  template <class N>
  N number(N least) const {
    N n{};
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (status != std::errc{} || end != value.data() + value.size() || n < least)
      refuse("a number of at least " + std::to_string(least));
    return n;
  }
};

template <class Each>
void for_each_setting(const char* variable, Each&& each) {
  const char* const text = std::getenv(variable);
  std::string_view rest = text != nullptr ? text : "";
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t equals = std::min(item.find('='), item.size());
    each(setting{variable, item.substr(0, equals), item.substr(std::min(equals + 1, item.size()))});
  }
}

}  // namespace upsweep::detail

#endif
