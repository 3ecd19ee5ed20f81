// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/detail/progress.hpp"

#include <bit>
#include <cstring>
#include <string>

#include "upsweep/detail/elements.hpp"
#include "upsweep/detail/odometer.hpp"
#include "upsweep/error.hpp"

namespace upsweep::detail {

namespace {

// What the bytes of a state hold: whether there is a C, C or the totals of all groups, and the
// totals that are open.
struct parts {
  bool has_carry = false;
  std::span<const std::byte> folded{}, open{};
};

parts parts_of(const state_data& s, std::size_t bytes) {
  const auto refuse = [](const std::string& what) {
    throw error(errc::invalid_argument, "state: " + what);
  };
  const std::size_t size = s.data.size();
  const std::string position = " position " + std::to_string(s.position);
  if (s.order != order1::version)
    refuse("it was not made in order " + std::to_string(order1::version));
  const auto too_few = [&] {
    refuse("its " + std::to_string(size) + " bytes are too few for" + position);
  };

  std::uint64_t has_carry = 0;
  if (size < sizeof has_carry) too_few();
  std::memcpy(&has_carry, s.data.data(), sizeof has_carry);
  const std::span totals = std::span(s.data).subspan(sizeof has_carry);
  const std::int64_t group = order1::group(bytes), vec = order1::vec(bytes);
  const auto listed = static_cast<std::size_t>(s.position / group);
  if (has_carry > 1 || (has_carry == 0 && listed > totals.size() / bytes))
    refuse("its bytes do not fit" + position);
  const std::size_t folded = (has_carry == 1 ? 1 : listed) * bytes;
  // Units hold powers of two of the next smaller ones.
  const auto vecs = static_cast<std::uint64_t>(s.position % group / vec);
  const std::size_t open =
      (static_cast<std::size_t>(std::popcount(vecs)) + (s.position % vec != 0 ? 1 : 0)) * bytes;
  if (totals.size() < folded + open) too_few();
  if (totals.size() > folded + open)
    refuse(std::to_string(totals.size() - folded - open) + " bytes too many for" + position);
  return {has_carry == 1, totals.first(folded), totals.last(open)};
}

void copy_open(progress& to, std::int64_t position, std::span<const std::byte> open,
               std::size_t bytes) {
  const std::byte* next = open.data();
  to.visit_open(position, [&](std::int64_t, void* total) {
    std::memcpy(total, next, bytes);
    next += bytes;
  });
}

std::int64_t count_of(std::span<const std::byte> totals, std::size_t bytes) {
  return static_cast<std::int64_t>(totals.size() / bytes);
}

template <class Op>
class typed_progress final : public progress {
  using T = typename Op::value;

 public:
  using progress::progress;

  void* at() override { return &at_; }
  std::int64_t position() const override { return at_.position(); }
  const void* carry() const override { return at_.carry() ? &*at_.carry() : nullptr; }

  void visit_open(std::int64_t position, const each_total& f) override {
    at_.visit_open(position, [&](std::int64_t elements, T& total) { f(elements, &total); });
  }

  void push_groups(const std::byte* totals, std::int64_t count) override {
    for (std::int64_t k = 0; k < count; ++k) at_.push_group(total(totals, k));
  }
  void push_supers(const std::byte* totals, std::int64_t count) override {
    for (std::int64_t k = 0; k < count; ++k) at_.push_super(total(totals, k));
  }

  void push(const arguments& a) override {
    const reader<T> read = choose_reader<T>(what_);
    for (std::int64_t k = 0; k < a.length; ++k)
      at_.push(read(a, what_.direction == direction::forward ? k : a.length - 1 - k));
  }

  void write_total(void* to) const override {
    odometer<Op> folded = at_;
    for (std::int64_t k = 0; k < count_of(groups_, sizeof(T)); ++k)
      folded.fold_group(total(groups_.data(), k));
    choose_writer<T>(what_)(to, 0, folded.prefix().value_or(Op::identity()));
  }

 private:
  void start(const std::byte* carry, bool lists_groups) override {
    at_ = {};
    if (carry != nullptr) at_.set_carry(total(carry, 0));
    if (lists_groups) at_.groups = &groups_;
  }

  static T total(const std::byte* totals, std::int64_t k) {
    T t;
    std::memcpy(&t, totals + k * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return t;
  }

  odometer<Op> at_;
};

}  // namespace

std::size_t accumulator_bytes(const spec& what) {
  return size_of(accumulator_of(what.out)) * (what.op.id == builtin::affine ? 2 : 1);
}

void progress::begin(const request& r, bool writes_output) {
  parts from;
  std::int64_t position = 0;
  if (r.state != nullptr && !r.state->data.empty()) {
    from = parts_of(*r.state, bytes_);
    position = r.state->position;
  } else if (r.has_init) {
    from = {true, std::span(r.init).first(bytes_)};
  }
  groups_.clear();
  start(from.has_carry ? from.folded.data() : nullptr, !from.has_carry && !writes_output);
  if (!from.has_carry) push_groups(from.folded.data(), count_of(from.folded, bytes_));
  if (position != 0) copy_open(*this, position, from.open, bytes_);
}

void progress::save(state_data& s) {
  const std::uint64_t has_carry = carry() != nullptr ? 1 : 0;
  if (position() == 0 && has_carry == 0) return;
  std::vector<std::byte> image;
  const auto add = [&](const void* p, std::size_t size) {
    const auto* const first = static_cast<const std::byte*>(p);
    image.insert(image.end(), first, first + size);
  };
  add(&has_carry, sizeof has_carry);
  if (has_carry != 0)
    add(carry(), bytes_);
  else
    add(groups_.data(), groups_.size());
  visit_open(position(), [&](std::int64_t, const void* total) { add(total, bytes_); });
  s = {order1::version, what_.op.id, accumulator_of(what_.out), what_.direction, position(), image};
}

std::unique_ptr<progress> progress_of(const spec& what) {
  return with_operator(what, [&]<class Op>() -> std::unique_ptr<progress> {
    return std::make_unique<typed_progress<Op>>(what);
  });
}

void append_states(const spec& what, state_data& before, const state_data& next) {
  if (next.data.empty()) return;
  if (before.data.empty()) {
    before = next;
    return;
  }
  const std::size_t bytes = accumulator_bytes(what);
  if (before.position % order1::group(bytes) != 0)
    throw error(errc::invalid_argument, "before: position " + std::to_string(before.position) +
                                            " is no border of a group (" +
                                            std::to_string(order1::group(bytes)) + " elements)");
  const std::unique_ptr<progress> joined = progress_of(what);
  const arguments none;
  joined->begin({.args = none, .state = &before}, false);
  const parts from = parts_of(next, bytes);
  if (from.has_carry)
    throw error(errc::invalid_argument,
                "next: its groups are folded already; a range to append is made by aggregate from "
                "an empty state, without init");
  joined->push_groups(from.folded.data(), count_of(from.folded, bytes));
  copy_open(*joined, before.position + next.position, from.open, bytes);
  joined->save(before);
}

}  // namespace upsweep::detail
