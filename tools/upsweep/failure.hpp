// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_COMMAND_FAILURE_HPP
#define UPSWEEP_COMMAND_FAILURE_HPP

#include <stdexcept>

namespace upsweep::command {

enum exit_code { success = 0, failed = 1, misused = 2 };

// The data, a file or the machine made the command fail: exit code 1.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The command line asks for something that cannot be: exit code 2.
struct misuse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace upsweep::command

#endif
