// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which backend runs a scan, over a registry of fakes.
#include <gtest/gtest.h>

#include "expect.hpp"
#include "fake_registry.hpp"
#include "upsweep/plan.hpp"

namespace upsweep {
namespace {

using testing::expect_error;
using testing::fake_backend;
using testing::fakes;
using testing::scoped_environment;

class selection : public ::testing::Test {
 protected:
  void SetUp() override { fakes().reset(); }

  static plan make(std::string_view backend, memory where = memory::host) {
    return plan({}, {.length = 8}, {.backend = backend, .memory = where});
  }

  scoped_environment unset_{"UPSWEEP_BACKEND", nullptr};
};

TEST_F(selection, auto_takes_the_first_production_backend_that_is_here) {
  // Before it in the list: one for device memory, one not compiled in, the reference, a textbook
  // one, one that is not available.
  EXPECT_EQ(make("").backend(), "cpu.openmp");
  EXPECT_EQ(make("auto").backend(), "cpu.openmp");
  EXPECT_NE(make("").why().find("chosen by auto for host memory; a fake"), std::string::npos);
}

TEST_F(selection, auto_goes_by_where_the_data_live) {
  EXPECT_EQ(make("", memory::device).backend(), "cuda.single_pass");
  EXPECT_NE(make("", memory::device).why().find("device memory"), std::string::npos);
  EXPECT_EQ(fakes().device.made, 2);
  make("");
  EXPECT_EQ(fakes().device.made, 2);
}

TEST_F(selection, auto_falls_through_a_refusal) {
  fakes().openmp.refuses = "too hard";
  EXPECT_EQ(make("").backend(), "cpu.second");
}

TEST_F(selection, auto_never_takes_the_reference_or_a_textbook_backend) {
  fakes().openmp.refuses = "too hard";
  fakes().second.refuses = "too easy";
  expect_error(errc::unavailable,
               {"backend: auto found none for host memory", "cpu.openmp: too hard",
                "cpu.second: too easy", "simt.single_pass: not compiled in: built without fibers",
                "cpu.absent: not available: no such chip here"},
               [] { make(""); });
  EXPECT_EQ(fakes().serial.made + fakes().textbook.made, 0);
}

TEST_F(selection, nothing_here_scans_device_memory) {
  fakes().device.refuses = "asleep";
  expect_error(errc::unavailable, {"auto found none for device memory", "asleep"},
               [] { make("", memory::device); });
}

TEST_F(selection, a_name_is_obeyed) {
  for (const char* name : {"cpu.serial", "cpu.textbook", "cpu.openmp", "cpu.second"}) {
    EXPECT_EQ(make(name).backend(), name);
    EXPECT_NE(make(name).why().find("named by backend (" + std::string(name) + ")"),
              std::string::npos);
  }
}

TEST_F(selection, the_argument_comes_before_the_environment_and_that_before_auto) {
  const scoped_environment env("UPSWEEP_BACKEND", "cpu.serial");
  EXPECT_EQ(make("").backend(), "cpu.serial");
  EXPECT_NE(make("").why().find("UPSWEEP_BACKEND"), std::string::npos);
  EXPECT_EQ(make("cpu.second").backend(), "cpu.second");
  EXPECT_EQ(make("auto").backend(), "cpu.openmp");
}

TEST_F(selection, an_empty_or_auto_environment_is_auto) {
  for (const char* value : {"", "auto"}) {
    const scoped_environment env("UPSWEEP_BACKEND", value);
    EXPECT_EQ(make("").backend(), "cpu.openmp");
  }
}

TEST_F(selection, a_family_means_its_production_member) {
  EXPECT_EQ(make("cpu").backend(), "cpu.openmp");
  EXPECT_EQ(make("cuda", memory::device).backend(), "cuda.single_pass");
  expect_error(errc::unavailable, {"'simt.single_pass' is not compiled in"}, [] { make("simt"); });
}

TEST_F(selection, an_unknown_name_gets_the_closest_one) {
  expect_error(errc::unknown_backend, {"backend: 'cpu.opnmp' is unknown", "'cpu.openmp'"},
               [] { make("cpu.opnmp"); });
  expect_error(errc::unknown_backend, {"'cuda.singel_pass'", "mean 'cuda.single_pass'"},
               [] { make("cuda.singel_pass"); });
  expect_error(errc::unknown_backend, {"mean 'cuda'"}, [] { make("cude"); });
  expect_error(errc::unknown_backend, {"mean 'simt'"}, [] { make("simtcpu"); });
  expect_error(errc::unknown_backend, {"mean 'auto'"}, [] { make("Auto"); });
  const scoped_environment env("UPSWEEP_BACKEND", "cpu.serail");
  expect_error(errc::unknown_backend, {"UPSWEEP_BACKEND: 'cpu.serail'", "'cpu.serial'"},
               [] { make(""); });
}

TEST_F(selection, a_name_that_cannot_serve_says_why_and_who_can) {
  const std::string serving =
      "served here by: cuda.single_pass, cpu.serial, cpu.textbook, cpu.openmp, cpu.second";
  expect_error(errc::unavailable,
               {"backend: 'simt.single_pass' is not compiled in: built without fibers", serving},
               [] { make("simt.single_pass"); });
  expect_error(errc::unavailable, {"'cpu.absent' is not available: no such chip here", serving},
               [] { make("cpu.absent"); });
  fakes().openmp.refuses = "too hard";
  expect_error(errc::unsupported,
               {"'cpu.openmp' does not serve this scan: too hard",
                "served here by: cuda.single_pass, cpu.serial, cpu.textbook, cpu.second"},
               [] { make("cpu.openmp"); });
  EXPECT_EQ(make("cuda.single_pass").backend(), "cuda.single_pass") << "named, it copies";
  for (fake_backend* b : {&fakes().openmp, &fakes().second, &fakes().serial, &fakes().textbook})
    EXPECT_EQ(b->made, 0) << "a name must not fall through";
}

TEST_F(selection, nobody_serves) {
  for (fake_backend* b :
       {&fakes().device, &fakes().openmp, &fakes().second, &fakes().serial, &fakes().textbook})
    b->refuses = "no";
  expect_error(errc::unsupported, {"no backend here serves it"}, [] { make("cpu.serial"); });
}

TEST_F(selection, the_list_tells_three_facts_and_a_reason) {
  const std::vector<backend_info> all = backends();
  ASSERT_EQ(all.size(), 7u);
  const auto expect = [&](std::size_t i, const char* name, role what, bool deterministic,
                          bool compiled, bool available, const char* reason) {
    EXPECT_EQ(all[i].name, name);
    EXPECT_EQ(all[i].role, what);
    EXPECT_EQ(all[i].deterministic, deterministic) << name;
    EXPECT_EQ(all[i].compiled, compiled) << name;
    EXPECT_EQ(all[i].available, available) << name;
    EXPECT_EQ(all[i].reason, reason);
  };
  expect(0, "cuda.single_pass", role::production, true, true, true, "");
  expect(1, "simt.single_pass", role::production, true, false, false, "built without fibers");
  expect(2, "cpu.serial", role::reference, true, true, true, "");
  expect(3, "cpu.textbook", role::textbook, false, true, true, "");
  expect(4, "cpu.absent", role::production, true, true, false, "no such chip here");
}

TEST_F(selection, roles_have_names) {
  EXPECT_STREQ(name_of(role::production), "production");
  EXPECT_STREQ(name_of(role::textbook), "textbook");
  EXPECT_STREQ(name_of(role::reference), "reference");
  EXPECT_STREQ(name_of(role::peer), "peer");
}

}  // namespace
}  // namespace upsweep
