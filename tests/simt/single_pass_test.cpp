// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The production scan on fibers with small units, of which a short scan fills many: every kernel,
// any number of blocks and stages, against the oracle with the same units.
#include <array>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "tests/property/harness.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/oracle.hpp"
#include "tests/unit/expect.hpp"

namespace upsweep::testing {

namespace {

// A chunk is one row of 32 vecs, and a tile and a super are one chunk.
units small_units(const spec& what) {
  units u = units::of(accumulator_bytes(what));
  u.sub_units = {4, 8, 1, 1, 32};
  return u;
}

std::string settings_of(dice& d) {
  constexpr std::array orders{"fifo", "reverse", "random"};
  return "units=small,seed=" + std::to_string(d.bits() >> 1) + ",order=" + d.one_of(orders) +
         ",preempt=" + std::to_string(d.between(0, 40));
}

TEST(simt_single_pass, equals_the_oracle_whatever_kernel_runs) {
  const std::string backend = "simt.single_pass";
  const int enough = budget_of(backend).cases;
  int crossed = 0;
  for_all_cases(backend, enough * 7 / 5, [&](test_case c) -> std::optional<std::string> {
    dice d(c.seed);
    const units u = small_units(c.what);
    c.length = d.one_in(5) ? d.between(0, 17 * u.size(4)) : d.between(u.size(5), 3 * u.size(5));
    if (c.length >= u.size(5)) ++crossed;
    const std::string fibers = settings_of(d), how = forced_kernel(d, c.length <= 16 * u.size(4));
    stage s(c);
    const arguments a = s.whole();
    std::vector<std::byte> want(s.want().size()), total(s.want_total().size());
    arguments w = a;
    w.out = want.data();
    w.total = total.data();
    run_oracle(c.what, w, u);
    {
      const scoped_environment simt("UPSWEEP_SIMT", fibers.c_str());
      const scoped_environment shape("UPSWEEP_SINGLE_PASS", how.c_str());
      plan(c.what, {.length = c.length}, {.backend = backend}).run(a);
    }
    const std::string with = fibers + " " + how + ": ";
    if (auto wrong = first_difference(c.what, 1, s.total(), total.data()))
      return with + "total: " + *wrong;
    if (auto wrong = first_difference(c.what, c.length, s.out(), want.data())) return with + *wrong;
    if (auto wrong = s.problem({}, false)) return with + *wrong;
    return {};
  });
  std::cout << crossed << " cases crossed a group\n";
  if (std::getenv("UPSWEEP_CASE") == nullptr) {
    EXPECT_GE(crossed, enough);
  }
}

TEST(simt_single_pass, keeps_no_states_of_small_units) {
  const scoped_environment simt("UPSWEEP_SIMT", "units=small");
  const float x = 1;
  float y = 7;
  state s;
  plan p({}, {.length = 1}, {.backend = "simt.single_pass"});
  expect_error(errc::unsupported, {"state: simt.single_pass"},
               [&] { p.run({.in = &x, .out = &y, .length = 1, .state = &s}); });
  EXPECT_EQ(y, 7);
}

}  // namespace

}  // namespace upsweep::testing
