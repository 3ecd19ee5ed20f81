// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One-shot calls on device memory: where the data are, what is refused, that they wait. Over fake
// devices, whose memory the host cannot touch.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expect.hpp"
#include "fake_registry.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/upsweep.h"

namespace upsweep {
namespace {

using testing::expect_error;
using testing::fake_devices;
using testing::fakes;
using testing::scoped_environment;

class one_shot : public ::testing::Test {
 protected:
  // A run is in flight until its stream is waited for; then its total is there.
  void SetUp() override {
    fakes().reset();
    fakes().device.on_arguments = [this](const arguments& a) { in_flight_ = a; };
    fakes().devices.on_wait = [this](void* stream) {
      if (!in_flight_ || in_flight_->stream != stream) return;
      if (in_flight_->total != nullptr && !fakes().devices.device_of(in_flight_->total))
        std::memcpy(in_flight_->total, &total_, sizeof total_);
      in_flight_.reset();
      ++runs_;
    };
  }

  void TearDown() override { fakes().reset(); }

  static float* on(int device, std::ptrdiff_t at = 0) {
    return fakes().devices.memory_of<float>(device, at);
  }
  // `in` and `out` of a device.
  static arguments arrays(int device, std::int64_t length = 4) {
    return {.in = on(device), .out = on(device, 8192), .length = length};
  }

