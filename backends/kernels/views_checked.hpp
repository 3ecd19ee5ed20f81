// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_VIEWS_CHECKED_HPP
#define UPSWEEP_KERNELS_VIEWS_CHECKED_HPP

// Arrays that tell the simt engine of every access, and where in the kernel it stands. Included by
// port_simt.hpp.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// An index, and the place that it is used at.
struct index {
  std::int64_t i;
  simt::where at;
  template <std::integral I>
  index(I i, simt::where at = simt::where::here())  // NOLINT(google-explicit-constructor)
      : i(static_cast<std::int64_t>(i)), at(at) {}
};

// One element of a checked array. It converts only as a temporary, so that `auto x = a[i]` is of no
// use: a kernel says when it reads. `Check(access, where)` is called before each access.
template <class T, class Check>
class element_ref {
  using value = std::remove_const_t<T>;

 public:
  element_ref(T* p, Check check) : p_(p), check_(check) {}
  element_ref(const element_ref&) = delete;

  operator value() && {  // NOLINT(google-explicit-constructor)
    check_(simt::access::read);
    value x;
    std::memcpy(static_cast<void*>(&x), p_, sizeof x);
    return x;
  }
  void operator=(value x) && requires(!std::is_const_v<T>) {
    check_(simt::access::write);
    std::memcpy(static_cast<void*>(p_), &x, sizeof x);
  }
  void operator=(element_ref&& other) && {
    std::move(*this) = static_cast<value>(std::move(other));
  }

 private:
  T* p_;
  Check check_;
};

template <class T>
class atomic_word {
  static_assert(std::is_same_v<T, tagged> ||
                (std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)));

 public:
  atomic_word(simt::allocation* m, T* p) : m_(m), p_(p) {}

  T load(order o, simt::where at = simt::where::here()) const {
    const simt::atomic_bits bits = simt::atomic_load(m_, p_, sizeof(T), o, at);
    T x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }
  void store(T x, order o, simt::where at = simt::where::here()) const {
    simt::atomic_bits bits{};
    std::memcpy(&bits, &x, sizeof x);
    simt::atomic_store(m_, p_, sizeof(T), bits, o, at);
  }
  T fetch_add(T x, order o,
              simt::where at = simt::where::here()) const requires std::is_integral_v<T> {
    using bits = std::make_unsigned_t<T>;
    return static_cast<T>(simt::atomic_add(m_, p_, sizeof(T), static_cast<bits>(x), o, at));
  }

 private:
  simt::allocation* m_;
  T* p_;
};

// What load_as and store_as move: at its size's multiple, in one access.
template <class U>
concept whole = std::is_trivially_copyable_v<U> &&
    (sizeof(U) <= 16 && std::has_single_bit(sizeof(U)));

template <class T>
class global {
 public:
  global() = default;
  global(T* data, std::int64_t size) : data_(data), size_(size) {}

  std::int64_t size() const { return size_; }
  T* data() const { return data_; }

  auto operator[](index i) const {
    T* const p = data_ + in_bounds(i);
    simt::allocation* const m = find(i.at);
    const auto check = [m, p, at = i.at](simt::access how) {
      simt::check_global(m, p, sizeof(T), how, at);
    };
    return element_ref<T, decltype(check)>(p, check);
  }
  atomic_word<T> atomic(index i) const { return atomic_word<T>(find(i.at), data_ + in_bounds(i)); }

  // Of an array of bytes: those of a U, for an access of this kind.
  template <whole U>
  T* checked(index i, simt::access how) const requires(sizeof(T) == 1) {
    simt::check_range(i.i, sizeof(U), size_, "global", i.at);
    T* const p = data_ + i.i;
    simt::check_aligned(p, sizeof(U), i.at);
    simt::check_global(find(i.at), p, sizeof(U), how, i.at);
    return p;
  }

 private:
  std::int64_t in_bounds(index i) const {
    if (i.i < 0 || i.i >= size_) simt::out_of_bounds(i.i, size_, "global", i.at);
    return i.i;
  }
  simt::allocation* find(simt::where at) const {
    if (memory_ == nullptr)
      memory_ = simt::find_memory(data_, static_cast<std::size_t>(size_) * sizeof(T), at);
    return memory_;
  }

  T* data_ = nullptr;
  std::int64_t size_ = 0;
  mutable simt::allocation* memory_ = nullptr;  // found at the first access
};

template <class T>
class shared {
 public:
  shared(void* data, int size) : data_(static_cast<T*>(data)), size_(size) {}

  int size() const { return size_; }
  T* data() const { return data_; }
  auto operator[](index i) const {
    if (i.i < 0 || i.i >= size_) simt::out_of_bounds(i.i, size_, "shared", i.at);
    T* const p = data_ + i.i;
    const auto check = [p, at = i.at](simt::access how) {
      simt::check_shared(p, sizeof(T), how, at);
    };
    return element_ref<T, decltype(check)>(p, check);
  }

  template <whole U>
  T* checked(index i, simt::access how) const requires(sizeof(T) == 1) {
    simt::check_range(i.i, sizeof(U), size_, "shared", i.at);
    T* const p = data_ + i.i;
    simt::check_aligned(p, sizeof(U), i.at);
    simt::check_shared(p, sizeof(U), how, i.at);
    return p;
  }

 private:
  T* data_;
  int size_;
};

template <class A>
concept bytes = std::same_as<A, global<std::byte>> || std::same_as<A, global<const std::byte>> ||
    std::same_as<A, shared<std::byte>>;

template <whole U>
U load_as(const bytes auto& a, index i) {
  U u;
  std::memcpy(static_cast<void*>(&u), a.template checked<U>(i, simt::access::read), sizeof u);
  return u;
}
template <whole U>
void store_as(const bytes auto& a, index i, U u) {
  std::memcpy(a.template checked<U>(i, simt::access::write), &u, sizeof u);
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
