// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/support/compare.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "tests/support/convert.hpp"
#include "tests/support/oracle.hpp"

namespace upsweep::testing {

namespace {

type part_of(type t) { return t == c64 ? f32 : t == c128 ? f64 : t; }
std::int64_t parts_of(type t) { return t == c64 || t == c128 ? 2 : 1; }

template <class T>
bool same(const void* a, const void* b, zeros signs) {
  T x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  if (std::memcmp(&x, &y, sizeof x) == 0) return true;
  const auto p = to_value<long double>(x), q = to_value<long double>(y);
  if (std::isnan(p) || std::isnan(q)) return std::isnan(p) && std::isnan(q);
  return signs == zeros::equal && p == 0 && q == 0;
}

std::string text(type t, const void* p) {
  std::ostringstream s;
  visit_type(t, [&]<class T>(T x) {
    std::memcpy(&x, p, sizeof x);
    if constexpr (std::is_integral_v<T>) {
      s << +x;
    } else if constexpr (!std::is_same_v<T, std::complex<float>> &&
                         !std::is_same_v<T, std::complex<double>>) {
      std::array<std::uint8_t, sizeof(T)> bytes;
      std::memcpy(bytes.data(), &x, sizeof x);
      s.precision(17);
      s << to_value<double>(x) << " (0x";
      for (std::size_t b = sizeof x; b-- > 0;) {
        constexpr char digits[] = "0123456789abcdef";
        s << digits[bytes[b] >> 4] << digits[bytes[b] & 15];
      }
      s << ')';
    }
  });
  return s.str();
}

// "element 2049: group 0 super 0 tile 1 chunk 0 run 0 vec 0 element 1"
std::string place(const spec& what, std::int64_t n, std::int64_t i) {
  constexpr std::array names{"vec", "run", "chunk", "tile", "super", "group"};
  const units u = units::of(accumulator_bytes(what));
  std::int64_t rest = what.direction == reverse ? n - 1 - i : i;
  std::ostringstream s;
  s << "element " << i << " of " << n << " (";
  for (std::size_t level = names.size(); level-- > 0;) {
    s << names[level] << ' ' << rest / u.size(level) << ' ';
    rest %= u.size(level);
  }
  s << "element " << rest << (what.direction == reverse ? ", from the end)" : ")");
  return s.str();
}

// What f32 results are judged in, and what f64 results are: wide enough for its own errors to
// vanish.
template <class T>
using judging = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <class T>
constexpr judging<T> unit_roundoff = std::numeric_limits<T>::epsilon() / 2;

template <class T>
struct expected {
  judging<T> value, tolerance;
};
template <class T>
using part_values = std::array<judging<T>, 2>;

// The references below take one element at a time and give what part c of the result may be, or
// nothing after an overflow or underflow. T is the scalar of the accumulator.

template <class T>
class sum_reference {
 public:
  void push(const part_values<T>& x) {
    ++terms_;
    for (std::size_t c = 0; c < 2; ++c) {
      value_[c] = terms_ == 1 ? x[c] : value_[c] + x[c];
      if (std::isfinite(x[c])) magnitude_[c] += std::fabs(x[c]);
    }
  }
  std::optional<expected<T>> result(std::size_t c,
                                    const std::function<double(std::int64_t)>& depth) const {
    if (magnitude_[c] > std::numeric_limits<T>::max() / 2) return {};
    return expected<T>{value_[c], depth(terms_) * unit_roundoff<T> * magnitude_[c]};
  }

 private:
  std::int64_t terms_ = 0;
  part_values<T> value_{}, magnitude_{};
};

// Zero, or a normal number of T; for complex numbers so far inside that their parts may be smaller.
template <class T>
bool in_range(judging<T> magnitude, bool complex = false) {
  using limit = std::numeric_limits<T>;
  static const judging<T> least[2] = {std::ldexp(judging<T>{1}, limit::min_exponent),
                                      std::ldexp(judging<T>{1}, limit::min_exponent / 2)};
  static const judging<T> most[2] = {std::ldexp(judging<T>{1}, limit::max_exponent - 1),
                                     std::ldexp(judging<T>{1}, limit::max_exponent / 2)};
  return magnitude == 0 || (magnitude > least[complex] && magnitude < most[complex]);
}

// Whether all products of neighbours are in range, however they are bracketed: each is the ratio of
// two products from the left, and zeros, which may come last, make none of them smaller.
template <class T>
class neighbours {
 public:
  bool push(judging<T> magnitude) {
    if (magnitude != 0) size_ *= magnitude;
    least_ = std::min(least_, size_);
    most_ = std::max(most_, size_);
    in_range_ = in_range_ && in_range<T>(most_ / least_) && in_range<T>(least_ / most_);
    return in_range_;
  }

