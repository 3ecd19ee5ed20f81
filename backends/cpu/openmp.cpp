// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cpu.openmp: order 1 by SIMD kernels and OpenMP threads.
#include "backends/cpu/cpu.hpp"
#include "backends/cpu/engine.hpp"
#include "backends/cpu/simd.hpp"
#include "backends/cpu/streaming.hpp"
#include "upsweep/detail/elements.hpp"
#include "upsweep/detail/progress.hpp"

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
    progress<Op> p = start(r);
    p.fold_groups();
    engine_.scan(elements(r.args), r.args.length, what_.kind == kind::exclusive, p.at);
    finish(r, p);
  }

  void aggregate(const detail::request& r) override {
    progress<Op> p = start(r);
    p.list_groups();
    engine_.skip(elements(r.args), r.args.length, p.at);
    finish(r, p);
  }

  void append(detail::state_data& before, const detail::state_data& next) const override {
    progress<Op>::append(before, next, what_);
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

  static progress<Op> start(const detail::request& r) {
    detail::refuse_init_device(r, "CPU backends");
    return progress<Op>(r);
  }

  void finish(const detail::request& r, const progress<Op>& p) const {
    if (r.args.total != nullptr) write_total_(r.args.total, 0, p.whole().value_or(Op::identity()));
    if (r.state != nullptr) p.save(*r.state, what_);
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
