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

constexpr const char* backend = "simt.single_pass";

// What is wrong with the results of a case in small units, scanned as the variables say.
std::optional<std::string> problem_of(const test_case& c, const std::string& fibers,
                                      const std::string& how) {
  stage s(c);
  const arguments a = s.whole();
  std::vector<std::byte> want(s.want().size()), total(s.want_total().size());
  arguments w = a;
  w.out = want.data();
  w.total = total.data();
  run_oracle(c.what, w, small_units(c.what));
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
}

TEST(simt_single_pass, equals_the_oracle_whatever_kernel_runs) {
  const int enough = budget_of(backend).cases;
  int crossed = 0;
  for_all_cases(backend, enough * 7 / 5, [&](test_case c) -> std::optional<std::string> {
    dice d(c.seed);
    const units u = small_units(c.what);
    c.length = d.one_in(5) ? d.between(0, 17 * u.size(4)) : d.between(u.size(5), 3 * u.size(5));
    if (c.length >= u.size(5)) ++crossed;
    const std::string fibers = settings_of(d), how = forced_kernel(d, c.length <= 16 * u.size(4));
    return problem_of(c, fibers, how);
  });
  std::cout << crossed << " cases crossed a group\n";
  if (std::getenv("UPSWEEP_CASE") == nullptr) {
    EXPECT_GE(crossed, enough);
  }
}

// The ring has kernels of their own for these, which read from where a stage has the first byte.
TEST(simt_single_pass, reads_narrower_scalars_from_any_address) {
  const spec f16{.in = type::f16}, bf16{.in = type::bf16}, counts{.in = type::u8, .out = type::i32},
      wider{.in = type::f32, .out = type::f64};
  spec highest = f16;
  highest.op.id = builtin::maximum;
  for (spec what : {f16, bf16, highest, counts, wider})
    for (std::int64_t offset = 0; offset < 16; ++offset) {
      what.direction = offset % 8 < 4 ? reverse : forward;
      test_case c{.what = what, .in_offset = offset, .out_offset = offset % 3, .threads = 1};
      c.length = 5 * small_units(what).size(4) + 3;
      c.seed = static_cast<std::uint64_t>(offset) + 1;
      const auto wrong = problem_of(c, "units=small", "shape=ring,blocks=1,stages=2");
      EXPECT_FALSE(wrong) << c << '\n' << wrong.value_or("");
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