 private:
  judging<T> size_ = 1, least_ = 1, most_ = 1;
  bool in_range_ = true;
};

template <class T>
class product_reference {
 public:
  product_reference(bool complex, brackets order)
      : complex_(complex),
        order_(order),
        factor_(complex ? std::sqrt(judging<T>{5}) : judging<T>{1}) {}

  void push(const part_values<T>& x) {
    if (!valid_) return;
    ++terms_;
    if (terms_ == 1) {
      value_ = x;
    } else {
      const auto [a, b] = value_;
      const auto [c, d] = x;
      zero_ = zero_ || (c == 0 && d == 0);
      value_ = complex_ ? part_values<T>{a * c - b * d, a * d + b * c} : part_values<T>{a * c, 0};
    }
    size_ = complex_ ? std::hypot(value_[0], value_[1]) : std::fabs(value_[0]);
    valid_ = in_range<T>(size_, complex_) && (size_ != 0 || zero_ || terms_ == 1) &&
             (order_ == brackets::left || neighbours_.push(std::hypot(x[0], x[1])));
  }
  std::optional<expected<T>> result(std::size_t c,
                                    const std::function<double(std::int64_t)>&) const {
    if (!valid_) return {};
    const auto i = static_cast<judging<T>>(std::max<std::int64_t>(terms_ - 1, 0));
    return expected<T>{value_[c], factor_ * i * unit_roundoff<T> * size_};
  }

 private:
  std::int64_t terms_ = 0;
  bool complex_;
  brackets order_;
  neighbours<T> neighbours_;
  judging<T> factor_, size_ = 1;
  bool zero_ = false, valid_ = true;
  part_values<T> value_{1, 0};
};

template <class T>
class affine_reference {
 public:
  explicit affine_reference(brackets order) : order_(order), coefficient_(false, order) {}

  void push(const part_values<T>& x) {
    coefficient_.push({x[0], 0});
    if (!valid_) return;
    ++terms_;
    const judging<T> scaled = terms_ == 1 ? 0 : x[0] * offset_;
    const bool lost = scaled == 0 && x[0] != 0 && offset_ != 0;
    offset_ = terms_ == 1 ? x[1] : scaled + x[1];
    magnitude_ = terms_ == 1 ? std::fabs(x[1]) : std::fabs(x[0]) * magnitude_ + std::fabs(x[1]);
    valid_ =
        !lost && in_range<T>(std::fabs(scaled)) && magnitude_ < std::numeric_limits<T>::max() / 2;
    if (order_ == brackets::left) return;
    // A scan may put the identity before the first map: (1, -0.0) joins any but a coefficient that
    // is no number.
    valid_ = valid_ && std::isfinite(x[0]);
    // Products of coefficients are formed too. One that underflows does no harm among coefficients
    // up to 1: what it loses is not amplified.
    largest_ = std::max(largest_, magnitude_);
    contracts_ = contracts_ && std::fabs(x[0]) <= 1;
    if (neighbours_.push(std::fabs(x[0]))) return;
    valid_ = valid_ && contracts_;
    lost_ = static_cast<judging<T>>(terms_) * static_cast<judging<T>>(terms_) * largest_ *
            std::numeric_limits<T>::denorm_min();
  }
  std::optional<expected<T>> result(std::size_t c,
                                    const std::function<double(std::int64_t)>& depth) const {
    if (c == 0) return coefficient_.result(0, depth);
    if (!valid_) return {};
    return expected<T>{offset_,
                       2 * static_cast<judging<T>>(terms_) * unit_roundoff<T> * magnitude_ + lost_};
  }

