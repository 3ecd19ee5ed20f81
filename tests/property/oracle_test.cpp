// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle against docs/numerics.md read as a definition, against published values and against
// its own error bound; and whether the tools of the other tests can fail.
#include "tests/support/oracle.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/property/harness.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/convert.hpp"
#include "tests/support/operators.hpp"
#include "tests/support/random.hpp"

namespace upsweep::testing {

namespace {

// Writes down what is combined with what.
struct written {
  using value = std::string;
  static value combine(const value& a, const value& b) { return "(" + a + "+" + b + ")"; }
};

// The formula of sections 3 and 4, as recursion over index ranges instead of a counter.
class definition {
 public:
  explicit definition(const units& u, std::optional<std::string> init = {}) : u_(u), init_(init) {}

  std::string prefix(std::int64_t m) const {
    std::optional<std::string> w = init_;
    std::int64_t first = 0;
    for (; first + u_.size(5) <= m; first += u_.size(5)) w = join(w, total(5, first));
    for (std::size_t level = 5; level-- > 0;)
      if (const std::int64_t whole = (m - first) / u_.size(level); whole > 0) {
        w = join(w, tree_prefix(level, first, whole));
        first += whole * u_.size(level);
      }
    if (first < m) w = join(w, fold(first, m));
    return w.value_or("nothing");
  }

 private:
  static std::string join(const std::optional<std::string>& a, const std::string& b) {
    return a ? written::combine(*a, b) : b;
  }
  static std::string fold(std::int64_t first, std::int64_t last) {
    std::string f = std::to_string(first);
    while (++first < last) f = written::combine(f, std::to_string(first));
    return f;
  }
  // Of the unit that begins at element `first`.
  std::string total(std::size_t level, std::int64_t first) const {
    return level == 0 ? fold(first, first + u_.vec)
                      : tree(level - 1, first, u_.sub_units[level - 1]);
  }
  // Of `count` units, a power of two.
  std::string tree(std::size_t level, std::int64_t first, std::int64_t count) const {
    if (count == 1) return total(level, first);
    return written::combine(tree(level, first, count / 2),
                            tree(level, first + count / 2 * u_.size(level), count / 2));
  }
  std::string tree_prefix(std::size_t level, std::int64_t first, std::int64_t m) const {
    std::int64_t block = 1;
    while (2 * block <= m) block *= 2;
    const std::string left = tree(level, first, block);
    if (block == m) return left;
    return written::combine(left, tree_prefix(level, first + block * u_.size(level), m - block));
  }

