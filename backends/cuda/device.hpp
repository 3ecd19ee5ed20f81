// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CUDA_DEVICE_HPP
#define UPSWEEP_BACKENDS_CUDA_DEVICE_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "upsweep/detail/backend.hpp"

namespace upsweep::cuda {

// Whether the current GPU can run what this build holds. Creates no context on it.
detail::availability probe();

struct device_release {
  void operator()(std::byte* p) const noexcept;
};
using device_bytes = std::unique_ptr<std::byte, device_release>;

// Memory of the current device; none for 0 bytes. Both throw upsweep::error, which names `what` the
// memory is for and has the driver's words.
device_bytes allocate(std::size_t bytes, const char* what);
device_bytes allocate_zeros(std::size_t bytes, const char* what);

int current_device();

// Whether what is queued on a stream now goes into a graph, in place of being run.
bool capturing(cudaStream_t s);

// Makes a device the current one, until it goes out of scope.
class on_device {
 public:
  explicit on_device(int device);
  ~on_device();
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;

 private:
  int device_, before_;
};

}  // namespace upsweep::cuda

#endif
