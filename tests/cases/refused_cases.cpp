// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports whose feature is refused in words, for now or for good. When a feature comes, its test
// here turns red, and the report becomes a real test.
#include <cstdint>
#include <memory>
#include <string>

#include "reported.hpp"

namespace upsweep::testing {
namespace {

void expect_unserved(const spec& what, const std::string& words) {
  for (const std::string& backend : available_backends())
    expect_refused(errc::unsupported, {words}, [&] { plan(what, {}, {.backend = backend}); });
}

void expect_no_axis() {
  expect_unserved({.layout = layout::axis}, "layout: axis scans are not served yet");
}

void expect_no_segments() {
  for (const layout l : {layout::offsets, layout::head_flags, layout::keys})
    expect_unserved({.layout = l}, "layout: segmented scans are not served yet");
}

void first(void*, const void* left, const void*, void* result) { std::memmove(result, left, 4); }

void expect_no_user_operators() {
  expect_unserved(
      {.in = user,
       .op = {.id = builtin::none, .name = "first", .size = 4, .alignment = 4, .combine = first}},
      "op: user operators are not served yet ('first')");
}

// Batches and strides.
TEST(refused, B05) { expect_no_axis(); }
TEST(refused, B09) { expect_no_axis(); }
TEST(refused, B11) { expect_no_axis(); }
TEST(refused, B57) { expect_no_axis(); }

// Segments.
TEST(refused, B17) { expect_no_segments(); }
TEST(refused, B43) { expect_no_axis(), expect_no_segments(); }
TEST(refused, B69) { expect_no_segments(); }
TEST(refused, B113) { expect_no_segments(), expect_no_user_operators(); }

// User operators: a partial sum with a guard, adjacency, 2x2 matrices, counted calls, "last one
// read", a default value that is no identity.
TEST(refused, B25) { expect_no_user_operators(); }
TEST(refused, B28) { expect_no_user_operators(); }
TEST(refused, B29) { expect_no_user_operators(); }
TEST(refused, B31) { expect_no_user_operators(); }
TEST(refused, B33) { expect_no_user_operators(); }
TEST(refused, B35) { expect_no_user_operators(); }

// Types that are not trivially copyable: no array of the library's.
TEST(refused, B37) { static_assert(!input_array<std::vector<std::unique_ptr<int>>>); }
TEST(refused, B55) { static_assert(!input_array<std::vector<std::string>>); }

// microsoft/STL#3783: a store that truncates.
TEST(refused, B65) {
  const double in[4] = {0.6, 0.6, 0.6, 0.6};
  std::int32_t out[4] = {7, 7, 7, 7};
  for (const std::string& backend : available_backends())
    expect_refused(errc::invalid_argument,
                   {"out: i32 cannot represent every value of the input type f64"}, [&] {
                     scan({.in = f64, .out = i32}, {.in = in, .out = out, .length = 4},
                          {.backend = backend});
                   });
  for (const std::int32_t x : out) EXPECT_EQ(x, 7);
}

// pytorch/pytorch#52213: log_add_exp of infinities.
TEST(refused, B77) {
  expect_unserved({.in = f64, .op = log_add_exp{}}, "op: log_add_exp is not served yet");
}

}  // namespace
}  // namespace upsweep::testing
