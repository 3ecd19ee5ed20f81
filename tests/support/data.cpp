// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/support/data.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/convert.hpp"
#include "tests/support/random.hpp"

namespace upsweep::testing {

namespace {

constexpr std::array<std::string_view, distributions.size()> names{
    "small", "full", "wide", "denormal", "zeros", "special", "runs", "near_one"};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct stream {
  distribution d;
  purpose p;
  std::uint64_t seed;

  std::int64_t zero_stretch() const { return static_cast<std::int64_t>(seed % 5000); }
  // One special value in this many elements.
  std::uint64_t rarity() const { return std::uint64_t{4} << seed % 12; }
  std::uint64_t run_length() const { return 1 + seed % 1000; }
};

// A binary floating-point format; its values are made in f64, which holds them all.
struct format {
  int digits, least, greatest;  // significand bits, exponents of normal numbers
};
template <class T>
constexpr format format_of{std::numeric_limits<T>::digits, std::numeric_limits<T>::min_exponent - 1,
                           std::numeric_limits<T>::max_exponent - 1};
template <>
constexpr format format_of<float16>{half_format.digits, half_format.least, half_format.greatest};
template <>
constexpr format format_of<bfloat16>{brain_format.digits, brain_format.least,
                                     brain_format.greatest};

int spread(std::uint64_t h, int least, int greatest) {
  return least + static_cast<int>(h % static_cast<std::uint64_t>(greatest - least + 1));
}

// m * 2^exponent, for normal results without the cost of ldexp.
double scaled(double m, int exponent) {
  if (exponent < -1022) return std::ldexp(m, exponent);
  return m * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// A number of [1, 2) with the format's digits.
double significand(std::uint64_t h, const format& f) {
  const std::uint64_t bits = (h >> 11) << (53 - f.digits) & 0xfffffffffffffu;
  return std::bit_cast<double>(0x3ff0000000000000u | bits);
}

double small_real(const stream& s, std::uint64_t h, std::int64_t i) {
  const double sign = (h & 1) != 0 ? 1.0 : -1.0;
  switch (s.p) {
    case purpose::addend: return spread(h, -4, 4);
    case purpose::factor:
      return std::has_single_bit(static_cast<std::uint64_t>(i)) ? 2 * sign : sign;
    case purpose::coefficient: break;
  }
  return h % 16 == 2 ? 0.0 : sign;
}

double near_one(std::uint64_t h, const format& f) {
  const std::uint64_t most = std::uint64_t{1} << (f.digits - 7);
  const double step = scaled(static_cast<double>((h >> 8) % (most + 1)), 1 - f.digits);
  return (h & 1) != 0 ? 1 + step : 1 - step;
}

double wide_real(const stream& s, std::uint64_t h, const format& f) {
  const double sign = (h & 1) != 0 ? 1.0 : -1.0;
  if (s.p == purpose::factor) return sign * near_one(h, f);
  const int margin = f.digits > 11 || f.greatest > 15 ? 24 : 0;  // f16 is combined in f32
  const int exponent = s.p == purpose::coefficient
                           ? spread(h >> 1, -8, -1)
                           : spread(h >> 1, f.least + margin, f.greatest - margin);
  return sign * scaled(significand(h, f), exponent);
}

double special_real(const stream& s, std::uint64_t h, const format& f) {
  const std::uint64_t chance = random_bits(h, 1);
  if (chance % s.rarity() != 0) return wide_real(s, h, f);
  const std::array<double, 8> values{nan,
                                     infinity,
                                     -infinity,
                                     -0.0,
                                     +0.0,
                                     1.0,
                                     scaled(1.0, f.least - f.digits + 1),
                                     scaled(2 - scaled(1.0, 1 - f.digits), f.greatest)};
  return values[(chance >> 32) % values.size()];
}

double real(const stream& s, std::int64_t i, const format& f) {
  const std::uint64_t h = random_bits(s.seed, static_cast<std::uint64_t>(i));
  const double sign = (h & 1) != 0 ? 1.0 : -1.0;
  switch (s.d) {
    case distribution::small: return small_real(s, h, i);
    case distribution::full: {
      const int exponent = spread(h >> 1, f.least - 1, f.greatest + 1);
      if (exponent > f.greatest) return h % 3 != 0 ? nan : sign * infinity;
      if (exponent >= f.least) return sign * scaled(significand(h, f), exponent);
      return sign * scaled(significand(h, f) - 1, f.least);
    }
    case distribution::wide: return wide_real(s, h, f);
    case distribution::denormal:
      if (s.p == purpose::factor && i == 0) return scaled(1.0, f.least);
      if (s.p != purpose::addend) return sign * scaled(significand(h, f), -1);
      if (h % 4 < 2) return sign * scaled(significand(h, f), f.least + spread(h >> 2, 0, 2));
      return sign * scaled(significand(h, f) - 1, f.least);
    case distribution::zeros:
      if (s.p == purpose::addend && i < s.zero_stretch()) return -0.0;
      if (h % 8 != 0 && s.p == purpose::addend) return std::copysign(0.0, sign);
      return h % 1024 == 8 ? std::copysign(0.0, sign) : small_real(s, h >> 4, i);
    case distribution::special: return special_real(s, h, f);
    case distribution::runs: {
      const std::uint64_t run = static_cast<std::uint64_t>(i) / s.run_length();
      return s.p == purpose::factor ? near_one(random_bits(s.seed, run), f)
                                    : scaled(significand(random_bits(s.seed, run), f), -1);
    }
    case distribution::near_one: break;
  }
  return s.p == purpose::coefficient ? std::min(near_one(h, f), 1.0) : near_one(h, f);
}

template <class T>
std::complex<T> complex(const stream& s, std::int64_t i) {
  constexpr format f = format_of<T>;
  if (s.p == purpose::addend)
    return {static_cast<T>(real(s, 2 * i, f)), static_cast<T>(real(s, 2 * i + 1, f))};
  const std::uint64_t h = random_bits(s.seed, static_cast<std::uint64_t>(i));
  if (s.d == distribution::small) {
    const T sign = (h & 1) != 0 ? T{1} : T{-1};
    return (h & 2) != 0 ? std::complex<T>(sign, 0) : std::complex<T>(0, sign);
  }
  if (s.d == distribution::full || (s.d == distribution::special && h % s.rarity() == 0) ||
      (s.d == distribution::denormal && i == 0))
    return {static_cast<T>(real({s.d, purpose::addend, s.seed}, i, f)), T{-1}};
  const double t = near_one(h, f) - 1 + static_cast<double>(h % 64) / 32 - 1;  // on the unit circle
  return {static_cast<T>((1 - t * t) / (1 + t * t)), static_cast<T>(2 * t / (1 + t * t))};
}

template <class T>
T integer(const stream& s, std::int64_t i) {
  const std::uint64_t index = s.d == distribution::runs
                                  ? static_cast<std::uint64_t>(i) / s.run_length()
                                  : static_cast<std::uint64_t>(i);
  const std::uint64_t h = random_bits(s.seed, index);
  constexpr int bits = 8 * sizeof(T);
  constexpr auto least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
  const bool factor = s.p == purpose::factor;
  switch (s.d) {
    case distribution::small:
      if (s.p == purpose::coefficient) return static_cast<T>(h % 16 != 2);
      if (factor && std::is_signed_v<T>) return static_cast<T>((h & 1) != 0 ? 1 : -1);
      if (factor) return static_cast<T>(std::has_single_bit(index) ? 2 : 1);
      return static_cast<T>(std::is_signed_v<T> ? spread(h, -4, 4) : spread(h, 0, 3));
    case distribution::wide: return static_cast<T>(h >> (64 - bits) >> random_bits(h, 1) % bits);
    case distribution::denormal: return static_cast<T>(std::uint64_t{1} << h % bits);
    case distribution::zeros:
      if (h % 64 == 0) return static_cast<T>(random_bits(h, 1));
      return factor ? static_cast<T>(~std::uint64_t{0}) : T{0};
    case distribution::special:
      return std::array<T, 5>{least, greatest, T{0}, T{1}, static_cast<T>(greatest - 1)}[h % 5];
    case distribution::near_one: return static_cast<T>(h | 1);
    default: return static_cast<T>(factor && h % 64 != 0 ? h | 1 : h);
  }
}

template <class T>
T element(const stream& s, std::int64_t i) {
  if constexpr (std::is_integral_v<T>)
    return integer<T>(s, i);
  else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
    return to_element<T>(static_cast<float>(real(s, i, format_of<T>)));
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(real(s, i, format_of<T>));
  else
    return complex<typename T::value_type>(s, i);
}

}  // namespace

std::string_view name_of(distribution d) { return names[static_cast<std::size_t>(d)]; }

void generate(type t, distribution d, purpose p, std::uint64_t seed, std::int64_t n, void* to,
              std::int64_t stride) {
  const stream s{d, p, seed};
  visit_type(t, [&]<class T>(T) {
    auto* at = static_cast<char*>(to);
    for (std::int64_t i = 0; i < n; ++i, at += stride * static_cast<std::int64_t>(sizeof(T))) {
      const T x = element<T>(s, i);
      std::memcpy(at, &x, sizeof x);
    }
  });
}

}  // namespace upsweep::testing
