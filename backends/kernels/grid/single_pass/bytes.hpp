// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_BYTES_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_BYTES_HPP

// Vecs of a warp from arrays of bytes at any address, and back: by words of a vec's size, of which
// two cover a vec that lies across them, or scalar by scalar where an array ends.

#include <cstdint>

#include "../../port.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// A lane's vecs of some rows. Functions apart take and give it in registers.
template <int rows>
struct quads {
  quad row[rows];
};

// Bytes begin .. end of an array, in a view of memory where the array's byte b is at base + b.
template <class View, class Index>
struct bytes_in {
  View view;
  Index base, begin, end;
};

template <class View>
UPSWEEP_HOST_DEVICE std::int64_t address_of(const View& a, std::int64_t byte) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(a.data())) + byte;
}

template <int bytes>
UPSWEEP_DEVICE auto word_of() {
  if constexpr (bytes == 16)
    return quad{};
  else if constexpr (bytes == 8)
    return std::uint64_t{};
  else if constexpr (bytes == 4)
    return std::uint32_t{};
  else if constexpr (bytes == 2)
    return std::uint16_t{};
  else
    return std::uint8_t{};
}

// Calls f with a word of so many bytes, 1 to 16.
template <class F>
UPSWEEP_DEVICE void with_word(int size, F&& f) {
  if (size == 16)
    f(word_of<16>());
  else if (size == 8)
    f(word_of<8>());
  else if (size == 4)
    f(word_of<4>());
  else if (size == 2)
    f(word_of<2>());
  else
    f(word_of<1>());
}

// The first bytes of a quad, as a word of 8 or 16.
template <class U>
UPSWEEP_DEVICE U front(const quad& q) {
  if constexpr (sizeof(U) == 16)
    return q;
  else
    return std::uint64_t{q.word[1]} << 32 | q.word[0];
}
// A word of at most 16 bytes, in front of a quad.
template <class U>
UPSWEEP_DEVICE quad in_front(U u) {
  if constexpr (sizeof(U) == 16)
    return u;
  else if constexpr (sizeof(U) == 8)
    return {{static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(u >> 32)}};
  else
    return {{static_cast<std::uint32_t>(u)}};
}

template <int i>
struct constant {};

// Of some pairs of words, the bytes of both, one after the other, from byte `from` of the first on;
// 0 < from, less than a word's size. All threads of a warp have one `from`: a word is picked by
// branches, once for all pairs, not selected.
template <class U, int count>
UPSWEEP_DEVICE void bytes_from(int from, const U (&low)[count], const U (&high)[count],
                               quad (&q)[count]) {
  if constexpr (sizeof(U) < 8) {
    UPSWEEP_UNROLL
    for (int i = 0; i < count; ++i)
      q[i] = in_front(static_cast<std::uint32_t>(
          (std::uint64_t{high[i]} << 8 * sizeof(U) | std::uint64_t{low[i]}) >> 8 * from));
  } else {
    constexpr int words = static_cast<int>(sizeof(U)) / 4;
    const auto pick = [&]<int w>(constant<w>) {
      UPSWEEP_UNROLL
      for (int i = 0; i < count; ++i) {
        const quad l = in_front(low[i]), h = in_front(high[i]);
        std::uint32_t x[words + 1];
        UPSWEEP_UNROLL
        for (int k = 0; k <= words; ++k)
          x[k] = k + w < words ? l.word[(k + w) % words] : h.word[(k + w) % words];
        q[i] = quad{};
        UPSWEEP_UNROLL
        for (int k = 0; k < words; ++k)
          q[i].word[k] = from % 4 == 0
                             ? x[k]
                             : static_cast<std::uint32_t>((std::uint64_t{x[k + 1]} << 32 | x[k]) >>
                                                          from % 4 * 8);
      }
    };
    if (from < 4)
      pick(constant<0>{});
    else if (from < 8)
      pick(constant<1>{});
    else if constexpr (words == 4) {
      if (from < 12)
        pick(constant<2>{});
      else
        pick(constant<3>{});
    }
  }
}

// `bytes` (at most 16) from byte `at` of an array on, of scalars of `size` bytes; 0 for those that
// are not there.
template <class View, class Index>
UPSWEEP_APART quad read_scalars(bytes_in<View, Index> a, Index at, int bytes, int size) {
  quad q{};
  with_word(size, [&]<class U>(U) {
    if constexpr (sizeof(U) < 16) {
      UPSWEEP_UNROLL
      for (int b = 0; b < 16; b += static_cast<int>(sizeof(U)))
        if (b < bytes && at + b >= a.begin && at + b < a.end) {
          const U u = load_as<U>(a.view, a.base + at + b);
          if constexpr (sizeof(U) == 8) {
            q.word[b / 4] = static_cast<std::uint32_t>(u);
            q.word[b / 4 + 1] = static_cast<std::uint32_t>(u >> 32);
          } else {
            q.word[b / 4] |= static_cast<std::uint32_t>(u) << (b % 4 * 8);
          }
        }
    }
  });
  return q;
}

// Vecs of so many bytes, a power of two, each `stride` bytes behind the one before; the first
// begins with byte `at`, which is `off` bytes behind an address that words of that size may have.
// All words that they lie in may be read.
template <int rows, class View, class Index>
UPSWEEP_DEVICE quads<rows> read_words(const View& a, Index at, Index stride, int bytes, int off) {
  quads<rows> x;
  with_word(bytes, [&]<class U>(U) {
    const Index first = at - off;
    if (off == 0) {
      UPSWEEP_UNROLL
      for (int r = 0; r < rows; ++r) x.row[r] = in_front(load_as<U>(a, first + r * stride));
    } else {
      U low[rows], high[rows];
      UPSWEEP_UNROLL
      for (int r = 0; r < rows; ++r) {
        low[r] = load_as<U>(a, first + r * stride);
        high[r] = load_as<U>(a, first + r * stride + bytes);
      }
      bytes_from(off, low, high, x.row);
    }
  });
  return x;
}

