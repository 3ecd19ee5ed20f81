// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_HPP
#define UPSWEEP_BACKENDS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/export.hpp"

namespace upsweep {

// production: fast, order 1, what auto chooses. textbook: an algorithm to read and to measure.
// reference: the loop that the others are compared with. peer: another library behind our
// interface.
enum class role : std::uint8_t { production, textbook, reference, peer };

struct backend_info {
  std::string name;  // "cpu.openmp"
  upsweep::role role{};
  bool deterministic{};  // the same bits in every run, float sums included
  bool compiled{};       // in this build
  bool available{};      // on this machine, now
  std::string reason;    // why it is not compiled in or not available; else empty
};

// Every backend that the library knows, compiled in or not, in order of preference.
// Safe from any thread. Errors: none.
UPSWEEP_API std::vector<backend_info> backends();

UPSWEEP_API const char* name_of(role r) noexcept;

// The version of the library: "0.1.0".
UPSWEEP_API const char* version() noexcept;

}  // namespace upsweep

#endif
