// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports about threads, progress, repeatability and alignment: B47, B93 to B103, B111.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numbers>
#include <numeric>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "reported.hpp"
#include "tests/support/guarded.hpp"

namespace upsweep::testing {
namespace {

// Threads that do `work` over and over for as long as it lives.
class company {
 public:
  company(int threads, std::function<void()> work) {
    for (int t = 0; t < threads; ++t)
      threads_.emplace_back([this, work] {
        while (!stop_) work();
      });
  }
  ~company() {
    stop_ = true;
    for (std::thread& t : threads_) t.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

void memory_traffic() {
  thread_local std::vector<char> a(1 << 22), b(1 << 22);
  std::memcpy(a.data(), b.data(), a.size());
}

void spin() {
  for (std::atomic<int> i{0}; i < 100000; ++i) {
  }
}

// Of what goes wrong now and then; a sanitizer sees it in any run, and takes long.
constexpr int times(int runs) { return sanitised ? 2 : runs; }

// Exclusive sums of i mod 21, many runs of one plan.
void expect_repeatable(std::size_t n, int threads, int runs) {
  std::vector<std::int64_t> in(n), out(n), right(n);
  for (std::size_t i = 0; i < n; ++i) {
    in[i] = static_cast<std::int64_t>(i % 21);
    right[i] = sum_mod_21(static_cast<std::int64_t>(i));
  }
  for (const std::string& backend : available_backends()) {
    plan p({.in = i64, .kind = exclusive}, {.length = static_cast<std::int64_t>(n)},
           {.backend = backend, .threads = threads});
    for (int r = 0; r < runs; ++r) {
      std::fill(out.begin(), out.end(), -1);
      p.run({.in = in.data(), .out = out.data(), .length = static_cast<std::int64_t>(n)});
      ASSERT_TRUE(out == right) << p.backend();
    }
  }
}

// llnl/RAJA#229: more threads than elements, nested regions, fewer threads than asked for. The
// suite runs this once more with OMP_THREAD_LIMIT=3 and OMP_DYNAMIC.
TEST_F(cases, B47) {
  const auto expect_all = [] {
    std::vector<std::int32_t> in(40), out(40);
    for (std::int32_t i = 0; i < 40; ++i) in[static_cast<std::size_t>(i)] = i % 7;
    for (const std::string& backend : available_backends())
      for (std::int64_t n = 1; n <= 40; ++n) {
        scan({.in = i32}, {.in = in.data(), .out = out.data(), .length = n},
             {.backend = backend, .threads = 16});
        std::int32_t right = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
          EXPECT_EQ(out[i], right += in[i]) << backend << " " << n;
      }
    expect_repeatable(1000003, 16, 1);
  };
  expect_all();
#ifdef _OPENMP
  for (const int outer : {1, 2}) {
#pragma omp parallel num_threads(outer)
    expect_all();
  }
#endif
}

// oneapi-src/distributed-ranges#121: any alignment that the element allows, on both sides.
template <class T>
void expect_any_offset() {
  const std::size_t most = 4099;
  std::vector<T> right(most);
  for (const std::string& backend : available_backends()) {
    plan p({.in = type_of<T>}, {.length = static_cast<std::int64_t>(most)}, {.backend = backend});
    for (std::size_t a = 0; a < 18; ++a) {
      guarded in(most * sizeof(T), a * sizeof(T));
      auto* const x = reinterpret_cast<T*>(in.data());
      T sum{};
      for (std::size_t i = 0; i < most; ++i) {
        x[i] = static_cast<T>(i % 5);
        right[i] = sum = static_cast<T>(sum + x[i]);
      }
      for (std::size_t b = 0; b < 18; ++b)
        for (const std::size_t n : {1, 7, 31, 32, 33, 100, 4099}) {
          guarded out(n * sizeof(T), b * sizeof(T));
          p.run({.in = x, .out = out.data(), .length = static_cast<std::int64_t>(n)});
          ASSERT_EQ(std::memcmp(out.data(), right.data(), n * sizeof(T)), 0)
              << backend << " " << a << " " << b << " " << n;
          ASSERT_TRUE(out.intact());
        }
    }
  }
}
TEST_F(cases, B93) {
  expect_any_offset<std::uint8_t>();
  expect_any_offset<std::int16_t>();
  expect_any_offset<float>();
  expect_any_offset<double>();
}

// kokkos/kokkos#2681: wrong now and then, when the memory is busy.
TEST_F(cases, B95) {
  const company busy(1, memory_traffic);
  expect_repeatable(1048576 + 3, 0, times(20));
  expect_repeatable(1048576 + 3, 5, times(20));
}

// b0nes164/GPUPrefixSums#12: a thread that waits for one that is not running.
TEST_F(cases, B97) {
  const company busy(4, spin);
  std::vector<std::uint32_t> in(6000000), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i % 3);
  std::vector<std::uint32_t> right(in.size());
  std::partial_sum(in.begin(), in.end(), right.begin());
  for (const std::string& backend : available_backends())
    for (int r = 0; r < times(5); ++r) {
      inclusive_scan(in, out, sum{}, {.backend = backend, .threads = 8});
      ASSERT_EQ(std::memcmp(out.data(), right.data(), out.size() * sizeof(std::uint32_t)), 0)
          << backend;
    }
}

// NVIDIA/cudf#24249: a block that takes many tiles.
TEST_F(cases, B101) { expect_repeatable(10000000, 2, times(5)); }

// kokkos/kokkos#9291: host threads at once, each with one-shot calls, a plan of its own, or one
// plan for all, which is detected.
TEST_F(cases, B103) {
  const std::vector<std::int32_t> in(10000, 3);
  for (const std::string& backend : available_backends()) {
    plan shared({.in = i32}, {.length = 10000}, {.backend = backend});
    std::atomic<int> wrong{0}, served{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        std::vector<std::int32_t> out(10000);
        plan own({.in = i32}, {.length = 10000}, {.backend = backend});
        for (std::int64_t n = 10000; n > 0; n -= 100) {
          const arguments a{.in = in.data(), .out = out.data(), .length = n};
          if (t % 3 == 0) {
            scan({.in = i32}, a, {.backend = backend});
          } else if (t % 3 == 1) {
            own.run(a);
          } else {
            try {
              shared.run(a);
            } catch (const error& e) {
              if (e.code() != errc::busy) ++wrong;
              continue;
            }
          }
          ++served;
          for (std::int64_t i = 0; i < n; ++i)
            if (out[static_cast<std::size_t>(i)] != 3 * (i + 1)) ++wrong;
        }
      });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0) << backend;
    EXPECT_GE(served, 6 * 100) << backend;
  }
}

// pytorch/pytorch#75240: other bits in another run.
TEST_F(cases, B111) {
  std::vector<float> in(1000000), first(in.size()), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double x = static_cast<double>(i) * std::numbers::pi;
    in[i] = static_cast<float>(x - std::floor(x));
  }
  const company busy(1, memory_traffic);
  for (const std::string& backend : available_backends()) {
    inclusive_scan(in, first, sum{}, {.backend = backend});
    // The left-to-right sum is repeatable too, but drifts.
    EXPECT_TRUE(backend == "cpu.serial" || std::abs(first.back() / 500018.5698 - 1) < 1e-5);
    for (const int threads : {1, 2, 3, 8})
      for (int r = 0; r < times(25); ++r) {
        std::fill(out.begin(), out.end(), -1.0f);
        inclusive_scan(in, out, sum{}, {.backend = backend, .threads = threads});
        ASSERT_EQ(std::memcmp(out.data(), first.data(), out.size() * sizeof(float)), 0)
            << backend << " " << threads;
      }
  }
}

}  // namespace
}  // namespace upsweep::testing
