// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many runs on one workspace, a GPU that is busy with something else, sizes past 32 bits.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "tests/cuda/gpu.hpp"
#include "tests/property/harness.hpp"
#include "tests/support/data.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/oracle.hpp"
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
    for (const std::size_t i : {std::size_t{1}, n - 1}) x.fill({&one, 1}, i);
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

// The least number of a run with a fault, in device memory; none at first.
class fault {
 public:
  unsigned long long* first() const { return first_.data(); }
  bool found() const { return number() != none; }
  unsigned long long number() const { return first_.fetch()[0]; }

 private:
  static constexpr unsigned long long none = std::numeric_limits<unsigned long long>::max();
  on_gpu<unsigned long long> first_{std::vector{none}};
};

// A plan with a stream, and an array with the oracle's results for it. Forward runs scan its
// beginning, reverse ones its end, so that those are the results of any length.
class checked_scan {
 public:
  checked_scan(const std::string& backend, const spec& what, const value& init,
               std::int64_t longest, const gpu_stream& s)
      : what_(what),
        init_(init),
        longest_(longest),
        bytes_(size_of(what.in) * (what.op.id == builtin::affine ? 2 : 1)),
        stream_(s),
        plan_(what, {.length = longest}, {.backend = backend, .memory = device}),
        in_(of_all()),
        want_(of_all()),
        out_(of_all() + 2 * guarded::guard),
        total_(bytes_) {
    std::vector<std::byte> in(of_all()), want(of_all());
    const std::int64_t scalars = elements() * static_cast<std::int64_t>(bytes_ / size_of(what.in));
    generate(what.in, distribution::near_one, purpose::addend, 11, scalars, in.data());
    if (what.op.id == builtin::affine)
      generate(what.in, distribution::near_one, purpose::coefficient, 12, elements(), in.data(), 2);
    run_oracle(what, {.in = in.data(), .out = want.data(), .length = elements(), .init = init});
    in_.fill(in);
    want_.fill(want);
    for (const on_gpu<std::byte>* a : {&out_, &total_})
      check(cudaMemset(a->data(), static_cast<int>(guarded::pattern), a->size()));
    check(cudaDeviceSynchronize());
  }

  std::int64_t longest() const { return longest_; }

  // Queues a run and the check of all that it wrote.
  void run(std::int64_t n, unsigned long long number, const fault& f) {
    const bool forward = what_.direction == direction::forward;
    const std::int64_t first = forward ? 0 : elements() - n;
    // The total is the result at the end; or, of an exclusive scan, the one behind it.
    const std::int64_t end = forward ? n - 1 : first, behind = forward ? n : first - 1;
    std::byte* const out = out_.data() + guarded::guard + at(first);
    plan_.run({.in = in_.data() + at(first),
               .out = out,
               .length = n,
               .init = init_,
               .total = total_.data(),
               .stream = stream_});
    check_and_wipe(
        {out, want_.data() + at(first), at(n)},
        {total_.data(), want_.data() + at(what_.kind == inclusive ? end : behind), bytes_}, number,
        f.first(), stream_);
  }

 private:
  std::int64_t elements() const { return longest_ + 1; }
  std::size_t at(std::int64_t i) const { return static_cast<std::size_t>(i) * bytes_; }
  std::size_t of_all() const { return at(elements()); }

  spec what_;
  value init_;
  std::int64_t longest_;
  std::size_t bytes_;
  const gpu_stream& stream_;
  plan plan_;
  on_gpu<std::byte> in_, want_, out_, total_;
};

// Mostly short.
std::int64_t some_length(dice& d, std::int64_t longest) {
  const std::int64_t magnitude = std::int64_t{1} << d.between(0, 24);
  return d.between(1, std::min(longest, magnitude));
}

class endurance_of_production : public endurance {};

