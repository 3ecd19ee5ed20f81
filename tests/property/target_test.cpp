// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bits that no instruction set of the CPU may change, and no tuning.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
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

TEST_P(targets, give_the_same_bits_under_any_tuning) {
  if (!is_production()) GTEST_SKIP() << GetParam().name << " has nothing to tune";
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("upsweep-tuning-" + std::to_string(getpid()));
  for (const char* text : {
           "parallel_from = 0\nblock = 1\nstream_stores_from = 0\n",
           "parallel_from = 1\nblock = 1000003\nstream_stores_from = 9223372036854775807\n",
           "parallel_from = 100000\nblock = 9223372036854775807\nstream_stores_from = 65537\n",
       }) {
    std::ofstream(file) << text;
    const variable tuned("UPSWEEP_TUNING", file.c_str());
    for_all_cases(GetParam().name, case_count() / 100,
                  [&](const test_case& c) -> std::optional<std::string> {
                    const verdict v = run_case(c, GetParam());
                    if (v.outcome != verdict::passed) return text + v.detail;
                    return {};
                  });
  }
  std::filesystem::remove(file);
}

UPSWEEP_ON_ALL_BACKENDS(targets);

}  // namespace

}  // namespace upsweep::testing
