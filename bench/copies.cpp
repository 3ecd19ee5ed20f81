// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that move as many bytes as a scan does: what memory allows.
#define HWY_COMPILE_ONLY_STATIC  // this file is built for the machine it runs on
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "bench/harness.hpp"

namespace upsweep::bench {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t line = 64;

using copy_function = void (*)(const std::byte* in, std::byte* out, std::size_t size);

void plain_copy(const std::byte* in, std::byte* out, std::size_t size) {
  std::memcpy(out, in, size);
}

// Stores that bypass the caches. `out` is aligned to a line.
void streaming_copy(const std::byte* in, std::byte* out, std::size_t size) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d), whole = size / lanes * lanes;
  const auto* from = reinterpret_cast<const std::uint8_t*>(in);
  auto* to = reinterpret_cast<std::uint8_t*>(out);
  for (std::size_t i = 0; i < whole; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  hwy::FlushStream();
  std::memcpy(to + whole, from + whole, size - whole);
}

void in_parallel(copy_function copy, const std::byte* in, std::byte* out, std::size_t size,
                 int threads) {
  if (threads == 1) return copy(in, out, size);
  const std::size_t share = (size / static_cast<std::size_t>(threads) + line - 1) / line * line;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) {
    const std::size_t first = std::min(size, static_cast<std::size_t>(t) * share);
    copy(in + first, out + first, std::min(share, size - first));
  }
}

template <class Case>
void enlist_copy(const char* name, copy_function copy) {
#ifdef UPSWEEP_BENCH_OPENMP
  const std::vector<int> teams = team_sizes();
#else
  const std::vector<int> teams{1};
#endif
  enlist<Case>(
      name, teams,
      [copy](std::int64_t n, int threads) -> scan_call<Case> {
        return [=](auto* in, auto* out) {
          in_parallel(copy, reinterpret_cast<const std::byte*>(in),
                      reinterpret_cast<std::byte*>(out), traffic<Case>(n) / 2, threads);
        };
      },
      result::copy);
}

}  // namespace

void add_copies() {
  for_each_case([]<class Case>(Case) {
    enlist_copy<Case>("memcpy", plain_copy);
    enlist_copy<Case>("nt_copy", streaming_copy);
  });
}

}  // namespace upsweep::bench