  static constexpr float total_ = 42;
  std::optional<arguments> in_flight_;
  int runs_ = 0;  // that are over
  std::array<float, 4> x_{}, y_{};
  scoped_environment unset_{"UPSWEEP_BACKEND", nullptr};
};

// A spec that no other test has in the cache, for plans on devices: plans outlive a test.
spec fresh() {
  static int i = 1;
  constexpr std::array ops{builtin::sum, builtin::product, builtin::minimum, builtin::maximum};
  const int n = i++;
  return {.in = n / 4 % 2 == 0 ? f32 : i32,
          .out = n / 4 % 2 == 0 ? f32 : i32,
          .op = {.id = ops[static_cast<std::size_t>(n % 4)]},
          .kind = n / 8 % 2 == 0 ? inclusive : exclusive,
          .direction = n / 16 % 2 == 0 ? forward : reverse};
}

TEST_F(one_shot, goes_by_where_the_data_are) {
  scan({}, arrays(0));
  EXPECT_EQ(fakes().openmp.made, 0);
  EXPECT_EQ(runs_, 1);
  scan({.kind = exclusive, .direction = reverse}, {.in = x_.data(), .out = y_.data(), .length = 4});
  EXPECT_EQ(fakes().openmp.made, 1);
  EXPECT_EQ(runs_, 1);
  scan({}, arrays(0), {.memory = device});
  EXPECT_EQ(runs_, 2);
  expect_error(
      errc::invalid_argument, {"in: it is in no device's memory, but memory is device"},
      [&] { scan({}, {.in = x_.data(), .out = y_.data(), .length = 4}, {.memory = device}); });
  float total = -1;
  scan({}, {.length = 0, .init = 3.0f, .total = &total}, {.memory = device});
  EXPECT_EQ(runs_, 2);
}

TEST_F(one_shot, sends_device_memory_to_no_backend_of_the_host) {
  expect_error(errc::unsupported, {"cpu.serial", "it scans other memory"},
               [] { scan({}, arrays(0), {.backend = "cpu.serial"}); });
  const scoped_environment env("UPSWEEP_BACKEND", "cpu.serial");
  expect_error(errc::unsupported, {"UPSWEEP_BACKEND", "it scans other memory"},
               [] { scan({}, arrays(0)); });
}

TEST_F(one_shot, brings_the_total_to_the_host) {
  for (int i = 0; i < 2; ++i) {
    float total = 0;
    arguments a = arrays(0);
    a.total = &total;
    scan({}, a);
    EXPECT_EQ(total, 42);
  }
  const void* seen = nullptr;
  fakes().device.on_arguments = [&](const arguments& a) { seen = a.total; };
  arguments a = arrays(0);
  a.total = on(0, 20000);
  scan({}, a);
  EXPECT_EQ(seen, on(0, 20000));
  a.total = reinterpret_cast<std::byte*>(y_.data()) + 1;
  expect_error(errc::invalid_argument, {"total: address", "not aligned"}, [&] { scan({}, a); });
}

TEST_F(one_shot, typed_calls_touch_no_element) {
  const std::span<const float> in(on(0), 100);
  const std::span<float> out(on(0, 8192), 100);
  int stream = 0;
  EXPECT_EQ(inclusive_scan(in, out), 42);
  EXPECT_EQ(exclusive_scan(in, out, maximum{}, {.init = 1.0f, .stream = &stream}), 42);
  EXPECT_EQ(linear_recurrence(std::span<const float>(on(0, 4096), 100), in, out), 42);
  EXPECT_EQ(inclusive_scan(out, out, sum{}, {.backend = "cuda"}), 42);
  EXPECT_EQ(runs_, 4);
}

TEST_F(one_shot, refuses_data_in_several_places) {
  const spec split{.op = affine{}, .affine = affine_form::split};
  struct {
    spec what;
    arguments a;
    std::vector<std::string> words;
  } const cases[] = {
      {{},
       {.in = on(0), .out = y_.data(), .length = 4},
       {"out: it is in host memory", "in is on device 0"}},
      {{},
       {.in = x_.data(), .out = on(1), .length = 4},
       {"out: it is on device 1", "in is in host memory"}},
      {{},
       {.in = on(0), .out = on(1), .length = 4},
       {"out: it is on device 1", "in is on device 0"}},
      {split,
       {.in = on(0), .out = on(0), .length = 4, .coefficients = x_.data()},
       {"coefficients: it is in host memory"}},
      {{},
       {.in = on(0), .out = on(0), .length = 4, .init_device = x_.data()},
       {"init_device: it is in host memory"}},
      {{},
       {.in = x_.data(), .out = y_.data(), .length = 4, .init_device = on(0)},
       {"init_device: it is on device 0"}},
      {{}, {.in = on(0), .out = on(0), .length = 4, .total = on(1)}, {"total: it is on device 1"}},
      {{},
       {.in = x_.data(), .out = y_.data(), .length = 4, .total = on(0)},
       {"total: it is on device 0", "in is in host memory"}},
      {{},
       {.in = on(1), .out = on(1), .length = 4},
       {"in: it is on device 1, but device 0 is current"}},
  };
  for (const auto& c : cases)
    expect_error(errc::invalid_argument, c.words, [&] { scan(c.what, c.a); });
  EXPECT_EQ(runs_, 0);
}

TEST_F(one_shot, looks_at_no_array_of_no_elements) {
  // Beyond the end of a device's memory, which is nobody's.
  float* const end = on(0, fake_devices::bytes / sizeof(float));
  float total = 0;
  scan({}, {.in = end, .out = end, .length = 0});
  EXPECT_EQ(runs_, 0);
  scan({}, {.in = end, .out = end, .length = 0, .total = on(0)});
  EXPECT_EQ(runs_, 1);
  scan({}, {.in = end, .out = end, .length = 0, .init_device = on(0), .total = &total});
  EXPECT_EQ(total, 42);
}

TEST_F(one_shot, keeps_plans_by_device) {
  const spec what = fresh();
  for (const int d : {0, 1, 0, 1}) {
    fakes().devices.current = d;
    scan(what, arrays(d));
  }
  EXPECT_EQ(fakes().device.made, 2);
  EXPECT_EQ(runs_, 4);
}

TEST_F(one_shot, follows_the_stream) {
  const spec what = fresh();
  std::array<int, 2> streams{};
  for (const std::size_t i : {0, 1, 0}) {
    arguments a = arrays(0);
    a.stream = &streams[i];
    scan(what, a);
  }
  EXPECT_EQ(runs_, 3);
  EXPECT_EQ(fakes().device.made, 1);
}

TEST_F(one_shot, refuses_a_stream_that_is_captured) {
  int stream = 0;
  fakes().devices.captured = &stream;
  int waits = 0;
  fakes().devices.on_wait = [&](void*) { ++waits; };
  arguments a = arrays(0);
  a.stream = &stream;
  expect_error(errc::invalid_argument, {"stream: it is being captured"}, [&] { scan(fresh(), a); });
  EXPECT_EQ(fakes().device.made, 0);
  EXPECT_FALSE(in_flight_.has_value());
  EXPECT_EQ(waits, 0);
}

TEST_F(one_shot, leaves_nothing_in_flight_when_it_fails) {
  const spec what = fresh();
  const int before = fakes().device.living;
  fakes().device.on_run = [] { throw error(errc::device, "no launch"); };
  expect_error(errc::device, {"no launch"}, [&] { scan(what, arrays(0)); });
  EXPECT_FALSE(in_flight_.has_value());
  fakes().devices.on_wait = [](void*) { throw error(errc::device, "no end"); };
  expect_error(errc::device, {"no launch"}, [&] { scan(what, arrays(0)); });
  fakes().device.on_run = {};
  float total = 7;
  arguments a = arrays(0);
  a.total = &total;
  expect_error(errc::device, {"no end"}, [&] { scan(what, a); });
  EXPECT_EQ(total, 7);
  EXPECT_EQ(fakes().device.living, before) << "a plan that failed is kept";
}

TEST_F(one_shot, calls_on_host_memory_free_no_device_memory) {
  const spec what = fresh();
  scan(what, arrays(0));
  for (int threads = 1; threads <= 40; ++threads)  // a plan each
    scan(what, {.in = x_.data(), .out = y_.data(), .length = 4}, {.threads = threads});
  scan(what, arrays(0));
  EXPECT_EQ(fakes().device.made, 1);
}

TEST_F(one_shot, is_the_same_from_c) {
  upsweep_spec spec;
  upsweep_spec_init(&spec, sizeof spec);
  upsweep_arguments a;
  upsweep_arguments_init(&a, sizeof a);
  float total = 0;
  int stream = 0;
  a.in = on(0);
  a.out = on(0, 8192);
  a.length = 4;
  a.total = &total;
  a.stream = &stream;
  EXPECT_EQ(upsweep_scan(&spec, &a, nullptr), UPSWEEP_OK) << upsweep_last_error();
  EXPECT_EQ(total, 42);
  fakes().devices.captured = &stream;
  EXPECT_EQ(upsweep_scan(&spec, &a, nullptr), UPSWEEP_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(upsweep_last_error()).rfind("stream: ", 0), 0u);
}

}  // namespace
}  // namespace upsweep
