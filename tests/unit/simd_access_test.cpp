// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements as each instruction set reads and writes them: as one by one, bit by bit.
#include <gtest/gtest.h>

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends/cpu/simd.hpp"
#include "expect.hpp"
#include "upsweep/detail/elements.hpp"
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
class halves_of : public ::testing::Test {};
using halves = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(halves_of, halves);

TYPED_TEST(halves_of, reads_every_value) {
  std::vector<std::uint16_t> in(1 + (1 << 16));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
  for (const simd_target t : targets()) {
    const access with = simd_access(t, {.in = type_of_half<TypeParam>, .out = type::f32});
    for (const auto load : {with.load, with.load_far})
      for (const std::int64_t first : {0, 1}) {
        const auto count = static_cast<std::int64_t>(in.size()) - 1 - first;
        std::vector<float> out(in.size(), -1.0f);
        load({.in = in.data(), .length = count + first}, first, count, out.data());
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

TYPED_TEST(halves_of, rounds_to_nearest_even_beside_every_value) {
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
    const access with =
        simd_access(t, {.in = type_of_half<TypeParam>, .out = type_of_half<TypeParam>});
    for (const auto store : {with.store, with.store_far})
      for (const std::int64_t first : {0, 1, 8}) {
        std::vector<std::uint16_t> out(in.size() + 9, 0xa5a5);
        const auto count = static_cast<std::int64_t>(in.size());
        store({.out = out.data(), .length = count + first}, first, count, in.data());
        flush_streamed();
        for (std::size_t k = 0; k < in.size(); ++k)
          ASSERT_EQ(out[static_cast<std::size_t>(first) + k], TypeParam(in[k]).bits)
              << "target " << t << ", " << std::hexfloat << in[k];
        for (std::size_t k = 0; k < static_cast<std::size_t>(first); ++k) EXPECT_EQ(out[k], 0xa5a5);
        EXPECT_EQ(out[in.size() + static_cast<std::size_t>(first)], 0xa5a5);
      }
  }
}

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937 random(std::random_device{}());
  std::vector<std::byte> bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

constexpr std::int64_t length = 1031;
constexpr std::pair<std::int64_t, std::int64_t> ranges[] = {
    {0, length}, {0, 512}, {1, 512}, {7, 3}, {519, 512}};

// Bit patterns of any kind are elements, NaN among them.
template <class A>
void reads_and_writes(const spec& what) {
  const std::vector<std::byte> in = random_bytes(length * 16), results = random_bytes(length * 16);
  const auto place = [&](std::int64_t i) {
    return what.direction == direction::reverse ? length - 1 - i : i;
  };
  const auto read = detail::choose_reader<A>(what);
  const auto write = detail::choose_writer<A>(what);
  for (const simd_target t : targets()) {
    const access with = simd_access(t, what);
    SCOPED_TRACE("target " + std::to_string(t));
    EXPECT_NE(with.load, nullptr);
    for (const auto& [first, count] : ranges) {
      const auto n = static_cast<std::size_t>(count);
      const arguments from{.in = in.data(), .length = length};
      for (const loader load : {with.load, with.load_far}) {
        std::vector<A> got(n + 1), want(n + 1);
        load(from, first, count, got.data());
        for (std::int64_t k = 0; k < count; ++k)
          want[static_cast<std::size_t>(k)] = read(from, place(first + k));
        EXPECT_EQ(std::memcmp(got.data(), want.data(), sizeof(A) * want.size()), 0)
            << "loaded from " << first << ", " << count;
      }
      if (what.direction == direction::forward) continue;
      for (const storer store : {with.store, with.store_far}) {
        std::vector<std::byte> got(in), want(in);
        store({.out = got.data(), .length = length}, first, count, results.data());
        flush_streamed();
        for (std::int64_t k = 0; k < count; ++k) {
          A x;
          std::memcpy(&x, results.data() + static_cast<std::size_t>(k) * sizeof x, sizeof x);
          write(want.data(), place(first + k), x);
        }
        EXPECT_EQ(got, want) << "stored from " << first << ", " << count;
      }
    }
  }
}

TEST(simd_access, widens_elements) {
  reads_and_writes<std::uint16_t>({.in = type::u8, .out = type::u16});
  reads_and_writes<std::uint16_t>({.in = type::i8, .out = type::i16});
  reads_and_writes<std::uint32_t>({.in = type::u8, .out = type::i32});
  reads_and_writes<std::uint32_t>({.in = type::i8, .out = type::i32});
  reads_and_writes<std::uint32_t>({.in = type::u16, .out = type::u32});
  reads_and_writes<std::uint32_t>({.in = type::i16, .out = type::i32});
  reads_and_writes<std::uint64_t>({.in = type::u8, .out = type::u64});
  reads_and_writes<std::uint64_t>({.in = type::i8, .out = type::i64});
  reads_and_writes<std::uint64_t>({.in = type::u16, .out = type::u64});
  reads_and_writes<std::uint64_t>({.in = type::i16, .out = type::i64});
  reads_and_writes<std::uint64_t>({.in = type::u32, .out = type::u64});
  reads_and_writes<std::uint64_t>({.in = type::i32, .out = type::i64});
}

TEST(simd_access, turns_elements_round) {
  const auto reversed = [](type t) { return spec{.in = t, .direction = direction::reverse}; };
  reads_and_writes<std::uint8_t>(reversed(type::i8));
  reads_and_writes<std::uint16_t>(reversed(type::u16));
  reads_and_writes<float>(reversed(type::f32));
  reads_and_writes<double>(reversed(type::f64));
  reads_and_writes<std::complex<float>>(reversed(type::c64));
  reads_and_writes<std::complex<double>>(reversed(type::c128));
  reads_and_writes<float>(reversed(type::bf16));
  reads_and_writes<float>(reversed(type::f16));
  spec pairs = reversed(type::f64);
  pairs.op = affine{};
  reads_and_writes<affine_pair<double>>(pairs);
}

TEST(simd_access, widens_f32) {
  std::vector<float> in(length);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 0x1.8p-140f * static_cast<float>(i);
  for (const simd_target t : targets()) {
    const access with = simd_access(t, {.in = type::f32, .out = type::f64});
    for (const loader load : {with.load, with.load_far}) {
      std::vector<double> got(in.size());
      load({.in = in.data(), .length = length}, 0, length, got.data());
      EXPECT_EQ(got, std::vector<double>(in.begin(), in.end())) << "target " << t;
    }
  }
}

TEST(simd_access, leaves_the_rest_to_others) {
  const auto none = [](const access& a) {
    return a.load == nullptr && a.load_far == nullptr && a.store == nullptr &&
           a.store_far == nullptr;
  };
  EXPECT_TRUE(none(simd_access(0, {.in = type::f16})));
  for (const simd_target t : targets()) {
    EXPECT_TRUE(none(simd_access(t, {.in = type::f32})));
    EXPECT_TRUE(none(simd_access(t, {.in = type::u8, .out = type::f32})));
    EXPECT_TRUE(none(simd_access(t, {.in = type::f16, .out = type::f64})));
    EXPECT_TRUE(none(simd_access(t, {.in = type::u8, .op = logical_or{}})));
    EXPECT_TRUE(none(simd_access(t, {.in = type::u16, .out = type::u32, .op = affine{}})));
    EXPECT_TRUE(
        none(simd_access(t, {.in = type::f32, .op = affine{}, .affine = affine_form::split})));
  }
}

}  // namespace
}  // namespace upsweep::cpu
