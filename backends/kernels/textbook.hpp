// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_TEXTBOOK_HPP
#define UPSWEEP_KERNELS_TEXTBOOK_HPP

// The host's handle on a textbook algorithm, for backends/cuda and backends/simt alike. An
// algorithm is a class template over an operator (backends/kernels/grid/):
//
// clang-format off
//   template <class Op> struct algorithm {
//     static constexpr int default_threads;         // a block's, where the caller has no wish
//     static std::int64_t max_length(int threads);  // what it serves at most
//     static std::size_t workspace_bytes(std::int64_t n, int threads);
//     static void run(stream, const scan<Op>&, workspace, int threads);  // n > 0
//   };
// clang-format on
//
// For an operator that it leaves out, the class has nothing but `static constexpr std::string_view
// refusal`, the words that say so.
//
// The workspace is zeroed once, when it is made; each run leaves it fit for the next, of any length
// up to the n that it was made for and of as many threads.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "in_build.hpp"
#include "operators.hpp"
#include "runner.hpp"
#include "scan.hpp"
#include "upsweep/spec.hpp"
#include "workspace.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// An algorithm for one operator.
struct textbook {
  int default_threads = 0;
  std::int64_t (*max_length)(int threads) = nullptr;
  std::size_t (*workspace_bytes)(std::int64_t n, int threads) = nullptr;
  void (*run)(stream on, const spec& variant, const call& c, workspace space,
              int threads) = nullptr;
  void (*first)(void* value) = nullptr;  // the total of no elements without init
  std::string_view refusal =
      {};  // of the operator, by a build or an algorithm: nothing else is there
};

template <template <class> class Algorithm, class Op>
const textbook& textbook_of() {
  using A = Algorithm<Op>;
  if constexpr (!in_build<Op>) {
    static constexpr textbook entry{.refusal = no_kernel};
    return entry;
  } else if constexpr (requires { A::refusal; }) {
    static constexpr textbook entry{.refusal = A::refusal};
    return entry;
  } else {
    static constexpr textbook entry{
        A::default_threads, A::max_length, A::workspace_bytes,
        [](stream on, const spec& variant, const call& c, workspace space, int threads) {
          using T = typename Op::value;
          scan<Op> what;
          what.in = {static_cast<const T*>(c.in), c.n};
          what.out = {static_cast<T*>(c.out), c.n};
          what.total = {static_cast<T*>(c.total), c.total != nullptr ? 1 : 0};
          what.exclusive = variant.kind == kind::exclusive;
          what.reverse = variant.direction == direction::reverse;
          what.has_init = c.init != nullptr;
          if (what.has_init) std::memcpy(&what.init, c.init, sizeof(T));
          A::run(on, what, space, threads);
        },
        [](void* value) {
          const typename Op::value first = Op::first();
          std::memcpy(value, &first, sizeof first);
        }};
    return entry;
  }
}

class textbook_runner final : public runner {
 public:
  // By blocks of so many threads; 0: the default.
  textbook_runner(const textbook& algorithm, const spec& what, std::int64_t n, int threads)
      : algorithm_(algorithm),
        what_(what),
        n_(n),
        threads_(threads != 0 ? threads : algorithm.default_threads) {}

  std::size_t workspace_bytes() const override { return algorithm_.workspace_bytes(n_, threads_); }

  void run(stream on, const call& c, void* space) override {
    algorithm_.run(on, what_, c, workspace(space, n_), threads_);
  }

  void total_of_none(const void* init, void* total) const override {
    if (init != nullptr)
      std::memcpy(total, init, element_bytes(what_, what_.out));
    else
      algorithm_.first(total);
  }

  bool serves_init_device() const override { return false; }

  std::string policy(std::string_view threads) const override {
    if (threads_ == 0) return "blocks of its choice";
    return "blocks of " + std::to_string(threads_) + ' ' + std::string(threads);
  }

 private:
  const textbook& algorithm_;
  spec what_;
  std::int64_t n_;
  int threads_;
};

