// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "text.hpp"

namespace upsweep::command::npy {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct code {
  std::string_view name;
  upsweep::type type;
};

// NumPy's codes, without the byte order. b1 stays behind u1, which is the one to write.
constexpr std::array codes{code{"i1", i8},    code{"u1", u8},  code{"i2", i16}, code{"u2", u16},
                           code{"i4", i32},   code{"u4", u32}, code{"i8", i64}, code{"u8", u64},
                           code{"f2", f16},   code{"f4", f32}, code{"f8", f64}, code{"c8", c64},
                           code{"c16", c128}, code{"b1", u8}};

std::string_view characters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    n |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return n;
}

// Bytes of the magic, the version and the header's length.
std::size_t prefix_size(std::string_view start) { return start[6] == 1 ? 10 : 12; }

// The Python dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3,)}, its keys in any
// order, by recursive descent.
class dictionary {
 public:
  explicit dictionary(std::string_view text) : rest_(text) {}

  header read() {
    expect('{');
    while (!accept('}')) {
      entry(string_literal());
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) bad("nothing after '}'");
    if (!has_descr_) throw error("header: the key 'descr' is missing");
    if (!has_order_) throw error("header: the key 'fortran_order' is missing");
    if (!has_shape_) throw error("header: the key 'shape' is missing");
    count_elements();
    return h_;
  }

 private:
  [[noreturn]] void bad(std::string_view expected) const {
    throw error(fmt::format("header: {} expected at {}", expected,
                            rest_.empty() ? "its end" : shown(rest_)));
  }

  void skip_space() {
    const auto n = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(n == rest_.npos ? rest_.size() : n);
  }
  bool accept(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool accept(char c) { return accept(std::string_view(&c, 1)); }
  void expect(char c) {
    if (!accept(c)) bad(fmt::format("'{}'", c));
  }

  std::string_view string_literal() {
    const char quote = accept('\'') ? '\'' : accept('"') ? '"' : '\0';
    const auto end = quote == '\0' ? rest_.npos : rest_.find(quote);
    if (end == rest_.npos) bad("a quoted string");
    const auto s = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return s;
  }

  void once(bool& seen, std::string_view key) {
    if (seen) throw error(fmt::format("header: the key '{}' stands twice", key));
    seen = true;
  }

  void entry(std::string_view key) {
    expect(':');
    if (key == "descr") {
      once(has_descr_, key);
      descr();
    } else if (key == "fortran_order") {
      once(has_order_, key);
      h_.fortran_order = accept("True");
      if (!h_.fortran_order && !accept("False")) bad("True or False");
    } else if (key == "shape") {
      once(has_shape_, key);
      shape();
    } else {
      throw error(fmt::format("header: unknown key {}", shown(key)));
    }
  }

  void descr() {
    skip_space();
    if (rest_.starts_with('['))
      throw error(fmt::format("descr: {} is a structured dtype", shown(rest_)));
    const std::string_view d = string_literal();
    std::string_view name = d;
    const bool ordered = !d.empty() && std::string_view("<>|=").find(d[0]) != d.npos;
    if (ordered) name.remove_prefix(1);
    if (name.starts_with('O')) throw error(fmt::format("descr: {} is an object dtype", shown(d)));
    for (const code& c : codes)
      if (c.name == name) {
        h_.type = c.type;
        h_.big_endian = d[0] == '>' && size_of(c.type) > 1;
        return;
      }
    throw error(fmt::format(
        "descr: {} is no integer, float, complex or bool dtype that upsweep has", shown(d)));
  }

  std::int64_t dimension() {
    skip_space();
    const bool negative = rest_.starts_with('-');
    const auto digits = rest_.substr(negative ? 1 : 0);
    std::int64_t n = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (code == std::errc::invalid_argument || (negative && digits.starts_with('-')))
      bad("a whole number");
    const auto written = rest_.substr(0, static_cast<std::size_t>(end - rest_.data()));
    if (negative) throw error(fmt::format("shape: {} is negative", written));
    if (code != std::errc{}) throw error(fmt::format("shape: {} exceeds 2^63 - 1", written));
    rest_.remove_prefix(written.size());
    accept('L');  // as Python 2 wrote them
    return n;
  }

  void shape() {
    expect('(');
    while (!accept(')')) {
      h_.shape.push_back(dimension());
      const bool comma = accept(',');
      if (!comma && h_.shape.size() == 1) bad("','");
      if (!comma) {
        expect(')');
        break;
      }
    }
  }

  void count_elements() {
    std::int64_t bytes = static_cast<std::int64_t>(size_of(h_.type));
    for (const std::int64_t n : h_.shape) {
      h_.elements *= n == 0 ? 0 : 1;
      if (__builtin_mul_overflow(bytes, n == 0 ? 1 : n, &bytes))
        throw error(fmt::format("shape: ({}) of {} has more than 2^63 - 1 bytes",
                                fmt::join(h_.shape, ", "), name_of(h_.type)));
    }
    h_.elements *= bytes / static_cast<std::int64_t>(size_of(h_.type));
  }

  std::string_view rest_;
  header h_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

std::size_t header_size(std::span<const std::byte> start) {
  const std::string_view s = characters(start);
  if (!s.starts_with(magic))
    throw error(fmt::format("magic: {} instead of \\x93NUMPY; this is no .npy file",
                            shown(s.substr(0, magic.size()))));
  if (s.size() < preamble_size)
    throw error(fmt::format("header: cut short after {} bytes", s.size()));
  const int major = static_cast<unsigned char>(s[6]), minor = static_cast<unsigned char>(s[7]);
  if (major < 1 || major > 3 || minor != 0)
    throw error(fmt::format("version: {}.{} instead of 1.0, 2.0 or 3.0", major, minor));
  const std::size_t prefix = prefix_size(s);
  const std::size_t size = prefix + little_endian(s.substr(8, prefix - 8));
  if (size > longest_header)
    throw error(fmt::format("header: {} bytes long, more than {}", size, longest_header));
  if (size < preamble_size) throw error(fmt::format("header: only {} bytes long", size));
  return size;
}

header parse(std::span<const std::byte> file) {
  const std::size_t size = header_size(file);
  const std::string_view s = characters(file);
  if (s.size() < size)
    throw error(fmt::format("header: cut short after {} of {} bytes", s.size(), size));
  const std::size_t prefix = prefix_size(s);
  return dictionary(s.substr(prefix, size - prefix)).read();
}

std::string write(upsweep::type t, std::int64_t elements, bool zero_d) {
  std::string_view name;
  for (const code& c : codes)
    if (c.type == t && name.empty()) name = c.name;
  if (name.empty()) throw error(fmt::format("descr: .npy has no {}", name_of(t)));
  std::string h(magic);
  h += {'\1', '\0', static_cast<char>(written_size - 10), '\0'};
  h += fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                   size_of(t) == 1 ? '|' : '<', name,
                   zero_d ? std::string() : fmt::format("{},", elements));
  h.append(written_size - 1 - h.size(), ' ');
  return h + '\n';
}

}  // namespace upsweep::command::npy
