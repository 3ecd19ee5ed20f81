// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_TESTED_HPP
#define UPSWEEP_TESTS_SUPPORT_TESTED_HPP

#include <string>
#include <vector>

#include "upsweep/backends.hpp"

// A test program tests one family of backends: the CPU's, if the build does not say otherwise.
#ifndef UPSWEEP_TESTED_FAMILY
#define UPSWEEP_TESTED_FAMILY "cpu."
#endif

namespace upsweep::testing {

// The family's backends in this build, available or not.
inline std::vector<backend_info> tested_backends() {
  std::vector<backend_info> all = backends();
  std::erase_if(all, [](const backend_info& b) {
    return !b.compiled || !b.name.starts_with(UPSWEEP_TESTED_FAMILY);
  });
  return all;
}

// Those of them that are a naive scan, too slow for large arrays, or those that are not.
inline std::vector<backend_info> tested_backends(bool naive) {
  std::vector<backend_info> some = tested_backends();
  std::erase_if(some, [=](const backend_info& b) { return b.name.ends_with(".naive") != naive; });
  return some;
}

// Those of them that are production backends, or the others.
inline std::vector<backend_info> of_role(bool production) {
  std::vector<backend_info> some = tested_backends();
  std::erase_if(some,
                [=](const backend_info& b) { return (b.role == role::production) != production; });
  return some;
}

// The names of those that can run here.
inline std::vector<std::string> available_backends() {
  std::vector<std::string> names;
  for (const backend_info& b : tested_backends())
    if (b.available) names.push_back(b.name);
  return names;
}

}  // namespace upsweep::testing

#endif
