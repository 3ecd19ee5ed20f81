// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The production scan, on the current device.
#include <string>

#include "backends/cuda/device.hpp"
#include "backends/cuda/tables.hpp"
#include "backends/kernels/single_pass.hpp"

namespace upsweep::cuda {

namespace {

using kernels::check;

UPSWEEP_KERNEL void nothing() {}

int attribute(cudaDeviceAttr which, const char* what) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, current_device()), what);
  return value;
}

kernels::device_facts facts() {
  // Code for older GPUs, which runs on newer ones too, has no bulk copies.
  cudaFuncAttributes code{};
  check(cudaFuncGetAttributes(&code, nothing), "the code for this device");
  constexpr int static_shared = 8 << 10;  // of the kernels, and room
  return {.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, "multiprocessors"),
          .shared_bytes =
              attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, "shared memory") - static_shared,
          .bulk_copies = code.ptxVersion >= 90};
}

auto maker(const spec& what) {
  const type accumulator = accumulator_of(what.out);
  for (const auto part : {single_pass_narrow, single_pass_wide, single_pass_real, single_pass_pair})
    if (const auto make = part(accumulator, what.op.id)) return make;
  return kernels::runner_maker{};
}

}  // namespace

std::vector<entry> production() {
  return {{"cuda.single_pass",
           [](const spec& what, std::int64_t, memory) {
             return maker(what) == nullptr ? "it has no kernel for this operator on this type" : "";
           },
           [](const spec& what, std::int64_t n) {
             return maker(what)(what, n, facts(), kernels::single_pass_options_from_environment());
           }}};
}

}  // namespace upsweep::cuda
