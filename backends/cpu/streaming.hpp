// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_STREAMING_HPP
#define UPSWEEP_BACKENDS_CPU_STREAMING_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace upsweep::cpu {

inline constexpr std::size_t cache_line = 64;

inline bool starts_a_line(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) % cache_line == 0;
}

// Copies past the caches, whole lines at a time: the output of a scan larger than the caches need
// not be read before it is written. stream_fence() must follow before another thread reads it.
inline void stream_copy(void* to, const void* from, std::size_t bytes) {
#if defined(__SSE2__)
  if (starts_a_line(to)) {
    const std::size_t lines = bytes / cache_line;
    const auto* f = static_cast<const __m128i*>(from);
    auto* t = static_cast<__m128i*>(to);
    for (std::size_t i = 0; i < lines; ++i, f += 4, t += 4) {
      const __m128i a = _mm_loadu_si128(f), b = _mm_loadu_si128(f + 1);
      const __m128i c = _mm_loadu_si128(f + 2), d = _mm_loadu_si128(f + 3);
      _mm_stream_si128(t, a);
      _mm_stream_si128(t + 1, b);
      _mm_stream_si128(t + 2, c);
      _mm_stream_si128(t + 3, d);
    }
    to = t;
    from = f;
    bytes %= cache_line;
  }
#endif
  std::memcpy(to, from, bytes);
}

inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace upsweep::cpu

#endif
