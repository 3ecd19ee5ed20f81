// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_ORACLE_HPP
#define UPSWEEP_TESTS_SUPPORT_ORACLE_HPP

// Order 1 as docs/numerics.md states it, in scalar code, written from that page alone.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/spec.hpp"

namespace upsweep::testing {

// The constants of section 2. Tests make them small to cross every border with few elements; each
// entry of `sub_units` is a power of two.
struct units {
  std::int64_t vec;                                        // elements of a vec
  std::array<std::int64_t, 5> sub_units{4, 32, 4, 4, 32};  // of a run, chunk, tile, super, group

  static units of(std::size_t accumulator_bytes) {
    const auto s = static_cast<std::int64_t>(accumulator_bytes);
    return {.vec = s > 16 ? 1 : 16 / s};
  }
  // Elements of a unit: 0 a vec, 1 a run, 2 a chunk, 3 a tile, 4 a super, 5 a group.
  std::int64_t size(std::size_t level) const {
    std::int64_t n = vec;
    for (std::size_t i = 0; i < level; ++i) n *= sub_units[i];
    return n;
  }
};

// An odometer over the units: push elements, read W(m) after each.
template <class Operator>
class oracle {
 public:
  using value = typename Operator::value;

  explicit oracle(const units& u, std::optional<value> init = {}) : units_(u) { above_.fill(init); }

  void push(value x) {
    fold_ = join(fold_, x);
    if (++singles_ < units_.vec) return;
    value total = *fold_;
    fold_.reset();
    singles_ = 0;
    std::size_t level = 0;
    for (; level < open_.size(); ++level) {
      std::int64_t size = 1;
      for (auto& blocks = open_[level]; !blocks.empty() && blocks.back().size == size; size *= 2) {
        total = Operator::combine(blocks.back().total, total);
        blocks.pop_back();
      }
      if (size == units_.sub_units[level]) continue;  // the unit is complete
      open_[level].push_back({size, total});
      break;
    }
    if (level == open_.size()) {
      above_[level] = join(above_[level], total);  // C
    } else {
      value prefix = open_[level].back().total;
      for (std::size_t b = open_[level].size() - 1; b-- > 0;)
        prefix = Operator::combine(open_[level][b].total, prefix);
      above_[level] = join(above_[level + 1], prefix);
    }
    while (level-- > 0) above_[level] = above_[level + 1];
  }

  // W(m) for the m elements pushed; nothing if m = 0 and there is no init.
  std::optional<value> prefix() const { return fold_ ? join(above_[0], *fold_) : above_[0]; }

 private:
  struct block {
    std::int64_t size;  // sub-units
    value total;
  };

  static std::optional<value> join(const std::optional<value>& left, value right) {
    return left ? Operator::combine(*left, right) : right;
  }

  units units_;
  std::int64_t singles_ = 0;
  std::optional<value> fold_{};                  // of the open vec
  std::array<std::vector<block>, 5> open_{};     // complete blocks of the open run ... group
  std::array<std::optional<value>, 6> above_{};  // W of whole vecs, runs, ... groups alone
};

// Bytes of one accumulator, which the units go by.
std::size_t accumulator_bytes(const spec& what);

// Computes any flat scan of built-in types and operators but log_add_exp as order 1 has it: writes
// a.out (if not null) and a.total (if not null). States are not read; the arguments must be valid.
void run_oracle(const spec& what, const arguments& a);
void run_oracle(const spec& what, const arguments& a, const units& u);

}  // namespace upsweep::testing

#endif
