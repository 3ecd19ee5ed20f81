// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/detail/any_progress.hpp"

#include "upsweep/detail/elements.hpp"
#include "upsweep/detail/progress.hpp"

namespace upsweep::detail {

namespace {

template <class Op>
class typed_progress final : public any_progress {
  using T = typename Op::value;

 public:
  typed_progress(const spec& what, const request& r, bool writes_output) : what_(what), now_(r) {
    writes_output ? now_.fold_groups() : now_.list_groups();
  }

  std::int64_t position() const override { return now_.at.position(); }
  const void* carry() const override { return now_.at.carry() ? &*now_.at.carry() : nullptr; }

  void visit_open(const each_total& f) const override {
    odometer<Op> copy = now_.at;
    copy.visit_open(copy.position(), [&](std::int64_t elements, const T& t) { f(elements, &t); });
  }

  void push_groups(const std::byte* totals, std::int64_t count) override {
    for (std::int64_t k = 0; k < count; ++k) now_.at.push_group(total(totals, k));
  }
  void push_supers(const std::byte* totals, std::int64_t count) override {
    for (std::int64_t k = 0; k < count; ++k) now_.at.push_super(total(totals, k));
  }

  void push(const arguments& a) override {
    const reader<T> read = choose_reader<T>(what_);
    for (std::int64_t k = 0; k < a.length; ++k)
      now_.at.push(read(a, what_.direction == direction::forward ? k : a.length - 1 - k));
  }

  void write_total(void* total) const override {
    choose_writer<T>(what_)(total, 0, now_.whole().value_or(Op::identity()));
  }
  void save(state_data& s) const override { now_.save(s, what_); }

 private:
  static T total(const std::byte* totals, std::int64_t k) {
    T t;
    std::memcpy(&t, totals + k * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return t;
  }

  spec what_;
  progress<Op> now_;
};

}  // namespace

std::size_t accumulator_bytes(const spec& what) {
  return size_of(accumulator_of(what.out)) * (what.op.id == builtin::affine ? 2 : 1);
}

std::unique_ptr<any_progress> progress_of(const spec& what, const request& r, bool writes_output) {
  return with_operator(what, [&]<class Op>() -> std::unique_ptr<any_progress> {
    return std::make_unique<typed_progress<Op>>(what, r, writes_output);
  });
}

void append_states(const spec& what, state_data& before, const state_data& next) {
  with_operator(what, [&]<class Op>() { progress<Op>::append(before, next, what); });
}

}  // namespace upsweep::detail
