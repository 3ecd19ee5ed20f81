// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The init: converted to the accumulator without loss, or refused. Read back as the total of an
// empty scan.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "expect.hpp"
#include "formats.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {
namespace {

using testing::expect_error;

template <class Out>
Out total_of_nothing(const value& init, const spec& what = {.in = type_of<Out>}) {
  Out total{};
  plan(what, {}, {.backend = "cpu.serial"}).run({.init = init, .total = &total});
  return total;
}

// Calls f with a value of every type that holds x exactly.
template <class F>
void for_each_type_that_holds(long double x, F&& f) {
  const auto as = [&]<class T>(auto convert) {
    if (testing::holds(testing::format_of(type_of<T>), x)) f(convert());
  };
  const auto number = [&]<class T>() {
    as.template operator()<T>([&] { return static_cast<T>(x); });
  };
  number.template operator()<std::int8_t>();
  number.template operator()<std::uint8_t>();
  number.template operator()<std::uint16_t>();
  number.template operator()<std::int32_t>();
  number.template operator()<std::uint32_t>();
  number.template operator()<std::int64_t>();
  number.template operator()<std::uint64_t>();
  number.template operator()<float>();
  number.template operator()<double>();
  as.template operator()<float16>([&] { return float16(static_cast<float>(x)); });
  as.template operator()<bfloat16>([&] { return bfloat16(static_cast<float>(x)); });
  as.template operator()<std::complex<double>>([&] { return std::complex(double(x)); });
}

template <class Out>
void expect_lossless_or_refused(long double x, const value& init) {
  const bool fits = testing::holds(testing::format_of(type_of<Out>), x);
  SCOPED_TRACE(std::string(name_of(init.type())) + " -> " + std::string(name_of(type_of<Out>)) +
               ": " + std::to_string(x));
  if (!fits) {
    expect_error(errc::invalid_argument,
                 {"init: ", std::string(name_of(init.type())),
                  "accumulator type " + std::string(name_of(type_of<Out>)), "without loss"},
                 [&] { total_of_nothing<Out>(init); });
    return;
  }
  const Out total = total_of_nothing<Out>(init);
  if constexpr (type_of<Out> == c64 || type_of<Out> == c128) {
    EXPECT_EQ(static_cast<long double>(total.real()), x);
    EXPECT_EQ(total.imag(), 0);
  } else {
    EXPECT_EQ(static_cast<long double>(total), x);
  }
}

TEST(init, every_type_into_every_accumulator) {
  std::vector<long double> values{0, 0.5L, 0.1f, 1e-40f, 0x1p-1060L, 3e38f, 1e300, 65504, 65520};
  for (const int e : {3, 7, 8, 11, 12, 15, 16, 24, 25, 31, 32, 53, 54, 63, 64})
    for (const int d : {-1, 0, 1}) values.push_back(std::ldexp(1.0L, e) + d);
  for (const long double magnitude : values)
    for (const long double x : {magnitude, -magnitude})
      for_each_type_that_holds(x, [&](auto init) {
        expect_lossless_or_refused<std::int8_t>(x, init);
        expect_lossless_or_refused<std::uint8_t>(x, init);
        expect_lossless_or_refused<std::int16_t>(x, init);
        expect_lossless_or_refused<std::uint16_t>(x, init);
        expect_lossless_or_refused<std::int32_t>(x, init);
        expect_lossless_or_refused<std::uint32_t>(x, init);
        expect_lossless_or_refused<std::int64_t>(x, init);
        expect_lossless_or_refused<std::uint64_t>(x, init);
        expect_lossless_or_refused<float>(x, init);
        expect_lossless_or_refused<double>(x, init);
        expect_lossless_or_refused<std::complex<float>>(x, init);
        expect_lossless_or_refused<std::complex<double>>(x, init);
      });
}

TEST(init, f16_and_bf16_scans_take_what_f32_holds) {
  // 1 + 2^-20 is no f16, but the accumulator is f32.
  const std::array<float16, 1> in{float16(-1.0f)};
  std::array<float16, 1> out{};
  EXPECT_EQ(inclusive_scan(in, out, sum{}, {.backend = "cpu.serial", .init = 1 + 0x1p-20f}).bits,
            float16(0x1p-20f).bits);
  expect_error(errc::invalid_argument, {"accumulator type f32"},
               [] { total_of_nothing<float16>(1 + 0x1p-40); });
}

TEST(init, a_complex_one_into_a_real_scan) {
  EXPECT_EQ(total_of_nothing<float>(std::complex<double>(2, 0)), 2);
  expect_error(errc::invalid_argument, {"init: (2, 1) (c128)", "f32"},
               [] { total_of_nothing<float>(std::complex<double>(2, 1)); });
  expect_error(errc::invalid_argument, {"init: (1, 0.10000000000000001)", "c64"},
               [] { total_of_nothing<std::complex<float>>(std::complex<double>(1, 0.1)); });
}

TEST(init, infinities_nans_and_signed_zeros) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_EQ(total_of_nothing<float>(-inf), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(total_of_nothing<float>(nan)));
  EXPECT_TRUE(std::signbit(total_of_nothing<float>(-0.0)));
  EXPECT_TRUE(std::signbit(total_of_nothing<std::complex<double>>(-0.0f).real()));
  for (const double x : {inf, -inf, nan})
    expect_error(errc::invalid_argument, {"init: ", "i64"},
                 [&] { total_of_nothing<std::int64_t>(x); });
}

