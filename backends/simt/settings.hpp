// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_SIMT_SETTINGS_HPP
#define UPSWEEP_BACKENDS_SIMT_SETTINGS_HPP

// How the simt backends run, from the environment: UPSWEEP_SIMT, a list of key=value with commas
// between. Keys: seed, order (fifo, reverse, random), resident, preempt, patience, threads (of a
// block; a power of two from 32 to 1024, or 0: as many as on a GPU), units (of simt.single_pass:
// order1, or small, of which a short scan fills many, and which give other bits).

#include "backends/simt/device.hpp"

namespace upsweep::simt {

struct settings {
  options device;
  int threads = 64;
  bool small_units = false;
};

// Throws upsweep::error (invalid_argument) that names the key and the value.
settings settings_from_environment();

}  // namespace upsweep::simt

#endif
