// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs what the macro CHECKED names in many schedules; prints the first fault or wrong result and
// exits with 1, else "right". kernels.py compiles it against kernels that it has mutated.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "backends/kernels/algorithms.hpp"
#include "backends/kernels/operators.hpp"
#include "backends/simt/device.hpp"
#include "tests/mutants/small_kernels.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

namespace {

// Exact, and not commutative.
using Op = affine_op<std::uint32_t>;
using T = Op::value;

struct wrong : std::runtime_error {
  using runtime_error::runtime_error;
};

std::uint32_t scramble(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  return x * 0x846ca68bu;
}

std::vector<T> values(std::int64_t n, std::uint32_t seed) {
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) {
    x.coefficient = scramble(++seed);
    x.offset = scramble(++seed);
  }
  return v;
}

// A buffer of the device, zeroed.
template <class E>
class buffer {
 public:
  buffer(simt::device& d, std::size_t n)
      : device_(d), data_(static_cast<E*>(d.allocate(n * sizeof(E)))) {
    std::memset(static_cast<void*>(data_), 0, n * sizeof(E));
    d.written_by_host(data_, n * sizeof(E));
  }
  ~buffer() { device_.release(data_); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  E* data() const { return data_; }

 private:
  simt::device& device_;
  E* data_;
};

void expect_scan(const T* got, const std::vector<T>& in, bool exclusive) {
  T sum = Op::first();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const T through = Op::combine(sum, in[i]);
    const T want = exclusive ? sum : through;
    if (std::memcmp(&got[i], &want, sizeof want) != 0)
      throw wrong("wrong result: element " + std::to_string(i) + " of " +
                  std::to_string(in.size()));
    sum = through;
  }
}

// Scans of several lengths, one after the other on one workspace.
template <template <class> class Algorithm>
void check(simt::device& d) {
  using A = Algorithm<Op>;
  constexpr int threads = 64;
  constexpr std::int64_t longest = 5000;
  const std::size_t bytes = A::workspace_bytes(longest, threads);
  const buffer<std::byte> space(d, bytes + 1);
  std::uint32_t seed = 1;
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{130}, longest, std::int64_t{2049}})
    for (const bool exclusive : {false, true}) {
      const std::vector<T> in = values(n, seed += 9999);
      const buffer<T> out(d, in.size());
      d.borrow(in.data(), in.size() * sizeof(T), true);
      scan<Op> what;
      what.in = {in.data(), n};
      what.out = {out.data(), n};
      what.exclusive = exclusive;
      A::run({&d}, what, workspace(space.data(), longest), threads);
      d.give_back(in.data());
      expect_scan(out.data(), in, exclusive);
    }
}

// Many tiles at work at one time, so that a look-back goes over several windows.
template <template <class> class Algorithm>
void check_many_tiles(simt::device& some) {
  simt::options how = some.how();
  how.resident = 80;
  simt::device d(how);
  using A = Algorithm<Op>;
  const std::int64_t n = 80 * 256;
  const buffer<std::byte> space(d, A::workspace_bytes(n, 32));
  const std::vector<T> in = values(n, 7);
  const buffer<T> out(d, in.size());
  d.borrow(in.data(), in.size() * sizeof(T), true);
  scan<Op> what;
  what.in = {in.data(), n};
  what.out = {out.data(), n};
  A::run({&d}, what, workspace(space.data(), n), 32);
  expect_scan(out.data(), in, false);
}

template <class Op>
using single_block_kogge_stone = single_block<Op, kogge_stone<Op>>;

[[maybe_unused]] inline void check_warp(simt::device& d) {
  const std::vector<T> in = values(32, 3);
  const buffer<T> out(d, 32);
  d.borrow(in.data(), 32 * sizeof(T), true);
  launch(stream{&d}, {1, 32}, scan_warp<Op>, global<const T>(in.data(), 32),
         global<T>(out.data(), 32));
  d.give_back(in.data());
  expect_scan(out.data(), in, false);
}

[[maybe_unused]] inline void check_hand_over(simt::device& d) {
  for (int i = 0; i < 50; ++i) {
    const buffer<std::uint32_t> words(d, 3);
    launch(stream{&d}, {2, 32}, hand_over, global<std::uint32_t>(words.data(), 1),
           global<std::uint32_t>(words.data() + 1, 1), global<std::uint32_t>(words.data() + 2, 1));
    if (words.data()[2] != 42) throw wrong("wrong result: an old value was handed over");
  }
}

// A template, so that nothing is made of it where one check is asked for.
template <class = void>
void check_all(simt::device& d) {
  check<textbooks::naive>(d);
  check<textbooks::hillis_steele>(d);
  check<textbooks::kogge_stone>(d);
  check<textbooks::brent_kung>(d);
  check<textbooks::blelloch>(d);
  check<textbooks::warp_shuffle>(d);
  check<textbooks::coarsened>(d);
  check<textbooks::three_pass>(d);
  check<textbooks::hybrid>(d);
  check<textbooks::chained>(d);
  check<textbooks::decoupled_lookback>(d);
  check_many_tiles<textbooks::decoupled_lookback>(d);
  check<single_block_kogge_stone>(d);
  check_warp(d);
  check_hand_over(d);
}

void run(simt::device& d) { CHECKED(d); }

}  // namespace

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

int main() {
  using namespace upsweep;
  try {
    for (const simt::schedule order :
         {simt::schedule::fifo, simt::schedule::reverse, simt::schedule::random})
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        simt::device d({.seed = seed, .order = order, .resident = 1 + static_cast<int>(seed)});
        kernels::run(d);
      }
  } catch (const std::exception& e) {
    std::cout << e.what() << std::endl;
    return 1;
  }
  std::cout << "right" << std::endl;
}
