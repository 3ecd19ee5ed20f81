// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_DETAIL_FP_ENVIRONMENT_HPP
#define UPSWEEP_DETAIL_FP_ENVIRONMENT_HPP

#include <cfenv>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace upsweep::detail {

// Round to nearest, denormals kept, no traps, for as long as it lives; then the caller's own again,
// status flags included. One on every thread that computes.
class fp_environment {
 public:
#if defined(__SSE2__)
  // Writing the register takes longer than a short scan, so it is done for a change only. Status
  // flags change no result: they need no write of their own at the start; the caller's come back at
  // the end.
  fp_environment() : saved_(_mm_getcsr()) {
    constexpr unsigned mode = 0x1f80, flags = 0x3f;
    set(mode | (saved_ & flags));
  }
  ~fp_environment() { set(saved_); }
#else
  fp_environment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~fp_environment() { std::fesetenv(&saved_); }
#endif
  fp_environment(const fp_environment&) = delete;
  fp_environment& operator=(const fp_environment&) = delete;

 private:
#if defined(__SSE2__)
  static void set(unsigned mode) {
    if (_mm_getcsr() != mode) _mm_setcsr(mode);
  }

  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace upsweep::detail

#endif
