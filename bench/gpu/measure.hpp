// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BENCH_GPU_MEASURE_HPP
#define UPSWEEP_BENCH_GPU_MEASURE_HPP

// Times on a GPU: by graph replay (the device's time alone), from a stream (the host's share too),
// and cold (arrays that no cache holds). Medians of repetitions.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::bench {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

// Device memory of n elements.
template <class T>
class array {
 public:
  array() = default;
  explicit array(std::int64_t n) : size_(n) {
    void* p = nullptr;
    check(cudaMalloc(&p, static_cast<std::size_t>(n) * sizeof(T)), "cudaMalloc");
    data_.reset(static_cast<T*>(p));
  }
  explicit array(const std::vector<T>& host) : array(static_cast<std::int64_t>(host.size())) {
    check(cudaMemcpy(data(), host.data(), bytes(), cudaMemcpyHostToDevice), "copy to the device");
  }
  T* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

 private:
  struct release {
    void operator()(T* p) const { cudaFree(p); }
  };
  std::unique_ptr<T, release> data_;
  std::int64_t size_ = 0;
};

// Microseconds a run.
struct times {
  double median = 0, lowest = 0, highest = 0;
};

inline times summary(std::vector<double> us) {
  std::ranges::sort(us);
  return {us[us.size() / 2], us.front(), us.back()};
}

// Queues run number i on the stream.
using queued = std::function<void(cudaStream_t, int i)>;

class stopwatch {
 public:
  static constexpr int repetitions = 7;

  stopwatch() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  ~stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

  void run_once(const queued& f) {
    f(stream_, 0);
    check(cudaStreamSynchronize(stream_), "run");
  }

  // Runs one after the other inside a graph. Run i of `distinct` uses arrays of its own, if f does
  // so.
  times graph(const queued& f, int distinct = 1) {
    const int runs = runs_for(f, distinct);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
    try {
      for (int i = 0; i < runs; ++i) f(stream_, i % distinct);
    } catch (...) {
      cudaStreamEndCapture(stream_, &graph);
      cudaGetLastError();
      if (graph != nullptr) cudaGraphDestroy(graph);
      throw;
    }
    check(cudaStreamEndCapture(stream_, &graph), "capture");
    check(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
    check(cudaGraphLaunch(exec, stream_), "cudaGraphLaunch");
    std::vector<double> us;
    for (int r = 0; r < repetitions; ++r)
      us.push_back(timed([&] { check(cudaGraphLaunch(exec, stream_), "cudaGraphLaunch"); }) / runs);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    return summary(us);
  }

  // Calls back to back, by the host's clock.
  times calls(const queued& f) {
    const int runs = runs_for(f, 1);
    std::vector<double> us;
    for (int r = 0; r < repetitions; ++r) {
      const auto began = std::chrono::steady_clock::now();
      for (int i = 0; i < runs; ++i) f(stream_, 0);
      check(cudaStreamSynchronize(stream_), "runs");
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - began;
      us.push_back(took.count() / runs);
    }
    return summary(us);
  }

 private:
  double timed(const std::function<void()>& f) {
    check(cudaEventRecord(begin_, stream_), "cudaEventRecord");
    f();
    check(cudaEventRecord(end_, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(end_), "run");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
    return 1e3 * ms;
  }

  // So many runs that they take some milliseconds.
  int runs_for(const queued& f, int distinct) {
    run_once(f);
    const double us = timed([&] { f(stream_, 0); });
    const int runs = static_cast<int>(std::clamp(5000 / us, 5.0, 200.0));
    return (runs + distinct - 1) / distinct * distinct;
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

// Whole numbers: sums of so many are exact in f32 too, so that every right result is equal.
template <class T>
std::vector<T> random_values(std::int64_t n, unsigned seed) {
  std::mt19937 bits(seed);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) x = static_cast<T>(static_cast<int>(bits() % 17) - 8);
  return v;
}

// The rows of a JSON file in bench/results/.
class report {
 public:
  explicit report(std::string_view context) {
    std::cout << "{\n  \"context\": {" << context << "},\n  \"benchmarks\": [";
  }
  ~report() { std::cout << "\n  ]\n}" << std::endl; }
  report(const report&) = delete;
  report& operator=(const report&) = delete;

  void row(std::string_view table, std::string_view name, std::string_view contender,
           std::string_view mode, std::int64_t n, const times& t) {
    std::cout << (first_ ? "\n" : ",\n") << "    {\"table\": \"" << table << "\", \"case\": \""
              << name << "\", \"contender\": \"" << contender << "\", \"mode\": \"" << mode
              << "\", \"n\": " << n << ", \"us\": " << t.median << ", \"lowest\": " << t.lowest
              << ", \"highest\": " << t.highest << "}" << std::flush;
    first_ = false;
  }

 private:
  bool first_ = true;
};

// What the results must say of the machine; `given` is more of it, as JSON members.
inline std::string context(std::string_view given) {
  cudaDeviceProp p{};
  int runtime = 0, driver = 0;
  check(cudaGetDeviceProperties(&p, 0), "cudaGetDeviceProperties");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  const auto version = [](int v) {
    return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
  };
  return "\"gpu\": \"" + std::string(p.name) +
         "\", \"multiprocessors\": " + std::to_string(p.multiProcessorCount) +
         ", \"cuda_runtime\": \"" + version(runtime) + "\", \"cuda_of_driver\": \"" +
         version(driver) + "\", \"repetitions\": " + std::to_string(stopwatch::repetitions) +
         (given.empty() ? "" : ", ") + std::string(given);
}

}  // namespace upsweep::bench

#endif
