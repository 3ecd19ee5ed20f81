// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_PROPERTY_HARNESS_HPP
#define UPSWEEP_TESTS_PROPERTY_HARNESS_HPP

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/random.hpp"
#include "tests/support/stage.hpp"
#include "tests/support/tested.hpp"

namespace upsweep {

// How GoogleTest names a parameter in messages.
inline void PrintTo(const backend_info& b, std::ostream* to) { *to << b.name; }

}  // namespace upsweep

namespace upsweep::testing {

// How much of random tests a backend gets.
struct budget {
  int cases;    // UPSWEEP_CASES in its place
  limits most;  // UPSWEEP_MAX_LENGTH in place of the lengths
};
budget budget_of(std::string_view backend);

// A test that runs once a backend of the tested family, and is skipped, with the reason, where that
// is not available on this machine.
class on_backend : public ::testing::TestWithParam<backend_info> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << GetParam().name << ": " << GetParam().reason;
  }
  int case_count() const { return budget_of(GetParam().name).cases; }
  plan_options options(const test_case& c) const {
    return {.backend = GetParam().name, .threads = c.threads};
  }
  bool is_production() const { return GetParam().role == role::production; }
  bool keeps_order() const { return is_production() || GetParam().role == role::reference; }
};

// Names a parameter for GoogleTest: "cpu_openmp".
std::string parameter_name(const ::testing::TestParamInfo<backend_info>& info);

// What UPSWEEP_SINGLE_PASS says or, where it says nothing, may say: a kernel of the production scan
// on devices, with few blocks and stages or many, or nothing.
std::string forced_kernel(dice& d, bool fits_a_cluster);
inline bool fits_a_cluster(const test_case& c) { return c.length <= sizes_of(c).group / 4; }

// What a property says of one case: nothing if it holds, else what is wrong. An upsweep::error of
// errc::unsupported counts as refused, any other exception as wrong.
using property = std::function<std::optional<std::string>(const test_case&)>;

// Checks a property on `count` random cases, fails the test on the simplest counterexample found
// and prints the line that replays it. With UPSWEEP_CASE set to such a line, checks that case
// alone. Every case is tallied under `backend`; the tally is printed when the program ends.
void for_all_cases(const std::string& backend, int count, const property& holds);

}  // namespace upsweep::testing

#define UPSWEEP_ON_BACKENDS(suite, list) \
  INSTANTIATE_TEST_SUITE_P(, suite, ::testing::ValuesIn(list), ::upsweep::testing::parameter_name)
#define UPSWEEP_ON_ALL_BACKENDS(suite) \
  UPSWEEP_ON_BACKENDS(suite, ::upsweep::testing::tested_backends())

#endif
