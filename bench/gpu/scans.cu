// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gpu_bench [--only TABLE] [CONTEXT [LARGEST]]: prints JSON, all tables or one of them. --only
// comes first. CONTEXT is JSON members for its context; LARGEST is log2 of the most elements of
// `textbooks` (default 28).
//   textbooks  every cuda backend, the peers among them, beside a copy of the same bytes
//   large      the production scan on 64 MiB, 256 MiB and 1 GiB of every type
//   small      the same on 4 KiB to 16 MiB, in five rounds
//   modes      its modes and alignments beside its plain inclusive sum
//   lengths    lengths at and beside 64 KiB, 1, 16 and 64 MiB, beside a copy of the same bytes
//   host       what a call costs the host, beside a bare launch
//   crossing   arrays in host memory, through the GPU and on the CPU
#include <array>
#include <charconv>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "backends/kernels/grid/single_pass/registers.hpp"
#include "bench/gpu/exact.hpp"
#include "bench/gpu/measure.hpp"
#include "upsweep/backends.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/order.hpp"
#include "upsweep/plan.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::bench {

namespace {

constexpr const char* ours = "cuda.single_pass";
constexpr std::int64_t mebi = 1 << 20;

__device__ std::int64_t first_index() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() { return std::int64_t{gridDim.x} * blockDim.x; }

// What memory allows: 16 bytes a thread, over and over. Each vector is written `Times` times, for
// scans whose results are larger than their elements.
template <int Times>
__global__ void copy(const uint4* from, uint4* to, std::int64_t n) {
  for (std::int64_t i = first_index(); i < n; i += index_step()) to[i] = from[i / Times];
}

template <int Times>
__global__ void count_not_copied(const uint4* from, const uint4* to, std::int64_t n,
                                 unsigned* wrong) {
  for (std::int64_t i = first_index(); i < n; i += index_step()) {
    const uint4 a = to[i], b = from[i / Times];
    if (a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w) atomicAdd(wrong, 1);
  }
}

template <class T>
__global__ void fill(T* x, exact_scan s) {
  for (std::int64_t i = first_index(); i < s.n; i += index_step()) x[i] = s.element<T>(i);
}

// `total`, if there is one, counts as result n.
template <class T>
__global__ void count_wrong(const T* results, const T* total, exact_scan s, unsigned* wrong) {
  const auto check = [&](const T& got, std::int64_t i) {
    if (!(got == s.result<T>(i))) atomicAdd(wrong, 1);
  };
  for (std::int64_t i = first_index(); i < s.n; i += index_step()) check(results[i], i);
  if (total != nullptr && first_index() == 0) check(*total, s.n);
}

// So many blocks of 256 threads for n items that each of them has one, up to 16 a multiprocessor.
unsigned blocks_for(std::int64_t n) {
  static const int most = [] {
    int multiprocessors = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "device");
    return multiprocessors * 16;
  }();
  return static_cast<unsigned>(std::clamp<std::int64_t>((n + 255) / 256, 1, most));
}

struct combine_pairs {
  bool affine;
  template <class S>
  __device__ two<S> operator()(two<S> l, two<S> r) const {
    if (affine) return {l.first * r.first, r.first * l.second + r.second};
    return {l.first + r.first, l.second + r.second};
  }
};

bool is_here(std::string_view backend) {
  for (const backend_info& b : backends())
    if (b.name == backend) return b.available;
  return false;
}

// What a table measures beside graph replay.
struct table {
  std::string_view name;
  bool stream, cold;
};

// Past a border of 16 bytes, in elements; and whether the total is asked for.
struct placing {
  int in = 0, out = 0;
  bool total = false;
};

// One scan, its arrays, and what must come out.
template <class In, class Out>
class contest {
  static constexpr int widening = sizeof(Out) / sizeof(In);

 public:
  contest(report& to, stopwatch& watch, const table& of, std::string name, type from, type made,
          exact_scan s, placing p = {})
      : report_(to),
        watch_(watch),
        table_(of),
        name_(std::move(name)),
        what_{.in = from,
              .out = made,
              .op = operator_descriptor{.id = s.op},
              .kind = s.what,
              .direction = s.way},
        scan_(s),
        placing_(p),
        total_(1) {
    static std::random_device seeds;
    scan_.seed = seeds();
    // Three times an L2 cache of 50 MiB, but no more arrays than a small n needs.
    const auto bytes = s.n * static_cast<std::int64_t>(sizeof(In) + sizeof(Out));
    const auto sets = of.cold ? std::clamp<std::int64_t>(160 * mebi / bytes, 1, 64) : 1;
    for (std::int64_t i = 0; i < sets; ++i) {
      in_.emplace_back(s.n + 1);
      out_.emplace_back(s.n + 1);
      fill<<<blocks_for(s.n), 256>>>(in(i), scan_);
      check(cudaGetLastError(), "inputs");
    }
  }