TEST(init, of_logical_scans_is_a_truth_value) {
  EXPECT_EQ(total_of_nothing<std::uint8_t>(7, {.in = u8, .op = logical_or{}}), 1);
  EXPECT_EQ(total_of_nothing<std::uint8_t>(true, {.in = u8, .op = logical_and{}}), 1);
  EXPECT_EQ(total_of_nothing<std::uint8_t>(0, {.in = u8, .op = logical_or{}}), 0);
}

TEST(init, of_affine_scans) {
  const spec pair{.in = f64, .op = affine{}};
  const spec split{.in = f64, .op = affine{}, .affine = affine_form::split};
  EXPECT_EQ(total_of_nothing<affine_pair<double>>(affine_pair<float>{2, 3}, pair),
            (affine_pair<double>{2, 3}));
  EXPECT_EQ(total_of_nothing<double>(5, split), 5);
  expect_error(errc::invalid_argument, {"init: a scalar", "affine_pair"},
               [&] { total_of_nothing<affine_pair<double>>(5, pair); });
  expect_error(errc::invalid_argument, {"init: an affine_pair", "scalar"}, [&] {
    total_of_nothing<double>(affine_pair<double>{1, 2}, split);
  });
  expect_error(errc::invalid_argument, {"init: an affine_pair"}, [] {
    total_of_nothing<double>(affine_pair<double>{1, 2});
  });
}

TEST(init, of_a_user_type_for_a_built_in_operator) {
  const int x = 0;
  expect_error(errc::invalid_argument, {"init", "user type"},
               [&] { total_of_nothing<float>(value(&x, sizeof x)); });
}

TEST(init, from_bytes_is_the_value_itself) {
  const affine_pair<float> p{2, 3};
  const value v = value::from_bytes(f32, 2, &p);
  EXPECT_EQ(v.type(), f32);
  EXPECT_EQ(v.components(), 2);
  EXPECT_EQ(std::memcmp(v.data(), &p, sizeof p), 0);
  expect_error(errc::invalid_argument, {"init.type"}, [&] { value::from_bytes(user, 1, &p); });
  expect_error(errc::invalid_argument, {"init.data"}, [] { value::from_bytes(f32, 1, nullptr); });
  for (const int components : {-1, 0, 3})
    expect_error(errc::invalid_argument, {"init.components: " + std::to_string(components)},
                 [&] { value::from_bytes(f32, components, &p); });
  expect_error(errc::invalid_argument, {"init.components: 2"},
               [&] { value::from_bytes(c128, 2, &p); });
  EXPECT_FALSE(value().has_value());
}

#if defined(__SSE2__)
// Denormals flushed, for as long as it lives.
struct flushing {
  unsigned saved = _mm_getcsr();
  flushing() { _mm_setcsr(saved | 0x8040); }
  ~flushing() { _mm_setcsr(saved); }
};

TEST(init, keeps_denormals_whatever_the_callers_mode) {
  std::uint32_t same = 0, narrow = 0;
  std::uint64_t wide = 0;
  unsigned after = 0;
  {
    const flushing mode;
    same = std::bit_cast<std::uint32_t>(total_of_nothing<float>(0x1p-149f));
    wide = std::bit_cast<std::uint64_t>(total_of_nothing<double>(0x1p-149f));
    narrow = std::bit_cast<std::uint32_t>(total_of_nothing<float>(0x1p-149));
    after = _mm_getcsr();
  }
  EXPECT_EQ(same, 1u);
  EXPECT_EQ(wide, std::bit_cast<std::uint64_t>(0x1p-149));
  EXPECT_EQ(narrow, 1u);
  EXPECT_EQ(after & 0x8040, 0x8040u);
}
#endif

}  // namespace
}  // namespace upsweep
