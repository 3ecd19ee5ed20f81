// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backends of the family: one class, around the algorithm that each entry names.
#include <optional>
#include <string>

#include "backends/cuda/cuda.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/tables.hpp"
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

class textbook_plan final : public detail::plan_impl {
 public:
  textbook_plan(const kernels::textbook_entry& e, const spec& what, const extents& at_most,
                memory where)
      : name_(e.name),
        what_(what),
        where_(where),
        algorithm_(e.algorithm(what)),
        threads_(algorithm_.default_threads),
        element_(kernels::element_bytes(what)),
        device_(current_device()),
        longest_(at_most.length),
        workspace_bytes_(algorithm_.workspace_bytes(longest_, threads_)),
        workspace_(allocate_zeros(workspace_bytes_, "workspace")) {
    if (where_ == memory::device) return;
    staged_ = allocate(static_cast<std::size_t>(longest_) * element_, "copy of the arrays");
    staged_total_ = allocate(element_, "total");
  }

  void run(const detail::request& r) override {
    if (r.state != nullptr) refuse_state();
    if (where_ == memory::host)
      run_on_host_memory(r);
    else
      run_on_device_memory(r);
  }

  void aggregate(const detail::request&) override { refuse_state(); }
  void append(detail::state_data&, const detail::state_data&) const override { refuse_state(); }
  void rebind(void* stream) override { stream_ = static_cast<cudaStream_t>(stream); }

  std::string policy() const override {
    const std::string blocks = threads_ != 0 ? "blocks of " + std::to_string(threads_) + " threads"
                                             : "blocks of its choice";
    return "device " + std::to_string(device_) + ", " + blocks + ", " +
           std::to_string(workspace_bytes_) + " bytes of workspace";
  }

 private:
  [[noreturn]] void refuse_state() const {
    throw error(errc::unsupported,
                "state: " + std::string(name_) + " neither resumes scans nor joins their states");
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

  void run_on_device_memory(const detail::request& r) {
    const arguments& a = r.args;
    const auto s = static_cast<cudaStream_t>(a.stream);
    check_binding(s);
    if (a.length > 0)
      queue(r, a.in, a.out, a.total, s);
    else if (a.total != nullptr)
      queue_total_of_none(r, s);
  }

  void run_on_host_memory(const detail::request& r) {
    const arguments& a = r.args;
    if (a.length == 0) {
      if (a.total != nullptr) algorithm_.total_of_none(what_, r, a.total);
      return;
    }
    const on_device guard(device_);
    const auto s = static_cast<cudaStream_t>(a.stream);
    const std::size_t bytes = static_cast<std::size_t>(a.length) * element_;
    in_flight work(s);
    check(cudaMemcpyAsync(staged_.get(), a.in, bytes, cudaMemcpyHostToDevice, s), "copy of in");
    queue(r, staged_.get(), staged_.get(), a.total != nullptr ? staged_total_.get() : nullptr, s);
    check(cudaMemcpyAsync(a.out, staged_.get(), bytes, cudaMemcpyDeviceToHost, s), "copy to out");
    if (a.total != nullptr)
      check(cudaMemcpyAsync(a.total, staged_total_.get(), element_, cudaMemcpyDeviceToHost, s),
            "copy to total");
    work.wait();
  }

  void queue_total_of_none(const detail::request& r, cudaStream_t s) const {
    element e{};
    algorithm_.total_of_none(what_, r, e.bytes);
    kernels::launch({s}, {}, store_total, static_cast<std::byte*>(r.args.total), e,
                    static_cast<int>(element_));
  }

  void queue(const detail::request& r, const void* in, void* out, void* total, cudaStream_t s) {
    algorithm_.run({s}, kernels::call_of(what_, r, in, out, total),
                   kernels::workspace(workspace_.get(), longest_), threads_);
  }

  std::string_view name_;
  spec what_;
  memory where_;
  const kernels::textbook& algorithm_;
  int threads_;
  std::size_t element_;
  int device_;
  std::int64_t longest_;
  std::size_t workspace_bytes_;
  device_bytes workspace_;
  device_bytes staged_, staged_total_;  // for host memory: the arrays, scanned in place
  std::optional<cudaStream_t> stream_;  // of the runs on device memory so far
};

class textbook_backend final : public detail::backend {
 public:
  explicit textbook_backend(const kernels::textbook_entry& e) : entry_(e) {}

  std::string_view name() const { return entry_.name; }

  detail::availability probe() const override { return cuda::probe(); }

  std::string refusal(const spec& what, const extents& at_most, memory) const override {
    return entry_.refusal(what, at_most.length);
  }

  std::unique_ptr<detail::plan_impl> make_plan(const spec& what, const extents& at_most,
                                               const plan_options& options) const override {
    return std::make_unique<textbook_plan>(entry_, what, at_most, options.memory);
  }

 private:
  kernels::textbook_entry entry_;
};

std::vector<textbook_backend> all_backends() {
  std::vector<textbook_backend> all;
  for (const auto& list : {block_algorithms(), grid_algorithms(), peers()})
    for (const kernels::textbook_entry& e : list) all.emplace_back(e);
  return all;
}

}  // namespace

const detail::backend* find(std::string_view name) {
  static const std::vector<textbook_backend> all = all_backends();
  for (const textbook_backend& b : all)
    if (b.name() == name) return &b;
  return nullptr;
}

}  // namespace upsweep::cuda
