// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can scan here, what cannot and why, and how a program chooses.
#include <iostream>
#include <vector>

#include <upsweep/upsweep.hpp>

int main() {
  for (const upsweep::backend_info& b : upsweep::backends())
    std::cout << b.name << ": " << (b.available ? "available" : b.reason) << '\n';

  // By name. A backend that cannot serve is an error that says why and which can, never a silent
  // replacement.
  std::vector<float> x{1, 2, 3};
  for (const char* name : {"cpu.serial", "cpu", "cpu.opemp"}) {
    try {
      upsweep::inclusive_scan(x, x, upsweep::sum{}, {.backend = name});
      std::cout << name << " served\n";
    } catch (const upsweep::error& e) {
      std::cout << e.what() << '\n';
    }
  }

  // Or by the library; a plan says what was chosen, and why.
  const upsweep::plan plan({.in = upsweep::f32}, {.length = 1'000'000});
  std::cout << plan.backend() << ": " << plan.why() << '\n';
}
