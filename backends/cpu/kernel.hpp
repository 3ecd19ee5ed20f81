// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_KERNEL_HPP
#define UPSWEEP_BACKENDS_CPU_KERNEL_HPP

// What cpu.openmp needs of a kernel, and the kernel in plain C++ that serves any operator.

#include <algorithm>
#include <cstdint>

#include "upsweep/detail/odometer.hpp"
#include "upsweep/spec.hpp"

namespace upsweep::cpu {

using namespace detail;

// Elements first .. first + count - 1 of the caller's arrays as accumulators, and back.
using loader = void (*)(const arguments& a, std::int64_t first, std::int64_t count, void* to);
using storer = void (*)(const arguments& a, std::int64_t first, std::int64_t count,
                        const void* from);

// How a kernel reaches elements, numbered in scan order: straight in the caller's arrays where
// their elements are accumulators in scan order, else through a buffer of at most a chunk.
template <class T>
struct stream {
  const arguments& args;
  const T* in;  // nullptr: load
  T* out;       // nullptr: store
  loader load;
  storer store;
  // Of arrays that are more than the caches hold: how far behind the elements that are read others
  // are fetched; and whether results that go straight to `out` pass the caches by.
  std::int64_t ahead = 0;
  bool past_caches = false;
};

// Totals of `supers` whole supers that begin at element `first`.
template <class T>
using reduction = void (*)(const stream<T>& s, std::int64_t first, std::int64_t supers, T* totals);

// Elements are numbered from the start of the stream; the odometer's position may be ahead of that
// when a scan resumes.
template <class Op>
struct kernel {
  using T = typename Op::value;
  const char* target;
  reduction<T> reduce;
  // Scans elements first .. first + count - 1 on from `at`, and moves `at` past them.
  void (*scan)(const stream<T>& s, std::int64_t first, std::int64_t count, bool exclusive,
               odometer<Op>& at);
};

template <class Op>
struct generic_kernel {
  using T = typename Op::value;
  static constexpr std::int64_t chunk = odometer<Op>::chunk;

  // Element by element; any position, any count.
  static void scan(const stream<T>& s, std::int64_t first, std::int64_t count, bool exclusive,
                   odometer<Op>& at) {
    T buffer[chunk];
    for (std::int64_t done = 0; done < count; done += chunk) {
      const std::int64_t n = std::min(chunk, count - done);
      const T* in = read(s, first + done, n, buffer);
      T* out = s.out != nullptr ? s.out + first + done : buffer;
      scan_elements(in, n, exclusive, out, at);
      if (s.out == nullptr) s.store(s.args, first + done, n, buffer);
    }
  }

  static void reduce(const stream<T>& s, std::int64_t first, std::int64_t supers, T* totals) {
    T buffer[chunk];
    constexpr std::int64_t chunks_per_super = order1::chunks_per_tile * order1::tiles_per_super;
    for (std::int64_t k = 0; k < supers; ++k) {
      tree_counter<Op, chunks_per_super> counter;
      for (std::int64_t c = 0; c < chunks_per_super; ++c) {
        T total = chunk_total(read(s, first + (k * chunks_per_super + c) * chunk, chunk, buffer));
        if (counter.push(total)) totals[k] = total;
      }
    }
  }

  // `at` moves past elements that are read and not written.
  static void skip(const stream<T>& s, std::int64_t first, std::int64_t count, odometer<Op>& at) {
    T buffer[chunk];
    for (std::int64_t done = 0; done < count; done += chunk) {
      const std::int64_t n = std::min(chunk, count - done);
      const T* in = read(s, first + done, n, buffer);
      for (std::int64_t i = 0; i < n; ++i) at.push(in[i]);
    }
  }

  static const T* read(const stream<T>& s, std::int64_t first, std::int64_t n, T* buffer) {
    if (s.in != nullptr) return s.in + first;
    s.load(s.args, first, n, buffer);
    return buffer;
  }

 private:
  // `out` may be `in`.
  static void scan_elements(const T* in, std::int64_t n, bool exclusive, T* out, odometer<Op>& at) {
    std::optional<T> before = at.prefix();
    for (std::int64_t i = 0; i < n; ++i) {
      at.push(in[i]);
      const std::optional<T> after = at.prefix();
      out[i] = !exclusive ? *after : before ? *before : Op::identity();
      before = after;
    }
  }

  static T chunk_total(const T* in) {
    tree_counter<Op, order1::runs_per_chunk> runs;
    T total;
    for (std::int64_t r = 0; r < order1::runs_per_chunk; ++r) {
      tree_counter<Op, order1::vecs_per_run> vecs;
      for (std::int64_t v = 0; v < order1::vecs_per_run; ++v) {
        total = *in++;
        for (std::int64_t e = 1; e < odometer<Op>::vec; ++e) total = Op::combine(total, *in++);
        vecs.push(total);
      }
      runs.push(total);
    }
    return total;
  }
};

template <class Op>
constexpr kernel<Op> scalar_kernel() {
  return {"scalar", generic_kernel<Op>::reduce, generic_kernel<Op>::scan};
}

}  // namespace upsweep::cpu

#endif
