// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random scans against the oracle, and laws that tie scans to each other.
#include <algorithm>
#include <cstring>

#include "tests/property/harness.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/random.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::testing {

namespace {

using bytes = std::vector<std::byte>;

std::size_t out_bytes(const spec& what) {
  const bool pair = what.op.id == builtin::affine && what.affine == affine_form::pair;
  return size_of(what.out) * (pair ? 2 : 1);
}

// Elements in reverse order.
bytes flipped(const std::byte* p, std::int64_t n, std::size_t size) {
  bytes to(static_cast<std::size_t>(n) * size);
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(to.data() + static_cast<std::size_t>(i) * size,
                p + static_cast<std::size_t>(n - 1 - i) * size, size);
  return to;
}

class scans : public on_backend {
 protected:
  void run(const test_case& c, const arguments& a) const {
    plan(c.what, {.length = a.length}, options(c)).run(a);
  }
  // The case itself, or, where the order of operations is free, one in which it does not matter.
  test_case lawful(test_case c) const {
    if (!keeps_order() && !is_exact(c)) c.data = distribution::small;
    return c;
  }
};

TEST_P(scans, equal_the_oracle) {
  for_all_cases(GetParam().name, case_count(),
                [&](const test_case& c) -> std::optional<std::string> {
                  const verdict v = run_case(c, GetParam());
                  if (v.outcome == verdict::passed) return {};
                  return v.detail;
                });
}

// A scan of the first m elements gives the first m results: W(m) does not depend on n.
TEST_P(scans, do_not_depend_on_what_follows) {
  for_all_cases(GetParam().name, case_count() / 10, [&](test_case c) -> std::optional<std::string> {
    c = lawful(c);
    c.what.direction = forward;
    c.in_place = false;
    stage s(c);
    run(c, s.whole());
    const std::int64_t m = dice(c.seed).between(0, c.length);
    bytes prefix(static_cast<std::size_t>(m) * out_bytes(c.what));
    arguments a = s.part(0, m);
    a.init = s.init();
    a.out = prefix.data();
    a.total = nullptr;
    run(c, a);
    return first_difference(c.what, m, prefix.data(), s.out());
  });
}

TEST_P(scans, exclusive_is_inclusive_shifted) {
  for_all_cases(GetParam().name, case_count() / 10, [&](test_case c) -> std::optional<std::string> {
    c = lawful(c);
    c.what.direction = forward;
    c.in_place = false;
    c.what.kind = exclusive;
    stage s(c);
    const arguments a = s.whole();
    run(c, a);
    bytes inclusive_out(static_cast<std::size_t>(c.length) * out_bytes(c.what));
    bytes inclusive_total(out_bytes(c.what));
    arguments b = a;
    b.out = inclusive_out.data();
    b.total = inclusive_total.data();
    spec what = c.what;
    what.kind = inclusive;
    plan(what, {.length = c.length}, options(c)).run(b);
    if (auto d = first_difference(what, 1, s.total(), inclusive_total.data()))
      return "total: " + *d;
    if (c.length == 0) return {};
    return first_difference(what, c.length - 1, s.out() + out_bytes(what), inclusive_out.data());
  });
}

TEST_P(scans, reverse_is_flip_scan_flip) {
  for_all_cases(GetParam().name, case_count() / 10, [&](test_case c) -> std::optional<std::string> {
    c = lawful(c);
    c.what.direction = reverse;
    c.in_place = false;
    stage s(c);
    const arguments a = s.whole();
    run(c, a);
    const std::size_t in_size = size_of(c.what.in) * out_bytes(c.what) / size_of(c.what.out);
    const bytes in = flipped(static_cast<const std::byte*>(a.in), c.length, in_size);
    bytes coefficients;
    arguments b = a;
    b.in = in.data();
    if (a.coefficients != nullptr) {
      coefficients = flipped(static_cast<const std::byte*>(a.coefficients), c.length, in_size);
      b.coefficients = coefficients.data();
    }
    bytes out(static_cast<std::size_t>(c.length) * out_bytes(c.what)), total(out_bytes(c.what));
    b.out = out.data();
    b.total = total.data();
    spec what = c.what;
    what.direction = forward;
    plan(what, {.length = c.length}, options(c)).run(b);
    out = flipped(out.data(), c.length, out_bytes(what));
    if (auto d = first_difference(what, 1, s.total(), total.data())) return "total: " + *d;
    return first_difference(c.what, c.length, s.out(), out.data());
  });
}

TEST_P(scans, in_place_equal_those_out_of_place) {
  for_all_cases(GetParam().name, case_count() / 10, [&](test_case c) -> std::optional<std::string> {
    c = lawful(c);
    c.what.in = c.what.out;
    c.in_place = false;
    stage apart(c);
    run(c, apart.whole());
    c.in_place = true;
    stage in_place(c);
    run(c, in_place.whole());
    if (auto problem = in_place.problem(GetParam(), false)) return problem;
    return first_difference(c.what, c.length, in_place.out(), apart.out());
  });
}

TEST_P(scans, need_no_total_and_write_it_alone_for_no_elements) {
  for_all_cases(GetParam().name, case_count() / 10, [&](test_case c) -> std::optional<std::string> {
    c = lawful(c);
    stage s(c);
    arguments a = s.whole();
    a.total = nullptr;
    run(c, a);
    if (s.total()[0] != guarded::pattern) return "the total was written though none was asked for";
    c.length = 0;
    stage none(c);
    arguments empty = none.whole();
    empty.in = empty.out = nullptr;
    empty.coefficients = nullptr;
    run(c, empty);
    return none.problem(GetParam());
  });
}

TEST_P(scans, give_the_same_bits_on_any_number_of_threads) {
  for_all_cases(GetParam().name, case_count() / 20, [&](test_case c) -> std::optional<std::string> {
    c = lawful(c);
    c.in_place = false;
    c.threads = 1;
    stage one(c);
    run(c, one.whole());
    for (const int threads : {2, 3, 8}) {
      c.threads = threads;
      bytes out(one.want().size());
      arguments a = one.whole();
      a.out = out.data();
      a.total = nullptr;
      run(c, a);
      if (auto d = first_difference(c.what, c.length, out.data(), one.out()))
        return std::to_string(threads) + " threads: " + *d;
    }
    return {};
  });
}

// What every textbook backend and peer leaves out, it leaves out in words.
TEST_P(scans, outside_the_textbooks_are_refused_by_them) {
  const auto served = limits_for(GetParam()).served;
  if (served == nullptr) return;
  for (int seed = 0; seed < case_count() / 10; ++seed) {
    const test_case c = draw(static_cast<std::uint64_t>(seed));
    if (served(c.what)) continue;
    try {
      plan(c.what, {.length = 1}, options(c));
      ADD_FAILURE() << "it was served: " << c;
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::unsupported) << c;
      EXPECT_NE(std::string(e.what()).find("does not serve this scan: it "), std::string::npos)
          << e.what();
    }
  }
}

UPSWEEP_ON_ALL_BACKENDS(scans);

}  // namespace

}  // namespace upsweep::testing
