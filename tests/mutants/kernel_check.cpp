// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs what the macro CHECKED names in three schedules for each of SEEDS; prints the first fault or
// wrong result and exits with 1, else "right". kernels.py compiles it against kernels that it has
// mutated.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "backends/kernels/algorithms.hpp"
#include "backends/kernels/grid/single_pass/cluster.hpp"
#include "backends/kernels/grid/single_pass/persistent.hpp"
#include "backends/kernels/grid/single_pass/registers.hpp"
#include "backends/kernels/grid/single_pass/totals.hpp"
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

template <class V = T>
std::vector<V> values(std::int64_t n, std::uint32_t seed) {
  std::vector<V> v(static_cast<std::size_t>(n));
  for (V& x : v) {
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

// `got`: the results but for the first `skipped`.
template <class V>
void expect_scan(const V* got, const std::vector<V>& in, bool exclusive, std::size_t skipped = 0) {
  using O = affine_op<decltype(V::offset)>;
  V sum = O::first();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const V through = O::combine(sum, in[i]);
    const V want = exclusive ? sum : through;
    if (i >= skipped && std::memcmp(&got[i - skipped], &want, sizeof want) != 0)
      throw wrong("wrong result: element " + std::to_string(i) + " of " +
                  std::to_string(in.size()));
    sum = through;
  }
}

// Scans of several lengths, one after the other on one workspace.
template <template <class> class Algorithm>
void check(simt::device& d, std::int64_t longest = 5000) {
  using A = Algorithm<Op>;
  constexpr int threads = 64;
  const std::size_t bytes = A::workspace_bytes(longest, threads);
  const buffer<std::byte> space(d, bytes + 1);
  std::uint32_t seed = 1;
  for (const std::int64_t n :
       {std::int64_t{1}, std::int64_t{130}, longest, std::min(longest, std::int64_t{2049})})
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

// A run of the production scan.
struct production_run {
  std::int64_t n;
  std::int64_t blocks;
  bool edges = false;  // arrays that begin between two multiples of 16 bytes
  bool in_place = false;
  int stages = 2;            // of a ring
  std::int64_t skipped = 0;  // elements before those of the arrays
  bool reverse = false;
  int look_ahead = 1;  // of a ring
};

// The total of some elements.
template <class V>
V total_of(const std::vector<V>& in, std::int64_t begin, std::int64_t end) {
  using O = affine_op<decltype(V::offset)>;
  V sum = O::identity();
  for (; begin < end; ++begin) sum = O::combine(sum, in[static_cast<std::size_t>(begin)]);
  return sum;
}

// The totals that flat has of the elements before those of the arrays.
template <class V>
void fill_given(V* given, const std::vector<V>& in, std::int64_t vec, std::int64_t skipped) {
  const std::int64_t vecs = skipped / vec;
  given[0] = total_of(in, vecs * vec, skipped);
  for (int b = 0; b + 1 < open_totals; ++b) {
    const std::int64_t begin = vecs >> (b + 1) << (b + 1);
    if ((vecs >> b & 1) != 0)
      given[1 + b] = total_of(in, begin * vec, (begin + (std::int64_t{1} << b)) * vec);
  }
}

// Runs one after the other on one workspace; start(what, more, totals, run) launches one.
template <class Op, class Sizes, class Start>
void check_production(simt::device& d, const std::vector<production_run>& runs, Start&& start) {
  using V = typename Op::value;
  constexpr int element = static_cast<int>(sizeof(V));
  constexpr int vec = vec_of<Op, V>::size;
  constexpr std::int64_t group = Sizes::supers * Sizes::super_vecs * vec;
  std::int64_t longest = 0;
  for (const production_run& r : runs) longest = std::max(longest, r.skipped + r.n);
  const std::int64_t units =
      (longest + group - 1) / group * Sizes::supers * Sizes::tiles + groups_at_once * Sizes::supers;
  const buffer<std::byte> memory(d, tickets::bytes() + unit_totals<V>::bytes(units));
  std::uint32_t seed = 1;
  for (const production_run& r : runs) {
    const std::vector<V> in = values<V>(r.skipped + r.n, seed += 9999);
    const auto there = static_cast<std::size_t>(r.n);
    const std::size_t edge = r.edges ? 1 : 0;
    const buffer<V> one(d, there + edge), other(d, there + edge), given(d, open_totals);
    V* const from = one.data() + edge;
    V* const to = (r.in_place ? one : other).data() + edge;
    const auto first = in.end() - r.n;
    if (r.reverse)
      std::reverse_copy(first, in.end(), from);
    else
      std::copy(first, in.end(), from);
    fill_given(given.data(), in, vec, r.skipped);
    flat<Op, V> what;
    what.in = {reinterpret_cast<const std::byte*>(from), r.n * element};
    what.out = {reinterpret_cast<std::byte*>(to), r.n * element};
    what.n = r.skipped + r.n;
    what.skipped = r.skipped;
    what.given = {given.data(), open_totals};
    what.made = form::pair;
    what.native_in = what.native_out = true;
    what.reverse = r.reverse;
    what.off_in = what.off_out =
        static_cast<int>(((r.edges ? 1 : 0) + what.place(0)) * element & 15);
    what.taken_in = what.taken_out = true;
    what.straight_in = what.straight_out = what.off_in == 0;
    what.exclusive = seed % 2 == 0;
    what.first = Op::first();
    what.in_size = what.out_size = element;
    what.in_scalar = what.out_scalar = element / 2;
    workspace space(memory.data(), longest);
    const tickets more(space);
    start(what, more, unit_totals<V>(space, units), r);
    if (r.reverse) std::reverse(to, to + r.n);
    expect_scan(to, in, what.exclusive, static_cast<std::size_t>(r.skipped));
  }
}

using four_chunks = unit_sizes<1, 4, 1>;
using four_tiles = unit_sizes<1, 1, 4>;

// One block of all starts late, as on a GPU any may.
template <class Op, class Sizes, bool by_tiles>
UPSWEEP_KERNEL void late_register_kernel(flat<Op, typename Op::value> what, tickets more,
                                         unit_totals<typename Op::value> totals) {
  if (block_index() == grid_size() / 2)
    for (int i = 0; i < 40; ++i) pause();
  register_kernel<Op, typename Op::value, Sizes, by_tiles>(what, more, totals);
}

template <class Sizes, bool by_tiles, class Op = kernels::Op>
void check_registers(simt::device& d) {
  using unit = block_unit<Sizes, by_tiles>;
  const std::int64_t n = vec_of<Op, typename Op::value>::size * unit::threads;
  const auto start = [&](const auto& what, const tickets& more, const auto& totals,
                         const production_run& r) {
    launch(stream{&d}, {.blocks = r.blocks, .threads = unit::threads, .together = true},
           late_register_kernel<Op, Sizes, by_tiles>, what, more, totals);
  };
  check_production<Op, Sizes>(d,
                              {{n, 1},
                               {5 * n - 3, 5},
                               {7 * n, 3},
                               {5 * n, 5},
                               {66 * n + 1, 67},
                               {67 * n - 1, 4, true},
                               {3 * n, 2, true, true},
                               {6 * n, 3, false, false, 2, 5 * n - 4},
                               {3 * n, 9, false, true, 2, 5 * n + 7},
                               {5 * n, 5, false, false, 2, 0, true},
                               {5 * n, 5}},
                              start);
}

template <class Sizes, int each>
void check_cluster(simt::device& d) {
  using unit = cluster_unit<Sizes, each>;
  const std::int64_t part = unit::rows * warp_size * vec_of<Op, T>::size;
  const std::int64_t n = unit::warps * part;
  const auto start = [&](const flat<Op, T>& what, const tickets&, const unit_totals<T>&,
                         const production_run& r) {
    const auto warps = unit::clustered ? unit::warps : static_cast<int>((what.n + part - 1) / part);
    launch(stream{&d},
           {.blocks = r.blocks, .threads = warps * warp_size, .cluster = unit::clustered},
           cluster_kernel<Op, T, Sizes, each>, what);
  };
  using runs = std::vector<production_run>;
  const runs of_cluster{{1, 2},
                        {n, 2},
                        {3 * n, 3, false, false, 2, 0, true},
                        {n + 1, 2, true, true},
                        {7 * n - 3, 7},
                        {4 * n, 7, false, true, 2, 3 * n - 3},
                        {16 * n, 16}};
  const runs of_one{{1, 1}, {part + 1, 1}, {n, 1}, {n - 1, 1, true}};
  check_production<Op, Sizes>(d, unit::clustered ? of_cluster : of_one, start);
}

template <class Sizes>
void check_ring(simt::device& d) {
  const std::int64_t n = Sizes::super_vecs * vec_of<Op, T>::size;
  const auto start = [&](const flat<Op, T>& what, const tickets& more, const unit_totals<T>& totals,
                         const production_run& r) {
    const ring how{r.stages, static_cast<int>(n * sizeof(T)) + 16, 2, r.look_ahead};
    launch(stream{&d},
           {.blocks = r.blocks,
            .threads = roles<Sizes>::threads,
            .shared_bytes = r.stages * how.stage_bytes,
            .together = true},
           persistent_kernel<Op, T, Sizes, T, T>, what, more, totals, how);
  };
  check_production<Op, Sizes>(d,
                              {{n, 1},
                               {n - 9, 1},
                               {9 * n - 3, 1, false, false, 3},
                               {7 * n, 3},
                               {9 * n - 5, 1, true},
                               {66 * n + 1, 3, false, true, 4},
                               {67 * n + 5, 2, true, true, 3},
                               {6 * n, 2, false, false, 2, 5 * n - 2},
                               {3 * n, 1, false, true, 3, 5 * n + 7},
                               {4 * n, 2, false, false, 2, 0, true},
                               {7 * n, 1, false, false, 2, 0, false, 0},
                               {9 * n, 1, false, false, 6, 0, false, 3},
                               {4 * n, 2}},
                              start);
}

// Totals for a state, of each run and of an aggregate of the same elements, between the runs.
template <class Sizes, bool by_tiles>
void check_totals(simt::device& d) {
  using unit = block_unit<Sizes, by_tiles>;
  const std::int64_t super = Sizes::super_vecs * vec_of<Op, T>::size;
  const auto start = [&](const flat<Op, T>& what, const tickets& more, const unit_totals<T>& totals,
                         const production_run& r) {
    std::vector<T> in(static_cast<std::size_t>(what.n));
    std::memcpy(static_cast<void*>(in.data()), what.in.data(), in.size() * sizeof(T));
    launch(stream{&d}, {.blocks = r.blocks, .threads = unit::threads, .together = true},
           register_kernel<Op, T, Sizes, by_tiles>, what, more, totals);
    const std::int64_t supers = (what.n - 1) / super, groups = supers / warp_size;
    const buffer<T> to(d, static_cast<std::size_t>(groups + warp_size));
    const global<T> all(to.data(), groups + supers % warp_size);
    const auto expect_totals = [&](auto kernel, bool after) {
      launch(stream{&d}, {groups / 2 + 1, 2 * warp_size}, kernel, totals, more, after, supers, all);
      for (std::int64_t k = 0; k < all.size(); ++k) {
        const std::int64_t begin = k < groups ? k * warp_size : groups * warp_size + k - groups;
        const std::int64_t end = begin + (k < groups ? warp_size : 1);
        const T want = total_of(in, begin * super, end * super);
        if (std::memcmp(&to.data()[k], &want, sizeof want) != 0)
          throw wrong("wrong total: " + std::to_string(k) + " of " + std::to_string(all.size()));
      }
    };
    expect_totals(group_totals_kernel<Op, T, Sizes, by_tiles>, true);
    launch(stream{&d}, {2, block_unit<Sizes, false>::threads}, super_totals_kernel<Op, T, Sizes>,
           what, supers, totals);
    expect_totals(group_totals_kernel<Op, T, Sizes, false>, false);
  };
  check_production<Op, Sizes>(d, {{5 * super - 3, 3}, {67 * super, 4}, {5 * super, 5}}, start);
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
  check<textbooks::naive>(d, 500);  // its work is the square
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
  check_registers<small_sizes, false>(d);
  check_registers<small_sizes, false, affine_op<std::uint64_t>>(d);
  check_registers<four_tiles, true>(d);
  check_registers<four_chunks, false>(d);
  check_cluster<order1_sizes, 1>(d);
  check_cluster<order1_sizes, 2>(d);
  check_cluster<four_tiles, 0>(d);
  check_cluster<four_chunks, 1>(d);
  check_ring<small_sizes>(d);
  check_ring<four_tiles>(d);
  check_totals<four_tiles, true>(d);
  check_totals<four_chunks, false>(d);
  check_warp(d);
  check_hand_over(d);
}

void run(simt::device& d) { CHECKED(d); }

}  // namespace

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

int main() {
  using namespace upsweep;
  try {
    for (std::uint64_t seed = 1; seed <= SEEDS; ++seed)
      for (const simt::schedule order :
           {simt::schedule::fifo, simt::schedule::reverse, simt::schedule::random}) {
        simt::device d({.seed = seed, .order = order, .resident = 1 + static_cast<int>(seed)});
        kernels::run(d);
      }
  } catch (const std::exception& e) {
    std::cout << e.what() << std::endl;
    return 1;
  }
  std::cout << "right" << std::endl;
}
