// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponential smoothing, h[i] = (1 - a) h[i-1] + a x[i]: a first-order recursive (IIR) filter. It
// looks serial, but affine maps compose associatively, so it is a scan and runs in parallel.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <vector>

#include <upsweep/upsweep.hpp>

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "examples/data/nile.txt");
  const std::vector<double> x(std::istream_iterator<double>(file), {});
  if (x.empty()) {
    std::cerr << "smoothing: no numbers read; give it the path of nile.txt\n";
    return 1;
  }

  const double a = 0.125;
  const std::vector<double> coefficient(x.size(), 1 - a);
  std::vector<double> h(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) h[i] = a * x[i];
  upsweep::linear_recurrence(coefficient, h, h, {.init = x[0]});  // h[-1] = x[0]; in place

  std::cout << std::setprecision(17);
  for (const double value : h) std::cout << value << '\n';
}
