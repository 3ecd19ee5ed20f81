// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports about init, operators, direction, aliasing and element types: B23 to B71.
#include <complex>
#include <cstdint>
#include <limits>

#include "reported.hpp"

namespace upsweep::testing {
namespace {

// TheHPXProject/hpx#1390: the init of an inclusive scan joins more than once.
TEST_F(cases, B23) {
  expect_listed<std::int32_t>({}, 6, {1, 2, 3, 4, 5, 6, 7},
                              {100, 101, 103, 106, 110, 115, 121, 128}, 100);
  expect_listed<std::int32_t>({}, 8, {1, 1, 2, 2, 3, 3, 4, 4, 5},
                              {100, 101, 102, 104, 106, 109, 112, 116, 120, 125}, 100);
}

// triton-lang/triton#2359: a non-commutative operator, combined in the wrong order. The elements of
// the report have one fixed point, so they commute; the second input does not.
using pair = affine_pair<std::uint32_t>;

template <class X>
std::vector<pair> compositions(std::int64_t n, X x) {
  std::vector<pair> prefix{{1, 0}};
  for (std::int64_t i = 0; i < n; ++i) {
    const pair l = prefix.back(), r = x(i);
    prefix.push_back({l.coefficient * r.coefficient, r.coefficient * l.offset + r.offset});
  }
  return prefix;
}

template <class X>
void expect_compositions(const std::vector<pair>& prefix, X x) {
  for (const kind k : {inclusive, exclusive})
    expect_scan<pair>({.op = affine{}, .kind = k}, {5, 1000000}, x,
                      [&](std::int64_t m) { return prefix[static_cast<std::size_t>(m)]; });
}

TEST_F(cases, B27) {
  const auto reported = [](std::int64_t i) {
    return pair{static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i)};
  };
  const std::vector<pair> prefix = compositions(1000001, reported);
  ASSERT_EQ(prefix[5], (pair{945, 472}));
  ASSERT_EQ(prefix[512], (pair{4191577089, 2095788544}));
  ASSERT_EQ(prefix[1025], (pair{2432487425, 3363727360}));
  ASSERT_EQ(prefix[1000000], (pair{3449999489, 1724999744}));
  expect_compositions(prefix, reported);

  const auto not_commuting = [](std::int64_t i) {
    return pair{static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i * i + 1)};
  };
  expect_compositions(compositions(1000001, not_commuting), not_commuting);
}

// uxlfoundation/oneDPL#706: a default-constructed value taken for the identity.
TEST_F(cases, B35) {
  expect_scan<std::int32_t>(
      {}, {10}, [](std::int64_t) { return 1; },
      [](std::int64_t m) { return static_cast<std::int32_t>(m); });
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  expect_listed<std::int32_t>({.op = minimum{}}, 3, {5, 4, 6, 3}, {most, 5, 4, 4, 3});
}

// NVIDIA/TensorRT#4513: what reverse and exclusive mean together.
TEST_F(cases, B41) {
  const auto x = [](std::int64_t i) { return static_cast<std::int32_t>(i + 1); };
  for (const kind k : {inclusive, exclusive}) {
    expect_scan<std::int32_t>({.kind = k}, {3}, x, [](std::int64_t m) { return m * (m + 1) / 2; });
    expect_scan<std::int32_t>(
        {.kind = k, .direction = reverse}, {3, 5000}, x,
        [](std::int64_t m, std::int64_t n) { return m * n - m * (m - 1) / 2; });
  }
}

// llnl/RAJA#768: no elements, no pointers.
TEST_F(cases, B43) {
  for (const std::string& backend : available_backends())
    for (int id = static_cast<int>(builtin::sum); id < static_cast<int>(builtin::log_add_exp); ++id)
      for (const kind k : {inclusive, exclusive})
        for (const direction d : {forward, reverse}) {
          const spec what{
              .in = u32, .op = {.id = static_cast<builtin>(id)}, .kind = k, .direction = d};
          if (!serves(backend, what, 0)) continue;
          EXPECT_NO_THROW(scan(what, {}, {.backend = backend}));
          EXPECT_NO_THROW(plan(what, {}, {.backend = backend}).run({}));
        }
}

// llvm/llvm-project#59810: exclusive in place.
TEST_F(cases, B49) {
  expect_scan<std::int32_t>(
      {.kind = exclusive}, {10}, [](std::int64_t) { return 1; },
      [](std::int64_t m) { return static_cast<std::int32_t>(m); }, 0);
}

// AMReX-Codes/amrex#2105: the total of an exclusive scan in place. kokkos/kokkos#1535 has twos.
TEST_F(cases, B53) {
  expect_listed<std::int32_t>({.kind = exclusive}, 4, {1, 2, 3, 4, 5}, {0, 1, 3, 6, 10, 15}, 0);
}
TEST_F(cases, B31) {
  expect_scan<std::int32_t>(
      {.kind = exclusive}, {10}, [](std::int64_t) { return 2; },
      [](std::int64_t m) { return static_cast<std::int32_t>(2 * m); });
}

