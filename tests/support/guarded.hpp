// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_GUARDED_HPP
#define UPSWEEP_TESTS_SUPPORT_GUARDED_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace upsweep::testing {

// Memory between two guards of 64 bytes, `offset` bytes past a 64-byte border. All of it starts as
// a pattern that no scan would write all over.
class guarded {
 public:
  static constexpr std::size_t guard = 64;
  static constexpr std::byte pattern{0xa5};

  guarded(std::size_t size, std::size_t offset)
      : size_(size), bytes_(guard + offset + guard + size + guard, pattern) {
    void* p = bytes_.data() + guard;
    std::size_t space = bytes_.size();
    data_ = static_cast<std::byte*>(std::align(guard, 1, p, space)) + offset;
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

  // The memory with all that lies around it.
  std::span<std::byte> surroundings() { return bytes_; }

  // Whether all that lies around the memory is as it was.
  bool intact() const {
    const std::byte* const first = bytes_.data();
    const std::byte* const last = first + bytes_.size();
    const std::byte* const mine = data_;
    const auto untouched = [](std::byte b) { return b == pattern; };
    return std::all_of(first, mine, untouched) && std::all_of(mine + size_, last, untouched);
  }

 private:
  std::size_t size_;
  std::vector<std::byte> bytes_;
  std::byte* data_;
};

}  // namespace upsweep::testing

#endif
