// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BENCH_HARNESS_HPP
#define UPSWEEP_BENCH_HARNESS_HPP

// One measured thing is a contender: a scan (or a copy) of one case, with some numbers of threads.
// Every measurement gets fresh random input in memory that was touched before, a poisoned output,
// one run to warm up, and a check of the output that the timed runs left.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "tests/support/random.hpp"

namespace upsweep::bench {

constexpr int smallest_exponent = 8, largest_exponent = 28, exponent_step = 2;

template <class Case>
using scan_call = std::function<void(const typename Case::in*, typename Case::out*)>;

// Makes all that a run of n elements needs; only the calls of what it returns are timed.
template <class Case>
using prepare_call = std::function<scan_call<Case>(std::int64_t n, int threads)>;

enum class result { scan, copy };

// The numbers of threads to measure with: 1, 2 and all, as far as the machine has them.
std::vector<int> team_sizes();

// Memory of the process that only grows and was written before it is handed out.
std::byte* input_bytes(std::size_t size);
std::byte* output_bytes(std::size_t size);

// A seed that no measurement of this process had before.
std::uint64_t fresh_seed();

// Bytes that one scan of n elements reads and writes, each once.
template <class Case>
constexpr std::size_t traffic(std::int64_t n) {
  return static_cast<std::size_t>(n) * (sizeof(typename Case::in) + sizeof(typename Case::out));
}

// Ends the measurement with an error and makes the program fail.
void report_wrong(benchmark::State& state, const std::string& what);
bool any_wrong();

template <class Case>
std::int64_t first_wrong_scan(const typename Case::in* in, const typename Case::out* out,
                              std::int64_t n) {
  auto expected = Case::identity();
  for (std::int64_t i = 0; i < n; ++i) {
    expected = Case::combine(expected, static_cast<typename Case::out>(in[i]));
    if (!(out[i] == expected)) return i;
  }
  return n;
}

std::int64_t first_wrong_copy(const std::byte* in, const std::byte* out, std::int64_t bytes);
void poison(std::byte* p, std::size_t size);

template <class Case>
void measure(benchmark::State& state, const prepare_call<Case>& prepare, result kind,
             std::int64_t n, int threads) {
  using in_type = typename Case::in;
  using out_type = typename Case::out;
  const std::size_t moved = traffic<Case>(n) / 2;  // what a copy of the same traffic moves
  const std::size_t in_size = std::max(moved, static_cast<std::size_t>(n) * sizeof(in_type));
  const std::size_t out_size = std::max(moved, static_cast<std::size_t>(n) * sizeof(out_type));
  auto* in = reinterpret_cast<in_type*>(input_bytes(in_size));
  auto* out = reinterpret_cast<out_type*>(output_bytes(out_size));
  const std::uint64_t seed = fresh_seed();
  for (std::size_t i = 0; i < in_size / sizeof(in_type); ++i)
    in[i] = Case::draw(testing::random_bits(seed, i));
  poison(reinterpret_cast<std::byte*>(out), out_size);

  const scan_call<Case> call = prepare(n, threads);
  call(in, out);
  poison(reinterpret_cast<std::byte*>(out), out_size);
  for ([[maybe_unused]] auto _ : state) {
    call(in, out);
    benchmark::ClobberMemory();
  }

  const auto size = kind == result::copy ? static_cast<std::int64_t>(moved) : n;
  const std::int64_t wrong = kind == result::copy
                                 ? first_wrong_copy(reinterpret_cast<const std::byte*>(in),
                                                    reinterpret_cast<const std::byte*>(out), size)
                                 : first_wrong_scan<Case>(in, out, n);
  if (wrong != size) return report_wrong(state, "wrong result at index " + std::to_string(wrong));
  state.SetBytesProcessed(static_cast<std::int64_t>(traffic<Case>(n)) * state.iterations());
}

// Registers a contender for every size: scan/<case>/<name>/<threads>/<n>.
template <class Case>
void enlist(const std::string& name, const std::vector<int>& teams, prepare_call<Case> prepare,
            result kind = result::scan) {
  for (const int threads : teams)
    for (int e = smallest_exponent; e <= largest_exponent; e += exponent_step) {
      const std::int64_t n = std::int64_t{1} << e;
      const std::string full = "scan/" + std::string(Case::name) + "/" + name + "/" +
                               std::to_string(threads) + "/" + std::to_string(n);
      benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
        measure<Case>(state, prepare, kind, n, threads);
      })->UseRealTime();
    }
}

// One a file: the contenders that each adds.
void add_upsweep();
void add_copies();
void add_std();
void add_tbb();
void add_directive();
void add_thrust();

}  // namespace upsweep::bench

#endif
