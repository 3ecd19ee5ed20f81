// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans on the backends that are here.
#include "upsweep/plan.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "expect.hpp"
#include "tests/support/sanitised.hpp"
#include "upsweep/backends.hpp"

namespace upsweep {
namespace {

using testing::available_backends;
using testing::expect_error;

static_assert(!std::is_copy_constructible_v<plan> && !std::is_copy_assignable_v<plan>);
static_assert(std::is_nothrow_move_constructible_v<plan> &&
              std::is_nothrow_move_assignable_v<plan>);

const std::vector<std::int32_t> numbers{3, 1, 4, 1, 5, 9, 2, 6};
const std::vector<std::int32_t> sums{3, 4, 8, 9, 14, 23, 25, 31};

std::vector<std::int32_t> run(plan& p, std::size_t n) {
  std::vector<std::int32_t> out(n);
  p.run({.in = numbers.data(), .out = out.data(), .length = static_cast<std::int64_t>(n)});
  return out;
}

TEST(plan, runs_many_times_and_shorter) {
  for (const std::string& backend : available_backends()) {
    plan p({.in = i32}, {.length = 8}, {.backend = backend});
    for (const std::size_t n : {8, 3, 0, 1, 8})
      EXPECT_EQ(run(p, n), std::vector(sums.begin(), sums.begin() + static_cast<long>(n)));
    EXPECT_EQ(p.backend(), backend);
    EXPECT_NE(p.why().find("named by backend"), std::string::npos);
  }
}

TEST(plan, moves) {
  plan p({.in = i32}, {.length = 8});
  plan q = std::move(p);
  EXPECT_EQ(run(q, 8), sums);
  p = std::move(q);
  EXPECT_EQ(run(p, 8), sums);
}

TEST(plan, that_was_moved_from_says_so) {
  plan p({.in = i32}, {.length = 8});
  const plan q = std::move(p);
  state a, b;
  expect_error(errc::invalid_argument, {"plan: it was moved from"}, [&] { p.run({}); });
  expect_error(errc::invalid_argument, {"moved from"}, [&] { p.aggregate({.state = &a}); });
  expect_error(errc::invalid_argument, {"moved from"}, [&] { p.append(a, b); });
  expect_error(errc::invalid_argument, {"moved from"}, [&] { p.rebind(nullptr); });
  EXPECT_EQ(p.backend() + p.why(), "");
}

TEST(plan, rebind_changes_nothing_on_the_cpu) {
  plan p({.in = i32}, {.length = 8});
  p.rebind(&p);
  EXPECT_EQ(run(p, 8), sums);
}

TEST(plan, auto_takes_openmp_for_host_memory_and_nothing_for_device_memory) {
  const testing::scoped_environment env("UPSWEEP_BACKEND", nullptr);
  EXPECT_EQ(plan({}, {}).backend(), "cpu.openmp");
  EXPECT_EQ(plan({}, {}, {.backend = "cpu"}).backend(), "cpu.openmp");
  const std::vector<backend_info> all = backends();
  if (!std::ranges::find(all, "cuda.single_pass", &backend_info::name)->available)
    expect_error(errc::unavailable, {"device memory", "cpu.openmp: it scans host memory"},
                 [] { plan({}, {}, {.memory = device}); });
  for (const char* name : {"cpu.serial", "cpu.openmp"})
    expect_error(errc::unsupported, {name, "it scans host memory"},
                 [&] { plan({}, {}, {.backend = name, .memory = device}); });
}

TEST(plan, every_backend_of_the_documentation_is_known) {
  std::vector<std::string> names{"cpu.serial", "cpu.openmp", "cuda.thrust", "cuda.cub"};
  for (const char* algorithm :
       {"naive", "hillis_steele", "kogge_stone", "brent_kung", "blelloch", "warp_shuffle",
        "coarsened", "three_pass", "hybrid", "chained", "decoupled_lookback", "single_pass"})
    for (const char* family : {"cuda.", "simt."}) names.push_back(std::string(family) + algorithm);
  for (const backend_info& b : backends()) {
    EXPECT_EQ(std::erase(names, b.name), 1u) << b.name;
    const auto make = [&] { plan({}, {.length = 1}, {.backend = b.name}); };
    if (b.available)
      EXPECT_NO_THROW(make()) << b.name;
    else
      expect_error(errc::unavailable,
                   {"'" + b.name + "' is not " + (b.compiled ? "available: " : "compiled in: "),
                    b.reason, "cpu.openmp"},
                   make);
  }
  EXPECT_TRUE(names.empty());
}

// An empty scan leaves the operator's identity: e op x = x for every x.
template <class T>
void expect_identity(const operator_descriptor& op, const std::vector<T>& all) {
  for (const std::string& backend : available_backends())
    for (const kind k : {inclusive, exclusive})
      for (const direction d : {forward, reverse}) {
        SCOPED_TRACE(backend + " " + std::string(name_of(op.id)));
        T identity{};
        plan p({.in = type_of<T>, .op = op, .kind = k, .direction = d}, {.length = 2},
               {.backend = backend});
        p.run({.total = &identity});
        for (const T& x : all) {
          const T ahead[2] = {identity, x}, behind[2] = {x, identity};
          T out[2]{}, total{};
          p.run({.in = d == forward ? ahead : behind, .out = out, .length = 2, .total = &total});
          EXPECT_EQ(std::memcmp(&total, &x, sizeof x), 0);
        }
      }
}

TEST(plan, the_total_of_nothing_is_the_identity) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> reals{0.0, 1.5, -2, inf, -inf, 0x1p-1074};
  for (const operator_descriptor& op :
       {operator_descriptor(sum{}), operator_descriptor(product{}), operator_descriptor(minimum{}),
        operator_descriptor(maximum{})})
    expect_identity(op, reals);
  const std::vector<std::int8_t> bytes{0, 1, -1, 127, -128};
  for (const operator_descriptor& op :
       {operator_descriptor(sum{}), operator_descriptor(product{}), operator_descriptor(minimum{}),
        operator_descriptor(maximum{}), operator_descriptor(bit_and{}),
        operator_descriptor(bit_or{}), operator_descriptor(bit_xor{})})
    expect_identity(op, bytes);
  const std::vector<std::uint32_t> flags{0, 1};
  for (const operator_descriptor& op :
       {operator_descriptor(logical_and{}), operator_descriptor(logical_or{})})
    expect_identity(op, flags);
  expect_identity<affine_pair<float>>(affine{}, {{2, 3}, {-1, 0}, {0, 5}});
  expect_identity<std::complex<float>>(product{}, {{2, 3}, {-1, 0.5}});
}

TEST(plan, an_exclusive_sum_without_init_begins_with_plus_zero) {
  for (const std::string& backend : available_backends()) {
    const float in[2] = {-0.0f, -0.0f};
    float out[2] = {1, 1}, total = 1;
    plan({.kind = exclusive}, {.length = 2}, {.backend = backend})
        .run({.in = in, .out = out, .length = 2, .total = &total});
    EXPECT_EQ(std::bit_cast<std::uint32_t>(out[0]), 0u);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(out[1]), 0x80000000u);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(total), 0x80000000u);
  }
}

