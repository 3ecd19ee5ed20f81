// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_DETAIL_ANY_PROGRESS_HPP
#define UPSWEEP_DETAIL_ANY_PROGRESS_HPP

// progress.hpp for a backend whose kernels have operators of their own: accumulators go by their
// bytes.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "upsweep/detail/backend.hpp"

namespace upsweep::detail {

class any_progress {
 public:
  virtual ~any_progress() = default;

  virtual std::int64_t position() const = 0;
  virtual const void* carry() const = 0;  // C; nullptr: none

  // Calls f(elements, total) for each total that is open: of a block of whole vecs, or of the
  // elements of the open vec.
  using each_total = std::function<void(std::int64_t elements, const void* total)>;
  virtual void visit_open(const each_total& f) const = 0;

  // Totals of the groups that follow, then of supers: the first one of all that is open, if one is.
  virtual void push_groups(const std::byte* totals, std::int64_t count) = 0;
  virtual void push_supers(const std::byte* totals, std::int64_t count) = 0;
  // All elements of a run's arrays.
  virtual void push(const arguments& a) = 0;

  virtual void write_total(void* total) const = 0;
  virtual void save(state_data& s) const = 0;
};

// Bytes of an accumulator, which the units of order 1 go by.
std::size_t accumulator_bytes(const spec& what);

// Where a run, or an aggregate, of a valid spec begins. Throws as progress does.
std::unique_ptr<any_progress> progress_of(const spec& what, const request& r, bool writes_output);

// plan::append for backends that keep states of order 1.
void append_states(const spec& what, state_data& before, const state_data& next);

}  // namespace upsweep::detail

#endif