  void enter_copy() {
    const auto vectors = scan_.n * static_cast<std::int64_t>(sizeof(Out)) / 16;
    const auto as_vectors = [](auto* p) { return reinterpret_cast<uint4*>(p); };
    enter(
        "copy",
        [&](cudaStream_t s, int i) {
          copy<widening>
              <<<blocks_for(vectors), 256, 0, s>>>(as_vectors(in(i)), as_vectors(out(i)), vectors);
          check(cudaGetLastError(), "copy");
        },
        [&](int i, unsigned* wrong) {
          count_not_copied<widening>
              <<<blocks_for(vectors), 256>>>(as_vectors(in(i)), as_vectors(out(i)), vectors, wrong);
        });
  }

  void enter_backend(const std::string& backend) {
    // A plan keeps to one stream; the stopwatch captures and runs on one.
    plan p(what_, {.length = scan_.n}, {.backend = backend, .memory = device});
    Out* const total = placing_.total ? total_.data() : nullptr;
    enter_scan(
        backend,
        [&](cudaStream_t s, int i) {
          p.run({.in = in(i),
                 .out = out(i),
                 .length = scan_.n,
                 .init = scan_.init != 0 ? value(scan_.init) : value(),
                 .total = total,
                 .stream = s});
        },
        total);
  }

  // CUB itself, for types that cuda.cub does not serve.
  template <class F>
  void enter_cub(F op) {
    const auto run = [&](void* space, std::size_t& bytes, cudaStream_t s, int i) {
      check(cub::DeviceScan::InclusiveScan(space, bytes, in(i), out(i), op, scan_.n, s), "cub");
    };
    std::size_t bytes = 0;
    run(nullptr, bytes, nullptr, 0);
    const array<std::byte> space(static_cast<std::int64_t>(bytes) + 1);
    enter_scan(
        "cuda.cub", [&](cudaStream_t s, int i) { run(space.data(), bytes, s, i); }, nullptr);
  }

 private:
  In* in(std::size_t i) const { return in_[i].data() + placing_.in; }
  Out* out(std::size_t i) const { return out_[i].data() + placing_.out; }

  void enter_scan(std::string_view contender, const queued& f, const Out* total) {
    enter(contender, f, [&](int i, unsigned* wrong) {
      count_wrong<<<blocks_for(scan_.n), 256>>>(out(i), total, scan_, wrong);
    });
  }

  // Runs number i, of which f is told, have arrays of their own; `count` counts what is wrong in
  // those.
  void enter(std::string_view contender, const queued& f,
             const std::function<void(int i, unsigned*)>& count) {
    for (const array<Out>& o : out_) check(cudaMemset(o.data(), 0xa5, o.bytes()), "poison");
    check(cudaMemset(total_.data(), 0xa5, total_.bytes()), "poison");
    check(cudaDeviceSynchronize(), "poison");
    const queued same = [&](cudaStream_t s, int) { f(s, 0); };
    bool any = measured(contender, "graph", [&] { return watch_.graph(same); });
    if (table_.stream && measured(contender, "stream", [&] { return watch_.calls(same); }))
      any = true;
    const bool all = out_.size() > 1 && measured(contender, "cold", [&] {
                       return watch_.graph(f, static_cast<int>(out_.size()));
                     });
    // Who could not be measured has no results.
    for (std::size_t i = 0; i < (all ? out_.size() : any ? 1 : 0); ++i) {
      const array<unsigned> wrong(std::vector<unsigned>{0});
      count(static_cast<int>(i), wrong.data());
      check(cudaGetLastError(), "comparison");
      unsigned found = 0;
      check(cudaMemcpy(&found, wrong.data(), sizeof found, cudaMemcpyDeviceToHost), "comparison");
      if (found != 0)
        throw std::runtime_error(name_ + ", " + std::string(contender) +
                                 ", n = " + std::to_string(scan_.n) + ": " + std::to_string(found) +
                                 " of result " + std::to_string(i) + " are wrong");
    }
  }

