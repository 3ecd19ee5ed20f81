// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"
#include "failure.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/stage.hpp"
#include "upsweep/backends.hpp"
#include "upsweep/plan.hpp"

namespace upsweep::command {

namespace {

using testing::test_case;
using testing::verdict;

using clock = std::chrono::steady_clock;

struct tally {
  backend_info backend;
  std::int64_t passed = 0, refused = 0, failed = 0;
  clock::duration spent{};
};

std::vector<tally> backends_to_check(const std::string& name) {
  std::string chosen;
  if (!name.empty()) chosen = plan({}, {.length = 1}, {.backend = name}).backend();
  std::vector<tally> all;
  for (const backend_info& b : backends())
    if (name.empty() ? b.available : b.name == chosen) all.push_back({b});
  return all;
}

// The simplest case that fails like `c`.
test_case simplest(const test_case& c, const backend_info& backend) {
  for (const test_case& s : testing::simpler(c))
    if (run_case(s, backend).outcome == verdict::failed) return simplest(s, backend);
  return c;
}

void run_one(const test_case& c, tally& t) {
  const verdict v = run_case(c, t.backend);
  if (v.outcome == verdict::passed) ++t.passed;
  if (v.outcome == verdict::refused) ++t.refused;
  if (v.outcome != verdict::failed || ++t.failed > 1) return;
  const test_case least = simplest(c, t.backend);
  fmt::print("{}: {}\n  again: upsweep check --backend {} --replay '{}'\n", t.backend.name,
             run_case(least, t.backend).detail, t.backend.name, to_line(least));
}

test_case replayed(const std::string& line) {
  try {
    return testing::from_line(line);
  } catch (const std::invalid_argument& problem) {
    throw misuse(fmt::format("--replay: {}", problem.what()));
  }
}

}  // namespace

bool check(const check_options& o) {
  std::vector<tally> tallies = backends_to_check(o.backend);
  if (o.replay) {
    const test_case c = replayed(*o.replay);
    for (tally& t : tallies) run_one(c, t);
  } else {
    // As much time for each: some are a thousand times as fast as others.
    const auto end = clock::now() + std::chrono::duration<double>(o.seconds);
    std::uint64_t seed = std::random_device{}();
    const auto least = [&] { return std::ranges::min_element(tallies, {}, &tally::spent); };
    do {
      const auto began = clock::now();
      tally& t = *least();
      run_one(testing::draw(seed++, testing::limits_for(t.backend)), t);
      t.spent += clock::now() - began;
    } while (clock::now() < end || least()->spent == clock::duration::zero());
  }
  bool agreed = true;
  fmt::print("{:<24}  {:>9}  {:>9}  {:>9}\n", "backend", "passed", "refused", "failed");
  for (const tally& t : tallies) {
    fmt::print("{:<24}  {:>9}  {:>9}  {:>9}\n", t.backend.name, t.passed, t.refused, t.failed);
    agreed = agreed && t.failed == 0;
  }
  return agreed;
}

}  // namespace upsweep::command
