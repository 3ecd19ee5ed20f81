// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_SCAN_HPP
#define UPSWEEP_KERNELS_SCAN_HPP

// What comes before an element; and what every textbook kernel is asked for, the arrays and the
// variant of one flat scan.

#include "port.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// All that comes before an element or a tile, combined, init included; nothing at all before the
// first element of a scan without init. No identity stands in for that nothing.
template <class Op>
struct carry {
  using T = typename Op::value;
  bool any = false;
  T value{};

  // The carry and x after it.
  UPSWEEP_DEVICE T then(T x) const { return any ? Op::combine(value, x) : x; }
  // What an exclusive scan writes at the element that the carry ends before.
  UPSWEEP_DEVICE T alone() const { return any ? value : Op::first(); }
};

template <class Op>
struct scan {
  using T = typename Op::value;
  global<const T> in;
  global<T> out;    // may be `in`
  global<T> total;  // one element, or none if no total is asked for
  bool exclusive = false;
  bool reverse = false;
  bool has_init = false;
  T init{};

  UPSWEEP_HOST_DEVICE std::int64_t size() const { return in.size(); }

  // Element i of the scan; past the end the identity, so that tiles are always whole.
  UPSWEEP_DEVICE T load(std::int64_t i) const {
    return i < size() ? static_cast<T>(in[place(i)]) : Op::identity();
  }

  // What comes before element 0.
  UPSWEEP_DEVICE carry<Op> start() const { return {has_init, init}; }

  // Writes element i of the output, and reads it back; i may be past the end, where nothing is.
  UPSWEEP_DEVICE void store(std::int64_t i, T x) const {
    if (i < size()) out[place(i)] = x;
  }
  UPSWEEP_DEVICE T stored(std::int64_t i) const {
    return i < size() ? static_cast<T>(out[place(i)]) : Op::identity();
  }

  UPSWEEP_DEVICE void store_total(T x) const {
    if (total.size() != 0) total[0] = x;
  }

 private:
  UPSWEEP_DEVICE std::int64_t place(std::int64_t i) const { return reverse ? size() - 1 - i : i; }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
