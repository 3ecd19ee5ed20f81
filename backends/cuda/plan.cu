// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backends of the family: one class, around the algorithm that each entry names.
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/cuda/cuda.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/tables.hpp"
#include "backends/kernels/state_run.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cuda {

namespace {

using kernels::check;

struct element {
  alignas(16) std::byte bytes[16];
};

// A total that the host knows already, stored when the stream comes to it.
UPSWEEP_KERNEL void store_total(std::byte* total, element value, int bytes) {
  const int i = kernels::thread_index();
  if (i < bytes) total[i] = value.bytes[i];
}

// What a run queues on a stream uses memory of the caller's and of the plan's: nothing of it may be
// in flight when the run is over, be it by an exception.
class in_flight {
 public:
  explicit in_flight(cudaStream_t s) : stream_(s) {}
  ~in_flight() {
    if (!done_ && cudaStreamSynchronize(stream_) != cudaSuccess) cudaGetLastError();
  }
  in_flight(const in_flight&) = delete;
  in_flight& operator=(const in_flight&) = delete;

  void wait() {
    done_ = true;
    check(cudaStreamSynchronize(stream_), "scan");
  }

 private:
  cudaStream_t stream_;
  bool done_ = false;
};

class scan_plan final : public detail::plan_impl {
 public:
  scan_plan(const entry& e, const spec& what, const extents& at_most, memory where)
      : name_(e.name),
        what_(what),
        where_(where),
        in_bytes_(kernels::element_bytes(what, what.in)),
        out_bytes_(kernels::element_bytes(what, what.out)),
        device_(current_device()),
        runner_(e.make(what, at_most.length)),
        workspace_bytes_(runner_->workspace_bytes()),
        workspace_(allocate_zeros(workspace_bytes_, "workspace")) {
    if (where_ == memory::device) return;
    const auto longest = static_cast<std::size_t>(at_most.length);
    staged_in_ = allocate(longest * in_bytes_, "copy of the arrays");
    if (out_bytes_ != in_bytes_) staged_out_ = allocate(longest * out_bytes_, "copy of out");
    if (what.affine == affine_form::split)
      staged_coefficients_ = allocate(longest * in_bytes_, "copy of coefficients");
    staged_total_ = allocate(out_bytes_, "total");
  }

  void run(const detail::request& r) override { scan(r, true); }
  void aggregate(const detail::request& r) override { scan(r, false); }

  void append(detail::state_data& before, const detail::state_data& next) const override {
    kernels::states_of(*runner_, name_);
    detail::append_states(what_, before, next);
  }

  void rebind(void* stream) override { stream_ = static_cast<cudaStream_t>(stream); }

  std::string policy() const override {
    return "device " + std::to_string(device_) + ", " + runner_->policy("threads") + ", " +
           std::to_string(workspace_bytes_) + " bytes of workspace";
  }

 private:
  void scan(const detail::request& r, bool writes_output) {
    std::optional<kernels::state_run> with_state;
    if (r.state != nullptr) with_state.emplace(name_, what_, r, writes_output, *runner_);
    if (where_ == memory::host)
      detail::refuse_init_device(r, std::string(name_) + " for arrays in host memory");
    else if (!runner_->serves_init_device())
      detail::refuse_init_device(r, std::string(name_));
    if (r.args.length == 0 && r.args.total == nullptr && !with_state) return;
    if (where_ == memory::host)
      run_on_host_memory(r, writes_output, with_state);
    else if (with_state)
      run_on_device_memory(r, *with_state);
    else
      run_on_device_memory(r);
  }

  // Runs share the workspace, so they must follow one another.
  void check_binding(cudaStream_t s) {
    if (const int current = current_device(); current != device_)
      throw error(errc::invalid_argument, "plan: it was made for device " +
                                              std::to_string(device_) + ", but device " +
                                              std::to_string(current) + " is current");
    if (stream_.value_or(s) != s)
      throw error(errc::invalid_argument,
                  "stream: another one than that of the runs before; rebind the plan to it first");
    stream_ = s;
  }

  // Of runs that wait, which would end the capture.
  static void refuse_capture(cudaStream_t s) {
    if (capturing(s))
      throw error(errc::invalid_argument,
                  "stream: it is being captured, but this run waits for it");
  }

