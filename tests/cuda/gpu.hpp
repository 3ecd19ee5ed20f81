// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_CUDA_GPU_HPP
#define UPSWEEP_TESTS_CUDA_GPU_HPP

// What the tests of the GPU share. Every call is checked; a failure is an exception.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace upsweep::testing {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// An array in device memory.
template <class T>
class on_gpu {
 public:
  explicit on_gpu(std::size_t n) : size_(n) {
    void* p = nullptr;
    check(cudaMalloc(&p, std::max<std::size_t>(n, 1) * sizeof(T)));
    data_.reset(static_cast<T*>(p));
  }
  explicit on_gpu(std::span<const T> from) : on_gpu(from.size()) { fill(from); }

  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  void fetch(std::span<T> to, std::size_t first = 0) const {
    check(cudaMemcpy(to.data(), data() + first, to.size_bytes(), cudaMemcpyDeviceToHost));
  }
  // Waits: a copy from pageable memory may return before it is there, and a gpu_stream would not
  // wait for it.
  void fill(std::span<const T> from, std::size_t first = 0) const {
    check(cudaMemcpy(data() + first, from.data(), from.size_bytes(), cudaMemcpyHostToDevice));
    check(cudaStreamSynchronize(nullptr));
  }
  std::vector<T> fetch() const {
    std::vector<T> to(size_);
    fetch(to);
    return to;
  }

 private:
  struct release {
    void operator()(T* p) const { cudaFree(p); }
  };
  std::unique_ptr<T, release> data_;
  std::size_t size_;
};

// A stream that waits for no other.
class gpu_stream {
 public:
  gpu_stream() { check(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking)); }
  ~gpu_stream() { cudaStreamDestroy(s_); }
  gpu_stream(const gpu_stream&) = delete;
  gpu_stream& operator=(const gpu_stream&) = delete;

  operator cudaStream_t() const { return s_; }
  void wait() const { check(cudaStreamSynchronize(s_)); }

 private:
  cudaStream_t s_ = nullptr;
};

// What `queue` puts into a stream, to be launched again and again.
class gpu_graph {
 public:
  template <class F>
  gpu_graph(const gpu_stream& s, F queue) : stream_(s) {
    check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    try {
      queue();
    } catch (...) {
      cudaStreamEndCapture(s, &graph_);
      cudaGraphDestroy(graph_);
      cudaGetLastError();
      throw;
    }
    check(cudaStreamEndCapture(s, &graph_));
    check(cudaGraphInstantiate(&ready_, graph_, 0));
  }
  ~gpu_graph() {
    cudaGraphExecDestroy(ready_);
    cudaGraphDestroy(graph_);
  }
  gpu_graph(const gpu_graph&) = delete;
  gpu_graph& operator=(const gpu_graph&) = delete;

  void launch() const { check(cudaGraphLaunch(ready_, stream_)); }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

// How many elements in device memory differ from a value.
std::uint64_t count_others(const std::uint32_t* x, std::size_t n, std::uint32_t value);

// How many of n scalars of `width` bytes in device memory differ by their bits, all NaNs taken as
// one. `infinity`: its bits, in the scalars' format.
std::uint64_t count_differences(const void* got, const void* want, std::size_t n, int width,
                                std::uint64_t infinity);

// Bytes in device memory, and what a run must leave there.
struct expected {
  std::byte* got;
  const std::byte* want;
  std::size_t bytes;
};

// Queues a check of a run's results, of the 64 bytes on either side of them, which must still be
// the pattern of `guarded`, and of its total. All of that is made the pattern again, for the next
// run. *first_wrong becomes the least number of a run with a fault.
void check_and_wipe(const expected& results, const expected& total, unsigned long long run,
                    unsigned long long* first_wrong, cudaStream_t s);

// Queues the next round of an input that changes: *round goes up by one, and each of n elements by
// one with it.
void step(std::uint32_t* x, std::size_t n, unsigned long long* round, cudaStream_t s);

// Queues a check of an inclusive sum of that: `first` holds the sums of round 0. *wrong goes up by
// the number of wrong sums.
void check_sums(const std::uint32_t* sums, const std::uint32_t* first, std::size_t n,
                const unsigned long long* round, unsigned long long* wrong, cudaStream_t s);

// Queues blocks of 1024 threads that each keep their place on the GPU for so long.
void occupy(int blocks, int microseconds, cudaStream_t s);

// A launch through the library's own function that no GPU grants: it throws.
void launch_with_too_much_shared_memory();

// Keeps all of the GPU busy in a stream of its own, in pieces of a few milliseconds.
class busy_gpu {
 public:
  busy_gpu()
      : filler_([this] {
          const gpu_stream s;
          int processors = 0;
          check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
          while (!done_) {
            for (int k = 0; k < 4; ++k) occupy(2 * processors, 1'000, s);
            s.wait();
          }
        }) {}
  ~busy_gpu() {
    done_ = true;
    filler_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread filler_;
};

}  // namespace upsweep::testing

#endif
