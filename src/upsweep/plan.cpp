// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/plan.hpp"

#include <atomic>
#include <limits>
#include <new>

#include "upsweep/detail/fp_environment.hpp"
#include "upsweep/detail/selection.hpp"
#include "upsweep/detail/validation.hpp"

namespace upsweep {

namespace detail {

class plan_core {
 public:
  plan_core(const spec& what, const extents& at_most, const plan_options& options)
      : what_(what), at_most_(at_most) {
    validate(what, at_most);
    if (options.threads < 0)
      throw error(errc::invalid_argument,
                  "threads: " + std::to_string(options.threads) + " is negative");
    if (options.memory > memory::device)
      throw error(errc::invalid_argument,
                  "memory: " + std::to_string(static_cast<unsigned>(options.memory)) +
                      " is neither host nor device");
    if (options.allocate != nullptr || options.release != nullptr)
      throw error(errc::unsupported, "allocate: a caller's workspace is not served yet");
    const selection s = select(what, at_most, options);
    name_ = s.chosen->name;
    try {
      impl_ = s.chosen->instance->make_plan(what, at_most, options);
    } catch (const std::bad_alloc&) {
      throw error(errc::out_of_memory, "extents.length: no memory for the workspace of " +
                                           std::to_string(at_most.length) + " elements");
    }
    why_ = s.why + "; " + impl_->policy();
  }

  void run(const arguments& a) {
    guarded(a, true, [&](const request& r) { impl_->run(r); });
  }

  void aggregate(const arguments& a) {
    guarded(a, false, [&](const request& r) { impl_->aggregate(r); });
  }

  void append(state& before, const state& next) const {
    state_data& b = state_access::data(before);
    const state_data& n = state_access::data(next);
    const type acc = accumulator_of(what_.out);
    for (const auto& [s, name] : {std::pair<const state_data*, const char*>{&b, "before"},
                                  std::pair<const state_data*, const char*>{&n, "next"}})
      if (!s->data.empty() &&
          (s->op != what_.op.id || s->accumulator != acc || s->direction != what_.direction))
        throw error(errc::invalid_argument,
                    std::string(name) + ": a state of another scan than the plan's");
    if (&b == &n) throw error(errc::invalid_argument, "next: the same state as before");
    if (n.position > std::numeric_limits<std::int64_t>::max() - b.position)
      throw error(errc::invalid_argument,
                  "next: " + std::to_string(n.position) + " elements after a state of " +
                      std::to_string(b.position) + " are more than 2^63 - 1");
    const fp_environment ieee;
    impl_->append(b, n);
  }

  void rebind(void* stream) {
    const occupied now(busy_);
    impl_->rebind(stream);
  }

  const std::string& name() const noexcept { return name_; }
  const std::string& why() const noexcept { return why_; }

 private:
  // One thread at a time.
  class occupied {
   public:
    explicit occupied(std::atomic<bool>& busy) : busy_(busy) {
      if (busy_.exchange(true, std::memory_order_acquire))
        throw error(errc::busy, "plan: it is running on another thread");
    }
    ~occupied() { busy_.store(false, std::memory_order_release); }
    occupied(const occupied&) = delete;
    occupied& operator=(const occupied&) = delete;

   private:
    std::atomic<bool>& busy_;
  };

  template <class F>
  void guarded(const arguments& a, bool writes_output, F&& work) {
    const occupied now(busy_);
    // Here, around calls into other files: the compiler may move arithmetic past a change of mode
    // within a function.
    const fp_environment ieee;
    const request r = validate(what_, at_most_, a, writes_output);
    // What a backend may refuse reaches it for no elements too.
    if (a.length == 0 && a.total == nullptr && a.state == nullptr && a.init_device == nullptr)
      return;
    try {
      work(r);
    } catch (const std::bad_alloc&) {
      throw error(errc::out_of_memory, "run: no memory left on the host");
    }
  }

  spec what_;
  extents at_most_;
  std::string name_, why_;
  std::unique_ptr<plan_impl> impl_;
  std::atomic<bool> busy_{false};
};

}  // namespace detail

plan::plan(const spec& what, const extents& at_most, const plan_options& options)
    : core_(std::make_unique<detail::plan_core>(what, at_most, options)) {}
plan::~plan() = default;
plan::plan(plan&&) noexcept = default;
plan& plan::operator=(plan&&) noexcept = default;

namespace {

const std::string nothing;

detail::plan_core& made(const std::unique_ptr<detail::plan_core>& core) {
  if (core == nullptr) throw error(errc::invalid_argument, "plan: it was moved from");
  return *core;
}

}  // namespace

void plan::run(const arguments& a) { made(core_).run(a); }
void plan::aggregate(const arguments& a) { made(core_).aggregate(a); }
void plan::append(state& before, const state& next) const { made(core_).append(before, next); }
void plan::rebind(void* stream) { made(core_).rebind(stream); }
const std::string& plan::backend() const noexcept { return core_ ? core_->name() : nothing; }
const std::string& plan::why() const noexcept { return core_ ? core_->why() : nothing; }

}  // namespace upsweep
