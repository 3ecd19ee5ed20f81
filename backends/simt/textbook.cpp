// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The textbook scans as backends: the kernels of backends/kernels on a device of fibers.
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kernels/algorithms.hpp"
#include "backends/kernels/textbook.hpp"
#include "backends/simt/device.hpp"
#include "backends/simt/settings.hpp"
#include "backends/simt/simt.hpp"
#include "upsweep/error.hpp"

namespace upsweep::simt {

namespace {

// An array of the caller's, as the device's for a while.
class borrowed {
 public:
  borrowed(device& d, const void* p, std::size_t bytes, bool initialised)
      : device_(d), p_(bytes != 0 ? p : nullptr) {
    if (p_ != nullptr) d.borrow(p_, bytes, initialised);
  }
  ~borrowed() {
    if (p_ != nullptr) device_.give_back(p_);
  }
  borrowed(const borrowed&) = delete;
  borrowed& operator=(const borrowed&) = delete;

 private:
  device& device_;
  const void* p_;
};

class textbook_plan final : public detail::plan_impl {
 public:
  textbook_plan(const kernels::textbook& algorithm, const spec& what, std::int64_t at_most,
                const settings& how)
      : algorithm_(algorithm),
        what_(what),
        at_most_(at_most),
        threads_(how.threads != 0 ? how.threads : algorithm.default_threads),
        device_(how.device) {
    const std::size_t bytes = algorithm.workspace_bytes(at_most, threads_);
    if (bytes == 0) return;
    workspace_ = device_.allocate(bytes);
    std::memset(workspace_, 0, bytes);
    device_.written_by_host(workspace_, bytes);
  }

  void run(const detail::request& r) override {
    const arguments& a = r.args;
    if (r.state != nullptr) refuse_state();
    if (a.length == 0) {
      if (a.total != nullptr) algorithm_.total_of_none(what_, r, a.total);
      return;
    }
    const std::size_t element = kernels::element_bytes(what_);
    const auto bytes = static_cast<std::size_t>(a.length) * element;
    const borrowed in(device_, a.in, bytes, true), out(device_, a.out, bytes, a.in == a.out);
    const borrowed total(device_, a.total, a.total != nullptr ? element : 0, false);
    try {
      algorithm_.run({&device_}, kernels::call_of(what_, r, a.in, a.out, a.total),
                     kernels::workspace(workspace_, at_most_), threads_);
    } catch (const fault& f) {
      throw error(errc::device, f.what());
    }
  }

  void aggregate(const detail::request&) override { refuse_state(); }
  void append(detail::state_data&, const detail::state_data&) const override { refuse_state(); }

  std::string policy() const override {
    const options& o = device_.how();
    return "blocks of " + std::to_string(threads_) + " fibers, " + std::to_string(o.resident) +
           " at a time, seed " + std::to_string(o.seed);
  }

 private:
  [[noreturn]] static void refuse_state() {
    throw error(errc::unsupported, "state: a textbook scan is for whole arrays");
  }

  const kernels::textbook& algorithm_;
  spec what_;
  std::int64_t at_most_;
  int threads_;
  device device_;
  void* workspace_ = nullptr;  // the device's
};

// Tiles of four elements a thread, so that a short scan crosses more than a window of them.
template <class Op>
using small_tile = kernels::coarsened<Op, 4, kernels::warp_shuffle<Op>>;
template <class Op>
using chained = kernels::chained<Op, small_tile<Op>>;
template <class Op>
using decoupled_lookback = kernels::decoupled_lookback<Op, small_tile<Op>>;

class textbook_backend final : public detail::backend {
 public:
  explicit textbook_backend(const kernels::textbook_entry& e) : entry_(e) {}

  std::string_view name() const { return entry_.name; }

  detail::availability probe() const override { return {true}; }

  std::string refusal(const spec& what, const extents& at_most, memory where) const override {
    if (where == memory::device) return "it scans host memory";
    return entry_.refusal(what, at_most.length, kernels::warp_size);  // the least
  }

  std::unique_ptr<detail::plan_impl> make_plan(const spec& what, const extents& at_most,
                                               const plan_options&) const override {
    return std::make_unique<textbook_plan>(entry_.algorithm(what), what, at_most.length,
                                           settings_from_environment());
  }

 private:
  kernels::textbook_entry entry_;
};

std::vector<textbook_backend> all_backends() {
  using namespace kernels;
  return {textbook_backend({"simt.naive", textbook_for<textbooks::naive>}),
          textbook_backend({"simt.hillis_steele", textbook_for<textbooks::hillis_steele>}),
          textbook_backend({"simt.kogge_stone", textbook_for<textbooks::kogge_stone>}),
          textbook_backend({"simt.brent_kung", textbook_for<textbooks::brent_kung>}),
          textbook_backend({"simt.blelloch", textbook_for<textbooks::blelloch>}),
          textbook_backend({"simt.warp_shuffle", textbook_for<textbooks::warp_shuffle>}),
          textbook_backend({"simt.coarsened", textbook_for<textbooks::coarsened>}),
          textbook_backend({"simt.three_pass", textbook_for<textbooks::three_pass>}),
          textbook_backend({"simt.hybrid", textbook_for<textbooks::hybrid>}),
          textbook_backend({"simt.chained", textbook_for<simt::chained>}),
          textbook_backend({"simt.decoupled_lookback", textbook_for<simt::decoupled_lookback>})};
}

}  // namespace

const detail::backend* find(std::string_view name) {
  static const std::vector<textbook_backend> all = all_backends();
  for (const textbook_backend& b : all)
    if (b.name() == name) return &b;
  return nullptr;
}

}  // namespace upsweep::simt
