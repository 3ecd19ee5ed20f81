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
  fp_environment() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~fp_environment() { _mm_setcsr(saved_); }
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
  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace upsweep::detail

#endif
