// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports about accuracy, NaN, infinities, signed zeros and identities: B39, B73 to B83.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>

#include "reported.hpp"

namespace upsweep::testing {
namespace {

constexpr double unit_roundoff = 0x1p-24;

// fla-org/flash-linear-attention#1095: reverse as the total less the prefix loses small values.
TEST_F(cases, B39) {
  for (const std::string& backend : available_backends())
    for (const std::size_t n : {63, 64, 65}) {
      std::vector<float> x(n, 1.0f), out(n);
      std::fill(x.begin(), x.begin() + 32, 1e8f);
      inclusive_scan(x, out, sum{}, {.backend = backend, .direction = reverse});
      double exact = 0;
      for (std::size_t i = n; i-- > 0;) {
        exact += x[i];
        if (i >= 32)
          EXPECT_EQ(out[i], static_cast<float>(n - i)) << backend << " " << i;
        else
          EXPECT_NEAR(out[i], exact, 1.01 * static_cast<double>(n) * unit_roundoff * exact);
      }
    }
}

// NVIDIA forum 17605: a long sum drifts. Any order of depth d stays within 1.01 d u sum|x|; the
// balanced order is far better, the left-to-right one uses the bound up (d = n).
TEST_F(cases, B73) {
  const std::int64_t n = 1000000;
  for (const std::string& backend : available_backends())
    for (const std::int64_t length : {n - 1, n, n + 1}) {
      if (!serves(backend, {}, length)) continue;
      const std::vector<float> x(static_cast<std::size_t>(length), 0.1f);
      std::vector<float> out(x.size());
      inclusive_scan(x, out, sum{}, {.backend = backend});
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double depth = static_cast<double>(i), exact = (depth + 1) * double{0.1f};
        const double allowed =
            backend == "cpu.serial" ? 1.01 * depth * unit_roundoff * exact : 1e-5 * exact;
        ASSERT_NEAR(out[i], exact, allowed) << backend << " " << i;
      }
    }
}

// pytorch/pytorch#195851: -0.0 becomes +0.0 where a block is padded with +0.0.
template <class T>
void expect_signs(T minus_zero, T one) {
  for (const std::int64_t n : {std::int64_t{3}, std::int64_t{5000}})
    expect_scan<T>(
        {}, {n}, [&](std::int64_t i) { return i < n - 1 ? minus_zero : one; },
        [&](std::int64_t m) {
          return m == 0 ? T(0) : m < n ? minus_zero : m == n ? one : one + one;
        });
  expect_scan<T>(
      {.kind = exclusive}, {2, 5000}, [&](std::int64_t) { return minus_zero; },
      [&](std::int64_t) { return minus_zero; }, minus_zero);
  expect_scan<T>(
      {.direction = reverse}, {2, 5000}, [&](std::int64_t) { return minus_zero; },
      [&](std::int64_t m) { return m == 0 ? T(0) : minus_zero; });
}
TEST_F(cases, B75) {
  expect_signs<float>(-0.0f, 1);
  expect_signs<double>(-0.0, 1);
  expect_signs<std::complex<double>>({-0.0, -0.0}, {1, -0.0});
  expect_signs<std::complex<float>>({-0.0f, -0.0f}, {1, -0.0f});
}

// NVIDIA/cudf#17933: finite again after an infinity.
TEST_F(cases, B79) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto x = [](std::int64_t i) {
    return i < 2 ? 1e308 : std::pow(10.0, static_cast<double>(i % 306) - 5);
  };
  for (const kind k : {inclusive, exclusive})
    expect_scan<double>({.kind = k}, {10000}, x, [&](std::int64_t m) {
      return m == 0 ? 0.0 : m == 1 ? 1e308 : inf;
    });
}

// NVIDIA/cudf#11357: the largest finite value taken for the identity of minimum.
template <class T>
void expect_infinities() {
  const T inf = std::numeric_limits<T>::infinity();
  for (const kind k : {inclusive, exclusive}) {
    expect_scan<T>(
        {.op = minimum{}, .kind = k}, {1, 10, 1000}, [&](std::int64_t) { return inf; },
        [&](std::int64_t) { return inf; });
    expect_scan<T>(
        {.op = maximum{}, .kind = k}, {1, 10, 1000}, [&](std::int64_t) { return -inf; },
        [&](std::int64_t) { return -inf; });
  }
}
TEST_F(cases, B81) {
  expect_infinities<float>();
  expect_infinities<double>();
}

// ROCm/rocm-systems#11504: the identity of `and`.
TEST_F(cases, B83) {
  using bytes = std::vector<std::uint8_t>;
  const auto truth = [](const operator_descriptor& op, const bytes& prefixes) {
    expect_listed<std::uint8_t>({.op = op, .kind = exclusive}, 4, {1, 1, 0, 1, 0}, prefixes);
  };
  truth(logical_and{}, {1, 1, 1, 0, 0, 0});
  truth(logical_or{}, {0, 1, 1, 1, 1, 1});
  truth(bit_xor{}, {0, 1, 0, 0, 1, 1});
  const auto bits = [](const operator_descriptor& op, const bytes& prefixes) {
    expect_listed<std::uint8_t>({.op = op, .kind = exclusive}, 3, {0xff, 0x0f, 0xf0, 0x3c},
                                prefixes);
  };
  bits(bit_and{}, {0xff, 0xff, 0x0f, 0x00, 0x00});
  bits(bit_or{}, {0x00, 0xff, 0xff, 0xff, 0xff});
  bits(bit_xor{}, {0x00, 0xff, 0xf0, 0x00, 0x3c});
}

}  // namespace
}  // namespace upsweep::testing
