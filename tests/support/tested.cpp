// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/support/tested.hpp"

namespace upsweep::testing {

std::vector<backend_info> tested_backends() {
  std::vector<backend_info> all = backends();
  std::erase_if(all, [](const backend_info& b) {
    return !b.compiled || !b.name.starts_with(UPSWEEP_TESTED_FAMILY);
  });
  return all;
}

std::vector<backend_info> tested_backends(bool naive) {
  std::vector<backend_info> some = tested_backends();
  std::erase_if(some, [=](const backend_info& b) { return b.name.ends_with(".naive") != naive; });
  return some;
}

std::vector<backend_info> of_role(bool production) {
  std::vector<backend_info> some = tested_backends();
  std::erase_if(some,
                [=](const backend_info& b) { return (b.role == role::production) != production; });
  return some;
}

std::vector<std::string> available_backends() {
  std::vector<std::string> names;
  for (const backend_info& b : tested_backends())
    if (b.available) names.push_back(b.name);
  return names;
}

}  // namespace upsweep::testing