  units u_;
  std::optional<std::string> init_;
};

void expect_definition(const units& u, std::int64_t n, std::optional<std::string> init) {
  const definition d(u, init);
  oracle<written> o(u, init);
  EXPECT_EQ(o.prefix().value_or("nothing"), d.prefix(0));
  for (std::int64_t m = 1; m <= n; ++m) {
    o.push(std::to_string(m - 1));
    ASSERT_EQ(*o.prefix(), d.prefix(m)) << "m = " << m << ", vec = " << u.vec;
  }
}

TEST(oracle, is_the_formula_across_every_border_of_small_units) {
  for (const std::int64_t vec : {1, 2, 3, 5}) {
    const units tiny{.vec = vec, .sub_units = {2, 2, 2, 2, 2}};
    expect_definition(tiny, 3 * tiny.size(5) + vec + 1, {});
    expect_definition(tiny, 3 * tiny.size(5) + vec + 1, "init");
    const units uneven{.vec = vec, .sub_units = {4, 8, 1, 2, 4}};
    expect_definition(uneven, uneven.size(5) + uneven.size(3) + vec + 1, "init");
  }
}

TEST(oracle, is_the_formula_at_the_real_constants) {
  expect_definition(units::of(4), 1200, {});
  expect_definition(units::of(16), 1200, "init");
}

TEST(oracle, gives_the_examples_of_the_docs) {
  oracle<written> o(units::of(4));
  for (int i = 0; i < 7; ++i) o.push("x" + std::to_string(i));
  EXPECT_EQ(*o.prefix(), "((((x0+x1)+x2)+x3)+((x4+x5)+x6))");
  oracle<written> seven_vecs({.vec = 1, .sub_units = {8, 1, 1, 1, 1}});
  for (int i = 0; i < 7; ++i) seven_vecs.push("v" + std::to_string(i));
  EXPECT_EQ(*seven_vecs.prefix(), "(((v0+v1)+(v2+v3))+((v4+v5)+v6))");
}

TEST(oracle, has_the_unit_sizes_of_the_docs) {
  struct row {
    std::size_t bytes;
    std::int64_t vec, run, chunk, tile, super, group;
  };
  for (const row& r :
       {row{1, 16, 64, 2048, 8192, 32768, 1048576}, row{2, 8, 32, 1024, 4096, 16384, 524288},
        row{4, 4, 16, 512, 2048, 8192, 262144}, row{8, 2, 8, 256, 1024, 4096, 131072},
        row{16, 1, 4, 128, 512, 2048, 65536}}) {
    const units u = units::of(r.bytes);
    EXPECT_EQ((std::array{u.size(0), u.size(1), u.size(2), u.size(3), u.size(4), u.size(5)}),
              (std::array{r.vec, r.run, r.chunk, r.tile, r.super, r.group}));
  }
  EXPECT_EQ(units::of(3).vec, 5);
  EXPECT_EQ(units::of(12).vec, 1);
  EXPECT_EQ(units::of(24).vec, 1);
}

TEST(oracle, keeps_neighbours_together) {
  oracle<adjacent> o(units::of(8));
  for (std::int32_t i = 0; i < 300'000; ++i) {
    o.push({i, i});
    ASSERT_EQ(*o.prefix(), (adjacent::value{0, i}));
  }
}

// Published values: JuliaGPU/AcceleratedKernels.jl#78 and triton-lang/triton#2359.
TEST(oracle, multiplies_matrices_in_order) {
  oracle<matrix_product> o(units::of(16));
  for (int i = 0; i < 1000; ++i)
    o.push(i % 2 == 0 ? matrix_product::value{1, 1, 0, 1} : matrix_product::value{1, 0, 1, 1});
  EXPECT_EQ(*o.prefix(),
            (matrix_product::value{1318412525u, 1556111435u, 1556111435u, 4057268386u}));
}

TEST(oracle, composes_affine_maps_in_order) {
  const std::int64_t n = 1'000'000;
  std::vector<affine_pair<std::uint32_t>> x(n), out(n);
  for (std::uint32_t i = 0; i < n; ++i) x[i] = {2 * i + 1, i};
  run_oracle({.in = u32, .out = u32, .op = affine{}},
             {.in = x.data(), .out = out.data(), .length = n});
  EXPECT_EQ(out[4], (affine_pair<std::uint32_t>{945, 472}));
  EXPECT_EQ(out[511], (affine_pair<std::uint32_t>{4191577089u, 2095788544u}));
  EXPECT_EQ(out[1024], (affine_pair<std::uint32_t>{2432487425u, 3363727360u}));
  EXPECT_EQ(out[999'999], (affine_pair<std::uint32_t>{3449999489u, 1724999744u}));
}

TEST(oracle, stays_within_the_bound_of_its_depth) {
  std::int64_t judged = 0;
  for_all_cases(
      "oracle", budget_of("oracle").cases / 10, [&](test_case c) -> std::optional<std::string> {
        c.in_place = false;
        if (c.what.op.id != builtin::sum) c.what.in = c.what.out;
        // Products may overflow or underflow within a unit and not as a whole: no bound then.
        if (c.what.op.id != builtin::sum) c.data = distribution::near_one;
        if (is_exact(c)) return {};
        stage s(c);
        arguments a = s.whole();
        std::vector<std::byte> out = s.want(), total = s.want_total();
        a.out = out.data();
        a.total = total.data();
        std::int64_t here = 0;
        auto wrong = outside_bound(c.what, a, order1_depth(c.what), brackets::left, &here);
        judged += here;
        return wrong;
      });
  EXPECT_GT(judged, budget_of("oracle").cases);
}

// The same bits; all NaNs as one.
bool same(float a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

TEST(conversions, of_16_bit_floats_agree_with_the_library) {
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    const auto bits = static_cast<std::uint16_t>(b);
    ASSERT_TRUE(same(float16::from_bits(bits), decode(bits, half_format))) << b;
    ASSERT_TRUE(same(bfloat16::from_bits(bits), decode(bits, brain_format))) << b;
  }
}

// Rounding is monotonic, so values, midpoints and their neighbours decide it everywhere.
template <class T>
void expect_same_rounding(const small_format& f) {
  const auto same = [&](float x) {
    const T got(x);
    const std::uint16_t want = encode(x, f);
    if (std::isnan(x)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(got)));
    } else {
      ASSERT_EQ(got.bits, want) << std::hexfloat << x;
    }
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    const auto at = static_cast<float>(decode(static_cast<std::uint16_t>(b), f));
    const auto next = static_cast<float>(decode(static_cast<std::uint16_t>(b + 1), f));
    const auto middle = static_cast<float>((static_cast<double>(at) + next) / 2);
    for (const float x : {at, middle})
      for (const float y : {std::nextafter(x, -infinity), x, std::nextafter(x, infinity)}) same(y);
  }
  for (const float x : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN(),
                        std::numeric_limits<float>::max(), 65519.996f, 65520.0f,
                        std::numeric_limits<float>::denorm_min()})
    same(x);
}

TEST(conversions, to_16_bit_floats_round_as_the_library_does) {
  expect_same_rounding<float16>(half_format);
  expect_same_rounding<bfloat16>(brain_format);
}

TEST(cases, mix_types_as_the_library_does) {
  for (int in = 0; in <= static_cast<int>(user); ++in)
    for (int out = 0; out < static_cast<int>(user); ++out)
      EXPECT_EQ(mixes(static_cast<type>(in), static_cast<type>(out)),
                represents(static_cast<type>(out), static_cast<type>(in)))
          << upsweep::name_of(static_cast<type>(in)) << " -> "
          << upsweep::name_of(static_cast<type>(out));
}

TEST(cases, can_be_replayed_from_their_line) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const test_case c = draw(seed);
    EXPECT_EQ(from_line(to_line(c)), c);
  }
  EXPECT_THROW(from_line("in=f31"), std::invalid_argument);
  EXPECT_THROW(from_line("n=12x"), std::invalid_argument);
  EXPECT_THROW(from_line("colour=red"), std::invalid_argument);
}

