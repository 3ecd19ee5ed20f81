// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gpu_claims [CONTEXT]: what the literature claims of textbook scans, measured: each algorithm by
// itself, inclusive sums of f32. Prints JSON.
// gpu_claims --run NAME N: one run of one entry, for a profiler.
#include <cstring>
#include <numeric>

#include <cub/device/device_reduce.cuh>

#include "backends/kernels/algorithms.hpp"
#include "backends/kernels/operators.hpp"
#include "bench/gpu/measure.hpp"

namespace upsweep::bench {

namespace {

using Op = kernels::sum_op<float>;
using namespace kernels;

using hs = kernels::hillis_steele<Op>;
using ks = kernels::kogge_stone<Op>;
using bk = kernels::brent_kung<Op>;
template <template <class> class Banks>
using bl = kernels::blelloch<Op, Banks>;
using ws = kernels::warp_shuffle<Op>;
template <int K, class Inner = ks>
using co = kernels::coarsened<Op, K, Inner>;
using bk_of_totals = kernels::brent_kung<Op, 1>;

struct entry {
  const char* name;
  int threads;
  std::size_t (*workspace_bytes)(std::int64_t n, int threads);
  void (*run)(kernels::stream, const scan<Op>&, workspace, int threads);
};

template <class Algorithm>
constexpr entry make(const char* name, int threads = Algorithm::default_threads) {
  return {name, threads, Algorithm::workspace_bytes,
          [](kernels::stream s, const scan<Op>& what, workspace space, int t) {
            Algorithm::run(s, what, space, t);
          }};
}

const entry entries[] = {
    make<single_block<Op, ks>>("block kogge_stone", 1024),
    make<single_block<Op, hs>>("block hillis_steele", 1024),
    make<single_block<Op, bk>>("block brent_kung", 512),
    make<single_block<Op, bl<direct>>>("block blelloch direct", 512),
    make<single_block<Op, bl<padded>>>("block blelloch padded", 512),
    make<single_block<Op, bl<swizzled>>>("block blelloch swizzled", 512),
    make<single_block<Op, ws>>("block warp_shuffle", 1024),
    make<single_block<Op, co<8>>>("block coarsened 8", 512),
    make<single_block<Op, co<8, bk_of_totals>>>("block coarsened 8, brent_kung", 512),
    make<three_pass<Op, ks>>("grid kogge_stone", 1024),
    make<three_pass<Op, hs>>("grid hillis_steele", 1024),
    make<three_pass<Op, bk>>("grid brent_kung", 512),
    make<three_pass<Op, bl<direct>>>("grid blelloch direct", 512),
    make<three_pass<Op, bl<padded>>>("grid blelloch padded", 512),
    make<three_pass<Op, bl<swizzled>>>("grid blelloch swizzled", 512),
    make<three_pass<Op, ws>>("grid warp_shuffle", 1024),
    make<three_pass<Op, co<1>>>("grid coarsened 1", 512),
    make<three_pass<Op, co<2>>>("grid coarsened 2", 512),
    make<three_pass<Op, co<4>>>("grid coarsened 4", 512),
    make<three_pass<Op, co<8>>>("grid coarsened 8", 512),
    make<three_pass<Op, co<16>>>("grid coarsened 16", 512),
    make<three_pass<Op, co<8, bk_of_totals>>>("grid coarsened 8, brent_kung", 512),
    make<three_pass<Op, ks, false>>("grid kogge_stone, extracting", 1024),
    make<textbooks::three_pass<Op>>("three_pass"),
    make<textbooks::hybrid<Op>>("hybrid"),
    make<textbooks::chained<Op>>("chained"),
    make<textbooks::decoupled_lookback<Op>>("decoupled_lookback"),
    make<textbooks::naive<Op>>("naive"),
};

// An entry with arrays of n.
class bench_case {
 public:
  bench_case(const entry& e, std::int64_t n)
      : entry_(e),
        n_(n),
        host_(random_values<float>(n, 11)),
        in_(host_),
        out_(n),
        space_(static_cast<std::int64_t>(e.workspace_bytes(n, e.threads)) + 128) {
    check(cudaMemset(space_.data(), 0, space_.bytes()), "workspace");
    check(cudaMemset(out_.data(), 0xa5, out_.bytes()), "poison");
    check(cudaDeviceSynchronize(), "preparation");
  }

