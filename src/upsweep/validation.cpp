// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/detail/validation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>

#include "upsweep/detail/fp_environment.hpp"

namespace upsweep::detail {

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw error(errc::invalid_argument, message);
}
[[noreturn]] void not_served(const std::string& message) {
  throw error(errc::unsupported, message);
}

std::string text(std::string_view s) { return std::string(s); }

template <class E>
void check_enum(E e, E last, const char* argument) {
  if (e > last)
    refuse(std::string(argument) + ": " + std::to_string(static_cast<unsigned>(e)) +
           " is not a value of its enumeration");
}

bool is_integer(type t) { return facts_of(t).integer; }
bool is_complex(type t) { return facts_of(t).complex; }

// The types an operator is defined on, in words; empty if `out` is one of them.
std::string operator_domain(builtin op, type out) {
  switch (op) {
    case builtin::sum:
    case builtin::product: return {};
    case builtin::minimum:
    case builtin::maximum: return is_complex(out) ? "types with an order (not complex)" : "";
    case builtin::bit_and:
    case builtin::bit_or:
    case builtin::bit_xor:
    case builtin::logical_and:
    case builtin::logical_or: return is_integer(out) ? "" : "integers";
    case builtin::affine:
      return out == type::u32 || out == type::f32 || out == type::f64 ? "" : "u32, f32 and f64";
    case builtin::log_add_exp: return out == type::f32 || out == type::f64 ? "" : "f32 and f64";
    case builtin::none: break;
  }
  return {};
}

void validate_user_operator(const spec& what) {
  const operator_descriptor& op = what.op;
  if (op.size == 0) refuse("op.size: 0 bytes; a user operator needs the size of its values");
  if (!std::has_single_bit(op.alignment))
    refuse("op.alignment: " + std::to_string(op.alignment) + " is not a power of two");
  if (op.size % op.alignment != 0)
    refuse("op.size: " + std::to_string(op.size) + " is not a multiple of op.alignment " +
           std::to_string(op.alignment));
  if (!op.identity.empty() && op.identity.size() != op.size)
    refuse("op.identity: " + std::to_string(op.identity.size()) + " bytes, not op.size " +
           std::to_string(op.size));
  if (op.combine == nullptr && op.source.empty())
    refuse("op: a user operator needs a callback (combine) or source text (source)");
  if (what.in != type::user || what.out != type::user)
    refuse("in, out: " + text(name_of(what.in)) + ", " + text(name_of(what.out)) +
           "; a user operator scans type user");
  if (what.kind == kind::exclusive && op.identity.empty())
    not_served("op: '" + op.name + "' has no identity; user operators are not served yet");
  not_served("op: user operators are not served yet ('" + op.name + "')");
}

void check_count(std::int64_t n, const char* argument) {
  if (n < 0) refuse(std::string(argument) + ": " + std::to_string(n) + " is negative");
}

void check_bytes(std::int64_t n, std::size_t element, const char* argument) {
  const auto most = std::numeric_limits<std::ptrdiff_t>::max() / static_cast<std::int64_t>(element);
  if (n > most)
    refuse(std::string(argument) + ": " + std::to_string(n) + " elements of " +
           std::to_string(element) + " bytes exceed the address space");
}

struct range {
  const char* name;
  std::uintptr_t first, last;  // [first, last)
};

range bytes_at(const char* name, const void* p, std::int64_t elements, std::size_t size) {
  const auto a = reinterpret_cast<std::uintptr_t>(p);
  return {name, a, p == nullptr ? a : a + static_cast<std::uintptr_t>(elements) * size};
}

bool overlap(const range& a, const range& b) { return a.first < b.last && b.first < a.last; }

void check_pointer(const char* name, const void* p, std::size_t alignment) {
  if (p == nullptr) refuse(std::string(name) + ": null pointer");
  const auto a = reinterpret_cast<std::uintptr_t>(p);
  if (a % alignment != 0) {
    char hex[2 + 16 + 1];
    std::snprintf(hex, sizeof hex, "%#llx", static_cast<unsigned long long>(a));
    refuse(std::string(name) + ": address " + hex + " is not aligned to the element's " +
           std::to_string(alignment) + " bytes");
  }
}

void check_disjoint(const range& a, const range& b) {
  if (overlap(a, b))
    refuse(std::string(a.name) + ": overlaps " + b.name +
           " (only out == in is allowed, with elements of one size)");
}

