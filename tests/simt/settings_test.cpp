// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the environment says of the simt backends, what it may not say, and what they refuse.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/expect.hpp"
#include "upsweep/plan.hpp"

namespace upsweep {

namespace {

using testing::expect_error;
using testing::scoped_environment;

plan make(std::int64_t length, const char* backend = "simt.chained") {
  return plan({.in = u32}, {.length = length}, {.backend = backend});
}

TEST(simt_settings, choose_how_fibers_run) {
  const scoped_environment how("UPSWEEP_SIMT",
                               "seed=9,order=reverse,resident=3,preempt=5,patience=70,threads=128");
  EXPECT_NE(make(100).why().find("blocks of 128 fibers, 3 at a time, seed 9"), std::string::npos)
      << make(100).why();
}

TEST(simt_settings, are_refused_by_name_and_value) {
  for (const std::string text : {"seed=x", "order=sideways", "resident=0", "preempt=-1",
                                 "patience=", "threads=33", "threads=2048", "speed=9"}) {
    const scoped_environment how("UPSWEEP_SIMT", text.c_str());
    expect_error(errc::invalid_argument, {"UPSWEEP_SIMT: ", text}, [] { make(100); });
  }
}

TEST(simt_settings, limit_naive_scans) {
  expect_error(errc::unsupported, {"at most 65536 elements, not 65537", "UPSWEEP_NAIVE_LENGTH"},
               [] { make(65'537, "simt.naive"); });
  const scoped_environment more("UPSWEEP_NAIVE_LENGTH", "65537");
  EXPECT_NO_THROW(make(65'537, "simt.naive"));
  const scoped_environment odd("UPSWEEP_NAIVE_LENGTH", "1e9");
  expect_error(errc::unsupported, {"UPSWEEP_NAIVE_LENGTH is '1e9'"},
               [] { make(10, "simt.naive"); });
}

TEST(simt, refuse_what_they_do_not_serve_in_words_and_write_nothing) {
  const std::vector<std::uint32_t> x(100, 1), sevens(x.size(), 7);
  std::vector<std::uint32_t> out = sevens;
  plan p = make(100);
  state s;
  arguments a{.in = x.data(), .out = out.data(), .length = 100, .state = &s};
  expect_error(errc::unsupported, {"state: simt.chained"}, [&] { p.run(a); });
  expect_error(errc::unsupported, {"state: simt.chained"}, [&] { p.aggregate(a); });
  expect_error(errc::unsupported, {"state: simt.chained"}, [&] { p.append(s, state()); });
  a.state = nullptr;
  a.init_device = x.data();
  for (const std::int64_t length : {100, 0}) {
    a.length = length;
    expect_error(errc::unsupported, {"init_device: ", "simt backends"}, [&] { p.run(a); });
  }
  EXPECT_EQ(out, sevens);
}

}  // namespace

}  // namespace upsweep