 private:
  std::int64_t terms_ = 0;
  brackets order_;
  bool valid_ = true, contracts_ = true;
  product_reference<T> coefficient_;
  neighbours<T> neighbours_;
  judging<T> offset_ = 0, magnitude_ = 0, largest_ = 0, lost_ = 0;
};

// Adds half an ulp of the 16-bit type that holds the result; nothing if that may overflow.
template <class T>
std::optional<expected<T>> rounded_to(type out, expected<T> e) {
  if (out != f16 && out != bf16) return e;
  const small_format& f = out == f16 ? half_format : brain_format;
  const judging<T> most = std::fabs(e.value) + e.tolerance;
  if (std::isnan(most) || std::isinf(most)) return e;
  if (most >=
      std::ldexp(judging<T>{1}, f.greatest + 1) * (1 - std::ldexp(judging<T>{1}, -f.digits)))
    return {};
  const int exponent = most == 0 ? f.least : std::max(std::ilogb(most), f.least);
  e.tolerance += std::ldexp(judging<T>{1}, exponent - f.digits);
  return e;
}

template <class T>
bool within(judging<T> got, const expected<T>& e) {
  if (std::isnan(e.value)) return std::isnan(got);
  if (std::isinf(e.value)) return got == e.value;
  return std::fabs(got - e.value) <= e.tolerance;
}

template <class T, class Reference>
class judge {
 public:
  judge(const spec& what, const arguments& a, const std::function<double(std::int64_t)>& depth)
      : what_(what), a_(a), depth_(depth), split_(what.affine == affine_form::split) {}

  std::optional<std::string> run(Reference reference) {
    push_init(reference);
    for (std::int64_t j = 0; j < a_.length; ++j) {
      const std::int64_t i = what_.direction == reverse ? a_.length - 1 - j : j;
      if (what_.kind == exclusive && !accepts(reference, a_.out, i)) return complaint(i);
      reference.push(element(i));
      if (what_.kind == inclusive && !accepts(reference, a_.out, i)) return complaint(i);
    }
    if (a_.total != nullptr && !accepts(reference, a_.total, 0)) return "total: " + problem_;
    return {};
  }

  std::int64_t judged() const { return judged_; }

 private:
  part_values<T> element(std::int64_t i) const {
    if (split_)
      return {load<judging<T>>(what_.in, a_.coefficients, i), load<judging<T>>(what_.in, a_.in, i)};
    return parts(what_.in, a_.in, i, in_parts(what_));
  }

  static part_values<T> parts(type t, const void* p, std::int64_t i, std::int64_t count) {
    part_values<T> x{};
    for (std::int64_t c = 0; c < count; ++c)
      x[static_cast<std::size_t>(c)] = load<judging<T>>(part_of(t), p, i * count + c);
    return x;
  }

  void push_init(Reference& reference) const {
    if (!a_.init.has_value()) return;
    const auto count = a_.init.components() * parts_of(a_.init.type());
    part_values<T> x = parts(a_.init.type(), a_.init.data(), 0, count);
    if (split_) x = {1, x[0]};
    reference.push(x);
  }

  bool accepts(const Reference& reference, const void* out, std::int64_t i) {
    const std::int64_t count = out_parts(what_);
    for (std::int64_t c = 0; c < count; ++c) {
      auto e = reference.result(static_cast<std::size_t>(split_ ? 1 : c), depth_);
      if (e) {
        e->tolerance *= judging<T>(1.01);
        e = rounded_to<T>(what_.out, *e);
      }
      if (!e) continue;
      ++judged_;
      const auto got = load<judging<T>>(part_of(what_.out), out, i * count + c);
      if (within(got, *e)) continue;
      std::ostringstream s;
      s.precision(21);
      s << "part " << c << ": got " << got << ", exact " << e->value << ", bound " << e->tolerance;
      problem_ = s.str();
      return false;
    }
    return true;
  }

  std::string complaint(std::int64_t i) const {
    return place(what_, a_.length, i) + ": " + problem_;
  }

