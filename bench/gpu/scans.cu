// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gpu_bench [CONTEXT [LARGEST]]: every cuda backend, the peers among them, beside a copy of the
// same bytes, by graph replay, from a stream, and cold. Prints JSON; CONTEXT is JSON members for
// its context; LARGEST is log2 of the most elements (default 28).
#include <numeric>

#include "bench/gpu/measure.hpp"
#include "upsweep/backends.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/plan.hpp"

namespace upsweep::bench {

namespace {

// What memory allows: 16 bytes a thread, over and over.
__global__ void copy(const uint4* from, uint4* to, std::int64_t n) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    to[i] = from[i];
}

void queue_copy(cudaStream_t s, const void* from, void* to, std::size_t bytes) {
  static const int most = [] {
    int multiprocessors = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "device");
    return multiprocessors * 16;
  }();
  const auto n = static_cast<std::int64_t>(bytes / sizeof(uint4));
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((n + 255) / 256, most));
  copy<<<blocks, 256, 0, s>>>(static_cast<const uint4*>(from), static_cast<uint4*>(to), n);
  check(cudaGetLastError(), "copy");
}

__global__ void count_differences(const unsigned* a, const unsigned* b, std::int64_t n,
                                  unsigned* different) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  unsigned here = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    here += a[i] != b[i];
  if (here != 0) atomicAdd(different, here);
}

// One type: its input, and what an inclusive sum of it must give.
template <class T>
class contest {
 public:
  contest(report& to, stopwatch& watch, std::string_view name, std::int64_t n)
      : report_(to), watch_(watch), name_(name), n_(n) {
    const std::vector<T> in = random_values<T>(n, static_cast<unsigned>(n) + 1);
    std::vector<T> sums(in.size());
    std::inclusive_scan(in.begin(), in.end(), sums.begin());
    want_ = array<T>(sums);
    // Three times an L2 cache of 50 MiB, but no more arrays than a small n needs.
    const auto sets =
        std::clamp<std::int64_t>((std::int64_t{160} << 20) / (2 * n * sizeof(T)), 1, 64);
    for (std::int64_t i = 0; i < sets; ++i) {
      in_.emplace_back(in);
      out_.emplace_back(n);
    }
  }

  void enter(std::string_view contender, const std::function<void(cudaStream_t, const T*, T*)>& f,
             bool is_copy = false) {
    const queued first = [&](cudaStream_t s, int) { f(s, in_[0].data(), out_[0].data()); };
    const queued any = [&](cudaStream_t s, int i) { f(s, in_[i].data(), out_[i].data()); };
    for (const array<T>& o : out_) check(cudaMemset(o.data(), 0xa5, o.bytes()), "poison");
    check(cudaDeviceSynchronize(), "poison");
    measured(contender, "graph", [&] { return watch_.graph(first); });
    measured(contender, "stream", [&] { return watch_.calls(first); });
    const bool all = out_.size() > 1 && measured(contender, "cold", [&] {
                       return watch_.graph(any, static_cast<int>(out_.size()));
                     });
    for (std::size_t i = 0; i < (all ? out_.size() : 1); ++i)
      expect(contender, i, is_copy ? in_[i] : want_);
  }

  std::int64_t size() const { return n_; }

 private:
  // Whether it could be.
  bool measured(std::string_view contender, std::string_view mode,
                const std::function<times()>& measure) {
    try {
      report_.row(name_, contender, mode, n_, measure());
      return true;
    } catch (const std::exception& e) {  // a peer that cannot be captured
      std::cerr << name_ << ' ' << contender << ' ' << mode << ' ' << n_ << ": " << e.what()
                << '\n';
      cudaDeviceSynchronize();
      cudaGetLastError();
      return false;
    }
  }

  void expect(std::string_view contender, std::size_t set, const array<T>& want) {
    const array<unsigned> different(std::vector<unsigned>{0});
    count_differences<<<1024, 256>>>(reinterpret_cast<const unsigned*>(out_[set].data()),
                                     reinterpret_cast<const unsigned*>(want.data()),
                                     n_ * static_cast<std::int64_t>(sizeof(T) / 4),
                                     different.data());
    unsigned count = 0;
    check(cudaMemcpy(&count, different.data(), sizeof count, cudaMemcpyDeviceToHost), "comparison");
    if (count != 0)
      throw std::runtime_error(std::string(contender) + " at n = " + std::to_string(n_) + ": " +
                               std::to_string(count) + " words of result " + std::to_string(set) +
                               " are wrong");
  }

  report& report_;
  stopwatch& watch_;
  std::string_view name_;
  std::int64_t n_;
  array<T> want_;
  std::vector<array<T>> in_, out_;
};

template <class T>
void measure(report& to, stopwatch& watch, std::string_view name, std::int64_t n) {
  contest<T> all(to, watch, name, n);
  all.enter(
      "copy", [&](cudaStream_t s, const T* in, T* out) { queue_copy(s, in, out, n * sizeof(T)); },
      true);
  for (const backend_info& b : backends()) {
    if (!b.name.starts_with("cuda.") || !b.available) continue;
    if (b.name == "cuda.naive" && n > 1 << 16) continue;
    // A plan keeps to one stream; the stopwatch captures and runs on one.
    plan p({.in = type_of<T>}, {.length = n}, {.backend = b.name, .memory = device});
    all.enter(b.name, [&](cudaStream_t s, const T* in, T* out) {
      p.run({.in = in, .out = out, .length = n, .stream = s});
    });
  }
}

}  // namespace

}  // namespace upsweep::bench

int main(int argc, char** argv) try {
  using namespace upsweep::bench;
  report to(context(argc > 1 ? argv[1] : ""));
  stopwatch watch;
  const int largest = argc > 2 ? std::atoi(argv[2]) : 28;
  for (int log = 10; log <= largest; log += 2) {
    const std::int64_t n = std::int64_t{1} << log;
    measure<float>(to, watch, "f32", n);
    if (log % 4 == 0 || log == 26) {
      measure<std::int32_t>(to, watch, "i32", n);
      if (log <= 26) measure<double>(to, watch, "f64", n);
      if (log <= 26) measure<std::int64_t>(to, watch, "i64", n);
    }
  }
} catch (const std::exception& e) {
  std::cerr << "gpu_bench: " << e.what() << '\n';
  return 1;
}
