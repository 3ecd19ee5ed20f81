// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_DETAIL_PROGRESS_HPP
#define UPSWEEP_DETAIL_PROGRESS_HPP

// From a state to an odometer of order 1 and back: how a run resumes, and what it leaves.
// Accumulators go by their bytes, so that a backend's kernels may have operators of their own.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/detail/backend.hpp"

namespace upsweep::detail {

// Bytes of an accumulator, which the units of order 1 go by.
std::size_t accumulator_bytes(const spec& what);

class progress {
 public:
  explicit progress(const spec& what) : what_(what), bytes_(accumulator_bytes(what)) {}
  virtual ~progress() = default;
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // Where a run begins, or an aggregate: at its state, or at its init. A run folds all groups, of
  // before and to come; an aggregate without a carry lists them, so that append can fold them into
  // another's. Throws invalid_argument for a state of another order, or whose bytes no odometer
  // has.
  void begin(const request& r, bool writes_output);

  // Leaves the state as it is where there is nothing to keep.
  void save(state_data& s);

  virtual void* at() = 0;  // its odometer<Op>
  virtual std::int64_t position() const = 0;
  virtual const void* carry() const = 0;  // C; nullptr: none

  // Goes to `position` and calls f(elements, total) for each total that is open there: of a block
  // of whole vecs, or of the elements of the open vec.
  using each_total = std::function<void(std::int64_t elements, void* total)>;
  virtual void visit_open(std::int64_t position, const each_total& f) = 0;

  // Totals of the groups that follow, then of supers: the first one of all that is open, if one is.
  virtual void push_groups(const std::byte* totals, std::int64_t count) = 0;
  virtual void push_supers(const std::byte* totals, std::int64_t count) = 0;
  // All elements of a run's arrays.
  virtual void push(const arguments& a) = 0;

  virtual void write_total(void* total) const = 0;

 protected:
  // Goes to the beginning. Groups to come are folded from `carry`, if there is one, or listed.
  virtual void start(const std::byte* carry, bool lists_groups) = 0;

  spec what_;
  std::size_t bytes_;              // of an accumulator
  std::vector<std::byte> groups_;  // totals, while no carry takes them
};

// For a valid spec.
std::unique_ptr<progress> progress_of(const spec& what);

// plan::append for backends that keep states of order 1.
void append_states(const spec& what, state_data& before, const state_data& next);

}  // namespace upsweep::detail

#endif
