// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_ORDER_HPP
#define UPSWEEP_ORDER_HPP

#include <cstddef>
#include <cstdint>

namespace upsweep {

// Order 1, the one order of operations of the production backends (docs/numerics.md): how many
// sub-units each unit holds. A vec is 16 bytes of accumulators.
struct order1 {
  static constexpr int version = 1;
  static constexpr std::size_t vec_bytes = 16;
  static constexpr std::int64_t vecs_per_run = 4;
  static constexpr std::int64_t runs_per_chunk = 32;
  static constexpr std::int64_t chunks_per_tile = 4;
  static constexpr std::int64_t tiles_per_super = 4;
  static constexpr std::int64_t supers_per_group = 32;

  // Elements of a unit, for an accumulator of `size` bytes.
  static constexpr std::int64_t vec(std::size_t size) {
    return size >= vec_bytes ? 1 : static_cast<std::int64_t>(vec_bytes / size);
  }
  static constexpr std::int64_t run(std::size_t size) { return vec(size) * vecs_per_run; }
  static constexpr std::int64_t chunk(std::size_t size) { return run(size) * runs_per_chunk; }
  static constexpr std::int64_t tile(std::size_t size) { return chunk(size) * chunks_per_tile; }
  static constexpr std::int64_t super(std::size_t size) { return tile(size) * tiles_per_super; }
  static constexpr std::int64_t group(std::size_t size) { return super(size) * supers_per_group; }
};

}  // namespace upsweep

#endif
