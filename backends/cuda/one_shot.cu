// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one-shot calls ask of CUDA.
#include <cuda.h>
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <memory>
#include <optional>

#include "backends/cuda/cuda.hpp"
#include "backends/cuda/device.hpp"
#include "backends/kernels/port.hpp"

namespace upsweep::cuda {

namespace {

using kernels::check;
using pointer_query = decltype(&cuPointerGetAttributes);

// The driver's function; nullptr until the process has loaded the driver.
pointer_query loaded_query() {
  static std::atomic<pointer_query> found{nullptr};
  static std::atomic<unsigned long long> searched{0};
  if (const pointer_query query = found.load(std::memory_order_relaxed)) return query;
  // To search takes as long as a short scan: once for each library that the process loads.
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        *static_cast<unsigned long long*>(to) = info->dlpi_adds;
        return 1;
      },
      &loads);
  if (searched.load(std::memory_order_relaxed) == loads) return nullptr;
  if (void* const driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW))  // never closed
    found.store(reinterpret_cast<pointer_query>(dlsym(driver, "cuPointerGetAttributes")),
                std::memory_order_relaxed);
  searched.store(loads, std::memory_order_relaxed);
  return found.load(std::memory_order_relaxed);
}

class family final : public detail::device_family {
 public:
  explicit family(pointer_query query) : query_(query) {}

  std::optional<int> device_of(const void* p) const override {
    // Unlike the runtime's question, this one makes no context, and needs none on this thread. Host
    // memory that CUDA does not know is answered with zeros.
    CUmemorytype kind{};
    unsigned managed = 0;
    int device = 0;
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void* answers[] = {&kind, &managed, &device};
    const CUresult status = query_(3, which, answers, reinterpret_cast<CUdeviceptr>(p));
    // Before cuInit and after the driver's end there is no device memory.
    if (status == CUDA_ERROR_NOT_INITIALIZED || status == CUDA_ERROR_DEINITIALIZED)
      return std::nullopt;
    check(static_cast<cudaError_t>(status), "where the arrays live");  // of the same numbers
    if (managed != 0) return cuda::current_device();
    return kind == CU_MEMORYTYPE_DEVICE ? std::optional(device) : std::nullopt;
  }

  int current_device() const override { return cuda::current_device(); }

  bool capturing(void* stream) const override {
    return cuda::capturing(static_cast<cudaStream_t>(stream));
  }

  void wait(void* stream) const override {
    check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "scan");
  }

  std::shared_ptr<void> host_memory(std::size_t bytes) const override {
    void* p = nullptr;
    check(cudaHostAlloc(&p, bytes, cudaHostAllocMapped), "page-locked memory for the total");
    return {p, [](void* all) { cudaFreeHost(all); }};
  }

 private:
  pointer_query query_;
};

}  // namespace

const detail::device_family* devices() {
  const pointer_query query = loaded_query();
  if (query == nullptr) return nullptr;
  static const family all(query);
  return &all;
}

}  // namespace upsweep::cuda
