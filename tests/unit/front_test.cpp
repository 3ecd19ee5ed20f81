// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The typed calls of scan.hpp.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <deque>
#include <list>
#include <span>
#include <vector>

#include "expect.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep {
namespace {

using testing::available_backends;
using testing::expect_error;

static_assert(input_array<std::vector<float>> && output_array<std::vector<float>>);
static_assert(input_array<const std::array<int, 3>> && !output_array<const std::array<int, 3>>);
static_assert(output_array<std::span<double>> && !output_array<std::span<const double>>);
static_assert(output_array<float (&)[4]> && input_array<const float (&)[4]>);
static_assert(!input_array<std::list<int>> && !input_array<std::deque<int>> &&
              !input_array<std::vector<bool>> && !input_array<std::vector<void*>>);

TEST(front, sums_widen_and_the_total_comes_back) {
  const std::vector<std::uint8_t> keep{1, 0, 1, 1};
  for (const std::string& backend : available_backends()) {
    std::vector<std::int64_t> slot(4);
    const std::int64_t kept = exclusive_scan(keep, slot, sum{}, {.backend = backend});
    EXPECT_EQ(slot, (std::vector<std::int64_t>{0, 1, 1, 2}));
    EXPECT_EQ(kept, 3);
    const std::vector<std::uint8_t> large(3, 200);
    std::vector<std::int64_t> wide(3);
    EXPECT_EQ(inclusive_scan(large, wide, sum{}, {.backend = backend}), 600);
    EXPECT_EQ(wide, (std::vector<std::int64_t>{200, 400, 600}));
  }
}

TEST(front, serves_every_contiguous_array) {
  const int in[3] = {1, 2, 3};
  int array[3];
  EXPECT_EQ(inclusive_scan(in, array), 6);
  EXPECT_EQ(array[2], 6);
  std::array<int, 3> std_array;
  inclusive_scan(in, std_array);
  EXPECT_EQ(std_array, (std::array{1, 3, 6}));
  std::vector<int> vector(3);
  inclusive_scan(std_array, vector);
  EXPECT_EQ(vector, (std::vector{1, 4, 10}));
  inclusive_scan(std_array, std::span(vector).first(3));
  EXPECT_EQ(vector, (std::vector{1, 4, 10}));
}

TEST(front, scans_in_place) {
  for (const std::string& backend : available_backends()) {
    std::vector<int> x{1, 2, 3, 4};
    EXPECT_EQ(exclusive_scan(x, x, sum{}, {.backend = backend}), 10);
    EXPECT_EQ(x, (std::vector{0, 1, 3, 6}));
  }
}

TEST(front, options) {
  const std::vector<double> x{3, 1, 2};
  for (const std::string& backend : available_backends()) {
    std::vector<double> y(3);
    EXPECT_EQ(inclusive_scan(x, y, maximum{},
                             {.backend = backend, .init = 2.0, .direction = reverse, .threads = 1}),
              3);
    EXPECT_EQ(y, (std::vector<double>{3, 2, 2}));
    EXPECT_EQ(exclusive_scan(x, y, minimum{}, {.backend = backend, .init = 2.5}), 1);
    EXPECT_EQ(y, (std::vector<double>{2.5, 2.5, 1}));
  }
}

TEST(front, flags) {
  const std::array<bool, 4> in{true, true, false, true};
  for (const std::string& backend : available_backends()) {
    std::array<bool, 4> out{};
    EXPECT_FALSE(inclusive_scan(in, out, logical_and{}, {.backend = backend}));
    EXPECT_EQ(out, (std::array<bool, 4>{true, true, false, false}));
    std::array<std::uint32_t, 4> count{};
    EXPECT_EQ(inclusive_scan(in, count, sum{}, {.backend = backend}), 3u);
    const std::array<std::uint8_t, 3> bytes{0, 255, 2};
    std::array<std::uint8_t, 3> any{};
    EXPECT_EQ(exclusive_scan(bytes, any, logical_or{}, {.backend = backend}), 1);
    EXPECT_EQ(any, (std::array<std::uint8_t, 3>{0, 0, 1}));
  }
}

TEST(front, complex_products) {
  const std::vector<std::complex<float>> x{{0, 1}, {0, 1}, {2, 3}};
  for (const std::string& backend : available_backends()) {
    std::vector<std::complex<double>> y(3);
    inclusive_scan(x, y, product{}, {.backend = backend});
    EXPECT_EQ(y, (std::vector<std::complex<double>>{{0, 1}, {-1, 0}, {-2, -3}}));
  }
}

TEST(front, affine_pairs_and_recurrences_agree) {
  const std::vector<double> b{2, 3, -1}, v{1, 1, 4};
  const std::vector<affine_pair<double>> pairs{{2, 1}, {3, 1}, {-1, 4}};
  for (const std::string& backend : available_backends()) {
    std::vector<affine_pair<double>> maps(3);
    const affine_pair<double> total = inclusive_scan(pairs, maps, affine{}, {.backend = backend});
    EXPECT_EQ(maps, (std::vector<affine_pair<double>>{{2, 1}, {6, 4}, {-6, 0}}));
    EXPECT_EQ(total, maps.back());
    std::vector<double> h(3);
    EXPECT_EQ(linear_recurrence(b, v, h, {.backend = backend}), 0);
    EXPECT_EQ(h, (std::vector<double>{1, 4, 0}));
    EXPECT_EQ(linear_recurrence(b, v, h, {.backend = backend, .init = 10.0}), -60);
    EXPECT_EQ(h, (std::vector<double>{21, 64, -60}));
    h = v;
    linear_recurrence(b, h, h, {.backend = backend});
    EXPECT_EQ(h, (std::vector<double>{1, 4, 0}));
  }
}

TEST(front, half_floats_are_summed_in_f32) {
  // In f16, 2048 + 1 is 2048: sums rounded at each step would stand still.
  const std::vector<float16> x{float16(2048), float16(1), float16(1)};
  for (const std::string& backend : available_backends()) {
    std::vector<float16> y(3);
    EXPECT_EQ(static_cast<float>(inclusive_scan(x, y, sum{}, {.backend = backend})), 2050);
    EXPECT_EQ(static_cast<float>(y[1]), 2048);
    EXPECT_EQ(static_cast<float>(y[2]), 2050);
  }
}

TEST(front, empty_arrays) {
  const std::vector<int> none;
  std::vector<int> out;
  EXPECT_EQ(inclusive_scan(none, out), 0);
  EXPECT_EQ(exclusive_scan(none, out, product{}), 1);
  EXPECT_EQ(exclusive_scan(none, out, sum{}, {.init = 9}), 9);
  const std::vector<double> no_reals;
  EXPECT_EQ(linear_recurrence(no_reals, no_reals, std::span<double>(), {.init = 3.0}), 3);
  EXPECT_EQ(linear_recurrence(no_reals, no_reals, std::span<double>()), 0);
}

TEST(front, lengths_that_differ_are_refused) {
  const std::vector<double> three{1, 2, 3}, two{1, 2};
  std::vector<double> out{7, 7};
  expect_error(errc::invalid_argument, {"out: its length 2", "in's length 3"},
               [&] { inclusive_scan(three, out); });
  expect_error(errc::invalid_argument, {"out: its length 2", "v's length 3"},
               [&] { linear_recurrence(two, three, out); });
  expect_error(errc::invalid_argument, {"out: its length 2", "b's length 3"},
               [&] { linear_recurrence(three, two, out); });
  EXPECT_EQ(out, (std::vector<double>{7, 7}));
}

TEST(front, errors_are_those_of_the_plan) {
  const std::vector<float> x(2);
  std::vector<float> y(2);
  expect_error(errc::unknown_backend, {"'cpu.sreial'", "'cpu.serial'"},
               [&] { inclusive_scan(x, y, sum{}, {.backend = "cpu.sreial"}); });
  expect_error(errc::unsupported, {"log_add_exp"}, [&] { inclusive_scan(x, y, log_add_exp{}); });
  expect_error(errc::invalid_argument, {"threads: -2"},
               [&] { inclusive_scan(x, y, sum{}, {.threads = -2}); });
  expect_error(errc::invalid_argument, {"out: overlaps in"}, [&] {
    std::vector<float> w(3);
    inclusive_scan(std::span(w).first(2), std::span(w).last(2));
  });
}

TEST(front, an_error_is_a_runtime_error_with_a_code) {
  try {
    throw error(errc::busy, "a message");
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "a message");
    EXPECT_EQ(dynamic_cast<const error&>(e).code(), errc::busy);
  }
}

}  // namespace
}  // namespace upsweep
