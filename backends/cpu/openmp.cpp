// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cpu.openmp: order 1 by SIMD kernels and OpenMP threads.
#include "backends/cpu/cpu.hpp"
#include "backends/cpu/elements.hpp"
#include "backends/cpu/engine.hpp"
#include "backends/cpu/simd.hpp"
#include "backends/cpu/streaming.hpp"

namespace upsweep::cpu {

namespace {

template <class A>
using loader = void (*)(const arguments&, std::int64_t, std::int64_t, A*);
template <class A>
using storer = void (*)(const arguments&, std::int64_t, std::int64_t, const A*);

template <class A, class In, shape Shape, bool Reverse>
void load(const arguments& a, std::int64_t first, std::int64_t count, A* to) {
  for (std::int64_t k = 0; k < count; ++k)
    to[k] = read<A, In, Shape>(a, Reverse ? a.length - 1 - (first + k) : first + k);
}

template <class A, class Out, shape Shape, bool Reverse>
void store(const arguments& a, std::int64_t first, std::int64_t count, const A* from) {
  for (std::int64_t k = 0; k < count; ++k)
    write<A, Out, Shape>(a.out, Reverse ? a.length - 1 - (first + k) : first + k, from[k]);
}

// Direct: the input holds accumulators in scan order, so that what is read next is known.
template <class A, bool Direct>
void store_past_caches(const arguments& a, std::int64_t first, std::int64_t count, const A* from) {
  const std::size_t done = static_cast<std::size_t>(first) * sizeof(A);
  constexpr std::size_t ahead = 12 << 10;  // more than kernels prefetch themselves
  const auto next = reinterpret_cast<std::uintptr_t>(a.in) + done + ahead;
  stream_copy(static_cast<std::byte*>(a.out) + done, from,
              static_cast<std::size_t>(count) * sizeof(A),
              Direct ? reinterpret_cast<const void*>(next) : nullptr);
}

// nullptr where the caller's array already holds accumulators in scan order.
template <class A>
loader<A> choose_loader(const spec& what) {
  using S = typename scalar_of<A>::type;
  const bool reverse = what.direction == direction::reverse;
  return with_input<A>(what, [&]<class In, shape Shape>() -> loader<A> {
    constexpr bool same =
        std::is_same_v<In, S> || (std::is_integral_v<In> && sizeof(In) == sizeof(S));
    if (reverse) return load<A, In, Shape, true>;
    if constexpr (same && (Shape == shape::plain || Shape == shape::pair))
      return nullptr;
    else
      return load<A, In, Shape, false>;
  });
}

template <class A>
storer<A> choose_storer(const spec& what) {
  using S = typename scalar_of<A>::type;
  const bool reverse = what.direction == direction::reverse;
  return with_output<A>(what.out, [&]<class Out>() {
    return with_shape<A>(shape_of(what), [&]<shape Shape>() -> storer<A> {
      if (reverse) return store<A, Out, Shape, true>;
      if constexpr (std::is_same_v<Out, S> && (Shape == shape::plain || Shape == shape::pair))
        return nullptr;
      else
        return store<A, Out, Shape, false>;
    });
  });
}

template <class Op>
class openmp_plan final : public detail::plan_impl {
  using T = typename Op::value;

 public:
  openmp_plan(const spec& what, const extents& at_most, const plan_options& options)
      : what_(what),
        load_(choose_loader<T>(what)),
        store_(choose_storer<T>(what)),
        write_total_(choose_writer<T>(what)),
        engine_(simd_kernel<Op>(choose_simd_target()), make_policy(options.threads),
                at_most.length) {}

  void run(const detail::request& r) override {
    std::vector<T> groups;
    odometer<Op> at = start(r, groups);
    for (const T& g : groups) at.fold_group(g);
    groups.clear();
    engine_.scan(elements(r.args), r.args.length, what_.kind == kind::exclusive, at);
    finish(r, at, groups);
  }

  void aggregate(const detail::request& r) override {
    std::vector<T> groups;
    odometer<Op> at = start(r, groups);
    if (!at.carry()) at.groups = &groups;
    engine_.skip(elements(r.args), r.args.length, at);
    finish(r, at, groups);
  }