  void run(cudaStream_t s) const {
    scan<Op> what;
    what.in = {in_.data(), n_};
    what.out = {out_.data(), n_};
    entry_.run({s}, what, workspace(space_.data(), n_), entry_.threads);
  }

  void expect_right() const {
    std::vector<float> want(host_.size()), got(host_.size());
    std::inclusive_scan(host_.begin(), host_.end(), want.begin());
    check(cudaMemcpy(got.data(), out_.data(), out_.bytes(), cudaMemcpyDeviceToHost), "results");
    if (got != want)
      throw std::runtime_error(std::string(entry_.name) + " at n = " + std::to_string(n_) +
                               ": the result is wrong");
  }

 private:
  const entry& entry_;
  std::int64_t n_;
  std::vector<float> host_;
  array<float> in_, out_;
  array<std::byte> space_;
};

void measure_all(report& to) {
  stopwatch watch;
  for (const std::int64_t n : {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 20, 1 << 24}) {
    for (const entry& e : entries) {
      const bool small = std::strncmp(e.name, "block", 5) == 0 || std::strcmp(e.name, "naive") == 0;
      if (small && n > 1 << 16) continue;
      const bench_case c(e, n);
      const queued q = [&](cudaStream_t s, int) { c.run(s); };
      to.row("claims", "f32", e.name, "graph", n, watch.graph(q));
      to.row("claims", "f32", e.name, "stream", n, watch.calls(q));
      c.expect_right();
    }
    const std::vector<float> host = random_values<float>(n, 12);
    std::vector<float> sums(host.size());
    std::vector<double> us;
    for (int r = 0; r < stopwatch::repetitions; ++r) {
      const auto began = std::chrono::steady_clock::now();
      std::inclusive_scan(host.begin(), host.end(), sums.begin());
      us.push_back(
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began)
              .count());
    }
    to.row("claims", "f32", "one CPU core, std::inclusive_scan", "host", n, summary(us));

    const array<float> in(host), sum(1);
    std::size_t bytes = 0;
    check(cub::DeviceReduce::Sum(nullptr, bytes, in.data(), sum.data(), n), "reduction");
    const array<std::byte> space(static_cast<std::int64_t>(bytes) + 1);
    to.row("claims", "f32", "reduction, cub", "graph", n, watch.graph([&](cudaStream_t s, int) {
      std::size_t b = bytes;
      check(cub::DeviceReduce::Sum(space.data(), b, in.data(), sum.data(), n, s), "reduction");
    }));
  }
}

int run_one(const char* name, std::int64_t n) {
  for (const entry& e : entries)
    if (std::strcmp(e.name, name) == 0) {
      const bench_case c(e, n);
      c.run(nullptr);
      check(cudaDeviceSynchronize(), "run");
      c.expect_right();
      return 0;
    }
  std::cerr << "gpu_claims: no entry '" << name << "'; there are:\n";
  for (const entry& e : entries) std::cerr << "  " << e.name << '\n';
  return 2;
}

}  // namespace

}  // namespace upsweep::bench

int main(int argc, char** argv) try {
  using namespace upsweep::bench;
  if (argc == 4 && std::strcmp(argv[1], "--run") == 0) return run_one(argv[2], std::atoll(argv[3]));
  report to(context(argc > 1 ? argv[1] : ""));
  measure_all(to);
} catch (const std::exception& e) {
  std::cerr << "gpu_claims: " << e.what() << '\n';
  return 1;
}
