// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_CASES_REPORTED_HPP
#define UPSWEEP_TESTS_CASES_REPORTED_HPP

// How a reported fault becomes a test: inputs and right outputs by formula, run on every backend
// that is here, out of place and in place, between guards.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "tests/support/sanitised.hpp"
#include "tests/support/tested.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep::testing {

class cases : public ::testing::Test {
 protected:
  void SetUp() override {
    asked_ = served_ = false;
    if (available_backends().empty()) GTEST_SKIP() << "no backend of the family is available";
  }
  void TearDown() override {
    if (asked_ && !served_) GTEST_SKIP() << "no backend of the family serves it";
  }

 private:
  friend bool serves(const std::string&, const spec&, std::int64_t);
  static inline bool asked_, served_;
};

// Whether a backend serves scans of n elements, and if it plays a GPU by fibers, in a short time;
// if not, the test's record says so.
bool serves(const std::string& backend, const spec& what, std::int64_t n);

// One scan with its right results, as bytes.
struct reported {
  spec what;
  value init;
  std::int64_t length;
  std::vector<std::byte> in, out, total;
};

// Runs it on every backend with 1 and 3 threads at most. Outputs start as a pattern and lie between
// guards; inputs must not change.
void expect_right(const reported& r);

template <class T>
void put_bytes(std::vector<std::byte>& to, std::int64_t i, const T& x) {
  std::memcpy(to.data() + static_cast<std::size_t>(i) * sizeof x, &x, sizeof x);
}

// x(i) is element i, and prefix(m) the right combination of init and the m elements that come first
// in the direction of the scan: it gives inclusive and exclusive outputs and the total alike. Each
// length also runs one shorter and one longer, but in a build with a sanitizer, which takes long.
template <class In, class Out = In, class X, class Prefix>
void expect_scan(spec what, std::initializer_list<std::int64_t> lengths, X x, Prefix prefix,
                 const value& init = {}) {
  what.in = type_of<In>;
  what.out = type_of<Out>;
  for (const std::int64_t middle : lengths)
    for (const std::int64_t n : {middle, middle - 1, middle + 1}) {
      if (sanitised && n != middle) break;
      const auto right = [&](std::int64_t m) -> Out {
        if constexpr (std::is_invocable_v<Prefix, std::int64_t, std::int64_t>)
          return prefix(m, n);
        else
          return prefix(m);
      };
      reported r{what, init, n, {}, {}, {}};
      r.in.resize(static_cast<std::size_t>(n) * sizeof(In));
      r.out.resize(static_cast<std::size_t>(n) * sizeof(Out));
      r.total.resize(sizeof(Out));
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t before = what.direction == direction::forward ? i : n - 1 - i;
        put_bytes<In>(r.in, i, x(i));
        put_bytes<Out>(r.out, i, right(what.kind == kind::inclusive ? before + 1 : before));
      }
      put_bytes<Out>(r.total, 0, right(n));
      expect_right(r);
    }
}

// The same for the first n of listed elements; prefixes[m] belongs to m elements.
template <class In, class Out = In>
void expect_listed(const spec& what, std::int64_t n, const std::vector<In>& x,
                   const std::vector<Out>& prefixes, const value& init = {}) {
  ASSERT_EQ(x.size(), static_cast<std::size_t>(n) + 1);
  ASSERT_EQ(prefixes.size(), static_cast<std::size_t>(n) + 2);
  expect_scan<In, Out>(
      what, {n}, [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; },
      [&](std::int64_t m) { return prefixes[static_cast<std::size_t>(m)]; }, init);
}

// A scan that must be refused, with this code and these words.
void expect_refused(errc code, const std::vector<std::string>& words,
                    const std::function<void()>& f);

// The sum of j mod 21 over j < m.
constexpr std::int64_t sum_mod_21(std::int64_t m) {
  const std::int64_t r = m % 21;
  return m / 21 * 210 + r * (r - 1) / 2;
}

}  // namespace upsweep::testing

#endif
