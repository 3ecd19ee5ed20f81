// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and their cache as objects: busy, out of memory, how many are made. Over fake backends.
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "expect.hpp"
#include "fake_registry.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {
namespace {

using testing::expect_error;
using testing::fakes;
using testing::scoped_environment;

class plan_life : public ::testing::Test {
 protected:
  void SetUp() override { fakes().reset(); }

  void scan_of(const spec& what, std::int64_t length = 4, const plan_options& o = {}) {
    scan(what, {.in = in_.data(), .out = out_.data(), .length = length}, o);
  }

  std::array<double, 8192> in_{}, out_{};
  scoped_environment unset_{"UPSWEEP_BACKEND", nullptr};
};

// A spec that no other test of this process uses: `count` of them, by type and operator.
spec numbered(int i) {
  constexpr std::array ops{builtin::sum,     builtin::product,   builtin::bit_and,
                           builtin::bit_or,  builtin::bit_xor,   builtin::minimum,
                           builtin::maximum, builtin::logical_or};
  const auto t = static_cast<type>(i % 8);
  return {.in = t,
          .out = t,
          .op = {.id = ops[static_cast<std::size_t>(i / 8 % 8)]},
          .kind = i / 64 % 2 == 0 ? inclusive : exclusive,
          .direction = i / 128 % 2 == 0 ? forward : reverse};
}

TEST_F(plan_life, a_plan_that_runs_is_busy_for_another_thread) {
  std::promise<void> started, finish;
  plan p({}, {.length = 4});
  const arguments a{.in = in_.data(), .out = out_.data(), .length = 4};
  fakes().openmp.on_run = [&] {
    started.set_value();
    finish.get_future().wait();
  };
  std::thread other([&] { p.run(a); });
  started.get_future().wait();
  expect_error(errc::busy, {"plan", "running on another thread"}, [&] { p.run(a); });
  state s;
  expect_error(errc::busy, {"plan"},
               [&] { p.aggregate({.in = in_.data(), .length = 4, .state = &s}); });
  finish.set_value();
  other.join();
  fakes().openmp.on_run = {};
  EXPECT_NO_THROW(p.run(a));
  EXPECT_EQ(fakes().openmp.crowded, 0);
}

TEST_F(plan_life, a_failed_run_leaves_the_plan_usable) {
  plan p({}, {.length = 4});
  const arguments a{.in = in_.data(), .out = out_.data(), .length = 4};
  expect_error(errc::invalid_argument, {"length"}, [&] { p.run({.length = -1}); });
  fakes().openmp.on_run = [] { throw error(errc::device, "lost"); };
  expect_error(errc::device, {"lost"}, [&] { p.run(a); });
  fakes().openmp.on_run = {};
  EXPECT_NO_THROW(p.run(a));
}

TEST_F(plan_life, memory_that_runs_out_is_said) {
  fakes().openmp.on_make = [] { throw std::bad_alloc(); };
  expect_error(errc::out_of_memory, {"extents.length", "1234567"},
               [] { plan({}, {.length = 1234567}); });
  fakes().openmp.reset();
  plan p({}, {.length = 4});
  fakes().openmp.on_run = [] { throw std::bad_alloc(); };
  expect_error(errc::out_of_memory, {"no memory"},
               [&] { p.run({.in = in_.data(), .out = out_.data(), .length = 4}); });
}

TEST_F(plan_life, an_empty_run_without_total_or_state_does_nothing) {
  plan p({}, {.length = 4});
  int runs = 0;
  fakes().openmp.on_run = [&] { ++runs; };
  p.run({});
  EXPECT_EQ(runs, 0);
  float total = 1;
  p.run({.total = &total});
  EXPECT_EQ(runs, 1);
}

TEST_F(plan_life, plans_are_freed) {
  const int before = fakes().openmp.living;
  {
    plan p({}, {.length = 4});
    plan q = std::move(p);
    p = plan({}, {.length = 4});
    EXPECT_EQ(fakes().openmp.living, before + 2);
    p = std::move(q);
    EXPECT_EQ(fakes().openmp.living, before + 1);
  }
  EXPECT_EQ(fakes().openmp.living, before);
}

TEST_F(plan_life, one_shot_calls_keep_their_plan) {
  for (int i = 0; i < 10; ++i) scan_of({.op = minimum{}});
  EXPECT_EQ(fakes().openmp.made, 1);
  scan_of({.op = minimum{}, .direction = reverse});
  EXPECT_EQ(fakes().openmp.made, 2);
  scan_of({.op = minimum{}});
  EXPECT_EQ(fakes().openmp.made, 2);
}

TEST_F(plan_life, cached_plans_go_by_extents_rounded_up) {
  const spec what{.in = f64, .op = maximum{}};
  for (const std::int64_t n : {4097, 5000, 8192, 4097}) scan_of(what, n);
  EXPECT_EQ(fakes().openmp.made, 1);
  for (const std::int64_t n : {1, 4096, 0, 100}) scan_of(what, n);
  EXPECT_EQ(fakes().openmp.made, 2);
}

TEST_F(plan_life, cached_plans_go_by_backend_threads_and_environment) {
  const spec what{.op = product{}};
  scan_of(what);
  scan_of(what, 4, {.backend = "cpu.second"});
  scan_of(what, 4, {.threads = 2});
  EXPECT_EQ(fakes().second.made, 1);
  EXPECT_EQ(fakes().openmp.made, 2);
  const scoped_environment env("UPSWEEP_BACKEND", "cpu.serial");
  scan_of(what);
  EXPECT_EQ(fakes().serial.made, 1);
  for (const char* variable :
       {"UPSWEEP_CPU_TARGET", "UPSWEEP_NAIVE_LENGTH", "UPSWEEP_SIMT", "UPSWEEP_SINGLE_PASS"}) {
    const int before = fakes().serial.made;
    const scoped_environment other(variable, "another");
    for (int i = 0; i < 2; ++i) scan_of(what);
    EXPECT_EQ(fakes().serial.made, before + 1) << variable;
  }
}

TEST_F(plan_life, the_cache_is_bounded) {
  const int before = fakes().openmp.living;
  for (int i = 0; i < 256; ++i) scan_of(numbered(i));
  EXPECT_EQ(fakes().openmp.made, 256);
  EXPECT_LE(fakes().openmp.living, before + 64);
  // The most recent ones are kept.
  for (int i = 255; i >= 250; --i) scan_of(numbered(i));
  EXPECT_EQ(fakes().openmp.made, 256);
}

TEST_F(plan_life, threads_never_share_a_cached_plan) {
  fakes().openmp.on_run = [] { std::this_thread::yield(); };
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([this] {
      for (int i = 0; i < 500; ++i) scan_of(numbered(i % 40));
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(fakes().openmp.crowded, 0);
}

TEST_F(plan_life, a_one_shot_call_that_fails_is_forgotten) {
  const spec what{.in = i16, .out = i64};
  fakes().openmp.on_run = [] { throw error(errc::device, "lost"); };
  expect_error(errc::device, {"lost"}, [&] { scan_of(what); });
  fakes().openmp.on_run = {};
  EXPECT_NO_THROW(scan_of(what));
  expect_error(errc::invalid_argument, {"length: -3 is negative"}, [&] { scan_of(what, -3); });
}

}  // namespace
}  // namespace upsweep
