// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SIMT_ON_DEVICES_HPP
#define UPSWEEP_TESTS_SIMT_ON_DEVICES_HPP

// For tests of the checked engine: kernels on devices of many kinds, and the faults they are to
// show.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backends/kernels/port.hpp"
#include "backends/simt/device.hpp"

namespace upsweep::simt {

using word = std::uint32_t;

// An array in the memory of a device.
class array {
 public:
  array(device& d, std::int64_t n)
      : device_(d), n_(n), data_(static_cast<word*>(d.allocate(n * sizeof(word)))) {}
  array(device& d, std::int64_t n, word value) : array(d, n) {
    for (std::int64_t i = 0; i < n; ++i) data_[i] = value;
    d.written_by_host(data_, static_cast<std::size_t>(n) * sizeof(word));
  }
  ~array() { device_.release(data_); }
  array(const array&) = delete;
  array& operator=(const array&) = delete;

  operator kernels::global<word>() const { return {data_, n_}; }
  kernels::global<std::byte> bytes() const {
    return {reinterpret_cast<std::byte*>(data_), n_ * static_cast<std::int64_t>(sizeof(word))};
  }
  kernels::global<const std::byte> const_bytes() const { return {bytes().data(), bytes().size()}; }
  word operator[](std::int64_t i) const { return data_[i]; }

 private:
  device& device_;
  std::int64_t n_;
  word* data_;
};

using body = std::function<void(device&)>;

// On devices of several orders, residencies and seeds.
inline void on_many(const body& f, int seeds = 20) {
  for (const schedule order : {schedule::fifo, schedule::reverse, schedule::random})
    for (int seed = 1; seed <= seeds; ++seed) {
      device d({.seed = static_cast<std::uint64_t>(seed),
                .order = order,
                .resident = 1 + seed % 4,
                .preempt = seed % 3 * 8});
      f(d);
    }
}

// Launches of several blocks that wait for each other need them all resident.
inline void on_many_all_resident(const body& f, int seeds = 20) {
  for (int seed = 1; seed <= seeds; ++seed) {
    device d({.seed = static_cast<std::uint64_t>(seed), .resident = 64, .preempt = seed % 3 * 8});
    f(d);
  }
}

inline void expect_fault(device& d, fault_kind kind, const std::vector<std::string>& words,
                         const body& f) {
  try {
    f(d);
    ADD_FAILURE() << "no fault";
  } catch (const fault& e) {
    EXPECT_EQ(name_of(e.kind()), name_of(kind)) << e.what();
    for (const std::string& w : words)
      EXPECT_NE(std::string(e.what()).find(w), std::string::npos) << w << " in: " << e.what();
  }
}

// The fault shows in every schedule.
inline void expect_fault(fault_kind kind, const std::vector<std::string>& words, const body& f) {
#ifdef UPSWEEP_SIMT_RAW
  GTEST_SKIP() << "this build leaves the checks to a sanitizer";
#endif
  on_many([&](device& d) { expect_fault(d, kind, words, f); });
}

}  // namespace upsweep::simt

#endif
