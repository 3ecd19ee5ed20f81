// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "failure.hpp"

namespace upsweep::command {

namespace {

// Calls f with a value of the C++ type behind a real scalar type.
template <class F>
auto dispatch(type scalar, F&& f) {
  switch (scalar) {
    case type::i8: return f(std::int8_t{});
    case type::u8: return f(std::uint8_t{});
    case type::i16: return f(std::int16_t{});
    case type::u16: return f(std::uint16_t{});
    case type::i32: return f(std::int32_t{});
    case type::u32: return f(std::uint32_t{});
    case type::i64: return f(std::int64_t{});
    case type::u64: return f(std::uint64_t{});
    case type::f16: return f(float16{});
    case type::bf16: return f(bfloat16{});
    case type::f32: return f(float{});
    default: return f(double{});
  }
}

enum class parsed { good, no_number, out_of_range };

template <class T>
parsed parse_integer(std::string_view s, T& x) {
  const bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  const bool hexadecimal = s.starts_with("0x") || s.starts_with("0X");
  if (hexadecimal) s.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto [end, code] =
      std::from_chars(s.data(), s.data() + s.size(), magnitude, hexadecimal ? 16 : 10);
  if (code == std::errc::invalid_argument || end != s.data() + s.size()) return parsed::no_number;
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  const std::uint64_t limit = negative ? (std::is_signed_v<T> ? most + 1 : 0) : most;
  if (code == std::errc::result_out_of_range || magnitude > limit) return parsed::out_of_range;
  x = static_cast<T>(negative ? 0 - magnitude : magnitude);
  return parsed::good;
}

// f64 to f32 with the last bit set if that loses anything: rounding the result once more, to fewer
// bits, then gives what rounding the f64 at once would (S. Boldo and G. Melquiond, 2008).
float round_to_odd(double x) {
  const float y = static_cast<float>(x);
  if (std::isnan(x) || static_cast<double>(y) == x) return y;
  auto bits = std::bit_cast<std::uint32_t>(y);
  if (std::abs(static_cast<double>(y)) > std::abs(x)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

template <class T>
T narrow(double x) {
  return T(round_to_odd(x));
}

template <class T>
parsed parse_float(std::string_view s, T& x) {
  const std::string terminated(s);
  char* end = nullptr;
  bool infinite = false;
  if constexpr (std::is_same_v<T, float>) {
    x = std::strtof(terminated.c_str(), &end);
    infinite = std::isinf(x);
  } else {
    const double wide = std::strtod(terminated.c_str(), &end);
    if constexpr (std::is_same_v<T, double>)
      x = wide;
    else
      x = narrow<T>(wide);
    infinite = std::isinf(static_cast<double>(x));
  }
  if (s.empty() || end != terminated.c_str() + s.size()) return parsed::no_number;
  const bool written_so = s.find_first_of("iI") != s.npos;  // "inf", "infinity"
  return infinite && !written_so ? parsed::out_of_range : parsed::good;
}

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view space = " \t\r";
  const auto first = s.find_first_not_of(space);
  return first == s.npos ? std::string_view()
                         : s.substr(first, s.find_last_not_of(space) + 1 - first);
}

parsed parse_scalar(std::string_view s, type scalar, std::byte* to) {
  return dispatch(scalar, [&]<class T>(T x) {
    parsed p;
    if constexpr (std::is_integral_v<T>)
      p = parse_integer(s, x);
    else
      p = parse_float(s, x);
    std::memcpy(to, &x, sizeof x);
    return p;
  });
}

}  // namespace

std::string shown(std::string_view s) {
  constexpr std::size_t longest = 40;
  std::string q = "'";
  for (const char c : s.substr(0, longest))
    if (c >= ' ' && c <= '~')
      q += c;
    else
      q += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return q + (s.size() > longest ? "...'" : "'");
}

void parse_element(std::string_view s, element e, std::byte* to) {
  const auto comma = e.scalars == 2 ? s.find(',') : s.size();
  parsed result = parsed::no_number;
  if (comma != s.npos) result = parse_scalar(trimmed(s.substr(0, comma)), e.scalar, to);
  if (result == parsed::good && e.scalars == 2)
    result = parse_scalar(trimmed(s.substr(comma + 1)), e.scalar, to + size_of(e.scalar));
  if (result == parsed::good) return;

  const std::string subject = shown(trimmed(s));
  if (result == parsed::out_of_range)
    throw failure(fmt::format("{} is out of the range of {}", subject, name_of(e.scalar)));
  if (e.scalars == 2)
    throw failure(fmt::format("{} is no pair of {} numbers with a comma between them", subject,
                              name_of(e.scalar)));
  throw failure(fmt::format("{} is no {} number", subject, name_of(e.scalar)));
}

void format_element(const std::byte* from, element e, std::string& to) {
  for (int i = 0; i < e.scalars; ++i) {
    if (i > 0) to += ',';
    dispatch(e.scalar, [&]<class T>(T x) {
      std::memcpy(&x, from + static_cast<std::size_t>(i) * sizeof x, sizeof x);
      if constexpr (std::is_integral_v<T>) {
        fmt::format_to(std::back_inserter(to), "{}", x);
      } else {
        const std::conditional_t<sizeof(T) == 8, double, float> y = x;
        if (std::isnan(y))
          to += "nan";  // the sign of a NaN is not specified
        else
          fmt::format_to(std::back_inserter(to), "{}", y);
      }
    });
  }
}

}  // namespace upsweep::command
