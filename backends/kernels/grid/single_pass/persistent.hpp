// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_PERSISTENT_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_PERSISTENT_HPP

// The scan of long arrays: one block a multiprocessor, whose warps have roles, and hand supers of
// order 1 on through a ring of stages in shared memory.
//
//   loader      names the next super, and has it copied into the next free stage
//   reducers    a tile each: totals of its chunks; the first publishes the super's total
//   look-back   what comes before the super: totals of all supers since the block's last one
//   scanners    some chunks each, from the stage into registers, scanned, and stored
//
// Each waits for the others' work on a stage by four barriers: landed (the loader's), reduced,
// placed (look-back's) and freed (the scanners have read it, and the first reducer the tiles'
// totals). The loader ends all by a stage whose super there is none of.

#include <cstdint>

#include "../../look_back.hpp"
#include "../../port.hpp"
#include "../../scan.hpp"
#include "chunk.hpp"
#include "exchange.hpp"
#include "flat.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

inline constexpr int max_stages = 16;

// What is chosen at run time.
struct ring {
  int stages;       // from 2 to max_stages
  int stage_bytes;  // a multiple of 16
  int in_flight;    // stages that copies are under way to, at most: more delay each other
};

template <class Sizes>
struct roles {
  static constexpr int reducers = Sizes::tiles;
  static constexpr int chunks_each = Sizes::super_chunks % 2 == 0 ? 2 : 1;  // of a scanner
  static constexpr int scanners = Sizes::super_chunks / chunks_each;
  static constexpr int threads = (2 + reducers + scanners) * warp_size;
};

// The bytes of a super in an array, and where those of a stage begin: at a multiple of 16.
struct stretch {
  std::int64_t base, begin, end;
};

// Calls f for a constant, once for each case: what it is in the first lies in one piece, so that
// its instructions are soon there.
template <class F>
UPSWEEP_DEVICE void either(bool plain, F&& f) {
  if (plain)
    f.template operator()<true>();
  else
    f.template operator()<false>();
}

