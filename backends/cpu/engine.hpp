// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_ENGINE_HPP
#define UPSWEEP_BACKENDS_CPU_ENGINE_HPP

// A whole scan in order 1 from a kernel: threads and look-back.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "backends/cpu/kernel.hpp"
#include "backends/cpu/policy.hpp"
#include "backends/cpu/simd.hpp"
#include "upsweep/detail/fp_environment.hpp"
#include "upsweep/detail/odometer.hpp"

namespace upsweep::cpu {

// Zeros that cost no memory before they are used: a plan may allow far more than its runs take.
template <class T>
class lazy_array {
 public:
  explicit lazy_array(std::int64_t n)
      : data_(static_cast<T*>(std::calloc(static_cast<std::size_t>(n), sizeof(T))), std::free) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  T& operator[](std::int64_t i) { return data_.get()[i]; }

 private:
  std::unique_ptr<T, void (*)(void*)> data_;
};

// The threads of one scan share this. A thread takes blocks in order by ticket, publishes the super
// totals of its block, and brings its own odometer forward over the totals that others published:
// nobody waits for another's prefix, and every association is order 1's.
template <class Op>
class look_back {
  using T = typename Op::value;

 public:
  // Room for scans of at most `supers` whole supers.
  explicit look_back(std::int64_t supers) : totals_(supers), published_(supers) {}

  // Before the threads of a run start.
  void begin(std::int64_t supers_per_block) {
    supers_per_block_ = supers_per_block;
    ++epoch_;
    ticket_.store(0, std::memory_order_relaxed);
  }

  std::int64_t next_block() { return ticket_.fetch_add(1, std::memory_order_relaxed); }

  T* totals_of(std::int64_t block) { return &totals_[block * supers_per_block_]; }

  // Release: whoever sees the epoch sees the totals written before.
  void publish(std::int64_t block) {
    std::atomic_ref(published_[block]).store(epoch_, std::memory_order_release);
  }

  // Moves `at` over the blocks before `block`, from the border of one.
  void advance(std::int64_t from, std::int64_t block, odometer<Op>& at) {
    for (std::int64_t b = from; b < block; ++b) {
      const std::atomic_ref flag(published_[b]);
      while (flag.load(std::memory_order_acquire) != epoch_) std::this_thread::yield();
      for (std::int64_t k = 0; k < supers_per_block_; ++k) at.push_super(totals_of(b)[k]);
    }
  }

 private:
  lazy_array<T> totals_;
  lazy_array<std::uint64_t> published_;  // the epoch of the block's totals
  std::int64_t supers_per_block_ = 1;
  std::uint64_t epoch_ = 0;
  std::atomic<std::int64_t> ticket_{0};
};

// Of `supers` whole supers that begin at element `first`.
template <class T>
std::vector<T> super_totals(reduction<T> reduce, const stream<T>& s, std::int64_t first,
                            std::int64_t supers, [[maybe_unused]] int threads) {
  std::vector<T> totals(static_cast<std::size_t>(supers));
#pragma omp parallel num_threads(threads)
  {
    const detail::fp_environment ieee;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < supers; ++k)
      reduce(s, first + k * order1::super(sizeof(T)), 1, &totals[static_cast<std::size_t>(k)]);
  }
  return totals;
}

template <class Op>
class engine {
  using T = typename Op::value;
  static constexpr std::int64_t super = odometer<Op>::super;

 public:
  engine(const kernel<Op>& k, const policy& p, std::int64_t most_elements)
      : kernel_(k),
        policy_(p),
        shared_(p.threads != 1 && most_elements >= least_parallel() ? most_elements / super + 1
                                                                    : 1) {}

  // Scans `n` elements of s on from `at`, which moves past them. The caller has set the mode of its
  // thread (fp_environment).
  void scan(const stream<T>& s, std::int64_t n, bool exclusive, odometer<Op>& at) {
    const int threads = threads_of(n);
    if (threads == 1) {
      kernel_.scan(s, 0, n, exclusive, at);
      if (s.ahead != 0) flush_streamed();
      return;
    }
    const std::int64_t head = (super - at.position() % super) % super;
    kernel_.scan(s, 0, head, exclusive, at);
    scan_blocks(s, head, n - head, threads, exclusive, at);
  }

  // Moves `at` over `n` elements of s without an output; likewise.
  void skip(const stream<T>& s, std::int64_t n, odometer<Op>& at) const {
    const std::int64_t head = std::min(n, (super - at.position() % super) % super);
    const std::int64_t supers = (n - head) / super;
    generic_kernel<Op>::skip(s, 0, head, at);
    for (const T& total : super_totals(kernel_.reduce, s, head, supers, threads_of(n)))
      at.push_super(total);
    generic_kernel<Op>::skip(s, head + supers * super, n - head - supers * super, at);
  }

  const kernel<Op>& which() const { return kernel_; }
  const policy& how() const { return policy_; }

 private:
  // Two blocks at least, after a head of less than a super.
  std::int64_t least_parallel() const {
    return std::max(policy_.parallel_from / static_cast<std::int64_t>(sizeof(T)), 3 * super);
  }

  int threads_of(std::int64_t n) const {
    return n < least_parallel() ? 1 : threads_now(policy_.threads);
  }

  std::int64_t supers_per_block(std::int64_t n, int threads) const {
    const std::int64_t most = policy_.block / static_cast<std::int64_t>(sizeof(T)) / super;
    return std::clamp<std::int64_t>(n / super / (4 * threads), 1, std::max<std::int64_t>(most, 1));
  }

  void scan_blocks(const stream<T>& s, std::int64_t first, std::int64_t n, int threads,
                   bool exclusive, odometer<Op>& at) {
    const std::int64_t supers = supers_per_block(n, threads);
    const std::int64_t block = supers * super;
    const std::int64_t blocks = (n + block - 1) / block;
    shared_.begin(supers);
    const odometer<Op> start = at;
    // The next block comes from memory while one is scanned, where kernels fetch it.
    const bool early = s.in != nullptr && s.ahead != 0;
#pragma omp parallel num_threads(threads)
    {
      const detail::fp_environment ieee;
      odometer<Op> mine = start;
      stream<T> here = s;
      std::int64_t passed = 0, next = shared_.next_block();
      while (next < blocks) {
        const std::int64_t b = next;
        const bool last = b == blocks - 1;
        if (!last) {
          kernel_.reduce(here, first + b * block, supers, shared_.totals_of(b));
          shared_.publish(b);
        }
        shared_.advance(passed, b, mine);
        if (early) {
          next = shared_.next_block();
          here.ahead = next < blocks ? (next - b) * block : 0;
        }
        kernel_.scan(here, first + b * block, last ? n - b * block : block, exclusive, mine);
        if (!early) next = shared_.next_block();
        here.ahead = 0;  // it is there
        passed = b + 1;
        if (last) at = mine;
      }
      if (s.ahead != 0) flush_streamed();
    }
  }

  kernel<Op> kernel_;
  policy policy_;
  look_back<Op> shared_;
};

}  // namespace upsweep::cpu

#endif
