// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many runs on one workspace, a GPU that is busy with something else, sizes past 32 bits.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/cuda/gpu.hpp"
#include "tests/property/harness.hpp"
#include "tests/support/random.hpp"
#include "upsweep/plan.hpp"

namespace upsweep::testing {

namespace {

class endurance : public on_backend {
 protected:
  bool is_naive() const { return GetParam().name == "cuda.naive"; }

  plan make(const spec& what, std::int64_t longest) const {
    return plan(what, {.length = longest}, {.backend = GetParam().name, .memory = device});
  }
};

constexpr std::uint32_t element(std::uint64_t i) {
  return static_cast<std::uint32_t>(random_bits(7, i));
}

// Each run writes its total and its last element to places of its own.
TEST_P(endurance, a_hundred_thousand_runs_of_any_length) {
  const std::int64_t longest = is_naive() ? 2'000 : 200'000;
  const std::size_t runs = is_naive() ? 10'000 : 100'000;
  std::vector<std::uint32_t> x(static_cast<std::size_t>(longest)), prefix(x.size() + 1);
  for (std::size_t i = 0; i < x.size(); ++i) prefix[i + 1] = prefix[i] + (x[i] = element(i));

  const on_gpu<std::uint32_t> in{std::span<const std::uint32_t>(x)}, out(x.size()), totals(runs);
  const gpu_stream stream;
  plan p = make({.in = u32}, longest);
  const auto length = [&](std::size_t run) { return dice(run).between(1, longest); };
  std::vector<std::uint32_t> all(x.size());
  for (std::size_t run = 0; run < runs; ++run) {
    const std::int64_t n = length(run);
    p.run({.in = in.data(),
           .out = out.data(),
           .length = n,
           .total = totals.data() + run,
           .stream = stream});
    if (run % 1'000 != 0) continue;
    stream.wait();
    out.fetch(all);
    ASSERT_TRUE(std::equal(all.begin(), all.begin() + n, prefix.begin() + 1)) << "run " << run;
  }
  stream.wait();
  const std::vector<std::uint32_t> got = totals.fetch();
  for (std::size_t run = 0; run < runs; ++run)
    ASSERT_EQ(got[run], prefix[static_cast<std::size_t>(length(run))]) << "run " << run;
}

// b0nes164/GPUPrefixSums#12 (B97): another stream holds the GPU.
TEST_P(endurance, ends_beside_other_work) {
  const std::size_t n = is_naive() ? 60'000 : 6'000'000;
  const std::vector<std::uint32_t> ones(n, 1);
  const on_gpu<std::uint32_t> in{std::span<const std::uint32_t>(ones)}, out(n);
  const gpu_stream stream;
  plan p = make({.in = u32}, static_cast<std::int64_t>(n));
  const busy_gpu other;
  std::vector<std::uint32_t> got(n);
  for (int run = 0; run < 100; ++run) {
    check(cudaMemsetAsync(out.data(), 0xa5, n * sizeof(std::uint32_t), stream));
    p.run({.in = in.data(),
           .out = out.data(),
           .length = static_cast<std::int64_t>(n),
           .stream = stream});
    stream.wait();
    out.fetch(got);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], i + 1) << "run " << run;
  }
}

UPSWEEP_ON_ALL_BACKENDS(endurance);

class endurance_at_length : public endurance {};

// cudpp/cudpp#58 (B07): more blocks than a grid once had.
TEST_P(endurance_at_length, counts_past_the_old_limits_of_a_grid) {
  for (const std::size_t n : {67'108'865, 67'107'840, 67'107'841}) {
    const std::vector<std::int32_t> ones(n, 1);
    const on_gpu<std::int32_t> x{std::span<const std::int32_t>(ones)};
    make({.in = i32}, static_cast<std::int64_t>(n))
        .run({.in = x.data(), .out = x.data(), .length = static_cast<std::int64_t>(n)});
    const std::vector<std::int32_t> got = x.fetch();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], static_cast<std::int32_t>(i) + 1) << n;
  }
}

// cupy/cupy#9841 (B03): zeros but for x[1] and the last one, in place.
TEST_P(endurance_at_length, counts_past_32_bits) {
  for (const std::size_t n : {(std::size_t{1} << 32) - 1, (std::size_t{1} << 32) + 1}) {
    const on_gpu<std::uint32_t> x(n);
    check(cudaMemset(x.data(), 0, n * sizeof(std::uint32_t)));
    const std::uint32_t one = 1;
    for (const std::size_t i : {std::size_t{1}, n - 1})
      check(cudaMemcpy(x.data() + i, &one, sizeof one, cudaMemcpyHostToDevice));
    make({.in = u32}, static_cast<std::int64_t>(n))
        .run({.in = x.data(), .out = x.data(), .length = static_cast<std::int64_t>(n)});
    std::uint32_t ends[2];
    x.fetch({ends, 1});
    x.fetch({ends + 1, 1}, n - 1);
    EXPECT_EQ(ends[0], 0u) << n;
    EXPECT_EQ(ends[1], 2u) << n;
    EXPECT_EQ(count_others(x.data() + 1, n - 2, 1), 0u) << n;
  }
}

UPSWEEP_ON_BACKENDS(endurance_at_length, tested_backends(false));

}  // namespace

}  // namespace upsweep::testing
