// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BENCH_GPU_EXACT_HPP
#define UPSWEEP_BENCH_GPU_EXACT_HPP

// Random inputs whose scans are known in closed form, so that the GPU makes them and checks every
// result itself, whatever the size. All values are whole numbers, and so small that a float's sum
// of any 16 elements, or of any that follow each other, is exact in its own type: CUB adds f16 and
// bf16 as such, and in a thread those at even and at odd places apart. So every right result is
// equal.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "upsweep/operators.hpp"
#include "upsweep/spec.hpp"

namespace upsweep::bench {

// A complex number, or a pair of an affine scan.
template <class S>
struct two {
  S first, second;
  friend __host__ __device__ bool operator==(two a, two b) {
    return a.first == b.first && a.second == b.second;
  }
};

// h(i) is random bits of the seed and i; element i of a sum is h(i) - h(i-1), so that its prefix is
// h(i); of bit_xor likewise. A running minimum goes down by one each 2^shift elements.
struct exact_scan {
  builtin op = builtin::sum;
  kind what = kind::inclusive;
  direction way = direction::forward;
  std::int64_t n = 0;
  std::uint32_t seed = 0;
  int base = 0;   // added to each element of a sum: keeps unsigned ones from going below 0
  int shift = 0;  // of a minimum
  int init = 0;   // 0: none
  int bits = 7;   // of h(i); 4 for bf16, which holds 16 * 15 exactly, but not 16 * 127

  // Input i and result i; the result n is the total.
  template <class T>
  __host__ __device__ T element(std::int64_t i) const {
    const std::int64_t at = way == direction::forward ? i : n - 1 - i;
    if constexpr (std::is_same_v<T, two<float>> || std::is_same_v<T, two<double>>)
      return pair_element<T>(at);
    else
      return number<T>(term(at));
  }
  template <class T>
  __host__ __device__ T result(std::int64_t i) const {
    std::int64_t at = i == n ? n - 1 : way == direction::forward ? i : n - 1 - i;
    if (what == kind::exclusive && i != n) --at;
    if constexpr (std::is_same_v<T, two<float>> || std::is_same_v<T, two<double>>)
      return pair_result<T>(at);
    else
      return number<T>(prefix(at));
  }

 private:
  __host__ __device__ int noise(std::uint32_t seed, std::int64_t i) const {
    if (i < 0) return 0;
    auto x =
        static_cast<std::uint32_t>(i) * 0x9e3779b9u ^ static_cast<std::uint32_t>(i >> 32) ^ seed;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return static_cast<int>(x >> (32 - bits));
  }
  __host__ __device__ int h(std::int64_t i) const { return noise(seed, i); }
  __host__ __device__ int other(std::int64_t i) const { return noise(seed + 1, i); }
  __host__ __device__ int sign(std::int64_t i) const { return other(i) % 2 != 0 ? -1 : 1; }

  __host__ __device__ std::int64_t term(std::int64_t i) const {
    if (op == builtin::bit_xor) return h(i) ^ h(i - 1);
    if (op == builtin::minimum)
      return (i & ((std::int64_t{1} << shift) - 1)) == 0 ? -(i >> shift) : h(i) - (i >> shift);
    return base + h(i) - h(i - 1);
  }
  __host__ __device__ std::int64_t prefix(std::int64_t i) const {
    if (op == builtin::bit_xor) return init ^ h(i);
    if (op == builtin::minimum) return -(i >> shift);
    return init + base * (i + 1) + h(i);
  }

  // Coefficients 1 and -1, with the product sign(i), and offsets that make h(i) of them.
  template <class T>
  __host__ __device__ T pair_element(std::int64_t i) const {
    using S = decltype(T::first);
    if (op != builtin::affine)
      return {static_cast<S>(h(i) - h(i - 1)), static_cast<S>(other(i) - other(i - 1))};
    const int b = sign(i) * sign(i - 1);
    return {static_cast<S>(b), static_cast<S>(h(i) - b * h(i - 1))};
  }
  template <class T>
  __host__ __device__ T pair_result(std::int64_t i) const {
    using S = decltype(T::first);
    if (op != builtin::affine) return {static_cast<S>(h(i)), static_cast<S>(other(i))};
    return {static_cast<S>(sign(i)), static_cast<S>(h(i))};
  }

  template <class T>
  __host__ __device__ static T number(std::int64_t x) {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>)
      return static_cast<T>(x);
    else
      return T(static_cast<float>(x));
  }
};

}  // namespace upsweep::bench

#endif