// pytorch/pytorch#42363, row by row.
TEST_F(cases, B57) {
  const std::vector<std::vector<std::int64_t>> rows{{3, 2, 2, 2, 6, 4, 7, 6, 1, 3},
                                                    {2, 8, 2, 6, 3, 9, 3, 3, 5, 6},
                                                    {0, 3, 6, 2, 7, 2, 5, 0, 5, 1},
                                                    {9, 3, 0, 2, 2, 8, 7, 9, 1, 3}};
  const std::vector<std::vector<std::int64_t>> right{{3, 3, 3, 3, 6, 6, 7, 7, 7, 7},
                                                     {2, 8, 8, 8, 8, 9, 9, 9, 9, 9},
                                                     {0, 3, 6, 6, 7, 7, 7, 7, 7, 7},
                                                     {9, 9, 9, 9, 9, 9, 9, 9, 9, 9}};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::int64_t> x = rows[r], prefixes = right[r];
    x.push_back(11);
    prefixes.push_back(11);
    prefixes.insert(prefixes.begin(), std::numeric_limits<std::int64_t>::min());
    expect_listed<std::int64_t>({.op = maximum{}}, 10, x, prefixes);
  }
}

// NVIDIA/cub#302, NVIDIA/thrust#1896, llnl/RAJA#1631: combined in the type of the input or the
// init.
TEST_F(cases, B59) {
  expect_listed<std::int8_t, std::int32_t>({.kind = exclusive}, 3, {100, 28, 1, -7},
                                           {0, 100, 128, 129, 122}, 0);
}
TEST_F(cases, B61) {
  expect_listed<std::int64_t>({.kind = exclusive}, 2, {4294967296, 0, 1},
                              {0, 4294967296, 4294967296, 4294967297}, std::int32_t{0});
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  expect_listed<std::int64_t>({.kind = exclusive}, 3, {most - 1, 1, 0, -1},
                              {0, most - 1, most, most, most - 1}, std::int32_t{0});
}
TEST_F(cases, B63) {
  expect_listed<std::int16_t, std::int32_t>({}, 3, {30000, 30000, 30000, 30000},
                                            {0, 30000, 60000, 90000, 120000});
}

// pytorch/pytorch#90635: types that some backends do not serve, or serve wrongly.
template <class T>
void expect_counts() {
  for (const std::int64_t n : {4, 100})
    expect_scan<T>(
        {}, {n}, [](std::int64_t) { return static_cast<T>(1); },
        [](std::int64_t m) { return static_cast<T>(static_cast<float>(m)); });
}
TEST_F(cases, B67) {
  expect_counts<std::int8_t>();
  expect_counts<std::uint8_t>();
  expect_counts<std::int16_t>();
  expect_counts<std::uint16_t>();
  expect_counts<std::int32_t>();
  expect_counts<std::uint32_t>();
  expect_counts<std::int64_t>();
  expect_counts<std::uint64_t>();
  expect_counts<float16>();
  expect_counts<bfloat16>();
  expect_counts<float>();
  expect_counts<double>();
  expect_counts<std::complex<float>>();
  expect_counts<std::complex<double>>();
  expect_scan<bool, std::int32_t>(
      {}, {4, 1000}, [](std::int64_t i) { return i % 3 != 2; },
      [](std::int64_t m) { return static_cast<std::int32_t>(m - m / 3); });
}

// numpy/numpy#8078: signed sums wrap.
TEST_F(cases, B71) {
  const std::vector<std::int32_t> x{12414,      33103,     41379,   88964,    142756,
                                    328960,     693092,    2228239, 27359548, 750138639,
                                    2040789728, 188603780, 1};
  const std::vector<std::int64_t> wide{0,         12414,      45517,      86896,     175860,
                                       318616,    647576,     1340668,    3568907,   30928455,
                                       781067094, 2821856822, 3010460602, 3010460603};
  std::vector<std::int32_t> wrapped(wide.begin(), wide.begin() + 11);
  wrapped.insert(wrapped.end(), {-1473110474, -1284506694, -1284506693});
  expect_listed<std::int32_t, std::int64_t>({}, 12, x, wide);
  expect_listed<std::int32_t>({}, 12, x, wrapped);
}

// llvm/llvm-project#53344: the total of an inclusive scan.
TEST_F(cases, B117) {
  expect_scan<std::int64_t>(
      {}, {100}, [](std::int64_t i) { return i + 1; },
      [](std::int64_t m) { return m * (m + 1) / 2; });
}

}  // namespace
}  // namespace upsweep::testing
