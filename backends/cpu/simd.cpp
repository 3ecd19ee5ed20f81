// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/simd.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "hwy/targets.h"
#include "upsweep/error.hpp"

namespace upsweep::cpu {

namespace {

struct named_target {
  std::string_view name;
  simd_target target;
};

// Compiled targets, best first; the plain C++ of generic_kernel runs anywhere.
constexpr named_target compiled[] = {
#if HWY_TARGETS & HWY_AVX3
    {"avx512", HWY_AVX3},
#endif
#if HWY_TARGETS & HWY_AVX2
    {"avx2", HWY_AVX2},
#endif
#if HWY_TARGETS & HWY_SSE4
    {"sse4", HWY_SSE4},
#endif
#if HWY_TARGETS & HWY_NEON
    {"neon", HWY_NEON},
#endif
    {"scalar", 0},
};

bool supported(simd_target t) { return t == 0 || (hwy::SupportedTargets() & t) != 0; }

}  // namespace

simd_target choose_simd_target() {
  const char* env = std::getenv("UPSWEEP_CPU_TARGET");
  const std::string_view wanted = env == nullptr ? "" : env;
  std::string names;
  for (const auto& [name, target] : compiled) {
    if (wanted.empty() ? supported(target) : wanted == name) {
      if (supported(target)) return target;
      throw error(errc::unavailable,
                  "UPSWEEP_CPU_TARGET: this machine lacks '" + std::string(name) + "'");
    }
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw error(errc::unavailable, "UPSWEEP_CPU_TARGET: '" + std::string(wanted) +
                                     "' is not compiled in; this build has " + names);
}

void flush_streamed() { hwy::FlushStream(); }

}  // namespace upsweep::cpu