TEST(cases, cross_tiles_and_groups_as_often_as_promised) {
  constexpr int n = 20'000;
  int tiles = 0, groups = 0, large = 0;
  for (std::uint64_t seed = 0; seed < n; ++seed) {
    const test_case c = draw(seed);
    tiles += c.length > sizes_of(c).tile;
    groups += c.length > sizes_of(c).group;
    large += c.length > limits{}.group;
    ASSERT_TRUE(mixes(c.what.in, c.what.out) && defined_on(c.what.op.id, c.what.out)) << c;
  }
  EXPECT_GE(tiles, n / 2);
  EXPECT_GE(groups, n / 10);
  EXPECT_GE(large, n / 200);
}

// Each tool must see the fault that it is there for.
TEST(tools, see_a_written_guard) {
  guarded g(10, 3);
  EXPECT_TRUE(g.intact());
  g.data()[9] = std::byte{0};
  EXPECT_TRUE(g.intact());
  for (std::byte* p : {g.data() - 1, g.data() - 64, g.data() + 10, g.data() + 73}) {
    *p ^= std::byte{1};
    EXPECT_FALSE(g.intact());
    *p ^= std::byte{1};
  }
}

TEST(tools, see_one_wrong_bit_and_take_all_nans_as_one) {
  const spec sums{.in = f32, .out = f32};
  std::vector<float> want(3000, 1.0f), got = want;
  want[7] = std::numeric_limits<float>::quiet_NaN();
  got[7] = -want[7];
  EXPECT_FALSE(first_difference(sums, 3000, got.data(), want.data()));
  got[2500] = std::nextafter(1.0f, 2.0f);
  const auto difference = first_difference(sums, 3000, got.data(), want.data());
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->find("element 2500 of 3000 (group 0 super 0 tile 1 chunk 0 run 28"),
            std::string::npos)
      << *difference;
  got = want = {0.0f};
  got[0] = -0.0f;
  EXPECT_TRUE(first_difference(sums, 1, got.data(), want.data()));
  EXPECT_FALSE(first_difference(sums, 1, got.data(), want.data(), zeros::equal));
}

TEST(tools, see_a_result_outside_its_bound) {
  for (const builtin op : {builtin::sum, builtin::product, builtin::affine})
    for (const type t : {f16, bf16, f32, f64, c64, c128}) {
      if (!defined_on(op, t)) continue;
      test_case c{.what = {.in = t, .out = t, .op = {.id = op}},
                  .length = 100,
                  .data = distribution::near_one,
                  .seed = 11};
      stage s(c);
      arguments a = s.whole();
      std::vector<std::byte> out = s.want(), total = s.want_total();
      a.out = out.data();
      a.total = total.data();
      EXPECT_FALSE(outside_bound(c.what, a, serial_depth)) << c;
      const std::size_t size = out.size() / 100;
      std::memcpy(out.data() + 49 * size, out.data() + 59 * size, size);
      std::memcpy(out.data() + 59 * size, out.data() + 69 * size, size);
      EXPECT_TRUE(outside_bound(c.what, a, serial_depth)) << c;
    }
}

}  // namespace

}  // namespace upsweep::testing
