// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_VALUE_HPP
#define UPSWEEP_VALUE_HPP

#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "upsweep/error.hpp"
#include "upsweep/types.hpp"

namespace upsweep {

template <class T>
concept scannable = (type_of<T> != type::user);

// A value with its type, or nothing: how a scan is given its init. At the boundary it is converted
// to the accumulator type, and refused if that loses anything: an i64 scan takes 100, but not 0.5.
class value {
 public:
  value() = default;

  template <scannable T>
  value(const T& x) : type_(type_of<T>), components_(detail::is_affine_pair<T> ? 2 : 1) {
    static_assert(sizeof(T) <= sizeof(bytes_));
    std::memcpy(bytes_.data(), &x, sizeof(T));
  }

  // `size` bytes of a user type, copied when the plan runs.
  value(const void* user, std::size_t size)
      : type_(type::user), components_(1), user_(user), user_size_(size) {}

  // `components` scalars of type t at `bytes`, which are copied (2: an affine pair): for callers
  // that learn the type at run time. Errors: invalid_argument.
  static value from_bytes(upsweep::type t, int components, const void* bytes) {
    if (t >= type::user) throw error(errc::invalid_argument, "init.type: no type of a scalar");
    if (bytes == nullptr) throw error(errc::invalid_argument, "init.data: null pointer");
    value v;
    const auto size = static_cast<std::size_t>(components) * size_of(t);
    if (components < 1 || components > 2 || size > sizeof(v.bytes_))
      throw error(errc::invalid_argument, "init.components: " + std::to_string(components) +
                                              "; a value is a scalar or an affine pair");
    v.type_ = t;
    v.components_ = components;
    std::memcpy(v.bytes_.data(), bytes, size);
    return v;
  }

  bool has_value() const noexcept { return components_ != 0; }
  upsweep::type type() const noexcept { return type_; }
  // 2 for an affine pair, 1 for a scalar, 0 for nothing.
  int components() const noexcept { return components_; }
  // The value's bytes; those of a user type stay where the caller has them.
  const void* data() const noexcept { return type_ == type::user ? user_ : bytes_.data(); }
  std::size_t user_size() const noexcept { return user_size_; }

 private:
  upsweep::type type_ = type::f64;
  int components_ = 0;
  alignas(16) std::array<std::byte, 16> bytes_{};
  const void* user_ = nullptr;
  std::size_t user_size_ = 0;
};

}  // namespace upsweep

#endif