  void append(detail::state_data& before, const detail::state_data& next) const override {
    if (next.data.empty()) return;
    if (before.data.empty()) {
      before = next;
      return;
    }
    if (before.position % odometer<Op>::group != 0)
      throw error(errc::invalid_argument, "before: position " + std::to_string(before.position) +
                                              " is no border of a group (" +
                                              std::to_string(odometer<Op>::group) + " elements)");
    std::vector<T> groups, next_groups, open;
    odometer<Op> at = state_image<Op>::restore(before.data, before.position, groups);
    odometer<Op> later = state_image<Op>::restore(next.data, next.position, next_groups);
    if (later.carry())
      throw error(
          errc::invalid_argument,
          "next: its groups are folded already; a range to append is made by aggregate from "
          "an empty state, without init");
    if (!at.carry()) at.groups = &groups;
    for (const T& g : next_groups) at.groups != nullptr ? groups.push_back(g) : at.fold_group(g);
    later.visit_open(next.position, [&](const T& total) { open.push_back(total); });
    auto value = open.begin();
    at.visit_open(before.position + next.position, [&](T& total) { total = *value++; });
    save(before, at, groups);
  }

  std::string policy() const override {
    return std::string(engine_.which().target) + ", " + engine_.how().text();
  }

 private:
  stream<T> elements(const arguments& a) const {
    stream<T> s{a, load_ == nullptr ? static_cast<const T*>(a.in) : nullptr,
                store_ == nullptr ? static_cast<T*>(a.out) : nullptr, load_, store_};
    const auto bytes = a.length * static_cast<std::int64_t>(size_of(what_.in) + sizeof(T));
    if (s.out != nullptr && a.in != a.out && bytes >= engine_.how().stream_stores_from) {
      s.out = nullptr;
      s.store = s.in != nullptr ? store_past_caches<T, true> : store_past_caches<T, false>;
    }
    return s;
  }

  static odometer<Op> start(const detail::request& r, std::vector<T>& groups) {
    detail::refuse_init_device(r, "CPU backends");
    if (r.state != nullptr && !r.state->data.empty()) {
      if (r.state->order != order1::version)
        throw error(errc::invalid_argument,
                    "state: it was not made in order " + std::to_string(order1::version));
      return state_image<Op>::restore(r.state->data, r.state->position, groups);
    }
    odometer<Op> at;
    if (r.has_init) {
      T init;
      std::memcpy(&init, r.init.data(), sizeof init);
      at.set_carry(init);
    }
    return at;
  }

  void finish(const detail::request& r, const odometer<Op>& at,
              const std::vector<T>& groups) const {
    if (r.args.total != nullptr) {
      const detail::fp_environment ieee;
      odometer<Op> whole = at;
      for (const T& g : groups) whole.fold_group(g);
      write_total_(r.args.total, 0, whole.prefix().value_or(Op::identity()));
    }
    if (r.state != nullptr) save(*r.state, at, groups);
  }

  void save(detail::state_data& s, const odometer<Op>& at, const std::vector<T>& groups) const {
    if (at.position() == 0 && !at.carry()) return;
    s = {order1::version, what_.op.id,   accumulator_of(what_.out),
         what_.direction, at.position(), state_image<Op>::save(at, groups)};
  }

  spec what_;
  loader<T> load_;
  storer<T> store_;
  writer<T> write_total_;
  engine<Op> engine_;
};

class openmp_backend final : public detail::backend {
 public:
  detail::availability probe() const override { return {true}; }

  std::string refusal(const spec&, const extents&, memory where) const override {
    return where == memory::device ? "it scans host memory" : "";
  }

  std::unique_ptr<detail::plan_impl> make_plan(const spec& what, const extents& at_most,
                                               const plan_options& options) const override {
    return with_operator(what, [&]<class Op>() -> std::unique_ptr<detail::plan_impl> {
      return std::make_unique<openmp_plan<Op>>(what, at_most, options);
    });
  }
};

}  // namespace

const detail::backend& openmp() {
  static const openmp_backend b;
  return b;
}

}  // namespace upsweep::cpu
