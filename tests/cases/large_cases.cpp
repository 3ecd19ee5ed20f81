// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports that need more than 1 GiB; run by hand: meson test --suite large.
#include <algorithm>
#include <cstdint>

#include "reported.hpp"

namespace upsweep::testing {
namespace {

// cupy/cupy#9841: all zeros but x[1] and the last one, in place.
void expect_two_steps(const std::string& backend, std::int64_t n) {
  SCOPED_TRACE(backend + " " + std::to_string(n));
  constexpr std::int64_t guard = 64;
  std::vector<std::uint8_t> memory(static_cast<std::size_t>(n + 2 * guard), 0);
  const auto x = memory.begin() + guard, end = x + n;
  std::fill(memory.begin(), x, 0xa5);
  std::fill(end, memory.end(), 0xa5);
  x[1] = x[n - 1] = 1;
  std::uint8_t total = 0;
  scan({.in = u8}, {.in = &*x, .out = &*x, .length = n, .total = &total}, {.backend = backend});
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(std::find_if(x + 1, end, [](std::uint8_t v) { return v != 1; }) - x, n - 1);
  EXPECT_EQ(x[n - 1], 2);
  EXPECT_EQ(total, 2);
  EXPECT_TRUE(std::all_of(memory.begin(), x, [](std::uint8_t v) { return v == 0xa5; }));
  EXPECT_TRUE(std::all_of(end, memory.end(), [](std::uint8_t v) { return v == 0xa5; }));
}
TEST(large, B03) {
  for (const std::string& backend : available_backends())
    for (const std::int64_t middle : {std::int64_t{1} << 31, std::int64_t{1} << 32})
      for (const std::int64_t n : {middle - 1, middle, middle + 1}) expect_two_steps(backend, n);
}

// cudpp/cudpp#58.
TEST(large, B07) {
  for (const std::int64_t n : {67108865, 67107840})
    expect_scan<std::int32_t>(
        {}, {n}, [](std::int64_t) { return 1; },
        [](std::int64_t m) { return static_cast<std::int32_t>(m); });
}

}  // namespace
}  // namespace upsweep::testing
