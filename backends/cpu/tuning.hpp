// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_TUNING_HPP
#define UPSWEEP_BACKENDS_CPU_TUNING_HPP

#include <string>

#include "backends/cpu/policy.hpp"

namespace upsweep::cpu {

// Replaces what the file at `path` gives of a policy: a line `key = value` each, # before a
// comment, keys parallel_from, block and stream_stores_from in bytes. Throws upsweep::error
// (invalid_argument) naming file, line, key and value; `p` is then as it was.
void read_tuning(const std::string& path, policy& p);

}  // namespace upsweep::cpu

#endif
