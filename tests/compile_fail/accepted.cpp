// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same shapes as in the other snippets, used as they are meant: this one must compile.
#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <upsweep/upsweep.hpp>
#include <vector>

void accepted() {
  const std::array<bool, 3> flags{};
  std::array<std::int64_t, 3> slots{};
  std::array<bool, 3> any{};
  upsweep::exclusive_scan(flags, slots);
  upsweep::inclusive_scan(flags, any, upsweep::logical_or{});

  const std::vector<float> x(3);
  std::vector<double> sums(3);
  upsweep::inclusive_scan(x, sums, upsweep::sum{}, {.backend = "cpu", .init = 0.5});

  const std::vector<std::uint32_t> bits(3);
  std::vector<std::uint32_t> ors(3);
  upsweep::inclusive_scan(bits, ors, upsweep::bit_or{});

  std::vector<upsweep::affine_pair<float>> maps(3);
  upsweep::inclusive_scan(maps, std::span(maps), upsweep::affine{});

  const std::vector<std::complex<float>> z(3);
  std::vector<std::complex<double>> products(3);
  upsweep::inclusive_scan(z, products, upsweep::product{});

  std::vector<float> h(3);
  upsweep::linear_recurrence(x, x, h, {.direction = upsweep::reverse});
}
