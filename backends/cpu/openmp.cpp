// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cpu.openmp: order 1 by SIMD kernels and OpenMP threads.
#include "backends/cpu/cpu.hpp"
#include "backends/cpu/engine.hpp"
#include "backends/cpu/fetch.hpp"
#include "backends/cpu/simd.hpp"
#include "upsweep/detail/elements.hpp"
#include "upsweep/detail/progress.hpp"

namespace upsweep::cpu {

namespace {

template <class A, class In, shape Shape, bool Reverse>
void load(const arguments& a, std::int64_t first, std::int64_t count, void* to) {
  auto* x = static_cast<A*>(to);
  for (std::int64_t k = 0; k < count; ++k)
    x[k] = read<A, In, Shape>(a, Reverse ? a.length - 1 - (first + k) : first + k);
}

template <class A, class Out, shape Shape, bool Reverse>
void store(const arguments& a, std::int64_t first, std::int64_t count, const void* from) {
  const auto* x = static_cast<const A*>(from);
  for (std::int64_t k = 0; k < count; ++k)
    write<A, Out, Shape>(a.out, Reverse ? a.length - 1 - (first + k) : first + k, x[k]);
}

// nullptr where the caller's array already holds accumulators in scan order.
template <class A>
loader choose_loader(const spec& what) {
  using S = typename scalar_of<A>::type;
  const bool reverse = what.direction == direction::reverse;
  return with_input<A>(what, [&]<class In, shape Shape>() -> loader {
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
storer choose_storer(const spec& what) {
  using S = typename scalar_of<A>::type;
  const bool reverse = what.direction == direction::reverse;
  return with_output<A>(what.out, [&]<class Out>() {
    return with_shape<A>(shape_of(what), [&]<shape Shape>() -> storer {
      if (reverse) return store<A, Out, Shape, true>;
      if constexpr (std::is_same_v<Out, S> && (Shape == shape::plain || Shape == shape::pair))
        return nullptr;
      else
        return store<A, Out, Shape, false>;
    });
  });
}

// The arrays of a run, as kernels reach them.
template <class T>
class caller_arrays {
 public:
  caller_arrays(const spec& what, simd_target target)
      : with_(simd_access(target, what)),
        bytes_(static_cast<std::int64_t>(size_of(what.in) + size_of(what.out)) *
               static_cast<std::int64_t>(sizeof(T) / size_of(accumulator_of(what.out)))) {
    if (with_.load == nullptr) with_.load = with_.load_far = choose_loader<T>(what);
    if (with_.store == nullptr) with_.store = with_.store_far = choose_storer<T>(what);
  }

  stream<T> operator()(const arguments& a, const policy& how) const {
    stream<T> s{a, with_.load == nullptr ? static_cast<const T*>(a.in) : nullptr,
                with_.store == nullptr ? static_cast<T*>(a.out) : nullptr, with_.load, with_.store};
    if (a.length * bytes_ >= how.stream_stores_from) {
      s.ahead = fetcher::granule / static_cast<std::int64_t>(sizeof(T));
      s.load = with_.load_far;
      s.past_caches = a.in != a.out;
      if (s.past_caches) s.store = with_.store_far;
    }
    return s;
  }

 private:
  access with_;         // its nullptr: straight
  std::int64_t bytes_;  // that an element moves
};

void begin(progress& p, const detail::request& r, bool writes_output) {
  detail::refuse_init_device(r, "CPU backends");
  p.begin(r, writes_output);
}

void finish(progress& p, const detail::request& r) {
  if (r.args.total != nullptr) p.write_total(r.args.total);
  if (r.state != nullptr) p.save(*r.state);
}

std::string described(const char* target, const policy& how) {
  return std::string(target) + ", " + how.text();
}

template <class Op>
class openmp_plan final : public detail::plan_impl {
  using T = typename Op::value;

 public:
  openmp_plan(const spec& what, const extents& at_most, const plan_options& options)
      : what_(what),
        arrays_(what, choose_simd_target()),
        progress_(progress_of(what)),
        at_(*static_cast<odometer<Op>*>(progress_->at())),
        engine_(simd_kernel<Op>(choose_simd_target()), make_policy(options.threads),
                at_most.length) {}

  void run(const detail::request& r) override {
    begin(*progress_, r, true);
    engine_.scan(arrays_(r.args, engine_.how()), r.args.length, what_.kind == kind::exclusive, at_);
    finish(*progress_, r);
  }

  void aggregate(const detail::request& r) override {
    begin(*progress_, r, false);
    engine_.skip(arrays_(r.args, engine_.how()), r.args.length, at_);
    finish(*progress_, r);
  }

  void append(detail::state_data& before, const detail::state_data& next) const override {
    append_states(what_, before, next);
  }

  std::string policy() const override { return described(engine_.which().target, engine_.how()); }

 private:
  spec what_;
  caller_arrays<T> arrays_;
  std::unique_ptr<progress> progress_;
  odometer<Op>& at_;
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
