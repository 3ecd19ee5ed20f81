// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/support/stage.hpp"

#include <cstring>

#include "tests/support/compare.hpp"
#include "tests/support/convert.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/random.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::testing {

namespace {

// Streams of a case, apart from each other.
enum : std::uint64_t { element_stream = 1, coefficient_stream = 2, init_stream = 3 };

purpose purpose_of(const spec& what) {
  const builtin op = what.op.id;
  return op == builtin::product || op == builtin::bit_and || op == builtin::logical_and
             ? purpose::factor
             : purpose::addend;
}

bool is_pair(const test_case& c) {
  return c.what.op.id == builtin::affine && c.what.affine == affine_form::pair;
}
bool is_split(const test_case& c) { return c.what.affine == affine_form::split; }

std::size_t element_bytes(type t, const test_case& c) { return size_of(t) * (is_pair(c) ? 2 : 1); }

std::size_t bytes_of(type t, const test_case& c, std::int64_t n) {
  return element_bytes(t, c) * static_cast<std::size_t>(n);
}

std::size_t offset_of(type t, std::int64_t elements) {
  return size_of(t) * static_cast<std::size_t>(elements);
}

void fill(const test_case& c, void* in, void* coefficients) {
  const std::uint64_t elements = random_bits(c.seed, element_stream);
  const std::uint64_t factors = random_bits(c.seed, coefficient_stream);
  const type t = c.what.in;
  if (is_pair(c)) {
    generate(t, c.data, purpose::coefficient, factors, c.length, in, 2);
    generate(t, c.data, purpose::addend, elements, c.length,
             static_cast<std::byte*>(in) + size_of(t), 2);
    return;
  }
  generate(t, c.data, purpose_of(c.what), elements, c.length, in);
  if (is_split(c)) generate(t, c.data, purpose::coefficient, factors, c.length, coefficients);
}

std::vector<std::byte> copy_of(const guarded& g) { return {g.bytes().begin(), g.bytes().end()}; }

bool equal(const guarded& g, const std::vector<std::byte>& before) {
  return std::ranges::equal(g.bytes(), before);
}

template <class T>
value scalar_or_pair(T first, T second, bool pair) {
  if constexpr (sizeof(T) <= 8)
    if (pair) return affine_pair<T>{first, second};
  return first;
}

}  // namespace

value init_of(const test_case& c) {
  if (!c.init) return {};
  const std::uint64_t seed = random_bits(c.seed, init_stream);
  const bool floats = c.what.out >= f16;
  // A narrower type converts without loss too.
  const type t = seed % 4 == 0 ? c.what.in : seed % 4 == 1 && floats ? i8 : c.what.out;
  return visit_type(t, [&]<class T>(T) -> value {
    T x[2];
    generate(t, c.data, purpose_of(c.what), seed, 2, x);
    return scalar_or_pair(x[0], x[1], is_pair(c));
  });
}

stage::stage(const test_case& c)
    : case_(c),
      init_(init_of(c)),
      in_(bytes_of(c.what.in, c, c.length), offset_of(c.what.in, c.in_offset)),
      coefficients_(is_split(c) ? bytes_of(c.what.in, c, c.length) : 0,
                    offset_of(c.what.in, c.out_offset)),
      out_(c.in_place ? 0 : bytes_of(c.what.out, c, c.length), offset_of(c.what.out, c.out_offset)),
      total_(element_bytes(c.what.out, c), offset_of(c.what.out, c.in_offset)),
      want_(bytes_of(c.what.out, c, c.length)),
      want_total_(element_bytes(c.what.out, c)) {
  fill(c, in_.data(), coefficients_.data());
  in_before_ = copy_of(in_);
  coefficients_before_ = copy_of(coefficients_);
  arguments a = whole();
  a.out = want_.data();
  a.total = want_total_.data();
  run_oracle(c.what, a);
}

arguments stage::part(std::int64_t first, std::int64_t n) {
  const auto at = [&](type t, std::byte* p) { return p + bytes_of(t, case_, first); };
  const bool starts = case_.what.direction == forward ? first == 0 : first + n == case_.length;
  arguments a;
  a.in = at(case_.what.in, in_.data());
  a.out = at(case_.what.out, case_.in_place ? in_.data() : out_.data());
  a.length = n;
  if (starts) a.init = init_;
  a.total = total_.data();
  if (is_split(case_)) a.coefficients = at(case_.what.in, coefficients_.data());
  return a;
}

std::optional<std::string> stage::wrong_results(const backend_info& backend) {
  const spec& what = case_.what;
  if (backend.role == role::production || is_exact(case_)) {
    // The sign of a zero that cancellation leaves depends on the order of a complex product.
    const bool signs_free = backend.role != role::production && what.out >= c64;
    const zeros z = signs_free ? zeros::equal : zeros::differ;
    if (auto d = first_difference(what, case_.length, out(), want_.data(), z)) return d;
    if (auto d = first_difference(what, 1, total_.data(), want_total_.data(), z))
      return "total: " + *d;
    return {};
  }
  arguments a = whole();
  a.in = in_before_.data();
  if (backend.role == role::reference) return outside_bound(what, a, serial_depth);
  return outside_bound(what, a, textbook_depth(backend.name, what), brackets::any);
}

std::optional<std::string> stage::problem(const backend_info& backend, bool results) {
  if (results)
    if (auto wrong = wrong_results(backend)) return wrong;
  if (!case_.in_place && !equal(in_, in_before_)) return "the input was changed";
  if (!equal(coefficients_, coefficients_before_)) return "the coefficients were changed";
  for (const guarded* g : arrays())
    if (!g->intact()) return "memory around an array was written";
  return {};
}

verdict run_case(const test_case& c, const backend_info& backend) {
  stage s(c);
  try {
    const plan_options o{.backend = backend.name, .threads = c.threads};
    if (c.one_shot)
      scan(c.what, s.whole(), o);
    else
      plan(c.what, {.length = c.length}, o).run(s.whole());
  } catch (const error& e) {
    return {e.code() == errc::unsupported ? verdict::refused : verdict::failed, e.what()};
  }
  if (auto problem = s.problem(backend)) return {verdict::failed, *problem};
  return {};
}

}  // namespace upsweep::testing
