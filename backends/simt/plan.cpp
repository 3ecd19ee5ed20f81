// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backends of the family: one class, around the algorithm that each entry names, on a device of
// fibers.
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/kernels/runner.hpp"
#include "backends/kernels/state_run.hpp"
#include "backends/simt/device.hpp"
#include "backends/simt/settings.hpp"
#include "backends/simt/simt.hpp"
#include "backends/simt/tables.hpp"
#include "upsweep/error.hpp"

namespace upsweep::simt {

namespace {

// An array of the caller's, if there is one, as the device's for a while.
class borrowed {
 public:
  borrowed(device& d, const void* p, std::size_t bytes, bool initialised) : device_(d), p_(p) {
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

class scan_plan final : public detail::plan_impl {
 public:
  scan_plan(const entry& e, const spec& what, std::int64_t at_most, const settings& how)
      : name_(e.name),
        what_(what),
        in_bytes_(kernels::element_bytes(what, what.in)),
        out_bytes_(kernels::element_bytes(what, what.out)),
        runner_(e.make(what, at_most, how)),
        device_(how.device) {
    const std::size_t bytes = runner_->workspace_bytes();
    if (bytes == 0) return;
    workspace_ = device_.allocate(bytes);
    std::memset(workspace_, 0, bytes);
    device_.written_by_host(workspace_, bytes);
  }

  void run(const detail::request& r) override {
    detail::refuse_init_device(r, "simt backends");
    if (r.state != nullptr) return with_state(r, true);
    const kernels::call c = kernels::call_of(r);
    if (c.n > 0)
      on_arrays(c, true, [&] { runner_->run({&device_}, c, workspace_); });
    else
      runner_->total_of_none(c.init, c.total);
  }

  void aggregate(const detail::request& r) override { with_state(r, false); }

  void append(detail::state_data& before, const detail::state_data& next) const override {
    kernels::states_of(*runner_, name_);
    detail::append_states(what_, before, next);
  }

  std::string policy() const override {
    const options& o = device_.how();
    return runner_->policy("fibers") + ", " + std::to_string(o.resident) + " at a time, seed " +
           std::to_string(o.seed);
  }

 private:
  void with_state(const detail::request& r, bool writes_output) {
    kernels::state_run run(name_, what_, r, writes_output, *runner_);
    const kernels::call c = kernels::call_of(r);
    if (c.n > 0) on_arrays(c, writes_output, [&] { run.queue({&device_}, c, workspace_); });
    run.finish([&](const std::byte* total) { std::memcpy(c.total, total, out_bytes_); });
  }

  // Launches while the caller's arrays are the device's.
  template <class F>
  void on_arrays(const kernels::call& c, bool writes_output, F&& launches) {
    const auto n = static_cast<std::size_t>(c.n);
    const borrowed in(device_, c.in, n * in_bytes_, true);
    const borrowed coefficients(device_, c.coefficients, n * in_bytes_, true);
    const borrowed out(device_, writes_output ? c.out : nullptr, n * out_bytes_, c.in == c.out);
    const borrowed total(device_, c.total, out_bytes_, false);
    try {
      launches();
    } catch (const fault& f) {
      throw error(errc::device, f.what());
    }
  }

  std::string_view name_;
  spec what_;
  std::size_t in_bytes_, out_bytes_;  // of an element
  std::unique_ptr<kernels::runner> runner_;
  device device_;
  void* workspace_ = nullptr;  // the device's
};

class scan_backend final : public detail::backend {
 public:
  explicit scan_backend(entry e) : entry_(std::move(e)) {}

  std::string_view name() const { return entry_.name; }

  detail::availability probe() const override { return {true}; }

  std::string refusal(const spec& what, const extents& at_most, memory where) const override {
    if (where == memory::device) return "it scans host memory";
    return entry_.refusal(what, at_most.length);
  }

  std::unique_ptr<detail::plan_impl> make_plan(const spec& what, const extents& at_most,
                                               const plan_options&) const override {
    return std::make_unique<scan_plan>(entry_, what, at_most.length, settings_from_environment());
  }

 private:
  entry entry_;
};

std::vector<scan_backend> all_backends() {
  std::vector<scan_backend> all;
  for (const auto& list : {production(), textbook_algorithms()})
    for (const entry& e : list) all.emplace_back(e);
  return all;
}

}  // namespace

const detail::backend* find(std::string_view name) {
  static const std::vector<scan_backend> all = all_backends();
  for (const scan_backend& b : all)
    if (b.name() == name) return &b;
  return nullptr;
}

}  // namespace upsweep::simt