  void run_on_device_memory(const detail::request& r) {
    const arguments& a = r.args;
    const auto s = static_cast<cudaStream_t>(a.stream);
    check_binding(s);
    if (a.length > 0 || a.init_device != nullptr) {
      runner_->run({s}, kernels::call_of(r), workspace_.get());
    } else {
      element e{};
      runner_->total_of_none(kernels::call_of(r).init, e.bytes);
      queue_total(a.total, e, s);
    }
  }

  void run_on_device_memory(const detail::request& r, kernels::state_run& with_state) {
    const auto s = static_cast<cudaStream_t>(r.args.stream);
    check_binding(s);
    refuse_capture(s);
    if (r.args.length > 0) {
      in_flight work(s);
      with_state.queue({s}, kernels::call_of(r), workspace_.get());
      work.wait();
    }
    with_state.finish([&](const std::byte* total) {
      element e{};
      std::memcpy(e.bytes, total, out_bytes_);
      queue_total(r.args.total, e, s);
    });
  }

  void run_on_host_memory(const detail::request& r, bool writes_output,
                          std::optional<kernels::state_run>& with_state) {
    const arguments& a = r.args;
    const auto store_total = [&](const std::byte* total) {
      std::memcpy(a.total, total, out_bytes_);
    };
    kernels::call c = kernels::call_of(r);
    if (a.length == 0) {
      with_state ? with_state->finish(store_total) : runner_->total_of_none(c.init, a.total);
      return;
    }
    const on_device guard(device_);
    const auto s = static_cast<cudaStream_t>(a.stream);
    refuse_capture(s);
    const auto n = static_cast<std::size_t>(a.length);
    in_flight work(s);
    c.in = copy_in(staged_in_, a.in, n * in_bytes_, "copy of in", s);
    if (a.coefficients != nullptr)
      c.coefficients =
          copy_in(staged_coefficients_, a.coefficients, n * in_bytes_, "copy of coefficients", s);
    c.out = staged_out_ != nullptr ? staged_out_.get() : staged_in_.get();
    if (a.total != nullptr) c.total = staged_total_.get();
    with_state ? with_state->queue({s}, c, workspace_.get())
               : runner_->run({s}, c, workspace_.get());
    if (writes_output) {
      copy_out(a.out, c.out, n * out_bytes_, "copy to out", s);
      if (a.total != nullptr) copy_out(a.total, c.total, out_bytes_, "copy to total", s);
    }
    work.wait();
    if (with_state) with_state->finish(store_total);
  }

  static const void* copy_in(const device_bytes& to, const void* from, std::size_t bytes,
                             const char* what, cudaStream_t s) {
    check(cudaMemcpyAsync(to.get(), from, bytes, cudaMemcpyHostToDevice, s), what);
    return to.get();
  }
  static void copy_out(void* to, const void* from, std::size_t bytes, const char* what,
                       cudaStream_t s) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, s), what);
  }

  void queue_total(void* total, const element& e, cudaStream_t s) const {
    kernels::launch({s}, {}, store_total, static_cast<std::byte*>(total), e,
                    static_cast<int>(out_bytes_));
  }

  std::string_view name_;
  spec what_;
  memory where_;
  std::size_t in_bytes_, out_bytes_;  // of an element
  int device_;
  std::unique_ptr<kernels::runner> runner_;
  std::size_t workspace_bytes_;
  device_bytes workspace_;
  // For host memory: the arrays. Elements of one size are scanned in place.
  device_bytes staged_in_, staged_coefficients_, staged_out_, staged_total_;
  std::optional<cudaStream_t> stream_;  // of the runs on device memory so far
};

class scan_backend final : public detail::backend {
 public:
  explicit scan_backend(entry e) : entry_(std::move(e)) {}

  std::string_view name() const { return entry_.name; }

  detail::availability probe() const override { return cuda::probe(); }

  std::string refusal(const spec& what, const extents& at_most, memory where) const override {
    return entry_.refusal(what, at_most.length, where);
  }

  std::unique_ptr<detail::plan_impl> make_plan(const spec& what, const extents& at_most,
                                               const plan_options& options) const override {
    return std::make_unique<scan_plan>(entry_, what, at_most, options.memory);
  }

 private:
  entry entry_;
};

std::vector<scan_backend> all_backends() {
  std::vector<scan_backend> all;
  for (const auto& list : {production(), block_algorithms(), grid_algorithms(), peers()})
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

}  // namespace upsweep::cuda
