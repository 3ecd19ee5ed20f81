// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that no public spec has, through the engine of cpu.openmp, with blocks as small as they
// can be: what reaches it out of order, twice or not at all shows at once.
#include "backends/cpu/engine.hpp"

#include <gtest/gtest.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "tests/support/operators.hpp"

namespace upsweep::cpu {

namespace {

// The engine stores an identity only where an exclusive scan has no init, and then nothing comes
// before: poison shows any other use.
struct neighbours : testing::adjacent {
  static value identity() { return poison; }
};
struct matrices : testing::matrix_product {
  static value identity() { return {1, 0, 0, 1}; }
};

policy smallest_blocks(int threads) {
  return {.threads = threads, .parallel_from = 0, .block = 1, .stream_stores_from = 0};
}

template <class Op, class T = typename Op::value>
std::vector<T> scanned(const std::vector<T>& x, int threads, bool exclusive = false,
                       std::optional<std::type_identity_t<T>> init = {}) {
  std::vector<T> out(x.size(), T{});
  const auto n = static_cast<std::int64_t>(x.size());
  const arguments none;
  engine<Op> e(scalar_kernel<Op>(), smallest_blocks(threads), n);
  odometer<Op> at;
  if (init) at.set_carry(*init);
  e.scan(stream<T>{none, x.data(), out.data(), nullptr, nullptr}, n, exclusive, at);
  return out;
}

std::vector<neighbours::value> row_of_neighbours(int n) {
  std::vector<neighbours::value> x;
  for (int i = 0; i < n; ++i) x.push_back({i, i});
  return x;
}

void expect_joined(int n, int threads) {
  const auto out = scanned<neighbours>(row_of_neighbours(n), threads);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(out[static_cast<std::size_t>(i)], (neighbours::value{0, i}))
        << "element " << i << " of " << n << ", threads " << threads;
}

TEST(engine, keeps_neighbours_together_at_every_short_length) {
  for (int n = 1; n <= 3000; ++n) expect_joined(n, 1);
}

TEST(engine, keeps_neighbours_together_over_threads) {
  constexpr int super = 4096;
  for (const int threads : {2, 3, 8})
    for (const int n : {3 * super - 1, 3 * super, 3 * super + 1, 20 * super + 17, 1'000'000})
      expect_joined(n, threads);
}

TEST(engine, joins_init_first_and_shifts_exclusive_results) {
  for (const int threads : {1, 2}) {
    const int n = 100'000;
    const auto out =
        scanned<neighbours>(row_of_neighbours(n), threads, true, neighbours::value{-9, -1});
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(out[static_cast<std::size_t>(i)], (neighbours::value{-9, i - 1})) << i;
  }
}

TEST(engine, multiplies_matrices_in_order) {
  std::vector<matrices::value> x, want;
  matrices::value product = matrices::identity();
  for (int i = 0; i < 300'000; ++i) {
    x.push_back(i % 2 == 0 ? matrices::value{1, 1, 0, 1} : matrices::value{1, 0, 1, 1});
    product = matrices::combine(product, x.back());
    want.push_back(product);
  }
  // JuliaGPU/AcceleratedKernels.jl#78
  EXPECT_EQ(want[999], (matrices::value{1318412525u, 1556111435u, 1556111435u, 4057268386u}));
  for (const int threads : {1, 2, 3}) EXPECT_TRUE(scanned<matrices>(x, threads) == want);
}

#ifdef _OPENMP

struct alignas(2 * sizeof(int)) team {  // so that clang needs no library for an atomic one
  int threads, level;                   // level: of parallel regions with more than one thread
  friend bool operator==(const team&, const team&) = default;
};

std::atomic<team> seen;

// The team that scans where a thread of the caller's calls.
team team_of(int threads) {
  using op = neighbours;
  constexpr int n = 20 * 4096;
  const arguments none;
  const auto load = [](const arguments&, std::int64_t first, std::int64_t count, void* to) {
    // The last is the team's: what precedes its blocks is read by one thread.
    seen = team{omp_get_num_threads(), omp_get_active_level()};
    for (std::int64_t k = 0; k < count; ++k)
      static_cast<op::value*>(to)[k] = {static_cast<int>(first + k), static_cast<int>(first + k)};
  };
  std::vector<op::value> out(n);
  engine<op> e(scalar_kernel<op>(), smallest_blocks(threads), n);
  odometer<op> at;
  e.scan(stream<op::value>{none, nullptr, out.data(), load, nullptr}, n, false, at);
  EXPECT_EQ(out.back(), (op::value{0, n - 1}));
  return seen;
}

TEST(engine, takes_the_threads_of_the_caller_and_of_openmp) {
  const int before = omp_get_max_threads();
  EXPECT_EQ(team_of(2).threads, threads_now(2));
  omp_set_num_threads(1);
  EXPECT_EQ(team_of(0).threads, 1);
  omp_set_num_threads(3);
  EXPECT_EQ(team_of(0).threads, threads_now(3));
  omp_set_num_threads(before);
}

TEST(engine, takes_one_thread_in_a_callers_parallel_region_unless_asked) {
  if (threads_now(2) != 2) GTEST_SKIP() << "the CPU quota allows one thread";
  const int levels = omp_get_max_active_levels();
  constexpr team callers{2, 1}, own{2, 2};
  const struct {
    int most_levels, threads;
    team expected;
  } all[] = {{1, 0, callers}, {1, 2, callers}, {2, 0, callers}, {2, 2, own}};
  for (const auto& c : all) {
    omp_set_max_active_levels(c.most_levels);
#pragma omp parallel num_threads(2)
#pragma omp single
    EXPECT_TRUE(team_of(c.threads) == c.expected)
        << c.most_levels << " levels, threads " << c.threads;
  }
  omp_set_max_active_levels(levels);
}

#endif

}  // namespace

}  // namespace upsweep::cpu
