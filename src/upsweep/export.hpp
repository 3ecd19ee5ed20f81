// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_EXPORT_HPP
#define UPSWEEP_EXPORT_HPP

// What a shared build of the library exports; everything else is hidden.
#if defined(__GNUC__) || defined(__clang__)
#define UPSWEEP_API __attribute__((visibility("default")))
#else
#define UPSWEEP_API
#endif

#endif
