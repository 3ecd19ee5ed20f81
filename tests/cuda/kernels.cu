// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/kernels/port.hpp"
#include "tests/cuda/gpu.hpp"
#include "tests/support/guarded.hpp"

namespace upsweep::testing {

namespace {

__global__ void wait_here(unsigned long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - begin < nanoseconds);
}

UPSWEEP_KERNEL void do_nothing() {}

// Adds to *count how many of 0 .. n-1 f holds for.
template <class F>
__device__ void count_where(std::size_t n, unsigned long long* count, F f) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long here = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    here += f(i);
  if (here != 0) atomicAdd(count, here);
}

__global__ void count_others_kernel(const std::uint32_t* x, std::size_t n, std::uint32_t value,
                                    unsigned long long* count) {
  count_where(n, count, [=](std::size_t i) { return x[i] != value; });
}

template <class U>
__global__ void differences_kernel(const U* got, const U* want, std::size_t n, U infinity,
                                   unsigned long long* count) {
  const auto is_nan = [=](U x) { return static_cast<U>(x << 1) > static_cast<U>(infinity << 1); };
  count_where(n, count, [=](std::size_t i) {
    const U a = got[i], b = want[i];
    return a != b && !(is_nan(a) && is_nan(b));
  });
}

__global__ void check_sums_kernel(const std::uint32_t* sums, const std::uint32_t* first,
                                  std::size_t n, const unsigned long long* round,
                                  unsigned long long* wrong) {
  const auto grown = static_cast<std::uint32_t>(*round);
  count_where(n, wrong, [=](std::size_t i) {
    return sums[i] != first[i] + grown * static_cast<std::uint32_t>(i + 1);
  });
}

__global__ void step_kernel(std::uint32_t* x, std::size_t n, unsigned long long* round) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::size_t i = first; i < n; i += step) ++x[i];
  if (first == 0) ++*round;
}

constexpr std::size_t guard = guarded::guard;

__global__ void check_and_wipe_kernel(expected results, expected total, unsigned long long run,
                                      unsigned long long* first_wrong) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  bool wrong = false;
  const auto compare = [&](std::byte& got, std::byte want) {
    wrong = wrong || got != want;
    got = guarded::pattern;
  };
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < total.bytes) compare(total.got[i], total.want[i]);
  std::byte* const begin = results.got - guard;
  for (; i < results.bytes + 2 * guard; i += step)
    compare(begin[i], i - guard < results.bytes ? results.want[i - guard] : guarded::pattern);
  if (wrong) atomicMin(first_wrong, run);
}

// Enough blocks to fill the GPU, but no more than so much work needs.
int blocks_for(std::size_t items) {
  return static_cast<int>(std::clamp<std::size_t>((items + 255) / 256, 1, 1024));
}

// What a kernel adds to a count that starts at 0.
template <class Launch>
std::uint64_t counted(Launch launch) {
  const on_gpu<unsigned long long> count(1);
  check(cudaMemset(count.data(), 0, sizeof(unsigned long long)));
  launch(count.data());
  check(cudaGetLastError());
  return count.fetch()[0];
}

}  // namespace

std::uint64_t count_others(const std::uint32_t* x, std::size_t n, std::uint32_t value) {
  return counted([=](unsigned long long* count) {
    count_others_kernel<<<blocks_for(n), 256>>>(x, n, value, count);
  });
}

std::uint64_t count_differences(const void* got, const void* want, std::size_t n, int width,
                                std::uint64_t infinity) {
  return counted([=](unsigned long long* count) {
    const auto launch = [=]<class U>(U infinity_bits) {
      differences_kernel<U><<<blocks_for(n), 256>>>(
          static_cast<const U*>(got), static_cast<const U*>(want), n, infinity_bits, count);
    };
    if (width == 2) launch(static_cast<std::uint16_t>(infinity));
    if (width == 4) launch(static_cast<std::uint32_t>(infinity));
    if (width == 8) launch(infinity);
  });
}

void check_and_wipe(const expected& results, const expected& total, unsigned long long run,
                    unsigned long long* first_wrong, cudaStream_t s) {
  check_and_wipe_kernel<<<blocks_for(results.bytes + 2 * guard), 256, 0, s>>>(results, total, run,
                                                                              first_wrong);
  check(cudaGetLastError());
}

void step(std::uint32_t* x, std::size_t n, unsigned long long* round, cudaStream_t s) {
  step_kernel<<<blocks_for(n), 256, 0, s>>>(x, n, round);
  check(cudaGetLastError());
}

void check_sums(const std::uint32_t* sums, const std::uint32_t* first, std::size_t n,
                const unsigned long long* round, unsigned long long* wrong, cudaStream_t s) {
  check_sums_kernel<<<blocks_for(n), 256, 0, s>>>(sums, first, n, round, wrong);
  check(cudaGetLastError());
}

void occupy(int blocks, int microseconds, cudaStream_t s) {
  wait_here<<<blocks, 1024, 0, s>>>(microseconds * 1000ull);
  check(cudaGetLastError());
}

void launch_with_too_much_shared_memory() {
  kernels::launch(kernels::stream{}, {1, 32, 1 << 20}, do_nothing);
}

}  // namespace upsweep::testing
