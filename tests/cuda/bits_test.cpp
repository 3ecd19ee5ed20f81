// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One sequence of bits from cpu.openmp and from every kernel of the production scan, at lengths
// around each border of order 1 and at large ones. Prints the SHA-256 of each type's results.
#include <array>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "tests/cuda/gpu.hpp"
#include "tests/property/harness.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/random.hpp"
#include "tests/unit/expect.hpp"
#include "upsweep/order.hpp"

namespace upsweep::testing {

namespace {

// A scan, and the format of its scalars: `least` and `most` bound their biased exponents, as wide
// as leaves the sums of narrow types finite and moving.
struct kind_of_bits {
  const char* name;
  spec what;
  int width, fraction_bits;
  std::uint64_t least, most;

  bool is_affine() const { return what.op.id == builtin::affine; }
  std::size_t scalars() const { return is_affine() || what.out == c64 ? 2 : 1; }
  std::uint64_t infinity() const {
    return (std::uint64_t{1} << (8 * width - 1)) - (std::uint64_t{1} << fraction_bits);
  }
};

void PrintTo(const kind_of_bits& k, std::ostream* to) { *to << k.name; }

// The data of conformance/same_bits.py: a tenth of the scalars -0.0 or denormal, coefficients of
// affine maps below 1.
std::uint64_t scalar(const kind_of_bits& k, std::uint64_t i) {
  const std::uint64_t h = random_bits(20240229, i), more = random_bits(h, 1);
  const std::uint64_t one = (k.infinity() >> k.fraction_bits) / 2;  // the exponent of 1
  const bool coefficient = k.is_affine() && i % 2 == 0;
  const std::uint64_t exponent =
      coefficient ? one - 1 - more % 4 : k.least + more % (k.most - k.least);
  const std::uint64_t fraction = h & ((std::uint64_t{1} << k.fraction_bits) - 1);
  const std::uint64_t minus = std::uint64_t{1} << (8 * k.width - 1);
  const std::uint64_t rare = (more >> 32) % 20;
  if (rare == 0) return minus;
  return (h >> 63 != 0 ? minus : 0) | (rare == 1 ? 0 : exponent << k.fraction_bits) | fraction;
}

// 40 lengths at borders, and two that fill the GPU.
std::vector<std::int64_t> lengths(const spec& what) {
  const std::size_t bytes = accumulator_bytes(what);
  const std::int64_t super = order1::super(bytes), group = order1::group(bytes);
  std::vector<std::int64_t> all;
  for (const std::int64_t border :
       {order1::vec(bytes), order1::run(bytes), 5 * order1::run(bytes), order1::chunk(bytes),
        3 * order1::chunk(bytes), order1::tile(bytes), 3 * order1::tile(bytes), super, 7 * super,
        16 * super, group, 2 * group, 5 * group})
    for (const std::int64_t n : {border - 1, border, border + 1}) all.push_back(n);
  all.insert(all.end(), {100'003, 10'000'019, (std::int64_t{1} << 28) + 13});
  return all;
}

// Every kernel, one block in all, one a multiprocessor, and what runs by default.
std::vector<std::string> shapes() {
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  return {"shape=tiles",
          "shape=supers",
          "shape=ring",
          "blocks=1",
          "",
          "shape=supers,blocks=" + std::to_string(processors)};
}

// Prints the hash of what it was given when it is closed.
class sha256 {
 public:
  sha256() : to_(popen("sha256sum", "w")) {}
  ~sha256() {
    if (to_ != nullptr) close();
  }
  sha256(const sha256&) = delete;
  sha256& operator=(const sha256&) = delete;

  void write(const void* p, std::size_t bytes) {
    EXPECT_TRUE(to_ != nullptr && std::fwrite(p, 1, bytes, to_) == bytes);
  }
  void close() { EXPECT_EQ(pclose(std::exchange(to_, nullptr)), 0) << "sha256sum"; }

 private:
  std::FILE* to_;
};

template <class U>
void compare(const kind_of_bits& k) {
  const std::vector<std::int64_t> sizes = lengths(k.what);
  const std::vector<std::string> ways = shapes();
  const std::size_t scalars = k.scalars();
  std::vector<U> in(scalars * static_cast<std::size_t>(sizes.back())), want(in.size() + scalars);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<U>(scalar(k, i));
  const on_gpu<U> in_there{std::span<const U>(in)}, want_there(want.size()), out(want.size());

  // The total goes behind the results.
  const auto run = [&](const spec& what, std::int64_t n, const U* from, U* to,
                       const plan_options& o) {
    plan(what, {.length = n}, o)
        .run({.in = from, .out = to, .length = n, .total = to + scalars * n});
  };
  sha256 hash;
  std::uint64_t all = 0;
  spec what = k.what;
  for (const std::int64_t n : sizes) {
    const std::size_t count = scalars * static_cast<std::size_t>(n + 1);
    run(what, n, in.data(), want.data(), {.backend = "cpu.openmp"});
    const auto infinity = static_cast<U>(k.infinity());
    for (std::size_t i = 0; i < count; ++i)
      if (static_cast<U>(want[i] << 1) > static_cast<U>(infinity << 1)) want[i] = infinity + 1;
    hash.write(want.data(), count * sizeof(U));
    want_there.fill(std::span<const U>(want).first(count));
    for (const std::string& way : ways) {
      const scoped_environment forced("UPSWEEP_SINGLE_PASS", way.empty() ? nullptr : way.c_str());
      check(cudaMemset(out.data(), 0xa5, count * sizeof(U)));
      run(what, n, in_there.data(), out.data(), {.backend = "cuda.single_pass", .memory = device});
      const std::uint64_t different =
          count_differences(out.data(), want_there.data(), count, k.width, k.infinity());
      EXPECT_EQ(different, 0u) << k.name << " n=" << n << ' ' << way << ": scalars that differ";
      all += different;
    }
    what.kind = what.kind == inclusive ? exclusive : inclusive;
  }
  std::cout << k.name << ": " << sizes.size() << " lengths x " << ways.size() << " shapes, "
            << (all == 0 ? "equal" : "NOT equal") << "; sha256 " << std::flush;
  hash.close();
}

class bits : public ::testing::TestWithParam<kind_of_bits> {
 protected:
  void SetUp() override {
    for (const backend_info& b : of_role(true))
      if (!b.available) GTEST_SKIP() << b.name << ": " << b.reason;
  }
};

TEST_P(bits, are_those_of_the_cpu) {
  const kind_of_bits& k = GetParam();
  if (k.width == 2) compare<std::uint16_t>(k);
  if (k.width == 4) compare<std::uint32_t>(k);
  if (k.width == 8) compare<std::uint64_t>(k);
}

const std::array kinds{
    kind_of_bits{"f32", {.in = f32}, 4, 23, 64, 192},
    kind_of_bits{"f64", {.in = f64}, 8, 52, 512, 1536},
    kind_of_bits{"f16", {.in = f16}, 2, 10, 1, 17},
    kind_of_bits{"bf16", {.in = bf16}, 2, 7, 108, 128},
    kind_of_bits{"c64", {.in = c64}, 4, 23, 64, 192},
    kind_of_bits{"affine_f32", {.in = f32, .op = affine{}}, 4, 23, 64, 192},
};
INSTANTIATE_TEST_SUITE_P(, bits, ::testing::ValuesIn(kinds),
                         [](const auto& info) { return info.param.name; });

class bits_beside_other_work : public on_backend {};

TEST_P(bits_beside_other_work, never_change) {
  constexpr std::int64_t n = 10'000'019;
  const kind_of_bits& k = kinds[0];
  std::vector<std::uint32_t> in(n), want(n);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(scalar(k, i));
  plan(k.what, {.length = n}, {.backend = "cpu.openmp"})
      .run({.in = in.data(), .out = want.data(), .length = n});
  const on_gpu<std::uint32_t> in_there{std::span<const std::uint32_t>(in)};
  const on_gpu<std::uint32_t> want_there{std::span<const std::uint32_t>(want)}, out(n);
  const gpu_stream stream;
  plan p(k.what, {.length = n}, {.backend = GetParam().name, .memory = device});
  const busy_gpu other;
  for (int run = 0; run < 50; ++run) {
    check(cudaMemsetAsync(out.data(), 0xa5, n * sizeof(float), stream));
    p.run({.in = in_there.data(), .out = out.data(), .length = n, .stream = stream});
    stream.wait();
    ASSERT_EQ(count_differences(out.data(), want_there.data(), n, k.width, k.infinity()), 0u)
        << "run " << run;
  }
}

UPSWEEP_ON_BACKENDS(bits_beside_other_work, of_role(true));

}  // namespace

}  // namespace upsweep::testing