  // Whether it could be.
  bool measured(std::string_view contender, std::string_view mode,
                const std::function<times()>& measure) {
    try {
      report_.row(table_.name, name_, contender, mode, scan_.n, measure());
      return true;
    } catch (const std::exception& e) {  // a peer that cannot be captured
      std::cerr << name_ << ' ' << contender << ' ' << mode << ' ' << scan_.n << ": " << e.what()
                << '\n';
      cudaDeviceSynchronize();
      cudaGetLastError();
      return false;
    }
  }

  report& report_;
  stopwatch& watch_;
  const table& table_;
  std::string name_;
  spec what_;
  exact_scan scan_;
  placing placing_;
  array<Out> total_;
  std::vector<array<In>> in_;
  std::vector<array<Out>> out_;
};

template <class T>
void textbooks_of(report& to, stopwatch& watch, const char* name, std::int64_t n) {
  static constexpr table of{"textbooks", true, true};
  contest<T, T> all(to, watch, of, name, type_of<T>, type_of<T>, {.n = n});
  all.enter_copy();
  for (const backend_info& b : backends())
    if (b.name.starts_with("cuda.") && b.available && (b.name != "cuda.naive" || n <= 1 << 16))
      all.enter_backend(b.name);
}

void textbooks(report& to, stopwatch& watch, int largest) {
  for (int log = 10; log <= largest; log += 2) {
    const std::int64_t n = std::int64_t{1} << log;
    textbooks_of<float>(to, watch, "f32", n);
    if (log % 4 == 0 || log == 26) {
      textbooks_of<std::int32_t>(to, watch, "i32", n);
      if (log <= 26) textbooks_of<double>(to, watch, "f64", n);
      if (log <= 26) textbooks_of<std::int64_t>(to, watch, "i64", n);
    }
  }
}

constexpr bool cub_serves(type in, type out, builtin op) {
  return in == out && (in == i32 || in == i64 || in == f32 || in == f64) &&
         (op != builtin::affine || in == f32);
}

// Sums by ours and the peers; minimum and bit_xor by ours, where the type has them.
template <class In, class Out = In>
void large_of(report& to, stopwatch& watch, const std::string& name, type in, type out,
              builtin op = builtin::sum) {
  static constexpr table of{"large", true, false};
  constexpr bool pairs = !std::is_convertible_v<In, float>;
  for (const std::int64_t bytes : {64 * mebi, 256 * mebi, 1024 * mebi}) {
    exact_scan s{.op = op, .n = bytes / static_cast<std::int64_t>(sizeof(In))};
    if (in == u8) s.base = 127;
    if (in == bf16) s.bits = 4;
    {
      contest<In, Out> all(to, watch, of, name, in, out, s);
      all.enter_copy();
      all.enter_backend(ours);
      // Of the peers' backends: sums by both; of affine maps, those of f32 by cuda.cub.
      if (cub_serves(in, out, op)) {
        all.enter_backend("cuda.cub");
        if (op == builtin::sum) all.enter_backend("cuda.thrust");
      } else if constexpr (pairs) {
        all.enter_cub(combine_pairs{op == builtin::affine});
      } else {
        all.enter_cub(::cuda::std::plus<Out>{});
      }
    }
    if constexpr (!pairs && std::is_same_v<In, Out>) {
      s.op = builtin::minimum;
      s.shift = 63 - __builtin_clzll(static_cast<unsigned long long>(s.n)) - 6;
      contest<In, Out>(to, watch, of, name + " minimum", in, out, s).enter_backend(ours);
    }
    if constexpr (std::is_integral_v<In> && std::is_same_v<In, Out>) {
      s.op = builtin::bit_xor;
      contest<In, Out>(to, watch, of, name + " bit_xor", in, out, s).enter_backend(ours);
    }
  }
}

void large(report& to, stopwatch& watch, int) {
  large_of<std::int32_t>(to, watch, "i32", i32, i32);
  large_of<float>(to, watch, "f32", f32, f32);
  large_of<std::int64_t>(to, watch, "i64", i64, i64);
  large_of<double>(to, watch, "f64", f64, f64);
  large_of<std::int16_t>(to, watch, "i16", i16, i16);
  large_of<__half>(to, watch, "f16", f16, f16);
  large_of<__nv_bfloat16>(to, watch, "bf16", bf16, bf16);
  large_of<std::int8_t>(to, watch, "i8", i8, i8);
  large_of<std::uint8_t, std::int32_t>(to, watch, "u8 -> i32", u8, i32);
  large_of<float, double>(to, watch, "f32 -> f64", f32, f64);
  large_of<two<float>>(to, watch, "c64", c64, c64);
  large_of<two<float>>(to, watch, "affine f32", f32, f32, builtin::affine);
  large_of<two<double>>(to, watch, "affine f64", f64, f64, builtin::affine);
}

