// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/kernels/port.hpp"
#include "tests/cuda/gpu.hpp"

namespace upsweep::testing {

namespace {

__global__ void wait_here(unsigned long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - begin < nanoseconds);
}

UPSWEEP_KERNEL void do_nothing() {}

__global__ void count_others_kernel(const std::uint32_t* x, std::size_t n, std::uint32_t value,
                                    unsigned long long* count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long others = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    others += x[i] != value;
  if (others != 0) atomicAdd(count, others);
}

}  // namespace

std::uint64_t count_others(const std::uint32_t* x, std::size_t n, std::uint32_t value) {
  const on_gpu<unsigned long long> count(1);
  check(cudaMemset(count.data(), 0, sizeof(unsigned long long)));
  count_others_kernel<<<1024, 256>>>(x, n, value, count.data());
  check(cudaGetLastError());
  return count.fetch()[0];
}

void occupy(int blocks, int microseconds, cudaStream_t s) {
  wait_here<<<blocks, 1024, 0, s>>>(microseconds * 1000ull);
  check(cudaGetLastError());
}

void launch_with_too_much_shared_memory() {
  kernels::launch(kernels::stream{}, {1, 32, 1 << 20}, do_nothing);
}

}  // namespace upsweep::testing
