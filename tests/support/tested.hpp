// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_TESTED_HPP
#define UPSWEEP_TESTS_SUPPORT_TESTED_HPP

// A test program tests one family of backends: tested.cpp is built once a family, so that all else
// is compiled once.

#include <string>
#include <vector>

#include "upsweep/backends.hpp"

namespace upsweep::testing {

// The family's backends in this build, available or not.
std::vector<backend_info> tested_backends();

// Those of them that are a naive scan, too slow for large arrays, or those that are not.
std::vector<backend_info> tested_backends(bool naive);

// Those of them that are production backends, or the others.
std::vector<backend_info> of_role(bool production);

// The names of those that can run here.
std::vector<std::string> available_backends();

}  // namespace upsweep::testing

#endif
