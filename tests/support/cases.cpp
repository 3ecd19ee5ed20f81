// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/support/cases.hpp"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "tests/support/oracle.hpp"
#include "tests/support/random.hpp"

namespace upsweep::testing {

namespace {

constexpr std::array types{i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, c64, c128};
constexpr std::array<std::string_view, types.size()> outputs_of{
    "i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128",
    "u8 u16 u32 u64 i16 i32 i64 f16 bf16 f32 f64 c64 c128",
    "i16 i32 i64 f32 f64 c64 c128",
    "u16 u32 u64 i32 i64 f32 f64 c64 c128",
    "i32 i64 f64 c128",
    "u32 u64 i64 f64 c128",
    "i64",
    "u64",
    "f16 f32 f64 c64 c128",
    "bf16 f32 f64 c64 c128",
    "f32 f64 c64 c128",
    "f64 c128",
    "c64 c128",
    "c128"};

constexpr std::array operators{
    builtin::sum,    builtin::product, builtin::minimum,     builtin::maximum,    builtin::bit_and,
    builtin::bit_or, builtin::bit_xor, builtin::logical_and, builtin::logical_or, builtin::affine};
// Those whose order of operations shows are drawn more often.
constexpr std::array drawn_operators{
    builtin::sum,     builtin::sum,     builtin::sum,         builtin::sum,
    builtin::product, builtin::product, builtin::affine,      builtin::affine,
    builtin::affine,  builtin::minimum, builtin::maximum,     builtin::bit_and,
    builtin::bit_or,  builtin::bit_xor, builtin::logical_and, builtin::logical_or};

constexpr std::array kinds{inclusive, exclusive};
constexpr std::array directions{forward, reverse};
constexpr std::array forms{affine_form::pair, affine_form::split};

std::string_view word(type t) { return upsweep::name_of(t); }
std::string_view word(builtin b) { return upsweep::name_of(b); }
std::string_view word(distribution d) { return name_of(d); }
std::string_view word(kind k) { return k == inclusive ? "inclusive" : "exclusive"; }
std::string_view word(direction d) { return d == forward ? "forward" : "reverse"; }
std::string_view word(affine_form f) { return f == affine_form::pair ? "pair" : "split"; }

bool is_integer(type t) { return t <= u64; }

bool has_word(std::string_view words, std::string_view word) {
  std::istringstream all{std::string(words)};
  for (std::string w; all >> w;)
    if (w == word) return true;
  return false;
}

template <class Range, class Predicate>
auto draw_where(dice& d, const Range& candidates, Predicate&& p) {
  for (;;)
    if (const auto x = d.one_of(candidates); p(x)) return x;
}

// Lengths lie on and beside the borders of units, and between.
std::int64_t draw_length(dice& d, const units& u, const limits& most) {
  const std::int64_t group = u.size(5), tile = u.size(3);
  const std::int64_t beside = d.between(-1, 1), past = d.one_in(4) ? beside : d.between(1, 65);
  const std::int64_t kind = d.between(0, 99);
  if (kind == 0 && most.rare > most.common) {
    const std::int64_t least = most.common << d.between(0, 5);  // even in the logarithm
    return std::min(d.between(least, 2 * least), most.rare);
  }
  if (kind <= 18 && group + 65 <= most.group)
    return d.between(1, std::max<std::int64_t>(1, most.group / group / 2)) * group + past;
  if (kind <= 45 && tile < most.common) {
    const std::int64_t unit = d.one_in(3) ? u.size(4) : tile;
    if (d.one_in(3) || unit > most.common) return d.between(tile + 1, most.common);
    return std::min(d.between(1, most.common / unit) * unit + past, most.common);
  }
  if (d.one_in(8)) return d.between(0, 40);
  const std::int64_t unit = u.size(static_cast<std::size_t>(d.between(0, 2)));
  const std::int64_t multiple = d.between(1, 1 + d.between(0, 2 * tile / unit));
  return std::min(multiple * unit + beside, most.common);
}

}  // namespace

bool mixes(type in, type out) {
  return in != user && out != user &&
         has_word(outputs_of[static_cast<std::size_t>(in)], upsweep::name_of(out));
}

bool defined_on(builtin op, type out) {
  switch (op) {
    case builtin::sum:
    case builtin::product: return out != user;
    case builtin::minimum:
    case builtin::maximum: return out < c64;
    case builtin::affine: return out == u32 || out == f32 || out == f64;
    case builtin::log_add_exp: return out == f32 || out == f64;
    case builtin::none: return false;
    default: return is_integer(out);
  }
}

namespace {

// What the textbook backends and cuda.cub serve.
bool in_textbooks(const spec& what) {
  constexpr std::array served{i32, u32, i64, f32, f64};
  switch (what.op.id) {
    case builtin::logical_and:
    case builtin::logical_or: return false;
    case builtin::affine:
      return what.in == f32 && what.out == f32 && what.affine == affine_form::pair;
    default: return what.in == what.out && std::ranges::find(served, what.out) != served.end();
  }
}

// What cuda.thrust does: it is instantiated for fewer operators.
bool in_thrust(const spec& what) {
  const bool compared = what.op.id == builtin::minimum || what.op.id == builtin::maximum;
  return in_textbooks(what) && (what.op.id == builtin::sum || (compared && what.out != u32));
}

#ifdef UPSWEEP_SIMT_FEW
// What simt backends serve in a build with simt_kernels=few.
bool in_few(const spec& what) {
  const type t = accumulator_of(what.out);
  switch (what.op.id) {
    case builtin::sum: return t != c64;
    case builtin::minimum:
    case builtin::maximum: return t == i8 || t == u8 || t == i32 || t == u32 || t == f64;
    case builtin::affine: return t == f32;
    default: return false;
  }
}
bool in_few_textbooks(const spec& what) {
  const bool another =
      what.op.id == builtin::maximum || (what.op.id == builtin::minimum && what.out == u32);
  return in_textbooks(what) && in_few(what) && !another;
}
#endif

}  // namespace

limits limits_for(const backend_info& b) {
  limits most;
  const bool naive = b.name.ends_with(".naive");
  if (b.name.starts_with("simt."))
    most = {.common = naive ? 500 : 6'000, .group = 0, .rare = naive ? 2'000 : 0};
  else if (naive)
    most = {.common = 1 << 16, .group = 0, .rare = 0};
  if (b.role == role::textbook || b.role == role::peer)
    most.served = b.name == "cuda.thrust" ? in_thrust : in_textbooks;
#ifdef UPSWEEP_SIMT_FEW
  if (b.name.starts_with("simt."))
    most.served = b.role == role::textbook ? in_few_textbooks : in_few;
#endif
  return most;
}

namespace {

// What is computed, but for its kind and direction.
spec draw_spec(dice& d) {
  spec what;
  const builtin op = d.one_of(drawn_operators);
  what.op.id = op;
  what.out = draw_where(d, types, [&](type t) { return defined_on(op, t); });
  what.in =
      d.one_in(2) ? what.out : draw_where(d, types, [&](type t) { return mixes(t, what.out); });
  if (op == builtin::affine && d.one_in(2)) what.affine = affine_form::split;
  return what;
}

}  // namespace

test_case draw(std::uint64_t seed, const limits& most) {
  dice d(seed);
  test_case c;
  c.seed = d.bits();
  do c.what = draw_spec(d);
  while (most.served != nullptr && !most.served(c.what));
  c.what.kind = d.one_in(2) ? inclusive : exclusive;
  c.what.direction = d.one_in(3) ? reverse : forward;
  c.length = draw_length(d, units::of(accumulator_bytes(c.what)), most);
  c.init = d.one_in(2);
  c.in_place = d.one_in(3) && size_of(c.what.in) == size_of(c.what.out);
  c.one_shot = d.one_in(2);
  if (d.one_in(2)) c.in_offset = d.between(0, 17);
  if (d.one_in(2)) c.out_offset = d.between(0, 17);
  c.threads = d.one_of(std::array{0, 1, 2, 3, 8});
  c.data = d.one_of(distributions);
  return c;
}

std::vector<test_case> simpler(const test_case& c) {
  std::vector<test_case> all;
  const auto offer = [&](auto&& change) {
    test_case s = c;
    change(s);
    if (s != c) all.push_back(s);
  };
  for (std::int64_t part = c.length; part > 0; part /= 2)
    offer([&](test_case& s) { s.length = c.length - part; });
  offer([](test_case& s) { s.threads = 1; });
  offer([](test_case& s) { s.init = false; });
  offer([](test_case& s) { s.in_offset = s.out_offset = 0; });
  offer([](test_case& s) { s.in_place = false; });
  offer([](test_case& s) { s.one_shot = false; });
  offer([](test_case& s) { s.what.direction = forward; });
  offer([](test_case& s) { s.what.kind = inclusive; });
  offer([](test_case& s) { s.what.in = s.what.out; });
  offer([](test_case& s) { s.data = distribution::small; });
  return all;
}

bool is_exact(const test_case& c) {
  if (is_integer(c.what.out)) return true;
  if (c.what.op.id == builtin::minimum || c.what.op.id == builtin::maximum) return true;
  return c.data == distribution::small;
}

unit_sizes sizes_of(const test_case& c) {
  const units u = units::of(accumulator_bytes(c.what));
  return {u.size(3), u.size(5)};
}

std::ostream& operator<<(std::ostream& to, const test_case& c) {
  return to << "in=" << word(c.what.in) << " out=" << word(c.what.out)
            << " op=" << word(c.what.op.id) << " kind=" << word(c.what.kind)
            << " direction=" << word(c.what.direction) << " form=" << word(c.what.affine)
            << " n=" << c.length << " init=" << c.init << " in_place=" << c.in_place
            << " one_shot=" << c.one_shot << " in_offset=" << c.in_offset
            << " out_offset=" << c.out_offset << " threads=" << c.threads
            << " data=" << word(c.data) << " seed=" << c.seed;
}

std::string to_line(const test_case& c) {
  std::ostringstream line;
  line << c;
  return line.str();
}

namespace {

// Each parses all of `text`; false if it cannot.
template <class T>
bool parse(const std::string& text, T& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parse(const std::string& text, bool& to) {
  to = text == "1";
  return text == "0" || text == "1";
}

template <class T, class Range>
bool parse(const std::string& text, T& to, const Range& candidates) {
  const auto it = std::ranges::find_if(candidates, [&](T x) { return word(x) == text; });
  if (it == candidates.end()) return false;
  to = *it;
  return true;
}

bool parse_member(const std::string& key, const std::string& text, test_case& c) {
  if (key == "in") return parse(text, c.what.in, types);
  if (key == "out") return parse(text, c.what.out, types);
  if (key == "op") return parse(text, c.what.op.id, operators);
  if (key == "kind") return parse(text, c.what.kind, kinds);
  if (key == "direction") return parse(text, c.what.direction, directions);
  if (key == "form") return parse(text, c.what.affine, forms);
  if (key == "n") return parse(text, c.length);
  if (key == "init") return parse(text, c.init);
  if (key == "in_place") return parse(text, c.in_place);
  if (key == "one_shot") return parse(text, c.one_shot);
  if (key == "in_offset") return parse(text, c.in_offset);
  if (key == "out_offset") return parse(text, c.out_offset);
  if (key == "threads") return parse(text, c.threads);
  if (key == "data") return parse(text, c.data, distributions);
  return key == "seed" && parse(text, c.seed);
}

}  // namespace

test_case from_line(const std::string& line) {
  test_case c;
  std::istringstream words(line);
  for (std::string w; words >> w;) {
    const auto equals = std::min(w.find('='), w.size());
    const std::string text = equals < w.size() ? w.substr(equals + 1) : "";
    if (!parse_member(w.substr(0, equals), text, c))
      throw std::invalid_argument("test case: bad word '" + w + "'");
  }
  return c;
}

}  // namespace upsweep::testing