// One scalar as the widest types hold it: integers exactly in sign and magnitude, others in f64.
struct number {
  bool integer = false;
  bool negative = false;
  std::uint64_t magnitude = 0;
  double re = 0, im = 0;
};

template <class T>
T load(const void* p) {
  T x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

template <class T>
number integer(const void* p) {
  const T x = load<T>(p);
  const auto wide = static_cast<std::uint64_t>(x);
  return {true, x < 0, x < 0 ? 0 - wide : wide, static_cast<double>(x), 0};
}

number read_number(type t, const void* p) {
  switch (t) {
    case type::i8: return integer<std::int8_t>(p);
    case type::u8: return integer<std::uint8_t>(p);
    case type::i16: return integer<std::int16_t>(p);
    case type::u16: return integer<std::uint16_t>(p);
    case type::i32: return integer<std::int32_t>(p);
    case type::u32: return integer<std::uint32_t>(p);
    case type::i64: return integer<std::int64_t>(p);
    case type::u64: return integer<std::uint64_t>(p);
    case type::f16: return {.re = load<float16>(p)};
    case type::bf16: return {.re = load<bfloat16>(p)};
    case type::f32: return {.re = load<float>(p)};
    case type::f64: return {.re = load<double>(p)};
    case type::c64: {
      const auto z = load<std::complex<float>>(p);
      return {.re = z.real(), .im = z.imag()};
    }
    case type::c128: {
      const auto z = load<std::complex<double>>(p);
      return {.re = z.real(), .im = z.imag()};
    }
    case type::user: break;
  }
  return {};
}

template <class T>
bool store_integer(const number& x, void* p) {
  number y = x;
  if (!x.integer) {
    if (x.im != 0 || !(std::abs(x.re) < 0x1p64) || std::trunc(x.re) != x.re) return false;
    y = {true, x.re < 0, static_cast<std::uint64_t>(std::abs(x.re)), x.re, 0};
  }
  const auto v = static_cast<T>(y.negative ? 0 - y.magnitude : y.magnitude);
  std::memcpy(p, &v, sizeof v);
  const number back = integer<T>(&v);
  return back.magnitude == y.magnitude && (back.negative == y.negative || y.magnitude == 0);
}

template <class T>
bool store_real(const number& x, void* p) {
  T v;
  if (x.integer) {
    v = static_cast<T>(x.magnitude);
    if (!(v < static_cast<T>(0x1p64)) || static_cast<std::uint64_t>(v) != x.magnitude) return false;
    if (x.negative) v = -v;
  } else {
    v = static_cast<T>(x.re);
    if (!std::isnan(x.re) && static_cast<double>(v) != x.re) return false;
  }
  std::memcpy(p, &v, sizeof v);
  return true;
}

template <class T>
bool store_complex(const number& x, void* p) {
  return store_real<T>(x, p) &&
         store_real<T>(number{.re = x.im}, static_cast<std::byte*>(p) + sizeof(T));
}

// Writes x as a `t`; false if that loses anything.
bool write_number(const number& x, type t, void* p) {
  if (!is_complex(t) && x.im != 0) return false;
  switch (t) {
    case type::i8: return store_integer<std::int8_t>(x, p);
    case type::u8: return store_integer<std::uint8_t>(x, p);
    case type::i16: return store_integer<std::int16_t>(x, p);
    case type::u16: return store_integer<std::uint16_t>(x, p);
    case type::i32: return store_integer<std::int32_t>(x, p);
    case type::u32: return store_integer<std::uint32_t>(x, p);
    case type::i64: return store_integer<std::int64_t>(x, p);
    case type::u64: return store_integer<std::uint64_t>(x, p);
    case type::f32: return store_real<float>(x, p);
    case type::f64: return store_real<double>(x, p);
    case type::c64: return store_complex<float>(x, p);
    case type::c128: return store_complex<double>(x, p);
    default: return false;  // accumulators are never f16, bf16 or user
  }
}

std::string describe(const number& x) {
  if (x.integer) return (x.negative ? "-" : "") + std::to_string(x.magnitude);
  char s[64];
  if (x.im != 0)
    std::snprintf(s, sizeof s, "(%.17g, %.17g)", x.re, x.im);
  else
    std::snprintf(s, sizeof s, "%.17g", x.re);
  return s;
}

// 2 for pairs (affine), else 1.
std::size_t components_of(const spec& what) { return what.op.id == builtin::affine ? 2 : 1; }

void convert_init(const spec& what, const value& init, request& r) {
  const fp_environment ieee;  // an init may be a denormal
  if (init.type() == type::user) refuse("init: a value of a user type, for a built-in operator");
  const type acc = accumulator_of(what.out);
  const bool pair = what.op.id == builtin::affine && what.affine == affine_form::pair;
  if (init.components() != (pair ? 2 : 1))
    refuse(pair ? "init: a scalar; a pair affine scan takes an affine_pair"
                : "init: an affine_pair; this scan takes a scalar");
  const auto* from = static_cast<const std::byte*>(init.data());
  std::byte* to = r.init.data();
  if (what.op.id == builtin::affine && !pair) {
    write_number(number{.integer = true, .magnitude = 1, .re = 1}, acc, to);
    to += size_of(acc);
  }
  for (int c = 0; c < init.components(); ++c) {
    const number x = read_number(init.type(), from + c * size_of(init.type()));
    if (!write_number(x, acc, to + c * size_of(acc)))
      refuse("init: " + describe(x) + " (" + text(name_of(init.type())) +
             ") does not convert to the accumulator type " + text(name_of(acc)) + " without loss");
  }
  if (what.op.id == builtin::logical_and || what.op.id == builtin::logical_or) {
    const number x = read_number(acc, to);
    write_number(number{.integer = true, .magnitude = x.magnitude != 0 ? 1u : 0u}, acc, to);
  }
  r.has_init = true;
}

state_data* check_state(const spec& what, const arguments& a) {
  if (a.state == nullptr) return nullptr;
  state_data& s = state_access::data(*a.state);
  if (s.data.empty()) return &s;
  if (a.init.has_value() || a.init_device != nullptr)
    refuse(text(a.init.has_value() ? "init" : "init_device") + ": given beside a state of " +
           std::to_string(s.position) + " elements, which holds its own");
  if (s.position > std::numeric_limits<std::int64_t>::max() - a.length)
    refuse("length: " + std::to_string(a.length) + " elements after a state of " +
           std::to_string(s.position) + " are more than 2^63 - 1");
  const type acc = accumulator_of(what.out);
  if (s.op != what.op.id || s.accumulator != acc || s.direction != what.direction)
    refuse("state: it belongs to a " +
           std::string(s.direction == direction::forward ? "forward " : "reverse ") +
           text(name_of(s.op)) + " over " + text(name_of(s.accumulator)) + ", not to this scan");
  return &s;
}

void check_flat_only(const arguments& a) {
  if (a.outer != 1) refuse("outer: " + std::to_string(a.outer) + ", but the layout is flat");
  if (a.inner != 1) refuse("inner: " + std::to_string(a.inner) + ", but the layout is flat");
  for (const auto& [strides, name] :
       {std::pair{&a.in_strides, "in_strides"}, std::pair{&a.out_strides, "out_strides"}})
    for (const std::int64_t s : *strides)
      if (s != 0) refuse(text(name) + ": " + std::to_string(s) + ", but the layout is flat");
  if (a.segments != 0)
    refuse("segments: " + std::to_string(a.segments) + ", but the layout is flat");
  if (a.offsets != nullptr) refuse("offsets: given, but the layout is flat");
  if (a.flags != nullptr) refuse("flags: given, but the layout is flat");
  if (a.keys != nullptr) refuse("keys: given, but the layout is flat");
  if (a.key_size != 0)
    refuse("key_size: " + std::to_string(a.key_size) + ", but the layout is flat");
}

void check_flat_only(const extents& e) {
  for (const auto& [n, flat, name] :
       {std::tuple{e.outer, 1, "extents.outer"}, std::tuple{e.inner, 1, "extents.inner"},
        std::tuple{e.segments, 0, "extents.segments"}})
    if (n != flat) refuse(text(name) + ": " + std::to_string(n) + ", but the layout is flat");
}

}  // namespace

