// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the tests that are written in C, and what needs threads or C++ beside it.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <thread>

#include "c_abi.h"
#include "expect.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/upsweep.h"

namespace upsweep {
namespace {

// A line number of c_abi.c is where it failed.
TEST(c_abi, on_every_backend) {
  for (const std::string& backend : testing::available_backends()) {
    SCOPED_TRACE(backend);
    EXPECT_EQ(c_scans(backend.c_str()), 0) << upsweep_last_error();
    EXPECT_EQ(c_runs_plans(backend.c_str()), 0) << upsweep_last_error();
    EXPECT_EQ(c_resumes(backend.c_str()), 0) << upsweep_last_error();
    EXPECT_EQ(c_affine(backend.c_str()), 0) << upsweep_last_error();
  }
}
TEST(c_abi, joins_ranges) { EXPECT_EQ(c_joins_ranges(), 0) << upsweep_last_error(); }
TEST(c_abi, reports_errors) { EXPECT_EQ(c_reports_errors(), 0) << upsweep_last_error(); }
TEST(c_abi, init_values) { EXPECT_EQ(c_init_values(), 0) << upsweep_last_error(); }
TEST(c_abi, struct_sizes) { EXPECT_EQ(c_struct_sizes(), 0) << upsweep_last_error(); }
TEST(c_abi, names) { EXPECT_EQ(c_names(), 0) << upsweep_last_error(); }
TEST(c_abi, lists_backends) { EXPECT_EQ(c_lists_backends(), 0) << upsweep_last_error(); }
TEST(c_abi, null_pointers) { EXPECT_EQ(c_null_pointers(), 0) << upsweep_last_error(); }

TEST(c_abi, the_list_is_that_of_cpp) {
  const std::vector<backend_info> all = backends();
  ASSERT_EQ(upsweep_backend_count(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    upsweep_backend_info info;
    upsweep_backend_info_init(&info, sizeof info);
    ASSERT_EQ(upsweep_backend_at(i, &info), UPSWEEP_OK);
    EXPECT_EQ(info.name, all[i].name);
    EXPECT_EQ(info.reason, all[i].reason);
    EXPECT_EQ(info.role, static_cast<int>(all[i].role));
    EXPECT_EQ(info.deterministic != 0, all[i].deterministic);
    EXPECT_EQ(info.compiled != 0, all[i].compiled);
    EXPECT_EQ(info.available != 0, all[i].available);
  }
}

TEST(c_abi, every_thread_has_its_own_message) {
  std::string before, after;
  upsweep_plan_run(nullptr, nullptr);
  const std::string mine = upsweep_last_error();
  std::thread([&] {
    before = upsweep_last_error();
    upsweep_state_create(nullptr);
    after = upsweep_last_error();
  }).join();
  EXPECT_EQ(before, "");
  EXPECT_EQ(after, "state: null pointer");
  EXPECT_EQ(mine, "plan: null pointer");
  EXPECT_EQ(upsweep_last_error(), mine);
}

TEST(c_abi, a_message_of_any_length_is_cut) {
  const std::string name(10000, 'x');
  upsweep_plan_options o;
  upsweep_plan_options_init(&o, sizeof o);
  o.backend = name.c_str();
  upsweep_spec s;
  upsweep_spec_init(&s, sizeof s);
  upsweep_arguments a;
  upsweep_arguments_init(&a, sizeof a);
  EXPECT_EQ(upsweep_scan(&s, &a, &o), UPSWEEP_UNKNOWN_BACKEND);
  EXPECT_EQ(std::string(upsweep_last_error()).substr(0, 20), "backend: 'xxxxxxxxxx");
}

// Fields fill slots of 8 bytes: what the rule about earlier sizes stands on.
static_assert(sizeof(upsweep_operator) == 9 * 8 && sizeof(upsweep_spec) == 6 * 8 &&
              sizeof(upsweep_extents) == 5 * 8 && sizeof(upsweep_value) == 4 * 8 &&
              sizeof(upsweep_arguments) == 23 * 8 && sizeof(upsweep_plan_options) == 3 * 8 &&
              sizeof(upsweep_backend_info) == 5 * 8);
static_assert(offsetof(upsweep_spec, user_operator) == 40 &&
              offsetof(upsweep_operator, combine) == 48 &&
              offsetof(upsweep_arguments, segments) == 17 * 8);

}  // namespace
}  // namespace upsweep
