// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether ASan or TSan instruments this build: they take memory and time of their own.
#pragma once

namespace upsweep::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitised = true;
#elif defined(__has_feature)
inline constexpr bool sanitised =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitised = false;
#endif

}  // namespace upsweep::testing