// In, Out: scalars that straight arrays hold. Else anything that the scan says.
template <class Op, class E, class Sizes, class In, class Out>
UPSWEEP_KERNEL_OF(roles<Sizes>::threads, 1)
void persistent_kernel(UPSWEEP_ARGUMENT flat<Op, E> what, tickets more,
                       unit_totals<typename Op::value> totals, ring how) {
  using T = typename Op::value;
  using roles = kernels::roles<Sizes>;
  using chunk = kernels::chunk<Op, E, Sizes>;
  using shared_bytes = bytes_in<shared<std::byte>, int>;
  constexpr int vec = vec_of<Op, E>::size;
  constexpr int super_elements = Sizes::super_vecs * vec;
  constexpr int chunks = Sizes::super_chunks, tiles = Sizes::tiles;
  UPSWEEP_DYNAMIC_SHARED(std::byte, memory);
  UPSWEEP_BARRIERS(landed, max_stages);
  UPSWEEP_BARRIERS(reduced, max_stages);
  UPSWEEP_BARRIERS(placed, max_stages);
  UPSWEEP_BARRIERS(freed, max_stages);
  UPSWEEP_SHARED(ticket, named, max_stages);
  UPSWEEP_SHARED(T, chunk_totals, chunks * max_stages);
  UPSWEEP_SHARED(T, tile_totals, tiles * max_stages);
  UPSWEEP_SHARED(super_place<Op>, places, max_stages);

  const std::int64_t supers = (what.n + super_elements - 1) / super_elements;
  const int lane = lane_index();
  const int warp = warp_index();
  if (thread_index() < how.stages) {
    landed.init(thread_index(), warp_size);
    reduced.init(thread_index(), roles::reducers);
    placed.init(thread_index(), 1);
    freed.init(thread_index(), roles::scanners + 1);
  }
  sync_block();

  int stage = 0, parity = 0;
  const auto next_stage = [&] {
    if (++stage == how.stages) {
      stage = 0;
      parity ^= 1;
    }
  };

  // Where super s lies in an array, in memory order.
  const auto where_in = [&](const global<const std::byte>& array, std::int64_t s) -> stretch {
    const std::int64_t first =
        what.reverse ? what.n - (s + 1) * super_elements : s * super_elements - what.skipped;
    const auto byte = [&](std::int64_t i) {
      const std::int64_t there = what.n - what.skipped;
      return (i < 0 ? 0 : i < there ? i : there) * what.in_size;
    };
    const std::int64_t begin = byte(first);
    return {begin - address_of(array, begin) % 16, begin, byte(first + super_elements)};
  };
  // A split form's coefficients have the second half of the stage.
  const int second = what.made == form::split ? how.stage_bytes / 2 : how.stage_bytes;

  constexpr int row_bytes = warp_size * vec * static_cast<int>(sizeof(In));
  // How the chunks of a super are loaded from its stage: all straight, or all by words, or each by
  // what is there of it.
  struct staged {
    bool straight, whole;
    int at, scales_at;  // the lane's first vec, where whole
  };
  constexpr int last_vec = super_elements - vec;
  // A super has whole words, so that all begin as far behind a multiple of 16 bytes.
  const int behind =
      sizeof(In) == sizeof(E)
          ? 0
          : static_cast<int>(
                address_of(what.in, what.place(what.reverse ? last_vec : 0) * what.in_size) % 16);
  const auto staged_super = [&](std::int64_t s) -> staged {
    const std::int64_t begin = s * super_elements;
    const int base = stage * how.stage_bytes;
    const bool whole = begin >= what.skipped && begin + super_elements <= what.n;
    if (whole && what.straight_in) {
      const int first = what.reverse ? last_vec - lane * vec : lane * vec;
      return {true, true, base + behind + first * static_cast<int>(sizeof(In)), 0};
    }
    const auto at = [&](const stretch& x, int first_byte) {
      return first_byte + static_cast<int>(what.place(begin + lane * vec) * what.in_size - x.base);
    };
    return {false, whole, at(where_in(what.in, s), base),
            what.made == form::split ? at(where_in(what.scales, s), base + second) : 0};
  };
  const auto load_plain = [&](chunk& part, const staged& from, int c) {
    UPSWEEP_UNROLL
    for (int r = 0; r < chunk::rows; ++r)
      part.row[r] = scalars_at<E, In>(memory, from.at + (c * chunk::rows + r) * row_bytes);
    what.flip_all(part.row);
  };
  const auto load = [&]<bool plain>(chunk& part, const staged& from, std::int64_t s, int c) {
    if (plain || (from.straight && !what.reverse)) return load_plain(part, from, c);
    const int base = stage * how.stage_bytes;
    if (from.straight) {
      part.take(lens<E>::template load_reversed<In, chunk::rows>(
          memory, from.at - c * (chunk::rows * row_bytes)));
      what.flip_all(part.row);
    } else if (from.whole) {
      const int further = c * what.template stride<int>(what.in_size) * chunk::rows;
      part.take(lens<E>::template load<chunk::rows>(what, memory, from.at + further, memory,
                                                    from.scales_at + further));
    } else {
      const auto in_stage = [&](const stretch& x, int first_byte) -> shared_bytes {
        return {memory, first_byte, static_cast<int>(x.begin - x.base),
                static_cast<int>(x.end - x.base)};
      };
      const auto words_of = [](const stretch& x) {
        return static_cast<int>((x.end - x.base + 15) / 16 * 16);
      };
      const stretch x = where_in(what.in, s);
      const stretch y = what.made == form::split ? where_in(what.scales, s) : x;
      const typename flat<Op, E>::template source<shared<std::byte>, int> there{
          in_stage(x, base), in_stage(y, base + second), x.base, y.base, words_of(x), words_of(y)};
      part.take(what.template load<chunk::rows>(there, s * super_elements + c * chunk::elements));
    }
  };

  if (warp == 0) {
    // Copies a stretch; what shares its 16 bytes with memory that is not the array's, or that
    // others write now, goes by hand, with zeros around the stretch, since words read them. Returns
    // the bytes that the barrier must expect.
    const auto copy = [&](const global<const std::byte>& array, std::int64_t s, int to) -> int {
      const stretch x = where_in(array, s);
      const bool in_place = array.data() == what.out.data();
      std::int64_t begin = x.base, end = x.end;
      if (begin < (in_place ? x.begin : 0)) begin += 16;
      const std::int64_t over = address_of(array, end) % 16;
      const bool can_end_later = end + 16 - over <= (in_place ? x.end : array.size());
      if (over != 0) end += can_end_later ? 16 - over : -over;
      if (begin > end) begin = end = x.begin;
      if (lane < 16) {
        const auto by_hand = [&](std::int64_t b) {
          const bool there = b >= x.begin && b < x.end;
          store_as(memory, to + static_cast<int>(b - x.base),
                   there ? load_as<std::uint8_t>(array, b) : std::uint8_t{0});
        };
        const std::int64_t head = x.base + lane, tail = end + lane;
        if (head < begin) by_hand(head);
        if (tail >= begin && tail - x.base < (x.end - x.base + 15) / 16 * 16) by_hand(tail);
        fence_async();  // before the next copy to here
      }
      const int bytes = static_cast<int>(end - begin);
      if (lane == 0 && bytes > 0)
        bulk_load(memory, to + static_cast<int>(begin - x.base), array, begin, bytes, landed,
                  stage);
      return bytes;
    };
    const auto fill = [&](ticket t) {
      int bytes = 0;
      if (lane == 0) named[stage] = t;
      if (t.tile < supers) {
        bytes = copy(what.in, t.tile, stage * how.stage_bytes);
        if (what.made == form::split)
          bytes += copy(what.scales, t.tile, stage * how.stage_bytes + second);
      }
      // All lanes, since all may have copied by hand.
      if (lane == 0 && bytes > 0)
        landed.arrive_expecting(stage, bytes);
      else
        landed.arrive(stage);
    };

    // The first stages' supers go by the block's index; then those who are done first draw.
    const std::int64_t given = grid_size() * how.stages;
    ticket drawn{};
    if (lane == 0) drawn = more.draw_of(supers > given ? supers - given : 0);
    const auto run = shuffle(drawn.run, 0);
    std::int64_t s = block_index();
    for (int filled = 0;; ++filled) {
      if (filled >= how.stages) {
        s = given + shuffle(drawn.tile, 0);
        if (lane == 0 && s < supers) drawn = more.draw_of(supers - given);
        freed.wait(stage, parity ^ 1);
      }
      if (filled >= how.in_flight) {
        const int before = stage - how.in_flight;
        if (before >= 0)
          landed.wait(before, parity);
        else
          landed.wait(before + how.stages, parity ^ 1);
      }
      fill({s, run});
      if (s >= supers) break;
      s += grid_size();
      next_stage();
    }
  } else if (warp == 1) {
    carry<Op> groups = what.start();  // those before group `first`, folded
    std::int64_t first = 0;
    for (;; next_stage()) {
      landed.wait(stage, parity);
      const ticket mine = named[stage];
      if (mine.tile >= supers) break;
      // Not before the next stage has landed, too: now most totals are there at the first look.
      if (stage + 1 < how.stages)
        landed.wait(stage + 1, parity);
      else
        landed.wait(0, parity ^ 1);

      const std::int64_t group = mine.tile / warp_size;
      std::int64_t unit[9];
      bool wanted[9];
      T total[9], whole[8];
      unit[8] = group * warp_size + lane;
      wanted[8] = unit[8] <= mine.tile;
      do {
        UPSWEEP_UNROLL
        for (int k = 0; k < 8; ++k) {
          wanted[k] = first + k < group;
          unit[k] = (wanted[k] ? first + k : first) * warp_size + lane;
        }
        totals.wait(unit, wanted, mine.run, total);
        UPSWEEP_UNROLL
        for (int k = 0; k < 8; ++k) whole[k] = total[k];
        const T t = eight_groups<Op>(whole);
        UPSWEEP_UNROLL
        for (int k = 0; k < 8; ++k) {
          const T g = shuffle(t, lane_of_group(k));
          if (first + k < group) groups = {true, groups.then(g)};
        }
        first += 8;
      } while (first < group);
      first = group;
      const int b = static_cast<int>(mine.tile % warp_size);
      const super_place<Op> place = place_of<Op>(groups, part_of_group<Op>(total[8], b), b);
      sync_warp();  // all lanes have read; likewise below
      if (lane == 0) {
        places[stage] = place;
        placed.arrive(stage);
      }
    }
  } else if (warp < 2 + roles::reducers) {
    const int tile = warp - 2;
    for (;; next_stage()) {
      landed.wait(stage, parity);
      const ticket mine = named[stage];
      if (mine.tile >= supers) break;
      const staged from = staged_super(mine.tile);
      T t[Sizes::chunks];
      either(from.straight && !what.reverse, [&]<bool plain>() {
        UPSWEEP_UNROLL
        for (int c = 0; c < Sizes::chunks; ++c) {
          chunk part;
          load.template operator()<plain>(part, from, mine.tile, tile * Sizes::chunks + c);
          t[c] = part.total();
        }
      });
      sync_warp();
      if (lane == 0) {
        UPSWEEP_UNROLL
        for (int c = 0; c < Sizes::chunks; ++c)
          chunk_totals[stage * chunks + tile * Sizes::chunks + c] = t[c];
        tile_totals[stage * tiles + tile] = tree_total<Op>(t);
        reduced.arrive(stage);
      }
      if (tile == 0) {
        reduced.wait(stage, parity);
        if (lane == 0) {
          T of_tiles[tiles];
          UPSWEEP_UNROLL
          for (int k = 0; k < tiles; ++k) of_tiles[k] = tile_totals[stage * tiles + k];
          totals.publish(mine.tile, mine.run, tree_total<Op>(of_tiles));
          freed.arrive(stage);  // has read: the total, relaxed, does not say so
        }
      }
    }
  } else {
    constexpr int each = roles::chunks_each;
    const int first_chunk = (warp - 2 - roles::reducers) * each;
    for (;; next_stage()) {
      landed.wait(stage, parity);
      const ticket mine = named[stage];
      if (mine.tile >= supers) break;
      const staged from = staged_super(mine.tile);
      const bool straight =
          what.stored_straight(mine.tile * super_elements, (mine.tile + 1) * super_elements);
      either(from.straight && straight && !what.reverse, [&]<bool plain>() {
        chunk part[each];
        UPSWEEP_UNROLL
        for (int c = 0; c < each; ++c)
          load.template operator()<plain>(part[c], from, mine.tile, first_chunk + c);
        constexpr bool early = sizeof(T) <= 4;  // else registers are short
        if constexpr (early) {
          UPSWEEP_UNROLL
          for (int c = 0; c < each; ++c) part[c].scan();
        }
        reduced.wait(stage, parity);
        placed.wait(stage, parity);
        const super_place<Op> place = places[stage];
        carry<Op> at[each + 1];
        UPSWEEP_UNROLL
        for (int k = 0; k <= each; ++k) {
          const int c = first_chunk + k;
          const auto chunk_total = [&](int i) -> T {
            return chunk_totals[stage * chunks + c % chunks / Sizes::chunks * Sizes::chunks + i];
          };
          const auto tile_total = [&](int i) -> T { return tile_totals[stage * tiles + i]; };
          at[k] = chunk_place<Op, Sizes>(c, chunk_total).in(place, tile_total);
        }
        sync_warp();
        if (lane == 0) freed.arrive(stage);

        const std::int64_t begin =
            mine.tile * super_elements + std::int64_t{first_chunk} * chunk::elements;
        UPSWEEP_UNROLL
        for (int c = 0; c < each; ++c) {
          if constexpr (!early) part[c].scan();
          part[c].template store<Out, plain>(what, begin + c * chunk::elements, at[c],
                                             at[c + 1].value, straight);
        }
      });
    }
  }
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