  const spec& what_;
  const arguments& a_;
  const std::function<double(std::int64_t)>& depth_;
  bool split_;
  std::int64_t judged_ = 0;
  std::string problem_;
};

template <class T>
std::optional<std::string> judge_all(const spec& what, const arguments& a,
                                     const std::function<double(std::int64_t)>& depth,
                                     brackets order, std::int64_t* judged) {
  const auto with = [&](auto reference) {
    judge<T, decltype(reference)> j(what, a, depth);
    auto problem = j.run(reference);
    if (judged != nullptr) *judged = j.judged();
    return problem;
  };
  if (what.op.id == builtin::affine) return with(affine_reference<T>(order));
  if (what.op.id == builtin::sum) return with(sum_reference<T>());
  return with(product_reference<T>(what.out == c64 || what.out == c128, order));
}

}  // namespace

std::int64_t out_parts(const spec& what) {
  const bool pair = what.op.id == builtin::affine && what.affine == affine_form::pair;
  return pair ? 2 : parts_of(what.out);
}

std::int64_t in_parts(const spec& what) {
  const bool pair = what.op.id == builtin::affine && what.affine == affine_form::pair;
  return pair ? 2 : parts_of(what.in);
}

double serial_depth(std::int64_t terms) {
  return static_cast<double>(std::max<std::int64_t>(terms - 1, 0));
}

std::function<double(std::int64_t)> order1_depth(const spec& what) {
  const units u = units::of(accumulator_bytes(what));
  return [u](std::int64_t terms) {
    return std::min(serial_depth(terms), static_cast<double>(u.vec + 21 + terms / u.size(5)));
  };
}

std::function<double(std::int64_t)> textbook_depth(std::string_view backend, const spec& what) {
  const std::string_view name = backend.substr(backend.find('.') + 1);
  const bool fibers = backend.starts_with("simt.");
  const auto bytes =
      static_cast<std::int64_t>(size_of(what.out)) * (what.op.id == builtin::affine ? 2 : 1);
  // Blocks of `most` threads at most, and tiles of as few as 32 threads' elements on fibers: the
  // deepest tree, and the most tiles.
  const auto log2 = [](std::int64_t n) {
    return static_cast<double>(std::bit_width(static_cast<std::uint64_t>(n)) - 1);
  };
  const auto tiles = [](std::int64_t terms, std::int64_t tile) {
    return (terms + tile - 1) / tile;
  };
  const auto three_pass = [=](double block, std::int64_t per_thread, std::int64_t most) {
    const std::int64_t tile = per_thread * (fibers ? 32 : most);
    return [=](std::int64_t terms) {
      double levels = 1;
      for (std::int64_t m = terms; m > tile; m = tiles(m, tile)) ++levels;
      return levels * block + levels;
    };
  };
  const auto chain = [=](double block, std::int64_t per_thread, std::int64_t most) {
    const std::int64_t tile = per_thread * (fibers ? 32 : most);
    return [=](std::int64_t terms) { return block + static_cast<double>(tiles(terms, tile)); };
  };
  const auto trees = [=](std::int64_t tile) { return 2 * log2(tile) - 2; };
  const auto coarsened = [=](std::int64_t k, std::int64_t threads) {
    return static_cast<double>(k) + log2(threads) + 1;
  };
  std::function<double(std::int64_t)> d = serial_depth;  // naive, and peers, who do not say
  if (name == "hillis_steele" || name == "kogge_stone") d = three_pass(log2(1024), 1, 1024);
  if (name == "warp_shuffle") d = three_pass(log2(1024) + 1, 1, 1024);
  if (name == "brent_kung" || name == "blelloch") d = three_pass(trees(1024), 2, 512);
  if (name == "coarsened") d = three_pass(coarsened(8, 512), 8, 512);
  if (name == "three_pass") d = three_pass(coarsened(64 / bytes, 512), 64 / bytes, 512);
  if (name == "chained" || name == "decoupled_lookback")
    d = chain(coarsened(fibers ? 4 : 128 / bytes, 256), fibers ? 4 : 128 / bytes, 256);
  if (name == "hybrid") {
    const auto few = chain(log2(1024), 1, 1024);
    const auto many = three_pass(trees(1024), 2, 512);
    d = [=](std::int64_t terms) { return std::max(terms > 4097 ? 0.0 : few(terms), many(terms)); };
  }
  return [d](std::int64_t terms) { return std::min(serial_depth(terms), d(terms)); };
}

std::optional<std::string> first_difference(const spec& what, std::int64_t n, const void* got,
                                            const void* want, zeros signs) {
  const type part = part_of(what.out);
  const std::int64_t parts = out_parts(what);
  const auto size = static_cast<std::int64_t>(size_of(part));
  if (n == 0 || std::memcmp(got, want, static_cast<std::size_t>(n * parts * size)) == 0) return {};
  const auto* g = static_cast<const char*>(got);
  const auto* w = static_cast<const char*>(want);
  return visit_type(part, [&]<class T>(T) -> std::optional<std::string> {
    for (std::int64_t s = 0; s < n * parts; ++s, g += size, w += size)
      if (!same<T>(g, w, signs))
        return place(what, n, s / parts) +
               (parts == 1 ? "" : " part " + std::to_string(s % parts)) + ": got " + text(part, g) +
               ", want " + text(part, w);
    return {};
  });
}

std::optional<std::string> outside_bound(const spec& what, const arguments& a,
                                         const std::function<double(std::int64_t)>& depth,
                                         brackets order, std::int64_t* judged) {
  return what.out == f64 || what.out == c128 ? judge_all<double>(what, a, depth, order, judged)
                                             : judge_all<float>(what, a, depth, order, judged);
}

}  // namespace upsweep::testing