void validate(const spec& what, const extents& at_most) {
  check_enum(what.in, type::user, "in");
  check_enum(what.out, type::user, "out");
  check_enum(what.op.id, builtin::log_add_exp, "op.id");
  check_enum(what.kind, kind::exclusive, "kind");
  check_enum(what.direction, direction::reverse, "direction");
  check_enum(what.affine, affine_form::split, "affine");
  check_enum(what.layout, layout::keys, "layout");
  check_enum(what.accuracy, accuracy::compensated, "accuracy");

  check_count(at_most.length, "extents.length");
  check_count(at_most.outer, "extents.outer");
  check_count(at_most.inner, "extents.inner");
  check_count(at_most.segments, "extents.segments");

  if (what.op.id == builtin::none) validate_user_operator(what);
  for (const auto& [t, name] : {std::pair{what.in, "in"}, std::pair{what.out, "out"}})
    if (t == type::user) refuse(text(name) + ": user; a built-in operator scans built-in types");
  if (const std::string domain = operator_domain(what.op.id, what.out); !domain.empty())
    refuse("op: " + text(name_of(what.op.id)) + " is defined on " + domain + ", not on out type " +
           text(name_of(what.out)));
  if (!represents(what.out, what.in))
    refuse("out: " + text(name_of(what.out)) + " cannot represent every value of the input type " +
           text(name_of(what.in)));
  if (what.affine == affine_form::split && what.op.id != builtin::affine)
    refuse("affine: split, but the operator is " + text(name_of(what.op.id)));

  const auto element = std::max(size_of(what.in), size_of(what.out)) * components_of(what);
  check_bytes(at_most.length, element, "extents.length");

  if (what.op.id == builtin::log_add_exp) not_served("op: log_add_exp is not served yet");
  if (what.layout == layout::axis) not_served("layout: axis scans are not served yet");
  if (what.layout != layout::flat) not_served("layout: segmented scans are not served yet");
  if (what.accuracy == accuracy::compensated)
    not_served("accuracy: compensated sums are not served yet");
  check_flat_only(at_most);
}