// The words of a refusal by every textbook algorithm, or nothing.
inline std::string textbook_refusal(const spec& what) {
  const auto served = [](type t) {
    return t == i32 || t == u32 || t == i64 || t == f32 || t == f64;
  };
  if (what.layout != layout::flat) return "it serves flat scans only";
  if (what.accuracy != accuracy::ordered) return "it has no compensated sums";
  if (what.in != what.out) return "it serves scans whose input and output have one type";
  switch (what.op.id) {
    case builtin::none:
    case builtin::logical_and:
    case builtin::logical_or:
    case builtin::log_add_exp:
      return "it serves sum, product, minimum, maximum, bit_and, bit_or, bit_xor and affine only";
    case builtin::affine:
      if (what.in != f32 || what.affine != affine_form::pair)
        return "it serves affine scans of f32 pairs only";
      return "";
    default:
      if (!served(what.in)) return "it serves i32, u32, i64, f32 and f64 only";
      return "";
  }
}

// The algorithm for the operator of a spec that is valid and not refused. Signed integers run the
// unsigned kernels where both give the same bits.
template <template <class> class Algorithm>
const textbook& textbook_for(const spec& what) {
  const auto by_width = [&]<template <class> class Op>() -> const textbook& {
    return size_of(what.out) == 4 ? textbook_of<Algorithm, Op<std::uint32_t>>()
                                  : textbook_of<Algorithm, Op<std::uint64_t>>();
  };
  const auto arithmetic = [&]<template <class> class Op>() -> const textbook& {
    if (what.out == f32) return textbook_of<Algorithm, Op<float>>();
    if (what.out == f64) return textbook_of<Algorithm, Op<double>>();
    return by_width.template operator()<Op>();
  };
  const auto ordered = [&]<template <class> class Op>() -> const textbook& {
    if (what.out == i32) return textbook_of<Algorithm, Op<std::int32_t>>();
    if (what.out == i64) return textbook_of<Algorithm, Op<std::int64_t>>();
    if (what.out == f32) return textbook_of<Algorithm, Op<float>>();
    if (what.out == f64) return textbook_of<Algorithm, Op<double>>();
    return textbook_of<Algorithm, Op<std::uint32_t>>();
  };
  switch (what.op.id) {
    case builtin::product: return arithmetic.template operator()<product_op>();
    case builtin::minimum: return ordered.template operator()<minimum_op>();
    case builtin::maximum: return ordered.template operator()<maximum_op>();
    case builtin::bit_and: return by_width.template operator()<and_op>();
    case builtin::bit_or: return by_width.template operator()<or_op>();
    case builtin::bit_xor: return by_width.template operator()<xor_op>();
    case builtin::affine: return textbook_of<Algorithm, affine_op<float>>();
    default: return arithmetic.template operator()<sum_op>();
  }
}

// An algorithm under the name of a backend, for each operator that it serves.
struct textbook_entry {
  std::string_view name;
  const textbook& (*algorithm)(const spec& what);

  // Why it does not serve scans of up to n elements by blocks of so many threads (0: the default),
  // or nothing. The length of a naive scan is limited, since its work is the square, but not
  // against a person's will.
  std::string refusal(const spec& what, std::int64_t n, int threads = 0) const {
    if (std::string words = textbook_refusal(what); !words.empty()) return words;
    const textbook& t = algorithm(what);
    if (!t.refusal.empty()) return std::string(t.refusal);
    const bool naive = name.ends_with(".naive");
    const char* const asked = naive ? std::getenv("UPSWEEP_NAIVE_LENGTH") : nullptr;
    std::int64_t most = t.max_length(threads != 0 ? threads : t.default_threads);
    if (asked != nullptr) {
      const char* const end = asked + std::strlen(asked);
      const auto [stop, status] = std::from_chars(asked, end, most);
      if (status != std::errc{} || stop != end)
        return "UPSWEEP_NAIVE_LENGTH is '" + std::string(asked) + "', which is no length";
    }
    if (n <= most) return "";
    return "it serves at most " + std::to_string(most) + " elements, not " + std::to_string(n) +
           (naive ? ", since its work is their square (UPSWEEP_NAIVE_LENGTH sets the limit)" : "");
  }

  std::unique_ptr<runner> make(const spec& what, std::int64_t n, int threads = 0) const {
    return std::make_unique<textbook_runner>(algorithm(what), what, n, threads);
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
