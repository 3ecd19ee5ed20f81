// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans in parts: resume, aggregate, append, and images of states.
#include <algorithm>

#include "tests/property/foreign_mode.hpp"
#include "tests/property/harness.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/sanitised.hpp"
#include "tests/unit/expect.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::testing {

namespace {

state copied_through_bytes(const state& s) { return state::from_bytes(s.to_bytes()); }

// Those that keep states.
std::vector<backend_info> keepers() {
  std::vector<backend_info> all = tested_backends();
  std::erase_if(all, [](const backend_info& b) {
    return b.role != role::production && b.role != role::reference;
  });
  return all;
}

class states : public on_backend {
 protected:
  // Scans in up to five stretches, each on from the state that the one before left.
  std::optional<std::string> resume(stage& s) const {
    const test_case& c = s.what();
    dice d(c.seed);
    const scoped_environment kernel("UPSWEEP_SINGLE_PASS",
                                    forced_kernel(d, fits_a_cluster(c)).c_str());
    std::vector<std::int64_t> cuts{0, c.length};
    for (auto n = d.between(1, 4); n > 0; --n) cuts.push_back(d.between(0, c.length));
    std::ranges::sort(cuts);
    plan p(c.what, {.length = c.length}, options(c));
    state at;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      arguments a = s.stretch(cuts[k], cuts[k + 1]);
      // The state holds the init once it has passed anything.
      if (!at.empty()) a.init = {};
      a.state = &at;
      if (c.one_shot)
        scan(c.what, a, options(c));
      else
        p.run(a);
      if (at.position() != cuts[k + 1]) return wrong_position(at, cuts[k + 1]);
      if (d.one_in(2)) at = copied_through_bytes(at);
    }
    return {};
  }

  // Aggregates [0, border) and [border, end), the latter as another host would: from an empty
  // state, not knowing what lies before. Joins the two and scans the rest on from there.
  std::optional<std::string> append(stage& s, std::int64_t border, std::int64_t end) const {
    const test_case& c = s.what();
    plan p(c.what, {.length = c.length}, options(c));
    const auto pass = [&](state& to, std::int64_t first, std::int64_t last, const value& init) {
      arguments a = s.stretch(first, last);
      a.init = init;
      a.total = nullptr;
      a.state = &to;
      p.aggregate(a);
    };
    state before, next;
    pass(before, 0, border, s.init());
    pass(next, border, end, {});
    p.append(before, copied_through_bytes(next));
    if (before.position() != end) return wrong_position(before, end);
    // A run of their own for the elements that were aggregated.
    arguments first = s.stretch(0, end);
    first.init = s.init();
    p.run(first);
    arguments rest = s.stretch(end, c.length);
    if (!before.empty()) rest.init = {};
    rest.state = &before;
    p.run(rest);
    return {};
  }

  std::optional<std::string> append_anywhere(stage& s) const {
    const test_case& c = s.what();
    dice d(c.seed);
    const std::int64_t group = sizes_of(c).group;
    const std::int64_t border = d.between(0, c.length / group) * group;
    return append(s, border, d.between(border, c.length));
  }

  static std::string wrong_position(const state& s, std::int64_t want) {
    return "position " + std::to_string(s.position()) + " after " + std::to_string(want) +
           " elements";
  }
};

TEST_P(states, resume_anywhere) {
  for_all_cases(GetParam().name, case_count() / 4, [&](const test_case& c) {
    stage s(c);
    const auto wrong = resume(s);
    return wrong ? wrong : s.problem(GetParam());
  });
}

TEST_P(states, append_the_aggregate_of_a_range_on_a_group_border) {
  for_all_cases(GetParam().name, case_count() / 4, [&](const test_case& c) {
    stage s(c);
    const auto wrong = append_anywhere(s);
    return wrong ? wrong : s.problem(GetParam());
  });
}

TEST_P(states, do_not_see_the_callers_floating_point_mode) {
  for_all_cases(GetParam().name, case_count() / 10, [&](const test_case& c) {
    stage s(c);
    std::optional<std::string> wrong;
    {
      const foreign_mode mode(c.seed);
      wrong = c.one_shot ? resume(s) : append_anywhere(s);
      if (!mode.kept()) wrong = "the caller's mode was not restored";
    }
    return wrong ? wrong : s.problem(GetParam());
  });
}

TEST_P(states, append_whole_groups_in_every_floating_point_mode) {
  // With an init, appending folds groups at once; without, the next run does.
  test_case c{
      .what = {.in = c128, .out = c128}, .init = true, .data = distribution::near_one, .seed = 1};
  const std::int64_t group = sizes_of(c).group;
  c.length = 4 * group;
  // Fibers take seconds for each, and sanitizers see no modes.
  const bool one = sanitised || GetParam().name.starts_with("simt.");
  for (std::uint64_t which = one ? 15 : 0; which < 16; ++which) {
    stage s(c);
    try {
      const foreign_mode mode(which);
      ASSERT_EQ(append(s, group, 3 * group), std::nullopt);
    } catch (const error& e) {
      ASSERT_EQ(e.code(), errc::unsupported) << e.what();
      GTEST_SKIP() << e.what();
    }
    ASSERT_EQ(s.problem(GetParam()), std::nullopt) << "mode " << which;
  }
}

TEST_P(states, survive_their_image) {
  for_all_cases(GetParam().name, case_count() / 20, [&](const test_case& c) {
    stage s(c);
    state at;
    arguments a = s.whole();
    a.state = &at;
    plan(c.what, {.length = c.length}, options(c)).aggregate(a);
    const auto image = at.to_bytes();
    const state back = state::from_bytes(image);
    std::optional<std::string> wrong;
    if (back.to_bytes() != image) wrong = "the image of the image differs";
    if (back.position() != at.position() || back.empty() != at.empty()) wrong = "another position";
    if (!wrong && is_production())
      wrong = first_difference(c.what, 1, s.total(), s.want_total().data());
    return wrong;
  });
}

UPSWEEP_ON_BACKENDS(states, keepers());

}  // namespace

}  // namespace upsweep::testing