// The same, of scalars of `size` bytes; 0 for those that are not there. Vecs that are there whole
// go by words, where off = 0.
template <int rows, class View, class Index>
UPSWEEP_DEVICE quads<rows> read_ragged(const bytes_in<View, Index>& a, Index at, Index stride,
                                       int bytes, int size, int off) {
  quad q[rows];  // which lies in memory, so that x need not
  UPSWEEP_ROLLED
  for (int r = 0; r < rows; ++r) {
    const Index here = at + r * stride;
    if (off == 0 && here >= a.begin && here + bytes <= a.end)
      with_word(bytes, [&]<class U>(U) { q[r] = in_front(load_as<U>(a.view, a.base + here)); });
    else
      q[r] = read_scalars(a, here, bytes, size);
  }
  quads<rows> x;
  UPSWEEP_UNROLL
  for (int r = 0; r < rows; ++r) x.row[r] = q[r];
  return x;
}

// Bytes begin .. end of a vec that lies from byte `at` of an array on, as far as they are there.
template <class View, class Index>
UPSWEEP_APART void write_scalars(bytes_in<View, Index> a, Index at, int begin, int end, int size,
                                 quad q) {
  with_word(size, [&]<class U>(U) {
    if constexpr (sizeof(U) < 16) {
      UPSWEEP_UNROLL
      for (int b = 0; b < 16; b += static_cast<int>(sizeof(U)))
        if (b >= begin && b < end && at + b >= a.begin && at + b < a.end) {
          if constexpr (sizeof(U) == 8)
            store_as(a.view, a.base + at + b,
                     std::uint64_t{q.word[b / 4 + 1]} << 32 | q.word[b / 4]);
          else
            store_as(a.view, a.base + at + b, static_cast<U>(q.word[b / 4] >> (b % 4 * 8)));
        }
    }
  });
}

// The vecs of all lanes of a warp, of 8 or 16 bytes, row by row; lanes and rows follow one another
// in memory, downwards if `stride`, from one row to the next, is negative. `at`, `off` as in
// read_words. Where words of a vec's size lie across two vecs, a lane writes the end of its own
// with the beginning of the next one; the first vec's beginning and the last one's end go by
// scalars.
template <int rows, class View, class Index>
UPSWEEP_DEVICE void write_words(const View& a, Index at, Index stride, int bytes, int size, int off,
                                const quads<rows>& x) {
  with_word(bytes, [&]<class U>(U) {
    if constexpr (sizeof(U) >= 8) {
      if (off == 0) {
        UPSWEEP_UNROLL
        for (int r = 0; r < rows; ++r) store_as(a, at + r * stride, front<U>(x.row[r]));
        return;
      }
      const bool down = stride < 0;
      const int lane = lane_index();
      const int low = bytes - off;  // of a vec, the bytes in an earlier word
      U mine[rows], next[rows];
      UPSWEEP_UNROLL
      for (int r = 0; r < rows; ++r) {
        constexpr int last = rows - 1;
        quad give = x.row[r];
        if (lane == (down ? warp_size - 1 : 0)) {
          const quad &above = x.row[r < last ? r + 1 : last], &below = x.row[r > 0 ? r - 1 : 0];
          UPSWEEP_UNROLL
          for (int k = 0; k < 4; ++k) give.word[k] = down ? below.word[k] : above.word[k];
        }
        mine[r] = front<U>(x.row[r]);
        next[r] = front<U>(shuffle(give, (lane + (down ? warp_size - 1 : 1)) % warp_size));
      }
      quad both[rows];
      bytes_from(low, mine, next, both);
      UPSWEEP_UNROLL
      for (int r = 0; r < rows; ++r)
        if (down ? r > 0 || lane > 0 : r + 1 < rows || lane < warp_size - 1)
          store_as(a, at + r * stride + low, front<U>(both[r]));
      if (lane == 0 || lane == warp_size - 1) {
        quad q;
        UPSWEEP_UNROLL
        for (int k = 0; k < 4; ++k)
          q.word[k] = lane == 0 ? x.row[0].word[k] : x.row[rows - 1].word[k];
        const bool begins = (lane == 0) != down;
        const bytes_in<View, Index> all{a, 0, 0, static_cast<Index>(a.size())};
        write_scalars(all, lane == 0 ? at : at + (rows - 1) * stride, begins ? 0 : low,
                      begins ? low : bytes, size, q);
      }
    }
  });
}

// The same, of scalars of `size` bytes, as far as they are there.
template <int rows, class View, class Index>
UPSWEEP_DEVICE void write_ragged(const bytes_in<View, Index>& a, Index at, Index stride, int bytes,
                                 int size, int off, const quads<rows>& x) {
  quad q[rows];  // likewise
  UPSWEEP_UNROLL
  for (int r = 0; r < rows; ++r) q[r] = x.row[r];
  UPSWEEP_ROLLED
  for (int r = 0; r < rows; ++r) {
    const Index here = at + r * stride;
    if (off == 0 && here >= a.begin && here + bytes <= a.end)
      with_word(bytes, [&]<class U>(U) {
        if constexpr (sizeof(U) >= 8) store_as(a.view, a.base + here, front<U>(q[r]));
      });
    else
      write_scalars(a, here, 0, bytes, size, q[r]);
  }
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