template <class T>
void small_of(report& to, stopwatch& watch, const char* name) {
  static constexpr table of{"small", true, true};
  for (std::int64_t bytes = 4 << 10; bytes <= 16 * mebi; bytes *= 4) {
    const std::int64_t n = bytes / static_cast<std::int64_t>(sizeof(T));
    contest<T, T> all(to, watch, of, name, type_of<T>, type_of<T>, {.n = n});
    all.enter_copy();
    for (const char* const backend : {ours, "cuda.cub", "cuda.thrust"}) all.enter_backend(backend);
  }
}

void small(report& to, stopwatch& watch, int) {
  for (int round = 0; round < 5; ++round) {
    small_of<std::int32_t>(to, watch, "i32");
    small_of<float>(to, watch, "f32");
    small_of<double>(to, watch, "f64");
  }
}

template <class T>
void modes_of(report& to, stopwatch& watch, const std::string& name, type t) {
  static constexpr table of{"modes", false, false};
  constexpr std::int64_t n = std::int64_t{1} << 28;
  const auto measure = [&](const char* mode, exact_scan s, placing p = {}) {
    contest<T, T>(to, watch, of, name + ", " + mode, t, t, s, p).enter_backend(ours);
  };
  measure("inclusive sum", {.n = n});
  measure("exclusive", {.what = exclusive, .n = n});
  measure("init", {.n = n, .init = 5});
  measure("total", {.n = n}, {.total = true});
  measure("reverse", {.way = reverse, .n = n});
  measure("minimum", {.op = builtin::minimum, .n = n, .shift = 22});
  if (std::is_integral_v<T>) measure("bit_xor", {.op = builtin::bit_xor, .n = n});
  measure("in and out one on", {.n = n}, {.in = 1, .out = 1});
  measure("in one on", {.n = n}, {.in = 1});
  measure("out one on", {.n = n}, {.out = 1});
  measure("n + 1", {.n = n + 1});
  measure("n + 3", {.n = n + 3});
}

void modes(report& to, stopwatch& watch, int) {
  modes_of<std::int32_t>(to, watch, "i32", i32);
  modes_of<float>(to, watch, "f32", f32);
  modes_of<std::int64_t>(to, watch, "i64", i64);
  modes_of<double>(to, watch, "f64", f64);
  modes_of<std::int16_t>(to, watch, "i16", i16);
  modes_of<__half>(to, watch, "f16", f16);
  modes_of<std::int8_t>(to, watch, "i8", i8);
}

template <class T>
void lengths_of(report& to, stopwatch& watch, const char* name, type t) {
  static constexpr table of{"lengths", false, false};
  for (const std::int64_t bytes : {mebi / 16, mebi, 16 * mebi, 64 * mebi})
    for (const int more : {-3, 0, 1}) {
      const std::int64_t n = bytes / static_cast<std::int64_t>(sizeof(T)) + more;
      contest<T, T> all(to, watch, of, name, t, t, {.n = n});
      all.enter_copy();
      all.enter_backend(ours);
    }
}

void lengths(report& to, stopwatch& watch, int) {
  lengths_of<std::int32_t>(to, watch, "i32", i32);
  lengths_of<float>(to, watch, "f32", f32);
  lengths_of<std::int64_t>(to, watch, "i64", i64);
  lengths_of<double>(to, watch, "f64", f64);
  lengths_of<std::int16_t>(to, watch, "i16", i16);
  lengths_of<__half>(to, watch, "f16", f16);
  lengths_of<std::int8_t>(to, watch, "i8", i8);
}

// Parameters of as many bytes as those of the production scan's kernels: for one block or cluster,
// and for blocks that find each other's totals in memory.
constexpr std::size_t bytes_of_one = sizeof(kernels::flat<kernels::sum_op<float>, float>);
constexpr std::size_t bytes_of_many =
    bytes_of_one + sizeof(kernels::tickets) + sizeof(kernels::unit_totals<float>);
template <std::size_t Bytes>
struct parameters {
  std::byte bytes[Bytes];
};
template <std::size_t Bytes>
__global__ void nothing(parameters<Bytes>) {}

