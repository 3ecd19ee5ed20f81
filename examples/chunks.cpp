// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sequence too long for memory, scanned piece by piece. The state carries the scan from one piece
// to the next, across processes if need be; float results have the bits of one whole scan.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <span>
#include <vector>

#include <upsweep/upsweep.hpp>

int main() {
  const std::int64_t n = 1'000'003, chunk = 300'000;  // chunks of any length
  std::vector<float> x(n), whole(n), pieces(n);
  for (std::int64_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<float>(i)) / 3;
  upsweep::inclusive_scan(x, whole);

  upsweep::plan plan({.in = upsweep::f32}, {.length = chunk});
  std::vector<std::byte> saved;  // what one would keep in a file
  for (std::int64_t first = 0; first < n; first += chunk) {
    upsweep::state state = saved.empty() ? upsweep::state{} : upsweep::state::from_bytes(saved);
    plan.run({.in = x.data() + first,
              .out = pieces.data() + first,
              .length = std::min(chunk, n - first),
              .state = &state});
    saved = state.to_bytes();
    std::cout << state.position() << " elements, a state of " << saved.size() << " bytes\n";
  }

  const bool same = std::memcmp(whole.data(), pieces.data(), n * sizeof(float)) == 0;
  std::cout << (same ? "the same bits" : "DIFFERENT bits") << " as the whole scan\n";
  return same ? 0 : 1;
}
