// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_RUNS_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_RUNS_HPP

// Chunks of order 1 with a run of 4 neighbouring vecs in each lane, which folds them alone: 5
// shuffles scan a chunk, where rows (chunk.hpp) take 20. For chunks that lie in shared memory,
// where a lane reads a run in a piece; the results cross shared memory once more, to be stored by
// rows.

#include "../../port.hpp"
#include "../../scan.hpp"
#include "bytes.hpp"
#include "chunk.hpp"
#include "lens.hpp"
#include "vec.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// What a warp holds of some chunks, side by side: so that it need not wait for one's shuffles.
template <class Op, class E, class Sizes, int count>
class chunk_runs {
  using T = typename Op::value;
  using vec = vec_of<Op, E>;
  static constexpr int in_run = 4;  // vecs

 public:
  static constexpr int runs = Sizes::rows * warp_size / in_run;  // of a chunk
  static constexpr int vecs = runs * in_run;

  // Chunk c, from its vecs of Ins in an array: the first at byte `at`, each `stride` bytes behind
  // the one before, or in front of it, with elements turned around; all `off` bytes behind a
  // multiple of their size, where two words cover each.
  template <class In, class View, class What>
  UPSWEEP_DEVICE void load(int c, const What& what, const View& array, int at, int stride,
                           int off) {
    constexpr int bytes = bytes_of_vec<E, In>;
    using word = decltype(word_of<bytes>());
    quad x[in_run];
    if (off == 0) {
      UPSWEEP_UNROLL
      for (int k = 0; k < in_run; ++k)
        x[k] = in_front(load_as<word>(array, at + place(k) * stride));
    } else {
      word low[in_run], high[in_run];
      UPSWEEP_UNROLL
      for (int k = 0; k < in_run; ++k) {
        low[k] = load_as<word>(array, at - off + place(k) * stride);
        high[k] = load_as<word>(array, at - off + place(k) * stride + bytes);
      }
      bytes_from(off, low, high, x);
    }
    UPSWEEP_UNROLL
    for (int k = 0; k < in_run; ++k) {
      const quad q = from_scalars<E, In>(x[k]);
      vec_[c][k] = stride < 0 ? lens<E>::reversed(q) : q;
    }
    what.flip_all(vec_[c]);
  }

  // The same from rows, by way of `vecs` quads of shared memory from `first` on.
  UPSWEEP_DEVICE void turn_in(int c, const quads<Sizes::rows>& x, const shared<quad>& between,
                              int first) {
    UPSWEEP_UNROLL
    for (int r = 0; r < Sizes::rows; ++r) between[first + r * warp_size + lane_index()] = x.row[r];
    sync_warp();
    UPSWEEP_UNROLL
    for (int k = 0; k < in_run; ++k) vec_[c][k] = between[first + place(k)];
    sync_warp();  // before others write there; likewise below
  }

  // The total of the lane's run of chunk c.
  UPSWEEP_DEVICE T run_total(int c) const {
    T t[in_run];
    UPSWEEP_UNROLL
    for (int k = 0; k < in_run; ++k) t[k] = vec::fold(vec_[c][k]);
    const bool odd = (turn() & 1) != 0;
    const T low = in_order<Op>(odd, t[0], t[1]), high = in_order<Op>(odd, t[2], t[3]);
    return in_order<Op>((turn() & 2) != 0, low, high);
  }

  // Finds the tree prefixes of all: of the runs before the lane's, and of the vecs in it.
  UPSWEEP_DEVICE void scan() {
    T total[count];
    UPSWEEP_UNROLL
    for (int c = 0; c < count; ++c) {
      T t[in_run];
      UPSWEEP_UNROLL
      for (int k = 0; k < in_run; ++k) t[k] = vec::fold(vec_[c][k]);
      turned(t);
      vecs_before_[c][0] = t[0];
      vecs_before_[c][1] = Op::combine(t[0], t[1]);
      vecs_before_[c][2] = Op::combine(vecs_before_[c][1], t[2]);
      total[c] = Op::combine(vecs_before_[c][1], Op::combine(t[2], t[3]));
      runs_before_[c] = Op::identity();
    }
    for (int bit = 1; bit < runs; bit *= 2) {
      UPSWEEP_UNROLL
      for (int c = 0; c < count; ++c)
        double_block<Op>(bit, total[c], runs_before_[c], (lane_index() & (bit - 1)) != 0);
    }
  }

