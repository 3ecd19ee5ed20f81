// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_DETAIL_PROGRESS_HPP
#define UPSWEEP_DETAIL_PROGRESS_HPP

// From a state to an odometer of order 1 and back: how a run resumes, and what it leaves.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/detail/backend.hpp"
#include "upsweep/detail/odometer.hpp"
#include "upsweep/error.hpp"

namespace upsweep::detail {

template <class Op>
class progress {
  using T = typename Op::value;

 public:
  odometer<Op> at;

  // Where a run begins: at its state, or at its init. Throws invalid_argument for a state of
  // another order, or whose bytes no odometer has.
  explicit progress(const request& r) {
    if (r.state != nullptr && !r.state->data.empty()) {
      if (r.state->order != order1::version)
        throw error(errc::invalid_argument,
                    "state: it was not made in order " + std::to_string(order1::version));
      restore(*r.state);
    } else if (r.has_init) {
      T init;
      std::memcpy(&init, r.init.data(), sizeof init);
      at.set_carry(init);
    }
  }
  explicit progress(const state_data& s) { restore(s); }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // A run with results folds all groups, of before and to come. An aggregate without a carry lists
  // them, so that append can fold them into another's.
  void fold_groups() {
    for (const T& g : groups_) at.fold_group(g);
    groups_.clear();
  }
  void list_groups() {
    if (!at.carry()) at.groups = &groups_;
  }

  // W(position); nothing without init and elements.
  std::optional<T> whole() const {
    odometer<Op> folded = at;
    for (const T& g : groups_) folded.fold_group(g);
    return folded.prefix();
  }

  // Leaves the state as it is where there is nothing to keep.
  void save(state_data& s, const spec& what) const {
    if (at.position() == 0 && !at.carry()) return;
    s = {order1::version, what.op.id,    accumulator_of(what.out),
         what.direction,  at.position(), image()};
  }

  // plan::append, of states that are valid for this operator.
  static void append(state_data& before, const state_data& next, const spec& what) {
    if (next.data.empty()) return;
    if (before.data.empty()) {
      before = next;
      return;
    }
    if (before.position % odometer<Op>::group != 0)
      throw error(errc::invalid_argument, "before: position " + std::to_string(before.position) +
                                              " is no border of a group (" +
                                              std::to_string(odometer<Op>::group) + " elements)");
    progress to(before);
    progress from(next);
    if (from.at.carry())
      throw error(
          errc::invalid_argument,
          "next: its groups are folded already; a range to append is made by aggregate from "
          "an empty state, without init");
    to.groups_.insert(to.groups_.end(), from.groups_.begin(), from.groups_.end());
    if (to.at.carry()) to.fold_groups();
    std::vector<T> open;
    from.at.visit_open(next.position, [&](std::int64_t, const T& total) { open.push_back(total); });
    auto value = open.begin();
    to.at.visit_open(before.position + next.position,
                     [&](std::int64_t, T& total) { total = *value++; });
    to.save(before, what);
  }

 private:
  // has_carry, C or the list of group totals, then the open totals.
  std::vector<std::byte> image() const {
    std::vector<std::byte> bytes;
    const auto add = [&](const void* p, std::size_t size) {
      const std::size_t end = bytes.size();
      bytes.resize(end + size);
      std::memcpy(bytes.data() + end, p, size);
    };
    const std::uint64_t has_carry = at.carry().has_value() ? 1 : 0;
    add(&has_carry, sizeof has_carry);
    if (has_carry != 0) add(&*at.carry(), sizeof(T));
    if (!groups_.empty()) add(groups_.data(), groups_.size() * sizeof(T));
    odometer<Op> copy = at;
    copy.visit_open(at.position(),
                    [&](std::int64_t, const T& total) { add(&total, sizeof total); });
    return bytes;
  }

  void restore(const state_data& s) {
    const std::byte* next = s.data.data();
    std::size_t left = s.data.size();
    const auto take = [&](void* to, std::size_t size) {
      if (size > left)
        throw error(errc::invalid_argument, "state: its " + std::to_string(s.data.size()) +
                                                " bytes are too few for position " +
                                                std::to_string(s.position));
      std::memcpy(to, next, size);
      next += size;
      left -= size;
    };
    std::uint64_t has_carry = 0;
    take(&has_carry, sizeof has_carry);
    const auto listed = static_cast<std::uint64_t>(s.position / odometer<Op>::group);
    if (has_carry == 1) {
      T carry;
      take(&carry, sizeof carry);
      at.set_carry(carry);
    } else if (has_carry != 0 || listed > left / sizeof(T)) {
      throw error(errc::invalid_argument,
                  "state: its bytes do not fit position " + std::to_string(s.position));
    } else {
      groups_.resize(listed);
      for (T& g : groups_) take(&g, sizeof g);
    }
    at.visit_open(s.position, [&](std::int64_t, T& total) { take(&total, sizeof total); });
    if (left != 0)
      throw error(errc::invalid_argument, "state: " + std::to_string(left) +
                                              " bytes too many for position " +
                                              std::to_string(s.position));
  }

  std::vector<T> groups_;  // totals, while no carry takes them
};

}  // namespace upsweep::detail

#endif
