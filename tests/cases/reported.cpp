// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reported.hpp"

#include <algorithm>
#include <limits>

#include "tests/support/guarded.hpp"

namespace upsweep::testing {

namespace {

// By memcmp, since loops over bytes take long under a sanitizer.
bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0;
}

// Where the outputs, of one size, differ, if they do.
::testing::AssertionResult equal(std::span<const std::byte> a, std::span<const std::byte> right,
                                 std::size_t element) {
  if (same(a, right)) return ::testing::AssertionSuccess();
  const auto at = std::ranges::mismatch(a, right).in1;
  const std::size_t i = static_cast<std::size_t>(at - a.begin()) / element;
  return ::testing::AssertionFailure()
         << "element " << i << ": "
         << ::testing::PrintToString(
                std::vector(a.begin() + i * element, a.begin() + (i + 1) * element))
         << ", right: "
         << ::testing::PrintToString(
                std::vector(right.begin() + i * element, right.begin() + (i + 1) * element));
}

void expect_right(const reported& r, plan& p, bool in_place) {
  // Vectors of bytes are aligned for any element.
  guarded out(r.out.size(), 0), total(r.total.size(), 0);
  const std::vector<std::byte> in = in_place ? std::vector<std::byte>() : r.in;
  if (in_place) std::ranges::copy(r.in, out.data());
  p.run({.in = in_place ? out.data() : in.data(),
         .out = out.data(),
         .length = r.length,
         .init = r.init,
         .total = total.data()});
  const std::size_t n = static_cast<std::size_t>(std::max<std::int64_t>(r.length, 1));
  EXPECT_TRUE(equal(out.bytes(), r.out, std::max<std::size_t>(r.out.size() / n, 1)));
  EXPECT_TRUE(equal(total.bytes(), r.total, r.total.size())) << "total";
  EXPECT_TRUE(out.intact() && total.intact()) << "a guard was written";
  EXPECT_TRUE(in_place || same(in, r.in)) << "the input changed";
}

// Fibers take microseconds for an element, a naive scan for each pair of them.
std::int64_t longest(const std::string& backend) {
  if (!backend.starts_with("simt.")) return std::numeric_limits<std::int64_t>::max();
  return backend.ends_with(".naive") ? 300 : 6'200;
}

}  // namespace

bool serves(const std::string& backend, const spec& what, std::int64_t n) {
  cases::asked_ = true;
  try {
    if (const std::int64_t most = longest(backend); n > most)
      throw error(errc::unsupported, "more than " + std::to_string(most) + " take it too long");
    plan(what, {.length = n}, {.backend = backend});
    return cases::served_ = true;
  } catch (const error& e) {
    if (e.code() != errc::unsupported) throw;
    ::testing::Test::RecordProperty("refused_by_" + backend, e.what());
    return false;
  }
}

void expect_right(const reported& r) {
  for (const std::string& backend : available_backends())
    for (const int threads : {1, 3}) {
      if (!serves(backend, r.what, r.length)) break;
      if (threads > 1 && backend.starts_with("simt.")) break;  // it would be the same run again
      plan p(r.what, {.length = r.length}, {.backend = backend, .threads = threads});
      for (const bool in_place : {false, true}) {
        if (in_place && r.in.size() != r.out.size()) continue;
        SCOPED_TRACE(backend + ", " + std::string(name_of(r.what.op.id)) + " of " +
                     std::to_string(r.length) + " " + std::string(name_of(r.what.in)) +
                     (r.what.kind == kind::inclusive ? ", inclusive" : ", exclusive") +
                     (in_place ? ", in place" : ", out of place"));
        expect_right(r, p, in_place);
        if (::testing::Test::HasFailure()) return;
      }
    }
}

void expect_refused(errc code, const std::vector<std::string>& words,
                    const std::function<void()>& f) {
  try {
    f();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    for (const std::string& w : words)
      EXPECT_NE(std::string(e.what()).find(w), std::string::npos)
          << "no \"" << w << "\" in: " << e.what();
    return;
  }
  ADD_FAILURE() << "it was served; wanted: " << ::testing::PrintToString(words);
}

}  // namespace upsweep::testing