TEST_P(endurance_of_production, a_million_runs_of_any_sort) {
  constexpr std::int64_t longest = 1 << 20;
  constexpr unsigned long long runs = 1'000'000;
  const gpu_stream stream;
  const fault wrong;
  std::deque<checked_scan> scans;
  for (const spec& sort : {spec{.in = i32}, spec{.in = f32}, spec{.in = f64}, spec{.in = u8},
                           spec{.in = f32, .op = affine{}}}) {
    const bool pairs = sort.op.id == builtin::affine;
    const value init = pairs ? value(affine_pair<float>{0.5f, 3.0f}) : value(3);
    const auto add = [&](enum kind k, enum direction d, const value& v) {
      spec what = sort;
      what.kind = k;
      what.direction = d;
      scans.emplace_back(GetParam().name, what, v, longest, stream);
    };
    add(inclusive, forward, {});
    add(inclusive, reverse, {});
    add(exclusive, forward, init);
    add(exclusive, reverse, {});
  }
  dice d(1);
  for (unsigned long long run = 0; run < runs; ++run) {
    scans[d.bits() % scans.size()].run(some_length(d, longest), run, wrong);
    if (run % 100'000 != 0) continue;
    ASSERT_FALSE(wrong.found()) << "run " << wrong.number();
  }
  stream.wait();
  EXPECT_FALSE(wrong.found()) << "run " << wrong.number();
}

TEST_P(endurance_of_production, four_plans_on_four_streams) {
  const std::vector<gpu_stream> streams(4);
  const fault wrong;
  std::deque<checked_scan> scans;
  for (const gpu_stream& s : streams) {
    const std::size_t i = scans.size();
    scans.emplace_back(GetParam().name, spec{.in = std::array{i32, f32, f64, u8}[i]}, value{},
                       std::array{5'000, 300'000, 3'000'000, 20'000'000}[i], s);
  }
  dice d(2);
  for (unsigned long long run = 0; run < 20'000; ++run) {
    checked_scan& s = scans[run % scans.size()];
    s.run(d.one_in(10) ? s.longest() : some_length(d, s.longest()), run, wrong);
  }
  for (const gpu_stream& s : streams) s.wait();
  EXPECT_FALSE(wrong.found()) << "run " << wrong.number();
}

// The graph changes its input, scans it and checks the results.
TEST_P(endurance_of_production, ten_thousand_replays_of_a_graph) {
  constexpr unsigned long long replays = 10'000;
  for (const std::size_t n : {5'000, 300'001, 6'000'001}) {
    std::vector<std::uint32_t> x(n), sums(n);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sums[i] = sum += x[i] = element(i);
    const on_gpu<std::uint32_t> in{std::span<const std::uint32_t>(x)}, out(n);
    const on_gpu<std::uint32_t> first{std::span<const std::uint32_t>(sums)};
    const std::vector<unsigned long long> zeros(2);
    const on_gpu<unsigned long long> round_and_wrong{std::span<const unsigned long long>(zeros)};
    unsigned long long *const round = round_and_wrong.data(), *const wrong = round + 1;
    const gpu_stream stream;
    plan p = make({.in = u32}, static_cast<std::int64_t>(n));
    const auto queue = [&] {
      step(in.data(), n, round, stream);
      check(cudaMemsetAsync(out.data(), 0xa5, n * sizeof(std::uint32_t), stream));
      p.run({.in = in.data(),
             .out = out.data(),
             .length = static_cast<std::int64_t>(n),
             .stream = stream});
      check_sums(out.data(), first.data(), n, round, wrong, stream);
    };
    queue();  // loads the kernels
    stream.wait();
    const gpu_graph graph(stream, queue);
    for (unsigned long long replay = 1; replay < replays; ++replay) graph.launch();
    stream.wait();
    EXPECT_EQ(round_and_wrong.fetch(), (std::vector<unsigned long long>{replays, 0})) << n;
  }
}

UPSWEEP_ON_BACKENDS(endurance_of_production, of_role(true));

}  // namespace

}  // namespace upsweep::testing
