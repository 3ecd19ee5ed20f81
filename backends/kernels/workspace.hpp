// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_WORKSPACE_HPP
#define UPSWEEP_KERNELS_WORKSPACE_HPP

// A plan's device memory, cut into arrays.

#include <cstddef>
#include <cstdint>

#include "port.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

class workspace {
 public:
  workspace() = default;
  // At `data`, made for scans of up to n elements.
  workspace(void* data, std::int64_t n) : next_(static_cast<std::byte*>(data)), length_(n) {}

  // The n that it was made for. What must last from run to run is sized and placed by this, never
  // by the length of a run.
  std::int64_t length() const { return length_; }

  // The bytes that an array takes: whole lines of 128 bytes, the unit of the GPU's caches.
  template <class T>
  static constexpr std::size_t bytes(std::int64_t count) {
    return (static_cast<std::size_t>(count) * sizeof(T) + 127) / 128 * 128;
  }

  // The next array. Take the same arrays in the same order in every run.
  template <class T>
  global<T> take(std::int64_t count) {
    T* const data = reinterpret_cast<T*>(next_);
    next_ += bytes<T>(count);
    return {data, count};
  }

 private:
  std::byte* next_ = nullptr;
  std::int64_t length_ = 0;
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
