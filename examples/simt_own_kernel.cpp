// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU kernel of one's own, tested without a GPU: it takes differences of neighbours in shared
// memory, twice, and forgets a barrier. The checked engine says where; with the barrier it is
// silent. docs/simt.md has the words that kernels are written in; nvcc compiles the same text.
#include <iostream>
#include <vector>

#include <upsweep/kernels/port.hpp>
#include <upsweep/simt/device.hpp>

namespace kernels = upsweep::kernels;
namespace simt = upsweep::simt;

constexpr int n = 64;  // elements, a thread each

template <bool cured>
UPSWEEP_KERNEL void second_differences(kernels::global<const int> in, kernels::global<int> out) {
  UPSWEEP_SHARED(int, x, n);
  const int i = kernels::thread_index();
  int mine = in[i];
  x[i] = mine;
  kernels::sync_block();
  for (int round = 0; round < 2; ++round) {
    int left = 0;
    if (i > 0) left = x[i - 1];
    if constexpr (cured) kernels::sync_block();  // all have read
    mine -= left;
    x[i] = mine;
    kernels::sync_block();  // all have written
  }
  out[i] = mine;
}

// Throws simt::fault.
template <bool cured>
std::vector<int> run(const std::vector<int>& in) {
  std::vector<int> out(in.size());
  simt::device gpu({.seed = 7});
  gpu.borrow(in.data(), in.size() * sizeof(int), true);
  gpu.borrow(out.data(), out.size() * sizeof(int), false);  // not initialised
  kernels::launch(kernels::stream{&gpu}, {1, n}, second_differences<cured>,
                  kernels::global<const int>(in.data(), n), kernels::global<int>(out.data(), n));
  return out;
}

int main() {
  std::vector<int> squares(n);
  for (int i = 0; i < n; ++i) squares[i] = i * i;

  try {
    run<false>(squares);
    std::cout << "the race was not found\n";
    return 1;
  } catch (const simt::fault& f) {
    std::cout << f.what() << '\n';
    if (f.kind() != simt::fault_kind::race) return 1;
  }

  std::vector<int> right(n, 2);
  right[0] = 0;
  right[1] = 1;
  if (run<true>(squares) != right) {
    std::cout << "the cured kernel is wrong\n";
    return 1;
  }
  std::cout << "cured: no fault, and the right result\n";
}
