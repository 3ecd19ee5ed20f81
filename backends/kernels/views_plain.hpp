// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_VIEWS_PLAIN_HPP
#define UPSWEEP_KERNELS_VIEWS_PLAIN_HPP

// Arrays as plain pointers: on the GPU, and on fibers that an outside sanitizer watches. Included
// by the two bodies of port.hpp, which define atomic_word, load_whole and store_whole.

#include <cstddef>
#include <cstdint>

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class T>
class global {
 public:
  global() = default;
  UPSWEEP_HOST_DEVICE global(T* data, std::int64_t size) : data_(data), size_(size) {}

  UPSWEEP_HOST_DEVICE std::int64_t size() const { return size_; }
  UPSWEEP_HOST_DEVICE T* data() const { return data_; }
  UPSWEEP_DEVICE T& operator[](std::int64_t i) const { return data_[i]; }
  UPSWEEP_DEVICE atomic_word<T> atomic(std::int64_t i) const { return atomic_word<T>(data_[i]); }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

template <class T>
class shared {
 public:
  UPSWEEP_DEVICE shared(void* data, int size) : data_(static_cast<T*>(data)), size_(size) {}

  UPSWEEP_DEVICE int size() const { return size_; }
  UPSWEEP_DEVICE T* data() const { return data_; }
  UPSWEEP_DEVICE T& operator[](int i) const { return data_[i]; }

 private:
  T* data_;
  int size_;
};

template <class U>
UPSWEEP_DEVICE U load_as(global<const std::byte> a, std::int64_t i) {
  return load_whole<U>(a.data() + i);
}
template <class U>
UPSWEEP_DEVICE U load_as(global<std::byte> a, std::int64_t i) {
  return load_whole<U>(a.data() + i);
}
template <class U>
UPSWEEP_DEVICE U load_as(shared<std::byte> a, int i) {
  return load_whole<U>(a.data() + i);
}
template <class U>
UPSWEEP_DEVICE void store_as(global<std::byte> a, std::int64_t i, U u) {
  store_whole(a.data() + i, u);
}
template <class U>
UPSWEEP_DEVICE void store_as(shared<std::byte> a, int i, U u) {
  store_whole(a.data() + i, u);
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
