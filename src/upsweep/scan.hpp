// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_SCAN_HPP
#define UPSWEEP_SCAN_HPP

#include <concepts>
#include <cstdint>
#include <ranges>
#include <string>
#include <type_traits>

#include "upsweep/error.hpp"
#include "upsweep/export.hpp"
#include "upsweep/plan.hpp"
#include "upsweep/spec.hpp"

namespace upsweep {

// What a one-shot call may be told beside its operator.
struct options {
  std::string_view backend{};  // a name, a family, "auto"; empty: UPSWEEP_BACKEND, else auto
  value init{};                // the prefix before element 0
  upsweep::direction direction = direction::forward;
  // CPU threads at most, and no more than a CPU quota allows; 0: as OpenMP would choose at each
  // run, one inside a parallel region.
  int threads = 0;
  void* stream = nullptr;  // cudaStream_t, for device memory
};

// One scan through a cached plan; complete when it returns. It looks where the arrays are: in host
// memory (page-locked, too), or in that of the current device (managed, too). A total may be in
// host memory in any case. `memory = device` refuses arrays in host memory. Everything below is a
// typed front of it. Errors: those of plan::plan and plan::run, and invalid_argument for arrays in
// several places, for a device that is not current, and for a stream that is being captured.
UPSWEEP_API void scan(const spec& what, const arguments& a, const plan_options& o = {});

// A contiguous range of elements that the library knows; what an output must be.
template <class R>
concept input_array = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    scannable<std::ranges::range_value_t<R>>;
template <class R>
concept output_array =
    input_array<R> && std::is_lvalue_reference_v<std::ranges::range_reference_t<R>> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

template <class Op>
concept builtin_operator = requires {
  { Op::id } -> std::convertible_to<builtin>;
};

namespace detail {

template <class In, class Out, class Op>
constexpr void check_operator() {
  constexpr bool integers = std::is_integral_v<In> && std::is_integral_v<Out>;
  constexpr bool logical = Op::id == builtin::logical_and || Op::id == builtin::logical_or;
  constexpr bool bitwise =
      Op::id == builtin::bit_and || Op::id == builtin::bit_or || Op::id == builtin::bit_xor;
  static_assert(!(logical || bitwise) || integers,
                "upsweep: bit and logical operators need integer input and output");
  static_assert(logical || !std::is_same_v<Out, bool>,
                "upsweep: bool output needs logical_and or logical_or; count flags into integers");
  static_assert((Op::id == builtin::affine) == is_affine_pair<Out> &&
                    (Op::id == builtin::affine) == is_affine_pair<In>,
                "upsweep: the affine operator needs ranges of affine_pair, and they need it");
  constexpr type out = type_of<Out>;
  static_assert(Op::id != builtin::affine || out == u32 || out == f32 || out == f64,
                "upsweep: the affine operator serves u32, f32 and f64");
  static_assert(Op::id != builtin::log_add_exp || out == f32 || out == f64,
                "upsweep: log_add_exp serves f32 and f64");
  static_assert(
      (Op::id != builtin::minimum && Op::id != builtin::maximum) || !facts_of(out).complex,
      "upsweep: minimum and maximum need ordered values; complex numbers have no order");
  static_assert(represents(out, type_of<In>),
                "upsweep: the output type cannot represent every value of the input type");
}

template <class In, class Out>
std::int64_t common_length(const In& in, const Out& out, const char* name = "in") {
  const auto n = static_cast<std::int64_t>(std::ranges::size(in));
  const auto m = static_cast<std::int64_t>(std::ranges::size(out));
  if (n != m)
    throw error(errc::invalid_argument, "out: its length " + std::to_string(m) + " differs from " +
                                            name + "'s length " + std::to_string(n));
  return n;
}

template <class In, class Out, class Op>
std::ranges::range_value_t<Out> scan_arrays(const In& in, Out& out, kind k, const options& o) {
  using in_value = std::ranges::range_value_t<In>;
  using out_value = std::ranges::range_value_t<Out>;
  check_operator<in_value, out_value, Op>();
  out_value total{};
  scan({.in = type_of<in_value>,
        .out = type_of<out_value>,
        .op = Op{},
        .kind = k,
        .direction = o.direction},
       {.in = std::ranges::data(in),
        .out = std::ranges::data(out),
        .length = common_length(in, out),
        .init = o.init,
        .total = &total,
        .stream = o.stream},
       {.backend = o.backend, .threads = o.threads});
  return total;
}

}  // namespace detail

// out[i] = init op in[0] op ... op in[i]. Arrays of one length n, which may be the same array if
// their elements have one size, and may be spans of device memory. Returns the total: init combined
// with all elements (for n = 0 init, or the operator's identity). O(n) work. Errors: those of scan,
// and invalid_argument for lengths that differ; `out` is then untouched.
template <input_array In, output_array Out, builtin_operator Op = sum>
std::ranges::range_value_t<Out> inclusive_scan(const In& in, Out&& out, Op = {},
                                               const options& o = {}) {
  return detail::scan_arrays<In, Out, Op>(in, out, kind::inclusive, o);
}

// out[i] = init op in[0] op ... op in[i-1]; out[0] is init, or the operator's identity.
// Otherwise as inclusive_scan.
template <input_array In, output_array Out, builtin_operator Op = sum>
std::ranges::range_value_t<Out> exclusive_scan(const In& in, Out&& out, Op = {},
                                               const options& o = {}) {
  return detail::scan_arrays<In, Out, Op>(in, out, kind::exclusive, o);
}

// h[i] = b[i] * h[i-1] + v[i], with h[-1] = init (none: h[0] = v[0]). Arrays of one length; `h` may
// be `v`. Returns the last h (for n = 0 init, or 0). The split form of the affine operator; scalars
// are u32, f32 or f64 in `h`. Errors: as inclusive_scan.
template <input_array B, input_array V, output_array H>
std::ranges::range_value_t<H> linear_recurrence(const B& b, const V& v, H&& h,
                                                const options& o = {}) {
  using in_value = std::ranges::range_value_t<V>;
  using out_value = std::ranges::range_value_t<H>;
  static_assert(std::is_same_v<std::ranges::range_value_t<B>, in_value>,
                "upsweep: coefficients and offsets of a recurrence must have one type");
  static_assert(represents(type_of<out_value>, type_of<in_value>),
                "upsweep: the output type cannot represent every value of the input type");
  out_value total{};
  detail::common_length(b, h, "b");
  scan({.in = type_of<in_value>,
        .out = type_of<out_value>,
        .op = affine{},
        .direction = o.direction,
        .affine = affine_form::split},
       {.in = std::ranges::data(v),
        .out = std::ranges::data(h),
        .length = detail::common_length(v, h, "v"),
        .init = o.init,
        .total = &total,
        .coefficients = std::ranges::data(b),
        .stream = o.stream},
       {.backend = o.backend, .threads = o.threads});
  return total;
}

}  // namespace upsweep

#endif