// Microseconds of the host for each of some functions: medians over rounds, in which they take
// turns. A launch queue holds all the calls of a turn, so that none waits for the GPU.
std::vector<times> host_times(const std::vector<std::function<void()>>& calls, int a_turn) {
  using clock = std::chrono::steady_clock;
  std::vector<std::vector<double>> us(calls.size());
  for (int round = 0; round < 200; ++round)
    for (std::size_t c = 0; c < calls.size(); ++c) {
      check(cudaDeviceSynchronize(), "calls");
      const auto began = clock::now();
      for (int i = 0; i < a_turn; ++i) calls[c]();
      us[c].push_back(std::chrono::duration<double, std::micro>(clock::now() - began).count() /
                      a_turn);
    }
  std::vector<times> all;
  for (std::vector<double>& u : us) all.push_back(summary(std::move(u)));
  return all;
}

void host(report& to, stopwatch&, int) {
  cudaStream_t s = nullptr;
  check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreate");
  // One block; a cluster, of a tile in each block; and supers, whose blocks wait for each other, in
  // a cooperative launch.
  for (const std::int64_t n : {1 << 10, 1 << 14, 1 << 18}) {
    const array<float> in(n), out(n), total(1);
    const exact_scan exact{.n = n};
    fill<<<blocks_for(n), 256>>>(in.data(), exact);
    check(cudaDeviceSynchronize(), "inputs");
    plan p({.in = f32}, {.length = n}, {.backend = ours, .memory = device});
    const arguments a{.in = in.data(), .out = out.data(), .length = n, .stream = s};
    const std::int64_t tile = order1::tile(sizeof(float));
    const bool waits = n > kernels::most_in_cluster * tile;
    const auto blocks = static_cast<unsigned>(
        std::max<std::int64_t>(n / (waits ? order1::super(sizeof(float)) : tile), 1));
    const unsigned threads = waits ? 512 : blocks > 1 ? 256 : 128;
    const void* const kernel = waits ? reinterpret_cast<const void*>(nothing<bytes_of_many>)
                                     : reinterpret_cast<const void*>(nothing<bytes_of_one>);
    parameters<bytes_of_many> none{};
    void* pointers[] = {&none};
    const auto bare = [&](auto launch) {
      check(launch(kernel, dim3(blocks), dim3(threads), pointers, std::size_t{0}, s),
            "bare launch");
    };
    const auto plain = [&] { bare(cudaLaunchKernel<const void>); };
    const auto row = [&](const char* contender, const char* mode, const times& t) {
      to.row("host", "f32", contender, mode, n, t);
    };
    std::vector<std::function<void()>> queue{[&] { p.run(a); }, plain};
    if (waits) queue.push_back([&] { bare(cudaLaunchCooperativeKernel<const void>); });
    const auto calls = host_times(queue, 300);
    row("plan::run", "call", calls[0]);
    row("cudaLaunchKernel", "call", calls[1]);
    if (waits) row("cudaLaunchCooperativeKernel", "call", calls[2]);
    const array<unsigned> wrong(std::vector<unsigned>{0});
    check(cudaStreamSynchronize(s), "runs");
    count_wrong<float><<<blocks_for(n), 256>>>(out.data(), nullptr, exact, wrong.data());
    unsigned found = 0;
    check(cudaMemcpy(&found, wrong.data(), sizeof found, cudaMemcpyDeviceToHost), "comparison");
    if (found != 0) throw std::runtime_error("host: " + std::to_string(found) + " are wrong");

    const auto waited = [&](const std::function<void()>& f) {
      return [&, f] {
        f();
        check(cudaStreamSynchronize(s), "call");
      };
    };
    const auto one_shot = [&] { scan({.in = f32}, a, {.backend = ours, .memory = device}); };
    one_shot();
    const auto both = host_times({one_shot, waited([&] { p.run(a); }), waited(plain)}, 20);
    row("one-shot call", "call and wait", both[0]);
    row("plan::run", "call and wait", both[1]);
    row("cudaLaunchKernel", "call and wait", both[2]);
  }
  cudaStreamDestroy(s);
}

// Host memory that copies to and from the GPU need not stage.
struct pinned_release {
  void operator()(float* p) const { cudaFreeHost(p); }
};
std::unique_ptr<float, pinned_release> pinned(std::int64_t n) {
  void* p = nullptr;
  check(cudaMallocHost(&p, static_cast<std::size_t>(n) * sizeof(float)), "cudaMallocHost");
  return std::unique_ptr<float, pinned_release>(static_cast<float*>(p));
}

