// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the caller's surroundings must not change: floating-point modes, threads, parallel regions.
#include <array>
#include <thread>

#include "tests/property/foreign_mode.hpp"
#include "tests/property/harness.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/random.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::testing {

namespace {

class surroundings : public on_backend {
 protected:
  // Other cases that follow from c, for callers that work at the same time.
  static test_case sibling(const test_case& c, std::uint64_t k) {
    limits most = budget_of(GetParam().name).most;
    most.rare = most.group = most.common;
    return draw(random_bits(c.seed, k), most);
  }

  std::string complaint(const test_case& c) const {
    const verdict v = run_case(c, GetParam());
    return v.outcome == verdict::failed ? to_line(c) + ": " + v.detail + '\n' : "";
  }
};

TEST_P(surroundings, floating_point_modes_change_nothing_and_stay) {
  for_all_cases(GetParam().name, case_count() / 4,
                [&](const test_case& c) -> std::optional<std::string> {
                  stage s(c);
                  {
                    const foreign_mode mode(c.seed);
                    if (c.one_shot)
                      scan(c.what, s.whole(), options(c));
                    else
                      plan(c.what, {.length = c.length}, options(c)).run(s.whole());
                    if (!mode.kept()) return "the caller's mode was not restored";
                  }
                  return s.problem(GetParam());
                });
}

TEST_P(surroundings, eight_threads_scan_at_once) {
  for_all_cases(GetParam().name, case_count() / 100,
                [&](const test_case& c) -> std::optional<std::string> {
                  std::array<std::string, 8> wrong;
                  std::vector<std::thread> threads;
                  for (std::size_t k = 0; k < wrong.size(); ++k)
                    threads.emplace_back([&, k] { wrong[k] = complaint(sibling(c, k)); });
                  for (std::thread& t : threads) t.join();
                  std::string all;
                  for (const std::string& w : wrong) all += w;
                  if (all.empty()) return {};
                  return all;
                });
}

TEST_P(surroundings, a_callers_parallel_region_scans) {
  for_all_cases(GetParam().name, case_count() / 100,
                [&](const test_case& c) -> std::optional<std::string> {
                  std::array<std::string, 3> wrong;
#pragma omp parallel for num_threads(3) schedule(static, 1)
                  for (std::size_t k = 0; k < wrong.size(); ++k)
                    wrong[k] = complaint(sibling(c, k));
                  const std::string all = wrong[0] + wrong[1] + wrong[2];
                  if (all.empty()) return {};
                  return all;
                });
}

UPSWEEP_ON_ALL_BACKENDS(surroundings);

}  // namespace

}  // namespace upsweep::testing