  // After scan: puts the results of chunk c there, in order. `before` is what comes before it,
  // `end` W behind.
  UPSWEEP_DEVICE void put_results(int c, const carry<Op>& before, T end, bool exclusive,
                                  const shared<quad>& between, int first) const {
    const int lane = lane_index();
    const carry<Op> at = joined<Op>(before, runs_before_[c], lane % runs != 0);
    T w[in_run] = {at.value}, next[in_run];
    UPSWEEP_UNROLL
    for (int k = 0; k + 1 < in_run; ++k)
      next[k] = w[k + 1] = joined<Op>(at, vecs_before_[c][k], true).value;
    next[in_run - 1] = shuffle(lane == 0 ? end : at.value, (lane + 1) % runs);
    turned(w);
    turned(next);
    if (lane < runs) {
      UPSWEEP_UNROLL
      for (int k = 0; k < in_run; ++k) {
        const bool any = at.any || (k ^ turn()) != 0;
        between[first + place(k)] = vec::scan(vec_[c][k], {any, w[k]}, next[k], exclusive);
      }
    }
    sync_warp();
  }

  // And takes them from there, by rows.
  UPSWEEP_DEVICE static quads<Sizes::rows> rows_of(const shared<quad>& between, int first) {
    quads<Sizes::rows> y;
    UPSWEEP_UNROLL
    for (int r = 0; r < Sizes::rows; ++r) y.row[r] = between[first + r * warp_size + lane_index()];
    sync_warp();
    return y;
  }

  // Or stores them as Outs, the first in memory at byte `at`, which is `off` bytes behind a
  // multiple of a vec's size: by words of that size, each of two vecs, and the rest, a vec's
  // scalars at the chunk's ends, by themselves.
  template <class Out, class What>
  UPSWEEP_DEVICE static void store_shifted(const What& what, std::int64_t at, int off,
                                           const shared<quad>& between, int first) {
    constexpr int bytes = bytes_of_vec<E, Out>;
    using word = decltype(word_of<bytes>());
    const auto vec_at = [&](int m) -> quad {  // in the order of memory
      quad y[1] = {between[first + (what.reverse ? vecs - 1 - m : m)]};
      what.flip_all(y);
      return to_scalars<E, Out>(what.reverse ? lens<E>::reversed(y[0]) : y[0]);
    };
    const int low = bytes - off;  // of a vec, the bytes in an earlier word
    word earlier[Sizes::rows], mine[Sizes::rows];
    UPSWEEP_UNROLL
    for (int r = 0; r < Sizes::rows; ++r) {
      const int m = r * warp_size + lane_index();
      earlier[r] = front<word>(vec_at(m > 0 ? m - 1 : 0));
      mine[r] = front<word>(vec_at(m));
    }
    quad both[Sizes::rows];
    bytes_from(low, earlier, mine, both);
    UPSWEEP_UNROLL
    for (int r = 0; r < Sizes::rows; ++r) {
      const int m = r * warp_size + lane_index();
      if (m > 0) store_as(what.out, at - off + std::int64_t{m} * bytes, front<word>(both[r]));
    }
    if (lane_index() < 2) {
      const bool begins = lane_index() == 0;
      const int m = begins ? 0 : vecs - 1;
      const bytes_in<global<std::byte>, std::int64_t> all{what.out, 0, 0, what.out.size()};
      write_scalars(all, at + m * bytes, begins ? 0 : low, begins ? low : bytes,
                    static_cast<int>(what.out_scalar), vec_at(m));
    }
    sync_warp();
  }

 private:
  // vec_[c][k] is the run's vec k ^ turn(): no two lanes that shared memory serves at once, 8 of 16
  // bytes, 16 of 8 or 32 of 4, meet in a bank.
  UPSWEEP_DEVICE static int turn() { return (lane_index() >> 1 ^ lane_index() >> 3) & 3; }
  // Its place among the chunk's.
  UPSWEEP_DEVICE static int place(int k) { return lane_index() % runs * in_run + (k ^ turn()); }
  // From that order to the run's, and back.
  UPSWEEP_DEVICE static void turned(T (&t)[in_run]) {
    const auto swap_if = [](bool swapped, T& a, T& b) {
      const T x = a, y = b;
      a = chosen(swapped, y, x);
      b = chosen(swapped, x, y);
    };
    const bool odd = (turn() & 1) != 0, high = (turn() & 2) != 0;
    swap_if(odd, t[0], t[1]);
    swap_if(odd, t[2], t[3]);
    swap_if(high, t[0], t[2]);
    swap_if(high, t[1], t[3]);
  }
  quad vec_[count][in_run];
  T runs_before_[count], vecs_before_[count][in_run - 1];  // before the run; before vecs 1 to 3
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
