// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_STREAMING_HPP
#define UPSWEEP_BACKENDS_CPU_STREAMING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace upsweep::cpu {

// Copies past the caches: the output of a scan larger than they are need not be read before it is
// written. Only whole lines go past them. stream_fence() must follow before another thread reads.
// `next`, unless null, is what will be read from memory later: fetched between the stores, so that
// memory reads while it writes.
inline void stream_copy(void* to, const void* from, std::size_t bytes,
                        [[maybe_unused]] const void* next) {
  auto* t = static_cast<std::byte*>(to);
  const auto* f = static_cast<const std::byte*>(from);
#if defined(__SSE2__)
  constexpr std::size_t line = 64;
  const std::size_t head = std::min(bytes, (0 - reinterpret_cast<std::uintptr_t>(t)) % line);
  std::memcpy(t, f, head);
  t += head;
  f += head;
  auto ahead = reinterpret_cast<std::uintptr_t>(next);  // it may pass the end of an array
  for (bytes -= head; bytes >= line; bytes -= line, t += line, f += line) {
    const auto* x = reinterpret_cast<const __m128i*>(f);
    auto* y = reinterpret_cast<__m128i*>(t);
    const __m128i a = _mm_loadu_si128(x), b = _mm_loadu_si128(x + 1);
    const __m128i c = _mm_loadu_si128(x + 2), d = _mm_loadu_si128(x + 3);
    if (next != nullptr) _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T0);
    ahead += line;
    _mm_stream_si128(y, a);
    _mm_stream_si128(y + 1, b);
    _mm_stream_si128(y + 2, c);
    _mm_stream_si128(y + 3, d);
  }
#endif
  std::memcpy(t, f, bytes);
}

inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace upsweep::cpu

#endif
