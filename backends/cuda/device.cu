// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/device.hpp"

#include <algorithm>
#include <string>

#include "backends/kernels/port.hpp"

namespace upsweep::cuda {

namespace {

using kernels::check;

constexpr int least_capability = 75;

std::string version(int major, int minor) {
  return std::to_string(major) + '.' + std::to_string(minor);
}

// Machine code runs on later GPUs of its own generation; the PTX of the last one on all later GPUs.
bool built_for(int capability) {
  constexpr int built[] = {__CUDA_ARCH_LIST__};
  for (const int b : built)
    if (b / 100 == capability / 10 && b <= capability * 10) return true;
  return capability * 10 >= std::ranges::max(built);
}

std::string builds() {
  std::string all;
  for (const int b : {__CUDA_ARCH_LIST__})
    all += (all.empty() ? "" : ", ") + version(b / 100, b % 100 / 10);
  return all;
}

int capability_of(int device) {
  int major = 0, minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  return major * 10 + minor;
}

}  // namespace

detail::availability probe() {
  int driver = 0, count = 0, device = 0;
  cudaDriverGetVersion(&driver);  // 0 without a driver
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess) status = cudaGetDevice(&device);
  if (status != cudaSuccess) cudaGetLastError();
  if (status == cudaErrorInsufficientDriver)
    return {false, driver == 0 ? "no NVIDIA driver"
                               : "driver too old for CUDA " +
                                     version(CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10)};
  if (status != cudaSuccess && status != cudaErrorNoDevice)
    return {false, std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status)};
  const std::string least = version(least_capability / 10, least_capability % 10);
  if (count == 0) return {false, "no GPU of compute capability >= " + least};
  // Plans are made for the current device, whatever the others are.
  const int capability = capability_of(device);
  if (capability >= least_capability && built_for(capability)) return {true, {}};
  const std::string here = "device " + std::to_string(device) + ", which is current, has " +
                           version(capability / 10, capability % 10);
  if (capability < least_capability)
    return {false, "no GPU of compute capability >= " + least + ": " + here};
  return {false, "built for compute capability " + builds() + "; " + here};
}

void device_release::operator()(std::byte* p) const noexcept { cudaFree(p); }

device_bytes allocate(std::size_t bytes, const char* what) {
  if (bytes == 0) return nullptr;
  const std::string of = std::string(what) + " of " + std::to_string(bytes) + " bytes";
  void* p = nullptr;
  check(cudaMalloc(&p, bytes), of.c_str());
  return device_bytes(static_cast<std::byte*>(p));
}

device_bytes allocate_zeros(std::size_t bytes, const char* what) {
  device_bytes p = allocate(bytes, what);
  if (p == nullptr) return p;
  // Waits, so that a run on any stream finds the zeros.
  check(cudaMemsetAsync(p.get(), 0, bytes, cudaStreamPerThread), what);
  check(cudaStreamSynchronize(cudaStreamPerThread), what);
  return p;
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "the current device");
  return device;
}

bool capturing(cudaStream_t s) {
  cudaStreamCaptureStatus now{};
  const cudaError_t status = cudaStreamIsCapturing(s, &now);
  if (status == cudaErrorStreamCaptureImplicit) {  // the default stream, beside one that is
    cudaGetLastError();
    return true;
  }
  check(status, "stream");
  return now != cudaStreamCaptureStatusNone;
}

on_device::on_device(int device) : device_(device), before_(current_device()) {
  if (before_ != device_) check(cudaSetDevice(device_), "the plan's device");
}
on_device::~on_device() {
  if (before_ != device_) cudaSetDevice(before_);
}

}  // namespace upsweep::cuda
