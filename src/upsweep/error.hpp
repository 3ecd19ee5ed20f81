// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_ERROR_HPP
#define UPSWEEP_ERROR_HPP

#include <stdexcept>
#include <string>

#include "upsweep/export.hpp"

namespace upsweep {

// Why a call failed. The message of the error names the argument and the value.
enum class errc {
  invalid_argument = 1,  // an argument breaks a rule of docs/semantics.md
  unsupported,           // a valid scan that the chosen backend does not serve
  unknown_backend,       // no backend has that name
  unavailable,           // the backend is known, but not in this build or not on this machine
  busy,                  // the plan is running on another thread
  out_of_memory,         // host or device memory ran out
  device,                // the device or its driver reported a failure
};

// The one exception of the library, beside std::bad_alloc where a name or a message does not fit
// into memory. An error found before work began leaves every output untouched.
class UPSWEEP_API error : public std::runtime_error {
 public:
  error(errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
  errc code() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace upsweep

#endif
