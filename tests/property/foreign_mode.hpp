// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_PROPERTY_FOREIGN_MODE_HPP
#define UPSWEEP_TESTS_PROPERTY_FOREIGN_MODE_HPP

#include <array>
#include <cfenv>
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace upsweep::testing {

// One of many modes of the floating-point unit, as a caller of the library may have set it:
// rounding, flush to zero, denormals are zero. It lasts until this goes out of scope.
class foreign_mode {
 public:
#if defined(__SSE2__)
  explicit foreign_mode(std::uint64_t which) : before_(_mm_getcsr()) {
    constexpr unsigned all_masked = 0x1f80, flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
    mode_ = all_masked | static_cast<unsigned>(which % 4) << 13 |
            ((which & 4) != 0 ? flush_to_zero : 0) | ((which & 8) != 0 ? denormals_are_zero : 0);
    _mm_setcsr(mode_);
  }
  ~foreign_mode() { _mm_setcsr(before_); }
  // Whether the mode is still set; exception flags may change.
  bool kept() const { return (_mm_getcsr() & ~0x3fu) == mode_; }

 private:
  unsigned before_, mode_;
#else
  explicit foreign_mode(std::uint64_t which) : before_(std::fegetround()) {
    constexpr std::array modes{FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    mode_ = modes[which % 4];
    std::fesetround(mode_);
  }
  ~foreign_mode() { std::fesetround(before_); }
  bool kept() const { return std::fegetround() == mode_; }

 private:
  int before_, mode_;
#endif
};

}  // namespace upsweep::testing

#endif