TEST(plan, an_empty_run_touches_only_the_total) {
  for (const std::string& backend : available_backends()) {
    std::array<std::int32_t, 4> out{7, 7, 7, 7};
    std::int32_t total = 7;
    plan p({.in = i32}, {.length = 4}, {.backend = backend});
    p.run({.in = numbers.data(), .out = out.data(), .init = 42, .total = &total});
    EXPECT_EQ(total, 42);
    p.run({.out = out.data()});
    EXPECT_EQ(out, (std::array<std::int32_t, 4>{7, 7, 7, 7}));
  }
}

TEST(plan, different_plans_run_at_once) {
  std::vector<std::thread> threads;
  std::array<bool, 8> right{};
  for (std::size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&right, t] {
      plan p({.in = i32}, {.length = 8});
      right[t] = true;
      for (int i = 0; i < 100; ++i) right[t] = right[t] && run(p, 8) == sums;
    });
  for (std::thread& t : threads) t.join();
  for (const bool r : right) EXPECT_TRUE(r);
}

TEST(plan, asks_for_no_more_threads_than_a_process_can_start) {
  const std::int64_t n = 1 << 20;
  const std::vector<std::int32_t> ones(static_cast<std::size_t>(n), 1);
  std::vector<std::int32_t> out(ones.size());
  for (const int threads : {100000, std::numeric_limits<int>::max()}) {
    plan p({.in = i32}, {.length = n}, {.threads = threads});
    p.run({.in = ones.data(), .out = out.data(), .length = n});
    EXPECT_EQ(out.back(), n);
  }
}

TEST(plan, takes_no_workspace_from_the_caller_yet) {
  const auto allocate = [](void*, std::size_t, std::size_t) -> void* { return nullptr; };
  expect_error(errc::unsupported, {"allocate", "not served yet"},
               [&] { plan({}, {.length = 8}, {.allocate = allocate}); });
}

// Extents are limits: a generous one costs address space, not memory or time.
TEST(plan, touches_no_memory_for_what_it_may_never_scan) {
  if (testing::sanitised) GTEST_SKIP() << "the sanitizer's shadow memory is resident too";
  const auto resident = [] {
    std::size_t total = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> total >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  };
  const std::size_t before = resident();
  const plan p({.in = f64}, {.length = std::int64_t{1} << 36}, {.threads = 8});
  EXPECT_LT(resident(), before + (std::size_t{64} << 20));
}

// The promise of plan.hpp: a workspace of at most length / 64 elements and a constant.
TEST(plan, keeps_a_small_workspace) {
  const auto allocated = [] {
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
  };
  for (const std::string& backend : available_backends())
    for (const std::int64_t n : {std::int64_t{1} << 20, std::int64_t{1} << 27}) {
      const std::size_t before = allocated();
      const plan p({.in = f64}, {.length = n}, {.backend = backend, .threads = 8});
      EXPECT_LE(allocated() - before,
                static_cast<std::size_t>(n) / 64 * sizeof(double) + (1 << 20));
    }
}

}  // namespace
}  // namespace upsweep
