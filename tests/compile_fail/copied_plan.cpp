// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deleted
#include <upsweep/upsweep.hpp>

upsweep::plan f(const upsweep::plan& p) { return p; }
