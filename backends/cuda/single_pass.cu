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
  return {.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, "multiprocessors"),
          .shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, "shared memory"),
          .bulk_copies = code.ptxVersion >= 90,
          .clusters = code.ptxVersion >= 90};
}

kernels::runner_maker maker(const spec& what) {
  return kernels::maker_for(
      what, {single_pass_narrow, single_pass_wide, single_pass_real, single_pass_pair});
}

}  // namespace

std::vector<entry> production() {
  return {{"cuda.single_pass",
           [](const spec& what, std::int64_t, memory) { return kernels::refusal_by(maker(what)); },
           [](const spec& what, std::int64_t n) {
             return maker(what)(what, n, facts(), kernels::single_pass_options_from_environment());
           }}};
}

}  // namespace upsweep::cuda
