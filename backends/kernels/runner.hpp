// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_RUNNER_HPP
#define UPSWEEP_KERNELS_RUNNER_HPP

// What a plan of backends/cuda or backends/simt runs, whatever the algorithm is. Host code.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "port.hpp"
#include "upsweep/detail/backend.hpp"
#include "upsweep/spec.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// One run over arrays that the device sees. n > 0; or n = 0, for a total after an init_device,
// which the host does not know.
struct call {
  const void* in = nullptr;
  const void* coefficients = nullptr;  // of a split affine scan
  void* out = nullptr;                 // may be `in`, with elements of one size
  void* total = nullptr;               // one output element, or nullptr
  std::int64_t n = 0;
  // In host memory until run returns, of the accumulator type, (1, h) for a split affine scan;
  // nullptr: none.
  const void* init = nullptr;
  const void* init_device = nullptr;  // or as the caller has it, in device memory
  // Of a scan that goes on inside a group of order 1: its elements before the arrays, and their
  // totals, as flat.hpp has them, in host memory until run returns.
  std::int64_t skipped = 0;
  const void* given = nullptr;
  bool leaves_totals = false;  // for fetch_totals, after the run
};

// A request, as a call on the caller's own arrays.
inline call call_of(const detail::request& r) {
  return {.in = r.args.in,
          .coefficients = r.args.coefficients,
          .out = r.args.out,
          .total = r.args.total,
          .n = r.args.length,
          .init = r.has_init ? r.init.data() : nullptr,
          .init_device = r.args.init_device};
}

using detail::element_bytes;

// What states need of the kernels of a scan in order 1. Accumulators are as `translate` makes them.
class state_kernels {
 public:
  virtual ~state_kernels() = default;

  // Whether a scan can go on from any element, else from the borders of groups alone.
  virtual bool go_on_inside_groups() const = 0;

  // An accumulator of the host's as the kernels have it, and back, in place.
  virtual void translate(void* accumulator) const = 0;

  // Of the first `supers` of a call's elements, skipped ones included: the totals of whole groups,
  // then of the supers that are left, to host memory when the stream comes to it. `after`: the call
  // was the workspace's last run; else it is combined now, with no results.
  virtual void fetch_totals(stream on, const call& c, void* workspace, bool after,
                            std::int64_t supers, void* to) = 0;
};

// An algorithm made ready for one scan of up to so many elements.
class runner {
 public:
  virtual ~runner() = default;

  // The workspace is zeroed once, when the plan is made; each run leaves it fit for the next.
  virtual std::size_t workspace_bytes() const = 0;
  virtual void run(stream on, const call& c, void* workspace) = 0;

  // The total of no elements after a call's init, into host memory.
  virtual void total_of_none(const void* init, void* total) const = 0;

  virtual bool serves_init_device() const = 0;         // else calls have none
  virtual state_kernels* states() { return nullptr; }  // nullptr: it refuses states

  // For plan::why: "blocks of 256 threads", with the family's word for threads.
  virtual std::string policy(std::string_view threads) const = 0;
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
