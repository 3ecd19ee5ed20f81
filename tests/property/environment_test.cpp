// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the caller's surroundings must not change: floating-point modes, threads, parallel regions,
// instruction sets.
#include <array>
#include <cstdlib>
#include <thread>

#include "tests/property/foreign_mode.hpp"
#include "tests/property/harness.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/random.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::testing {

namespace {

// Sets a variable of the environment, until it goes out of scope.
class variable {
 public:
  variable(const char* name, const char* text) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    ::setenv(name, text, 1);
  }
  ~variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class surroundings : public on_backend {
 protected:
  // Other cases that follow from c, for callers that work at the same time.
  static test_case sibling(const test_case& c, std::uint64_t k) {
    limits most = case_limits();
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
                  return s.problem(GetParam().role);
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

TEST_P(surroundings, every_cpu_target_gives_the_same_bits) {
  if (!is_production()) GTEST_SKIP() << GetParam().name << " has no targets to choose from";
  std::vector<const char*> targets;
  for (const char* name : {"scalar", "sse4", "avx2", "avx512", "neon"}) {
    const variable forced("UPSWEEP_CPU_TARGET", name);
    try {
      plan({}, {}, {.backend = GetParam().name});
      targets.push_back(name);
    } catch (const error& e) {
      ASSERT_EQ(e.code(), errc::unavailable) << e.what();
    }
  }
  ASSERT_FALSE(targets.empty());
  for (const char* name : targets) std::cout << "target " << name << '\n';
  const int share = case_count() / (4 * static_cast<int>(targets.size()));
  for (const char* name : targets) {
    const variable forced("UPSWEEP_CPU_TARGET", name);
    for_all_cases(GetParam().name, share, [&](const test_case& c) -> std::optional<std::string> {
      const verdict v = run_case(c, GetParam());
      if (v.outcome == verdict::refused) return refused(v.detail);
      if (v.outcome == verdict::failed) return std::string(name) + ": " + v.detail;
      return {};
    });
  }
}

UPSWEEP_ON_ALL_BACKENDS(surroundings);

}  // namespace

}  // namespace upsweep::testing
