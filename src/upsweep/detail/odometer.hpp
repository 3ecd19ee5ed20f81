// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_DETAIL_ODOMETER_HPP
#define UPSWEEP_DETAIL_ODOMETER_HPP

// The running state of order 1 (docs/numerics.md): how far a scan has come, and every total that a
// later result still needs.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "upsweep/order.hpp"

namespace upsweep::detail {

// A binary counter over `Capacity` sub-units of one open unit: part[b] is the total of the complete
// aligned block of 2^b sub-units that bit b of the count stands for.
template <class Op, std::int64_t Capacity>
class tree_counter {
  using T = typename Op::value;
  static constexpr int bits = std::countr_zero(static_cast<std::uint64_t>(Capacity));

 public:
  // Takes the total of the next sub-unit. When it completes the unit, `total` becomes the unit's
  // total and the counter is empty again.
  bool push(T& total) {
    int b = 0;
    for (; b < bits && (count_ >> b & 1) != 0; ++b) total = Op::combine(part_[b], total);
    count_ = (count_ + 1) % Capacity;
    if (b == bits) return true;
    part_[b] = total;
    return false;
  }

  // The total of the first `count` sub-units, a power of two; none may be there before.
  void push_first(std::int64_t count, T total) {
    count_ = count;
    part_[std::countr_zero(static_cast<std::uint64_t>(count))] = total;
  }

  // The tree prefix P(count): the largest block, then the prefix of the rest. Needs count > 0.
  T prefix() const {
    int b = std::countr_zero(static_cast<std::uint64_t>(count_));
    T p = part_[b];
    for (++b; b < bits; ++b)
      if ((count_ >> b & 1) != 0) p = Op::combine(part_[b], p);
    return p;
  }

  std::int64_t count() const { return count_; }

  void clear() { count_ = 0; }

  // Calls f(sub-units, part) for every part in use, after setting the count.
  template <class F>
  void visit(std::int64_t count, F&& f) {
    count_ = count;
    for (int b = 0; b < bits; ++b)
      if ((count_ >> b & 1) != 0) f(std::int64_t{1} << b, part_[b]);
  }

 private:
  std::int64_t count_ = 0;
  T part_[bits];
};

template <class Op>
class odometer {
 public:
  using T = typename Op::value;

  static constexpr std::int64_t vec = order1::vec(sizeof(T));
  static constexpr std::int64_t run = order1::run(sizeof(T));
  static constexpr std::int64_t chunk = order1::chunk(sizeof(T));
  static constexpr std::int64_t tile = order1::tile(sizeof(T));
  static constexpr std::int64_t super = order1::super(sizeof(T));
  static constexpr std::int64_t group = order1::group(sizeof(T));

  std::int64_t position() const { return position_; }

  // W(position): init and all elements so far, in order 1; nothing if there are none.
  std::optional<T> prefix() const {
    std::optional<T> w = chunk_prefix();
    join(w, runs_);
    join(w, vecs_);
    if (position_ % vec != 0) w = w ? Op::combine(*w, fold_) : fold_;
    return w;
  }

  // The same at the border of a chunk, where no smaller unit is open.
  std::optional<T> chunk_prefix() const {
    std::optional<T> w = tile_start_;
    join(w, chunks_);
    return w;
  }

  void push(T x) {
    fold_ = position_ % vec == 0 ? x : Op::combine(fold_, x);
    if (++position_ % vec == 0) push_vec(fold_);
  }

  // The next run or chunk as a whole. The position must be a border of that unit.
  void push_run(T total) {
    position_ += run;
    carry_run(total);
  }
  // The first `count` runs of a chunk, fewer than all and a power of two: their total.
  void push_first_runs(std::size_t count, T total) {
    position_ += static_cast<std::int64_t>(count) * run;
    runs_.push_first(static_cast<std::int64_t>(count), total);
  }
  void push_chunk(T total) {
    position_ += chunk;
    carry_chunk(total);
  }

  // The next super or group, or the rest of one that is open: `total` is of all of it.
  void push_super(T total) {
    position_ += super - position_ % super;
    leave_super();
    carry_super(total);
  }
  void push_group(T total) {
    position_ += group - position_ % group;
    leave_super();
    supers_.clear();
    carry_group(total);
    start_tile();
  }

  // C: the serial fold of init and complete groups.
  const std::optional<T>& carry() const { return carry_; }
  void set_carry(T c) {
    carry_ = c;
    start_tile();
  }
  void fold_group(T total) { set_carry(carry_ ? Op::combine(*carry_, total) : total); }

  // Goes to `position` and calls f(elements, total&) for every total that is open there, in a fixed
  // order: how a state is saved and restored.
  template <class F>
  void visit_open(std::int64_t position, F&& f) {
    const auto of = [&](std::int64_t unit) {
      return [&f, unit](std::int64_t units, T& total) { f(units * unit, total); };
    };
    position_ = position;
    supers_.visit(position / super % order1::supers_per_group, of(super));
    tiles_.visit(position / tile % order1::tiles_per_super, of(tile));
    chunks_.visit(position / chunk % order1::chunks_per_tile, of(chunk));
    runs_.visit(position / run % order1::runs_per_chunk, of(run));
    vecs_.visit(position / vec % order1::vecs_per_run, of(vec));
    if (position % vec != 0) f(position % vec, fold_);
    start_tile();
  }

  // The bytes of group totals are kept here, when set, in place of being folded into C.
  std::vector<std::byte>* groups = nullptr;

 private:
  template <class Counter>
  static void join(std::optional<T>& w, const Counter& c) {
    if (c.count() == 0) return;
    const T p = c.prefix();
    w = w ? Op::combine(*w, p) : p;
  }

  void push_vec(T total) {
    if (vecs_.push(total)) carry_run(total);
  }
  void carry_run(T total) {
    if (runs_.push(total)) carry_chunk(total);
  }
  void carry_chunk(T total) {
    if (!chunks_.push(total)) return;
    if (tiles_.push(total))
      carry_super(total);
    else
      start_tile();
  }
  void carry_super(T total) {
    if (supers_.push(total)) carry_group(total);
    start_tile();
  }
  void carry_group(T total) {
    if (groups != nullptr) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&total);
      groups->insert(groups->end(), bytes, bytes + sizeof total);
      return;
    }
    carry_ = carry_ ? Op::combine(*carry_, total) : total;
  }
  void leave_super() {
    tiles_.clear();
    chunks_.clear();
    runs_.clear();
    vecs_.clear();
  }

  void start_tile() {
    tile_start_ = carry_;
    join(tile_start_, supers_);
    join(tile_start_, tiles_);
  }

  std::int64_t position_ = 0;
  std::optional<T> carry_;
  std::optional<T> tile_start_;  // (C + B) + T, kept because every chunk needs it
  tree_counter<Op, order1::supers_per_group> supers_;
  tree_counter<Op, order1::tiles_per_super> tiles_;
  tree_counter<Op, order1::chunks_per_tile> chunks_;
  tree_counter<Op, order1::runs_per_chunk> runs_;
  tree_counter<Op, order1::vecs_per_run> vecs_;
  T fold_;
};

}  // namespace upsweep::detail

#endif
