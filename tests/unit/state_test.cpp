// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States: images, resuming, joining, and everything a state is refused for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expect.hpp"
#include "upsweep/order.hpp"
#include "upsweep/plan.hpp"

namespace upsweep {
namespace {

using testing::available_backends;
using testing::expect_error;

constexpr std::int64_t group = order1::group(sizeof(float));

// Values of many magnitudes, whose sums depend on the order.
std::vector<float> rough(std::int64_t n) {
  std::vector<float> x(static_cast<std::size_t>(n));
  std::uint32_t r = 12345;
  for (float& v : x) {
    r = r * 1664525u + 1013904223u;
    v = static_cast<float>(static_cast<std::int32_t>(r)) * (r % 64 == 0 ? 1e3f : 1e-6f);
  }
  return x;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Scans x in two runs that part at `border`; between them the state travels as bytes.
std::vector<float> in_two_runs(plan& p, direction d, const std::vector<float>& x,
                               std::int64_t border) {
  const auto n = static_cast<std::int64_t>(x.size());
  const bool ahead = d == forward;
  std::vector<float> out(x.size());
  state s;
  const auto part = [&](std::int64_t first, std::int64_t count) {
    p.run({.in = x.data() + first, .out = out.data() + first, .length = count, .state = &s});
  };
  ahead ? part(0, border) : part(n - border, border);
  EXPECT_EQ(s.position(), border);
  s = state::from_bytes(s.to_bytes());
  ahead ? part(border, n - border) : part(0, n - border);
  EXPECT_EQ(s.position(), n);
  return out;
}

TEST(state, resuming_gives_the_bits_of_the_whole) {
  const std::vector<float> x = rough(group + 3000);
  for (const std::string& backend : available_backends())
    for (const kind k : {inclusive, exclusive})
      for (const direction d : {forward, reverse}) {
        plan p({.kind = k, .direction = d}, {.length = group + 3000}, {.backend = backend});
        std::vector<float> whole(x.size());
        p.run({.in = x.data(), .out = whole.data(), .length = group + 3000});
        for (const std::int64_t border :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{17},
              std::int64_t{511}, std::int64_t{2049}, std::int64_t{8192}, std::int64_t{100000},
              group - 1, group, group + 1, group + 3000})
          EXPECT_TRUE(same_bits(in_two_runs(p, d, x, border), whole))
              << backend << " " << (d == forward) << " at " << border;
      }
}

TEST(state, the_total_of_a_resumed_run_is_that_of_the_whole) {
  const std::vector<std::int32_t> x{3, 1, 4, 1, 5, 9};
  for (const std::string& backend : available_backends()) {
    plan p({.in = i32}, {.length = 6}, {.backend = backend});
    std::vector<std::int32_t> out(6);
    std::int32_t total = 0;
    state s;
    p.run({.in = x.data(),
           .out = out.data(),
           .length = 2,
           .init = 100,
           .total = &total,
           .state = &s});
    EXPECT_EQ(total, 104);
    p.run({.in = x.data() + 2, .out = out.data() + 2, .length = 4, .total = &total, .state = &s});
    EXPECT_EQ(total, 123);
    EXPECT_EQ(out, (std::vector<std::int32_t>{103, 104, 108, 109, 114, 123}));
    p.run({.total = &total, .state = &s});
    EXPECT_EQ(total, 123);
    EXPECT_EQ(s.position(), 6);
  }
}

TEST(state, an_init_alone_is_a_state) {
  for (const std::string& backend : available_backends()) {
    plan p({.in = i32}, {.length = 1}, {.backend = backend});
    state s;
    p.run({.init = 5, .state = &s});
    EXPECT_FALSE(s.empty());
    EXPECT_EQ(s.position(), 0);
    const std::int32_t in = 1;
    std::int32_t out = 0;
    s = state::from_bytes(s.to_bytes());
    p.run({.in = &in, .out = &out, .length = 1, .state = &s});
    EXPECT_EQ(out, 6);
  }
}

TEST(state, copies_are_independent) {
  plan p({}, {.length = 10});
  const std::vector<float> x = rough(10);
  state a;
  p.aggregate({.in = x.data(), .length = 10, .state = &a});
  state b = a;
  EXPECT_EQ(a.to_bytes(), b.to_bytes());
  p.aggregate({.in = x.data(), .length = 3, .state = &b});
  EXPECT_EQ(a.position(), 10);
  EXPECT_EQ(b.position(), 13);
  a = b;
  EXPECT_EQ(a.to_bytes(), b.to_bytes());
  const state moved = std::move(a);
  EXPECT_EQ(moved.position(), 13);
  a = state();
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.position(), 0);
}

TEST(state, joined_ranges_give_the_bits_of_the_whole) {
  const std::int64_t n = 2 * group + 777;
  const std::vector<float> x = rough(n);
  for (const direction d : {forward, reverse}) {
    plan p({.direction = d}, {.length = n}, {.backend = "cpu.openmp"});
    float whole = 0, joined = 0;
    std::vector<float> out(x.size());
    p.run({.in = x.data(), .out = out.data(), .length = n, .init = 0.5f, .total = &whole});

    // Ranges of one group each, first to last in the direction of the scan.
    state all;
    p.run({.init = 0.5f, .state = &all});
    for (std::int64_t first = 0; first < n; first += group) {
      const std::int64_t count = std::min(group, n - first);
      state range;
      const float* in = x.data() + (d == forward ? first : n - first - count);
      p.aggregate({.in = in, .length = count, .state = &range});
      p.append(all, state::from_bytes(range.to_bytes()));
    }
    EXPECT_EQ(all.position(), n);
    p.run({.total = &joined, .state = &all});
    EXPECT_EQ(std::memcmp(&whole, &joined, sizeof whole), 0) << whole << " " << joined;
  }
}

TEST(state, joining_nothing_changes_nothing) {
  plan p({}, {.length = 8}, {.backend = "cpu.openmp"});
  const std::vector<float> x = rough(8);
  state a, none;
  p.append(a, none);
  EXPECT_TRUE(a.empty());
  p.aggregate({.in = x.data(), .length = 8, .state = &a});
  const auto before = a.to_bytes();
  p.append(a, none);
  EXPECT_EQ(a.to_bytes(), before);
  state b;
  p.append(b, a);
  EXPECT_EQ(b.to_bytes(), before);
}

TEST(state, append_refuses) {
  plan p({}, {.length = 8}, {.backend = "cpu.openmp"});
  plan maxima({.op = maximum{}}, {.length = 8}, {.backend = "cpu.openmp"});
  const std::vector<float> x = rough(8);
  state a, b, other, with_init;
  p.aggregate({.in = x.data(), .length = 8, .state = &a});
  p.aggregate({.in = x.data(), .length = 8, .state = &b});
  p.aggregate({.in = x.data(), .length = 8, .init = 1.0f, .state = &with_init});
  maxima.aggregate({.in = x.data(), .length = 8, .state = &other});
  const auto before = a.to_bytes();
  expect_error(errc::invalid_argument, {"before: position 8", "262144"}, [&] { p.append(a, b); });
  expect_error(errc::invalid_argument, {"next: a state of another scan"},
               [&] { p.append(a, other); });
  expect_error(errc::invalid_argument, {"before: a state of another scan"},
               [&] { p.append(other, a); });
  expect_error(errc::invalid_argument, {"next: the same state"}, [&] { p.append(a, a); });
  state init_only;
  p.run({.init = 1.0f, .state = &init_only});
  expect_error(errc::invalid_argument, {"next", "init"}, [&] { p.append(init_only, with_init); });
  expect_error(errc::unsupported, {"append", "cpu.serial"},
               [&] { plan({}, {.length = 8}, {.backend = "cpu.serial"}).append(b, a); });
  EXPECT_EQ(a.to_bytes(), before);
}

// ---- images

// Runs 5 elements on from `s`; the plan's backend decides what the state means.
void resume(const std::string& backend, state& s) {
  const std::array<float, 5> in{1, 2, 3, 4, 5};
  std::array<float, 5> out{};
  plan({}, {.length = 5}, {.backend = backend})
      .run({.in = in.data(), .out = out.data(), .length = 5, .state = &s});
}

std::vector<std::byte> image_of(const std::string& backend, std::int64_t n) {
  const std::vector<float> x = rough(n);
  state s;
  plan({}, {.length = n}, {.backend = backend})
      .aggregate({.in = x.data(), .length = n, .state = &s});
  return s.to_bytes();
}

TEST(state, the_empty_image) {
  const state s = state::from_bytes(state().to_bytes());
  EXPECT_TRUE(s.empty());
  EXPECT_EQ(s.position(), 0);
}

TEST(state, a_truncated_image_is_refused_at_every_length) {
  for (const std::string& backend : available_backends()) {
    const std::vector<std::byte> image = image_of(backend, 1000);
    for (std::size_t n = 0; n < image.size(); ++n)
      expect_error(errc::invalid_argument, {"bytes: no image of a state"},
                   [&] { state::from_bytes(std::span(image).first(n)); });
    std::vector<std::byte> longer = image;
    longer.push_back(std::byte{0});
    expect_error(errc::invalid_argument, {"bytes follow"}, [&] { state::from_bytes(longer); });
  }
}

TEST(state, every_damaged_header_byte_is_refused_or_harmless) {
  constexpr std::size_t header = 32;
  for (const std::string& backend : available_backends()) {
    const std::vector<std::byte> image = image_of(backend, 1000);
    for (std::size_t i = 0; i < header; ++i)
      for (const int value : {0, 1, 2, 3, 10, 127, 128, 255}) {
        std::vector<std::byte> damaged = image;
        damaged[i] = static_cast<std::byte>(value);
        if (damaged == image) continue;
        try {
          state s = state::from_bytes(damaged);
          const auto before = s.to_bytes();
          EXPECT_EQ(before, damaged) << i;
          try {
            resume(backend, s);
          } catch (const error&) {
            EXPECT_EQ(s.to_bytes(), before);
            throw;
          }
          // Another position than the true one can fit the same data; nothing else can.
          EXPECT_TRUE(i >= 16 && i < 24) << "byte " << i << " = " << value;
        } catch (const error& e) {
          EXPECT_EQ(e.code(), errc::invalid_argument) << e.what();
        }
      }
  }
}

// Byte, value, word: what no version so far has written.
TEST(state, an_image_of_the_future_is_refused_as_such) {
  const std::vector<std::byte> image = image_of("cpu.openmp", 1000);
  const auto expect = [&](std::size_t i, int value, const std::string& words) {
    std::vector<std::byte> other = image;
    other[i] = static_cast<std::byte>(value);
    expect_error(errc::invalid_argument, {"bytes: no image of a state", words},
                 [&] { state::from_bytes(other); });
  };
  expect(0, 'u', "UPSW");
  expect(4, 2, "version 2");
  expect(5, 2, "order 2");
  expect(6, 200, "operator 200");
  expect(7, 14, "type 14");
  expect(8, 2, "direction 2");
  for (const std::size_t i : {9, 15}) expect(i, 1, "reserved");
  expect(23, 0x80, "position -");
}

TEST(state, data_that_do_not_fit_the_position_are_refused) {
  for (const std::string& backend : available_backends()) {
    std::vector<std::byte> image = image_of(backend, 1000);
    const auto set_size = [&](std::size_t size) {
      image.resize(32 + size);
      const std::uint64_t stored = size;
      std::memcpy(image.data() + 24, &stored, sizeof stored);
    };
    const std::size_t size = image.size() - 32;
    for (const std::size_t other : {std::size_t{1}, size - 1, size + 1, size + 4, size + 64}) {
      set_size(other);
      state s = state::from_bytes(image);
      expect_error(errc::invalid_argument, {"state: "}, [&] { resume(backend, s); });
      EXPECT_EQ(s.to_bytes(), image);
    }
  }
}

TEST(state, a_position_at_the_end_of_int64_is_refused) {
  for (const std::string& backend : available_backends()) {
    std::vector<std::byte> image = image_of(backend, 1000);
    const std::int64_t position = INT64_MAX - 2;
    std::memcpy(image.data() + 16, &position, sizeof position);
    state s = state::from_bytes(image);
    expect_error(errc::invalid_argument, {"length: 5", "9223372036854775805"},
                 [&] { resume(backend, s); });
  }
}

TEST(state, joining_past_the_end_of_int64_is_refused) {
  plan p({}, {.length = group + 9}, {.backend = "cpu.openmp"});
  const std::vector<float> x = rough(group + 9);
  std::vector<float> out(x.size());
  state whole_group, next;
  p.run({.in = x.data(), .out = out.data(), .length = group, .state = &whole_group});
  p.aggregate({.in = x.data(), .length = group + 9, .state = &next});
  std::vector<std::byte> image = whole_group.to_bytes();
  const std::int64_t position = INT64_MAX - group + 1;
  std::memcpy(image.data() + 16, &position, sizeof position);
  state before = state::from_bytes(image);
  expect_error(errc::invalid_argument, {"next: 262153", "9223372036854513664"},
               [&] { p.append(before, next); });
  EXPECT_EQ(before.to_bytes(), image);
}

TEST(state, one_of_another_order_is_refused) {
  state serial = state::from_bytes(image_of("cpu.serial", 1000));
  expect_error(errc::invalid_argument, {"state", "order 1"}, [&] { resume("cpu.openmp", serial); });
  state openmp = state::from_bytes(image_of("cpu.openmp", 1000));
  expect_error(errc::invalid_argument, {"state", "cpu.serial"},
               [&] { resume("cpu.serial", openmp); });
  EXPECT_EQ(serial.position() + openmp.position(), 2000);
}

}  // namespace
}  // namespace upsweep
