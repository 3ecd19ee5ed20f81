// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f16 and bf16 as each instruction set reads and writes them: as float16 and bfloat16 do, bit by
// bit.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "backends/cpu/simd.hpp"
#include "expect.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cpu {
namespace {

using testing::scoped_environment;

// Those that this build and this machine have.
std::vector<simd_target> targets() {
  std::vector<simd_target> all;
  for (const char* const name : {"avx512", "avx2", "sse4", "neon"}) {
    const scoped_environment wanted("UPSWEEP_CPU_TARGET", name);
    try {
      all.push_back(choose_simd_target());
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::unavailable);
    }
  }
  return all;
}

template <class Half>
constexpr type type_of_half = std::is_same_v<Half, float16> ? type::f16 : type::bf16;

template <class Half>
class half_access_of : public ::testing::Test {};
using halves = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(half_access_of, halves);

TYPED_TEST(half_access_of, reads_every_value) {
  std::vector<std::uint16_t> in(1 + (1 << 16));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
  for (const simd_target t : targets()) {
    const half_access access = simd_half_access(t, type_of_half<TypeParam>);
    for (const auto load : {access.load, access.load_far})
      for (const std::int64_t first : {0, 1}) {
        const auto count = static_cast<std::int64_t>(in.size()) - 1 - first;
        std::vector<float> out(in.size(), -1.0f);
        load({.in = in.data()}, first, count, out.data());
        for (std::int64_t k = 0; k < count; ++k) {
          const auto want =
              static_cast<float>(TypeParam::from_bits(in[static_cast<std::size_t>(first + k)]));
          ASSERT_EQ(std::bit_cast<std::uint32_t>(out[static_cast<std::size_t>(k)]),
                    std::bit_cast<std::uint32_t>(want))
              << "target " << t << ", bits " << first + k;
        }
        EXPECT_EQ(out[static_cast<std::size_t>(count)], -1.0f);
      }
  }
}

TYPED_TEST(half_access_of, rounds_to_nearest_even_beside_every_value) {
  std::vector<float> in;
  for (std::uint32_t b = 0; b < 1 << 16; ++b) {
    const auto half = static_cast<std::uint16_t>(b);
    const auto low = std::bit_cast<std::uint32_t>(static_cast<float>(TypeParam::from_bits(half)));
    const auto high = std::bit_cast<std::uint32_t>(
        static_cast<float>(TypeParam::from_bits(static_cast<std::uint16_t>(b + 1))));
    const std::uint32_t middle = low + (high - low) / 2;
    for (const std::uint32_t x : {low - 1, low, low + 1, middle - 1, middle, middle + 1})
      in.push_back(std::bit_cast<float>(x));
  }
  std::mt19937 random(std::random_device{}());
  for (int i = 0; i < 100'003; ++i)
    in.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  for (const simd_target t : targets()) {
    const half_access access = simd_half_access(t, type_of_half<TypeParam>);
    for (const auto store : {access.store, access.store_far})
      for (const std::int64_t first : {0, 1, 8}) {
        std::vector<std::uint16_t> out(in.size() + 9, 0xa5a5);
        const auto count = static_cast<std::int64_t>(in.size());
        store({.out = out.data()}, first, count, in.data());
        flush_streamed();
        for (std::size_t k = 0; k < in.size(); ++k)
          ASSERT_EQ(out[static_cast<std::size_t>(first) + k], TypeParam(in[k]).bits)
              << "target " << t << ", " << std::hexfloat << in[k];
        for (std::size_t k = 0; k < static_cast<std::size_t>(first); ++k) EXPECT_EQ(out[k], 0xa5a5);
        EXPECT_EQ(out[in.size() + static_cast<std::size_t>(first)], 0xa5a5);
      }
  }
}

TEST(half_access, is_none_in_plain_cpp) { EXPECT_EQ(simd_half_access(0, type::f16).load, nullptr); }

}  // namespace
}  // namespace upsweep::cpu
