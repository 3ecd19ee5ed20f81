// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of somebody else's: a typed call, a plan, the list of backends, and an error caught by
// type.
#include <cstdint>
#include <iostream>
#include <upsweep/upsweep.hpp>
#include <vector>

namespace {

bool offsets_of_flags() {
  const std::vector<std::uint8_t> keep{1, 0, 1, 1, 0, 1};
  std::vector<std::int64_t> slot(keep.size());
  const std::int64_t kept = upsweep::exclusive_scan(keep, slot);
  return kept == 4 && slot == std::vector<std::int64_t>{0, 1, 1, 2, 3, 3};
}

bool peaks_by_a_plan() {
  const std::vector<float> x{1, 3, 2, 5, 4};
  std::vector<float> peaks(x.size());
  upsweep::plan running({.op = upsweep::maximum{}}, {.length = 8}, {.backend = "cpu.openmp"});
  running.run({.in = x.data(), .out = peaks.data(), .length = 5});
  return peaks == std::vector<float>{1, 3, 3, 5, 5};
}

bool error_by_type() {
  try {
    std::vector<float> x(1);
    upsweep::inclusive_scan(x, x, upsweep::sum{}, {.backend = "cpu.serail"});
  } catch (const upsweep::error& e) {
    return e.code() == upsweep::errc::unknown_backend;
  }
  return false;
}

}  // namespace

int main() {
  for (const auto& b : upsweep::backends())
    if (b.available) std::cout << b.name << '\n';
  std::cout << "upsweep " << upsweep::version() << '\n';
  return offsets_of_flags() && peaks_by_a_plan() && error_by_type() ? 0 : 1;
}
