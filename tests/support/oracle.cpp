// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/support/oracle.hpp"

#include <stdexcept>

#include "tests/support/convert.hpp"
#include "tests/support/operators.hpp"

namespace upsweep::testing {

namespace {

template <class V>
std::vector<V> load_all(type t, const void* p, std::int64_t n) {
  std::vector<V> values(static_cast<std::size_t>(n));
  visit_type(t, [&]<class T>(T sample) {
    const auto* from = static_cast<const char*>(p);
    for (V& v : values) {
      std::memcpy(&sample, from, sizeof sample);
      from += sizeof sample;
      v = to_value<V>(sample);
    }
  });
  return values;
}

template <class V>
void store_all(type t, const std::vector<V>& values, void* p) {
  visit_type(t, [&]<class T>(T) {
    if constexpr (storable<T, V>) {
      auto* to = static_cast<char*>(p);
      for (const V& v : values) {
        const T element = to_element<T>(v);
        std::memcpy(to, &element, sizeof element);
        to += sizeof element;
      }
    } else {
      throw std::logic_error("oracle: an output type without that accumulator");
    }
  });
}

template <class V>
struct results {
  std::vector<V> out;
  std::vector<V> total;  // one value
};

template <class Operator, class V = typename Operator::value>
results<V> scan(const spec& what, const units& u, const std::vector<V>& x, std::optional<V> init,
                V identity) {
  oracle<Operator> o(u, init);
  results<V> r{x, {}};
  for (std::size_t j = 0; j < x.size(); ++j) {
    const std::size_t i = what.direction == reverse ? x.size() - 1 - j : j;
    if (what.kind == exclusive) r.out[i] = o.prefix().value_or(identity);
    o.push(x[i]);
    if (what.kind == inclusive) r.out[i] = *o.prefix();
  }
  r.total = {o.prefix().value_or(identity)};
  return r;
}

template <class Operator, class V = typename Operator::value>
void run_plain(const spec& what, const arguments& a, const units& u,
               std::type_identity_t<V> identity) {
  auto x = load_all<V>(what.in, a.in, a.length);
  std::optional<V> init;
  if (a.init.has_value()) init = load<V>(a.init.type(), a.init.data(), 0);
  if (what.op.id == builtin::logical_and || what.op.id == builtin::logical_or) {
    for (V& v : x) v = v != V{0} ? V{1} : V{0};
    if (init) init = *init != V{0} ? V{1} : V{0};
  }
  const auto r = scan<Operator>(what, u, x, init, identity);
  if (a.out != nullptr) store_all(what.out, r.out, a.out);
  if (a.total != nullptr) store_all(what.out, r.total, a.total);
}

template <class T>
std::vector<T> scalars(const std::vector<map_of<T>>& maps, affine_form form) {
  std::vector<T> s;
  s.reserve(2 * maps.size());
  for (const map_of<T>& m : maps) {
    if (form == affine_form::pair) s.push_back(m.b);
    s.push_back(m.v);
  }
  return s;
}

template <class T>
void run_affine(const spec& what, const arguments& a, const units& u) {
  const bool pair = what.affine == affine_form::pair;
  const std::int64_t n = a.length;
  const auto in = load_all<T>(what.in, a.in, pair ? 2 * n : n);
  const auto coefficients = pair ? in : load_all<T>(what.in, a.coefficients, n);
  std::vector<map_of<T>> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = pair ? map_of<T>{in[2 * i], in[2 * i + 1]} : map_of<T>{coefficients[i], in[i]};
  std::optional<map_of<T>> init;
  if (a.init.has_value()) {
    const auto first = load<T>(a.init.type(), a.init.data(), 0);
    init = pair ? map_of<T>{first, load<T>(a.init.type(), a.init.data(), 1)} : map_of<T>{1, first};
  }
  const auto r = scan<compose<T>>(what, u, x, init, map_of<T>{1, 0});
  if (a.out != nullptr) store_all(what.out, scalars(r.out, what.affine), a.out);
  if (a.total != nullptr) store_all(what.out, scalars(r.total, what.affine), a.total);
}

void run_integer(const spec& what, const arguments& a, const units& u) {
  const bool is_signed = what.out == i8 || what.out == i16 || what.out == i32 || what.out == i64;
  const int bits = static_cast<int>(8 * size_of(what.out));
  const auto top = ~std::uint64_t{0} >> (64 - bits);  // the greatest unsigned value
  const auto signed_top = static_cast<std::int64_t>(top >> 1);
  switch (what.op.id) {
    case builtin::sum: return run_plain<add<std::uint64_t>>(what, a, u, 0);
    case builtin::product: return run_plain<multiply<std::uint64_t>>(what, a, u, 1);
    case builtin::minimum:
      return is_signed ? run_plain<least<std::int64_t>>(what, a, u, signed_top)
                       : run_plain<least<std::uint64_t>>(what, a, u, top);
    case builtin::maximum:
      return is_signed ? run_plain<greatest<std::int64_t>>(what, a, u, -signed_top - 1)
                       : run_plain<greatest<std::uint64_t>>(what, a, u, 0);
    case builtin::bit_and: return run_plain<and_bits>(what, a, u, top);
    case builtin::bit_or: return run_plain<or_bits>(what, a, u, 0);
    case builtin::bit_xor: return run_plain<xor_bits>(what, a, u, 0);
    case builtin::logical_and: return run_plain<and_bits>(what, a, u, 1);
    case builtin::logical_or: return run_plain<or_bits>(what, a, u, 0);
    default: throw std::logic_error("oracle: no such integer scan");
  }
}

template <class T>
void run_real(const spec& what, const arguments& a, const units& u) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  switch (what.op.id) {
    case builtin::sum: return run_plain<add<T>>(what, a, u, 0);
    case builtin::product: return run_plain<multiply<T>>(what, a, u, 1);
    case builtin::minimum: return run_plain<least<T>>(what, a, u, infinity);
    case builtin::maximum: return run_plain<greatest<T>>(what, a, u, -infinity);
    default: throw std::logic_error("oracle: no such float scan");
  }
}

template <class T>
void run_complex(const spec& what, const arguments& a, const units& u) {
  using value = std::complex<T>;
  if (what.op.id == builtin::sum) return run_plain<add<value>>(what, a, u, value(0, 0));
  if (what.op.id == builtin::product) return run_plain<multiply<value>>(what, a, u, value(1, 0));
  throw std::logic_error("oracle: no such complex scan");
}

}  // namespace

std::size_t accumulator_bytes(const spec& what) {
  const std::size_t scalar = what.out == f16 || what.out == bf16 ? 4 : size_of(what.out);
  return what.op.id == builtin::affine ? 2 * scalar : scalar;
}

void run_oracle(const spec& what, const arguments& a) {
  run_oracle(what, a, units::of(accumulator_bytes(what)));
}

void run_oracle(const spec& what, const arguments& a, const units& u) {
  if (what.op.id == builtin::affine) {
    if (what.out == u32) return run_affine<std::uint32_t>(what, a, u);
    if (what.out == f32) return run_affine<float>(what, a, u);
    if (what.out == f64) return run_affine<double>(what, a, u);
    throw std::logic_error("oracle: no such affine scan");
  }
  switch (what.out) {
    case f16:
    case bf16:
    case f32: return run_real<float>(what, a, u);
    case f64: return run_real<double>(what, a, u);
    case c64: return run_complex<float>(what, a, u);
    case c128: return run_complex<double>(what, a, u);
    case user: throw std::logic_error("oracle: no user types");
    default: return run_integer(what, a, u);
  }
}

}  // namespace upsweep::testing
