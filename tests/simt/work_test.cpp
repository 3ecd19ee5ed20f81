// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work and barriers of each block scan, counted and compared with the published formulas.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "backends/kernels/block/blelloch.hpp"
#include "backends/kernels/block/brent_kung.hpp"
#include "backends/kernels/block/coarsened.hpp"
#include "backends/kernels/block/hillis_steele.hpp"
#include "backends/kernels/block/kogge_stone.hpp"
#include "backends/kernels/block/warp_shuffle.hpp"
#include "backends/kernels/operators.hpp"
#include "backends/simt/device.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

namespace {

using word = std::uint32_t;

// Counts its combinations. One OS thread runs all fibers.
struct counted : sum_op<word> {
  static inline std::int64_t combinations = 0;
  static word combine(word l, word r) {
    ++combinations;
    return l + r;
  }
};

template <class Block>
UPSWEEP_KERNEL void scan_tile(global<const word> in, global<word> out) {
  UPSWEEP_DYNAMIC_SHARED(word, memory);
  Block block(memory);
  for (int i = thread_index(); i < Block::tile(block_size()); i += block_size()) {
    const word x = in[i];
    block.put(i, x);
  }
  block.scan();
  for (int i = thread_index(); i < Block::tile(block_size()); i += block_size())
    out[i] = block.inclusive(i);
}

struct cost {
  std::int64_t combinations, barriers, exchanges;
  bool operator==(const cost&) const = default;
};

void PrintTo(const cost& c, std::ostream* to) {
  *to << c.combinations << " combinations, " << c.barriers << " barriers, " << c.exchanges
      << " warp exchanges";
}

template <class Block>
cost cost_of(int threads) {
  simt::device d;
  const int n = Block::tile(threads);
  std::vector<word> in(static_cast<std::size_t>(n)), out(in.size()), want(in.size());
  std::iota(in.begin(), in.end(), 7);
  std::partial_sum(in.begin(), in.end(), want.begin());
  d.borrow(in.data(), in.size() * sizeof(word), true);
  d.borrow(out.data(), out.size() * sizeof(word), false);
  counted::combinations = 0;
  launch(stream{&d}, {1, threads, Block::shared_elements(threads) * static_cast<int>(sizeof(word))},
         scan_tile<Block>, global<const word>(in.data(), n), global<word>(out.data(), n));
  EXPECT_EQ(out, want);
  return {counted::combinations, d.count().block_barriers, d.count().warp_exchanges};
}

class work : public ::testing::TestWithParam<int> {
 protected:
  const int threads = GetParam();
  // n elements, a thread each or two; its logarithm.
  const std::int64_t n = threads, log_n = std::bit_width(static_cast<unsigned>(threads)) - 1;
  const std::int64_t twice = 2 * n, log_twice = log_n + 1;
};

TEST_P(work, hillis_steele_does_n_log_n) {
  EXPECT_EQ(cost_of<hillis_steele<counted>>(threads), (cost{n * log_n - n + 1, log_n + 1, 0}));
}

TEST_P(work, kogge_stone_does_n_log_n) {
  EXPECT_EQ(cost_of<kogge_stone<counted>>(threads), (cost{n * log_n - n + 1, 2 * log_n + 1, 0}));
}

TEST_P(work, brent_kung_does_less_than_2_n) {
  EXPECT_EQ(cost_of<brent_kung<counted>>(threads),
            (cost{2 * twice - 2 - log_twice, 2 * log_twice, 0}));
  EXPECT_EQ((cost_of<brent_kung<counted, 1>>(threads)), (cost{2 * n - 2 - log_n, 2 * log_n, 0}));
}

TEST_P(work, blelloch_does_less_than_2_n) {
  const cost want{2 * (twice - 1), 2 * log_twice + 1, 0};
  EXPECT_EQ((cost_of<blelloch<counted, direct>>(threads)), want);
  EXPECT_EQ((cost_of<blelloch<counted, padded>>(threads)), want);
  EXPECT_EQ((cost_of<blelloch<counted, swizzled>>(threads)), want);
}

// A warp scans 32 elements in 5 shuffles; every warp scans the w totals, and takes one of them.
TEST_P(work, warp_shuffle_needs_two_barriers) {
  const std::int64_t w = n / 32, log_w = std::bit_width(static_cast<std::uint64_t>(w)) - 1;
  std::int64_t totals = 0;  // lanes at or above d, for each d below w
  for (std::int64_t d = 1; d < w; d *= 2) totals += 32 - d;
  EXPECT_EQ(cost_of<warp_shuffle<counted>>(threads),
            (cost{w * (32 * 5 - 31) + w * totals + 32 * (w - 1), 2, w * (5 + log_w + 1)}));
}

template <class Inner>
void expect_coarsened(int threads) {
  constexpr int k = 8;
  const cost inner = cost_of<Inner>(threads);
  EXPECT_EQ(
      (cost_of<coarsened<counted, k, Inner>>(threads)),
      (cost{(k - 1) * threads + inner.combinations + k * (threads - 1), inner.barriers + 2, 0}));
}

TEST_P(work, coarsened_does_2_n_and_the_inner_scan) {
  expect_coarsened<kogge_stone<counted>>(threads);
  expect_coarsened<brent_kung<counted, 1>>(threads);
}

INSTANTIATE_TEST_SUITE_P(, work, ::testing::Values(32, 64, 128, 256, 512, 1024));

}  // namespace

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels
