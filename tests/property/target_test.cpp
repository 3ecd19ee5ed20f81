// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bits that no instruction set of the CPU may change.
#include <cstdlib>
#include <iostream>

#include "tests/property/harness.hpp"

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

using targets = on_backend;

TEST_P(targets, give_the_same_bits) {
  if (!is_production()) GTEST_SKIP() << GetParam().name << " has no targets to choose from";
  std::vector<const char*> names;
  for (const char* name : {"scalar", "sse4", "avx2", "avx512", "neon"}) {
    const variable forced("UPSWEEP_CPU_TARGET", name);
    try {
      plan({}, {}, {.backend = GetParam().name});
      names.push_back(name);
    } catch (const error& e) {
      ASSERT_EQ(e.code(), errc::unavailable) << e.what();
    }
  }
  ASSERT_FALSE(names.empty());
  for (const char* name : names) std::cout << "target " << name << '\n';
  const int share = case_count() / (4 * static_cast<int>(names.size()));
  for (const char* name : names) {
    const variable forced("UPSWEEP_CPU_TARGET", name);
    for_all_cases(GetParam().name, share, [&](const test_case& c) -> std::optional<std::string> {
      const verdict v = run_case(c, GetParam());
      if (v.outcome != verdict::passed) return std::string(name) + ": " + v.detail;
      return {};
    });
  }
}

UPSWEEP_ON_ALL_BACKENDS(targets);

}  // namespace

}  // namespace upsweep::testing
