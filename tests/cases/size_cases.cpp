// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports about sizes and the borders of blocks: B01 to B21, B51, B99.
#include <malloc.h>

#include <cstdint>

#include "reported.hpp"

namespace upsweep::testing {
namespace {

constexpr std::int64_t tile = order1::tile(4), super = order1::super(4), group = order1::group(4);

const auto one = [](std::int64_t) { return 1; };
const auto count = [](std::int64_t m) { return m; };

// NVIDIA/cub#221: the size of the workspace overflows near 2^31 elements.
TEST_F(cases, B01) {
  const auto allocated = [] {
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
  };
  for (const std::string& backend : available_backends())
    for (const std::int64_t n :
         {2147483647LL, 2147483637LL, 2147483547LL, 2147383647LL, 1LL << 31, (1LL << 32) + 1}) {
      if (!serves(backend, {.op = minimum{}}, n)) continue;
      const std::size_t before = allocated();
      const plan p({.op = minimum{}}, {.length = n}, {.backend = backend, .threads = 4});
      EXPECT_LE(allocated() - before, static_cast<std::size_t>(n) / 64 + (1 << 20)) << backend;
    }
}

// cupy/cupy#9841: an index wraps. Here around 2^16 and 2^20; the suite `large` has 2^32.
TEST_F(cases, B03) {
  for (const std::int64_t n : {(std::int64_t{1} << 16) + 1, (std::int64_t{1} << 20) + 1})
    for (const std::int64_t last : {n - 1, n - 2, n})
      expect_scan<std::uint8_t>(
          {}, {n}, [&](std::int64_t i) { return i == 1 || i == last; },
          [&](std::int64_t m) { return (m > 1) + (m > last); });
}

// pytorch/pytorch#143486, one row of the batch: u8 sums wrap modulo 256.
TEST_F(cases, B05) {
  expect_scan<std::uint8_t>({}, {100000}, one, count);
  expect_scan<std::uint8_t>({.kind = exclusive}, {100000}, one, count);
}

// cudpp/cudpp#58: too many blocks for a grid.
TEST_F(cases, B07) {
  for (const std::int64_t n : {65535 * 16, (1 << 20) + 1})
    expect_scan<std::int32_t>({}, {n}, one, count);
}

// IntelPython/dpnp#3063, row by row: the carry between blocks is lost.
TEST_F(cases, B11) {
  for (const int row : {0, 1, 2})
    expect_scan<std::int64_t>(
        {}, {1048577}, [&](std::int64_t) { return row + 1; },
        [&](std::int64_t m) { return (row + 1) * m; });
  expect_scan<std::int64_t>(
      {}, {4194309}, [](std::int64_t i) { return i % 21; }, sum_mod_21);
}

// arrayfire/arrayfire#2366: wrong at the border of the third block.
TEST_F(cases, B13) {
  for (const std::int64_t block : {std::int64_t{5}, std::int64_t{32}, std::int64_t{256},
                                   std::int64_t{512}, std::int64_t{1024}, tile, super, group}) {
    expect_scan<std::int32_t>({.kind = exclusive}, {3 * block}, one, count, 0);
    expect_scan<std::int32_t>(
        {.kind = exclusive}, {3 * block + 1},
        [](std::int64_t i) { return static_cast<std::int32_t>(i % 21); }, sum_mod_21, 0);
  }
}

// triton-lang/triton#2361: some lengths only, and only the second call.
TEST_F(cases, B15) {
  std::vector<std::int64_t> in(4097), out(4097);
  for (std::int64_t i = 0; i < 4097; ++i) in[static_cast<std::size_t>(i)] = i % 21;
  for (const std::string& backend : available_backends())
    for (std::int64_t n = 1; n <= 4097 && serves(backend, {.in = i64}, n);
         n += backend.starts_with("simt.") ? 97 : 1)
      for (const int call : {1, 2}) {
        std::fill(out.begin(), out.end(), -1);
        scan({.in = i64}, {.in = in.data(), .out = out.data(), .length = n}, {.backend = backend});
        for (std::int64_t i = 0; i < n; ++i)
          ASSERT_EQ(out[static_cast<std::size_t>(i)], sum_mod_21(i + 1))
              << backend << " " << n << " call " << call;
        ASSERT_TRUE(n == 4097 || out[static_cast<std::size_t>(n)] == -1);
      }
}

// NVIDIA/cccl#11167, the flat part: every length around a partial last tile.
TEST_F(cases, B17) {
  for (std::int64_t n = 3137; n < 3300; n += 3)
    expect_scan<std::uint64_t>({.kind = exclusive}, {n}, one, count, 0);
}

// kokkos/kokkos#1986: the total of short sums.
TEST_F(cases, B19) {
  for (std::int64_t n = 2; n <= 300; n += 3) expect_scan<double>({}, {n, 100}, one, count);
}

// b0nes164/GPUPrefixSums#4: sums wrap modulo 2^32.
TEST_F(cases, B21) {
  expect_scan<std::uint32_t>(
      {}, {4096 * 64}, [](std::int64_t) { return 1u << 20; },
      [](std::int64_t m) { return static_cast<std::uint32_t>(m << 20); });
  expect_scan<std::uint32_t>(
      {}, {100000}, [](std::int64_t) { return 0xffffffffu; },
      [](std::int64_t m) { return static_cast<std::uint32_t>(-m); });
}

// uxlfoundation/oneDPL#1647: in place, the first element of each tile is read after it was written.
TEST_F(cases, B51) {
  for (const std::int64_t unit : {tile, super})
    for (std::int64_t k = 1; k <= 8; ++k)
      expect_scan<std::uint32_t>(
          {.kind = exclusive}, {k * unit},
          [](std::int64_t i) { return static_cast<std::uint32_t>(i); },
          [](std::int64_t m) { return static_cast<std::uint32_t>(m * (m - 1) / 2); });
}

// llnl/RAJAPerf#521: more predecessors than one look-back window.
TEST_F(cases, B99) {
  for (const std::int64_t unit : {tile, super}) {
    expect_scan<std::int32_t>({}, {33 * unit + 1}, one, count);
    expect_scan<std::int64_t>(
        {}, {33 * unit + 1}, [](std::int64_t i) { return i % 21; }, sum_mod_21);
  }
}

}  // namespace
}  // namespace upsweep::testing
