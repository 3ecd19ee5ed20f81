// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States of the production scan on devices are those of cpu.openmp: either goes on from the
// other's.
#include <algorithm>

#include "tests/property/harness.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/oracle.hpp"
#include "tests/unit/expect.hpp"

namespace upsweep::testing {

namespace {

// How two states of a scan differ, all NaNs taken as one; nothing if they do not.
std::optional<std::string> other_state(const spec& what, const state& got, const state& want) {
  const std::vector<std::byte> a = got.to_bytes(), b = want.to_bytes();
  constexpr std::size_t head = 40;  // then accumulators
  if (a.size() != b.size() ||
      !std::equal(a.begin(), a.begin() + std::min(head, a.size()), b.begin()))
    return "a state of another size or kind";
  if (a.size() <= head) return {};
  spec totals = what;
  totals.out = accumulator_of(what.out);
  totals.affine = affine_form::pair;
  const auto count = static_cast<std::int64_t>((a.size() - head) / accumulator_bytes(what));
  if (auto d = first_difference(totals, count, &a[head], &b[head])) return "state: " + *d;
  return {};
}

class crossing : public on_backend {
 protected:
  // Three stretches: cpu.openmp passes the first, the tested backend [from, to), cpu.openmp the
  // rest.
  std::optional<std::string> cross(stage& s, std::int64_t from, std::int64_t to) const {
    const test_case& c = s.what();
    dice d(c.seed);
    const scoped_environment kernel("UPSWEEP_SINGLE_PASS",
                                    forced_kernel(d, fits_a_cluster(c)).c_str());
    plan here(c.what, {.length = c.length}, options(c));
    plan there(c.what, {.length = c.length}, {.backend = "cpu.openmp", .threads = 1});
    state at;
    const auto pass = [&](plan& p, std::int64_t first, std::int64_t last, state& to, bool run) {
      arguments a = s.stretch(first, last);
      if (!to.empty()) a.init = {};
      a.state = &to;
      run ? p.run(a) : p.aggregate(a);
    };
    pass(there, 0, from, at, true);
    // Aggregates of it on both, before the scan, which may be in place.
    state got = at, want = at;
    pass(here, from, to, got, false);
    const std::vector<std::byte> total(s.total(), s.total() + s.want_total().size());
    pass(there, from, to, want, false);
    if (auto wrong = first_difference(c.what, 1, total.data(), s.total()))
      return "total of an aggregate: " + *wrong;
    if (auto wrong = other_state(c.what, got, want)) return "after an aggregate: " + *wrong;
    pass(here, from, to, at, true);
    pass(there, to, to, want, true);  // folds groups, as a run does
    if (auto wrong = other_state(c.what, at, want)) return "after a run: " + *wrong;
    pass(there, to, c.length, at, true);
    return {};
  }
};

TEST_P(crossing, goes_on_from_cpu_openmp_and_cpu_openmp_from_it) {
  const limits most = budget_of(GetParam().name).most;
  // Fibers take a second for a million elements, those before the arrays included.
  const std::int64_t farthest = GetParam().name.starts_with("simt.") ? 140'000 : 600'000;
  for_all_cases(GetParam().name, case_count() / 8, [&](test_case c) {
    dice d(c.seed);
    const unit_sizes u = sizes_of(c);
    // To the end of a group and over it, where that is not too far; else into a super.
    const std::int64_t from = u.group > farthest || !d.one_in(4)
                                  ? d.between(0, 9 * u.tile)
                                  : d.between(u.group - 8 * u.tile, u.group + u.tile);
    const std::int64_t to = from + d.between(0, most.common);
    c.length = to + d.between(0, 3 * u.tile);
    stage s(c);
    const auto wrong = cross(s, from, to);
    return wrong ? wrong : s.problem(GetParam());
  });
}

// A super that is alone may tell nobody its total, and that of an earlier run is still there.
TEST_P(crossing, ends_on_the_border_of_a_super) {
  test_case c{.what = {.in = c128, .out = c128}, .data = distribution::near_one};
  const std::int64_t super = sizes_of(c).group / 32;
  c.length = 3 * super;
  for (c.seed = 1; c.seed <= 8; ++c.seed) {  // of every kernel
    dice d(c.seed);
    const scoped_environment kernel("UPSWEEP_SINGLE_PASS",
                                    forced_kernel(d, fits_a_cluster(c)).c_str());
    stage s(c);
    plan here(c.what, {.length = c.length}, options(c));
    plan there(c.what, {.length = c.length}, {.backend = "cpu.openmp"});
    here.run(s.whole());
    for (const std::int64_t first : {2 * super, super}) {
      arguments a = s.stretch(first, first + super);
      state got, want;
      a.state = &got;
      here.run(a);
      a.state = &want;
      there.run(a);
      ASSERT_EQ(other_state(c.what, got, want), std::nullopt) << c;
    }
  }
}

TEST_P(crossing, takes_complex_products_up_on_group_borders_only) {
  const std::complex<double> x(1, 1);
  std::complex<double> y(7, 7);
  state s;
  const spec what{.in = c128, .op = product{}};
  const auto served = budget_of(GetParam().name).most.served;
  if (served != nullptr && !served(what)) GTEST_SKIP() << "few kernels";
  plan p(what, {.length = 1}, {.backend = GetParam().name});
  p.aggregate({.in = &x, .length = 1, .state = &s});
  const auto before = s.to_bytes();
  const arguments a{.in = &x, .out = &y, .length = 1, .state = &s};
  const std::vector<std::string> words{"state: position 1 is no border of a group (65536 elements)",
                                       GetParam().name};
  expect_error(errc::unsupported, words, [&] { p.run(a); });
  expect_error(errc::unsupported, words, [&] { p.aggregate(a); });
  EXPECT_EQ(y, (std::complex<double>(7, 7)));
  EXPECT_EQ(s.to_bytes(), before);
}

UPSWEEP_ON_BACKENDS(crossing, of_role(true));

}  // namespace

}  // namespace upsweep::testing
