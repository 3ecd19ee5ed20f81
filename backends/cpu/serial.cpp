// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cpu.serial: one loop, left to right; the reference that the other backends are compared with.
#include <cstring>

#include "backends/cpu/cpu.hpp"
#include "upsweep/detail/elements.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cpu {

namespace {

using namespace detail;

template <class Op>
class serial_plan final : public detail::plan_impl {
  using A = typename Op::value;

 public:
  explicit serial_plan(const spec& what)
      : what_(what), read_(choose_reader<A>(what)), write_(choose_writer<A>(what)) {}

  void run(const detail::request& r) override { scan(r, r.args.out); }
  void aggregate(const detail::request& r) override { scan(r, nullptr); }

  void append(detail::state_data&, const detail::state_data&) const override {
    throw error(
        errc::unsupported,
        "append: cpu.serial folds one element after the other; it resumes from a state, but "
        "cannot join two");
  }

  std::string policy() const override { return "one thread, left to right"; }

 private:
  void scan(const detail::request& r, void* out) const {
    detail::refuse_init_device(r, "CPU backends");
    const arguments& a = r.args;
    const bool exclusive = what_.kind == kind::exclusive;
    A prefix{};
    bool any = load(r, prefix);  // whether there is anything before the next element

    for (std::int64_t k = 0; k < a.length; ++k) {
      const std::int64_t i = what_.direction == direction::forward ? k : a.length - 1 - k;
      const A x = read_(a, i);
      const A next = any ? Op::combine(prefix, x) : x;
      if (out != nullptr) write_(out, i, !exclusive ? next : any ? prefix : Op::identity());
      prefix = next;
      any = true;
    }

    if (a.total != nullptr) write_(a.total, 0, any ? prefix : Op::identity());
    if (r.state != nullptr && any) save(*r.state, prefix, a.length);
  }

  static bool load(const detail::request& r, A& prefix) {
    const bool resumes = r.state != nullptr && !r.state->data.empty();
    if (resumes && (r.state->order != 0 || r.state->data.size() != sizeof(A)))
      throw error(errc::invalid_argument, "state: it was not made by cpu.serial");
    if (resumes)
      std::memcpy(&prefix, r.state->data.data(), sizeof(A));
    else if (r.has_init)
      std::memcpy(&prefix, r.init.data(), sizeof(A));
    return resumes || r.has_init;
  }

  void save(detail::state_data& s, A prefix, std::int64_t passed) const {
    s.order = 0;
    s.op = what_.op.id;
    s.accumulator = accumulator_of(what_.out);
    s.direction = what_.direction;
    s.position += passed;
    s.data.resize(sizeof(A));
    std::memcpy(s.data.data(), &prefix, sizeof(A));
  }

  spec what_;
  reader<A> read_;
  writer<A> write_;
};

class serial_backend final : public detail::backend {
 public:
  detail::availability probe() const override { return {true}; }

  std::string refusal(const spec&, const extents&, memory where) const override {
    return where == memory::device ? "it scans host memory" : "";
  }

  std::unique_ptr<detail::plan_impl> make_plan(const spec& what, const extents&,
                                               const plan_options&) const override {
    return with_operator(what, [&]<class Op>() -> std::unique_ptr<detail::plan_impl> {
      return std::make_unique<serial_plan<Op>>(what);
    });
  }
};

}  // namespace

const detail::backend& serial() {
  static const serial_backend b;
  return b;
}

}  // namespace upsweep::cpu