void crossing(report& to, stopwatch&, int) {
  using clock = std::chrono::steady_clock;
  for (const int log : {20, 24, 28}) {
    const exact_scan exact{.n = std::int64_t{1} << log, .seed = std::random_device{}()};
    const auto size = static_cast<std::size_t>(exact.n);
    std::vector<float> in(size), out(size);
    for (std::size_t i = 0; i < size; ++i)
      in[i] = exact.element<float>(static_cast<std::int64_t>(i));
    const auto pinned_in = pinned(exact.n), pinned_out = pinned(exact.n);
    std::memcpy(pinned_in.get(), in.data(), size * sizeof(float));
    const auto measure = [&](const char* contender, const char* backend, const float* from,
                             float* results) {
      plan p({.in = f32}, {.length = exact.n}, {.backend = backend});
      std::memset(results, 0xa5, size * sizeof(float));
      std::vector<double> us;
      for (int r = 0; r <= stopwatch::repetitions; ++r) {
        const auto began = clock::now();
        p.run({.in = from, .out = results, .length = exact.n});
        const std::chrono::duration<double, std::micro> took = clock::now() - began;
        if (r > 0) us.push_back(took.count());  // the first one warms up
      }
      for (std::size_t i = 0; i < size; ++i)
        if (results[i] != exact.result<float>(static_cast<std::int64_t>(i)))
          throw std::runtime_error(std::string(contender) + ": a wrong result");
      to.row("crossing", "f32", contender, "host", exact.n, summary(us));
    };
    measure("cuda.single_pass, pinned memory", ours, pinned_in.get(), pinned_out.get());
    measure("cuda.single_pass, pageable memory", ours, in.data(), out.data());
    measure("cpu.openmp", "cpu.openmp", in.data(), out.data());
  }
}

struct named_table {
  std::string_view name;
  void (*measure)(report&, stopwatch&, int largest);
};
constexpr std::array tables{named_table{"textbooks", textbooks}, named_table{"large", large},
                            named_table{"small", small},         named_table{"modes", modes},
                            named_table{"lengths", lengths},     named_table{"host", host},
                            named_table{"crossing", crossing}};

struct request {
  std::string_view only, context;
  int largest = 28;
};

// Throws std::invalid_argument: a run of the wrong tables takes minutes of a GPU.
request requested(std::span<const std::string_view> words) {
  const auto refuse = [](const std::string& why) {
    throw std::invalid_argument(why + "\ngpu_bench [--only TABLE] [CONTEXT [LARGEST]]");
  };
  request r;
  if (!words.empty() && words[0] == "--only") {
    std::string names;
    for (const named_table& t : tables) names += (names.empty() ? "" : ", ") + std::string(t.name);
    if (words.size() < 2) refuse("--only: of " + names);
    r.only = words[1];
    const auto is_only = [&](const named_table& t) { return t.name == r.only; };
    if (std::ranges::none_of(tables, is_only))
      refuse("--only: no table '" + std::string(r.only) + "' of " + names);
    words = words.subspan(2);
  }
  for (const std::string_view w : words)
    if (w.starts_with('-')) refuse(std::string(w) + ": no option, or one that must come first");
  if (words.size() > 2) refuse("'" + std::string(words[2]) + "': one argument too many");
  if (!words.empty()) r.context = words[0];
  if (words.size() == 2) {
    const char* const end = words[1].data() + words[1].size();
    const auto [stop, error] = std::from_chars(words[1].data(), end, r.largest);
    if (error != std::errc() || stop != end || r.largest < 10 || r.largest > 40)
      refuse("LARGEST: '" + std::string(words[1]) + "' is not one of 10 to 40");
  }
  return r;
}

}  // namespace

}  // namespace upsweep::bench

int main(int argc, char** argv) try {
  using namespace upsweep::bench;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const request asked = requested(words);
  if (!is_here(ours)) throw std::runtime_error(std::string(ours) + " is not available here");
  report to(context(asked.context));
  stopwatch watch;
  for (const named_table& t : tables)
    if (asked.only.empty() || t.name == asked.only) t.measure(to, watch, asked.largest);
} catch (const std::invalid_argument& e) {
  std::cerr << "gpu_bench: " << e.what() << '\n';
  return 2;
} catch (const std::exception& e) {
  std::cerr << "gpu_bench: " << e.what() << '\n';
  return 1;
}
