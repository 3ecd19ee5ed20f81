// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_UPSWEEP_HPP
#define UPSWEEP_UPSWEEP_HPP

// The whole C++ interface.
#include "upsweep/backends.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/order.hpp"
#include "upsweep/plan.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/spec.hpp"
#include "upsweep/types.hpp"
#include "upsweep/value.hpp"

#endif