request validate(const spec& what, const extents& at_most, const arguments& a, bool writes_output) {
  check_count(a.length, "length");
  if (a.length > at_most.length)
    refuse("length: " + std::to_string(a.length) + " exceeds the plan's extents.length " +
           std::to_string(at_most.length));
  check_flat_only(a);

  const bool split = what.op.id == builtin::affine && what.affine == affine_form::split;
  const std::size_t in_size = element_bytes(what, what.in);
  const std::size_t out_size = element_bytes(what, what.out);
  if (!split && a.coefficients != nullptr)
    refuse("coefficients: given, but this is not a split affine scan");
  if (a.init_device != nullptr && a.init.has_value())
    refuse("init_device: given beside init; a scan has one");

  request r{.args = a};
  if (a.init.has_value()) convert_init(what, a.init, r);
  r.state = check_state(what, a);
  if (!writes_output && r.state == nullptr) refuse("state: null pointer; aggregate writes to it");

  if (a.total != nullptr) check_pointer("total", a.total, alignment_of(what.out));
  const range total = bytes_at("total", a.total, 1, out_size);
  // Blocks read it while others store results.
  const type accumulator = accumulator_of(what.out);
  const range init = bytes_at("init_device", a.init_device, 1, element_bytes(what, accumulator));
  if (a.init_device != nullptr) {
    check_pointer("init_device", a.init_device, alignment_of(accumulator));
    if (a.total != nullptr) check_disjoint(total, init);
  }
  if (a.length == 0) return r;

  check_pointer("in", a.in, alignment_of(what.in));
  const range in = bytes_at("in", a.in, a.length, in_size);
  range coefficients{"coefficients", 0, 0};
  if (split) {
    check_pointer("coefficients", a.coefficients, alignment_of(what.in));
    coefficients = bytes_at("coefficients", a.coefficients, a.length, in_size);
  }
  if (a.total != nullptr) {
    check_disjoint(total, in);
    check_disjoint(total, coefficients);
  }
  if (!writes_output) return r;

  check_pointer("out", a.out, alignment_of(what.out));
  const range out = bytes_at("out", a.out, a.length, out_size);
  if (!(a.in == a.out && in_size == out_size)) check_disjoint(out, in);
  check_disjoint(out, coefficients);
  if (a.init_device != nullptr) check_disjoint(out, init);
  if (a.total != nullptr) check_disjoint(total, out);
  return r;
}

}  // namespace upsweep::detail
