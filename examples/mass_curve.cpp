// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large must a reservoir be to give the mean flow of a river every year? The mass curve, the
// running sum of what flows in beyond the demand, tells: as much as the curve ever falls below an
// earlier peak (W. Rippl, The Capacity of Storage-Reservoirs for Water Supply, 1883). Its whole
// range is what H. E. Hurst studied for the Nile (Long-Term Storage Capacity of Reservoirs, 1951).
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include <upsweep/upsweep.hpp>

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "examples/data/nile.txt");
  const std::vector<int> flow(std::istream_iterator<int>(file), {});
  if (flow.empty()) {
    std::cerr << "mass_curve: no flows read; give it the path of nile.txt\n";
    return 1;
  }

  std::vector<double> sum(flow.size());
  const double mean = upsweep::inclusive_scan(flow, sum) / static_cast<double>(flow.size());

  std::vector<double> curve(flow.size()), peak(flow.size());
  for (std::size_t i = 0; i < flow.size(); ++i) curve[i] = flow[i] - mean;
  upsweep::inclusive_scan(curve, curve);  // in place
  upsweep::inclusive_scan(curve, peak, upsweep::maximum{}, {.init = 0.0});

  double storage = 0;
  for (std::size_t i = 0; i < flow.size(); ++i) storage = std::max(storage, peak[i] - curve[i]);
  const auto [lowest, highest] = std::ranges::minmax(curve);
  std::cout << "mean flow     " << mean << '\n'
            << "storage       " << storage << '\n'
            << "range         " << highest - lowest << '\n';
}
