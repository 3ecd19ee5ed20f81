// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_SINGLE_PASS_PERSISTENT_HPP
#define UPSWEEP_KERNELS_GRID_SINGLE_PASS_PERSISTENT_HPP

// The scan of long arrays: one block a multiprocessor, whose warps have roles, and hand supers of
// order 1 on through a ring of stages in shared memory.
//
//   loader      names the next super, and has it copied into the next free stage
//   reducers    a tile each: totals of its chunks; the first publishes the super's total
//   look-backs  in turn, what comes before the super and its chunks: totals of all supers since the
//               block's last one
//   scanners    some chunks each, from the stage into registers, scanned, and stored
//
// Each waits for the others' work on a stage by barriers: landed (the loader has named it, and its
// bytes are there), reduced, folded (what comes before its group is there, for the next look-back),
// placed and freed (the scanners have read it, and the first reducer the tiles' totals). The loader
// ends all by stages whose super there is none of.

#include <cstdint>

#include "../../look_back.hpp"
#include "../../port.hpp"
#include "../../scan.hpp"
#include "chunk.hpp"
#include "exchange.hpp"
#include "flat.hpp"
#include "runs.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

inline constexpr int max_stages = 16;
// Shared memory of a block beside the stages: the kernel's arrays of constant size, at most.
inline constexpr int beside_stages = 28 << 10;

// What is chosen at run time.
struct ring {
  int stages;       // from 2 to max_stages
  int stage_bytes;  // a multiple of 16
  int in_flight;    // stages that copies are under way to, at most: more delay each other
  int look_ahead;   // stages behind its own that a look-back waits for: less than `stages`
};

template <class Sizes>
struct roles {
  static constexpr int look_backs = 2;
  static constexpr int reducers = Sizes::tiles;
  static constexpr int chunks_each = Sizes::super_chunks % 2 == 0 ? 2 : 1;  // of a scanner
  static constexpr int scanners = Sizes::super_chunks / chunks_each;
  static constexpr int threads = (1 + look_backs + reducers + scanners) * warp_size;
};

// What the loader says of a stage.
struct work {
  std::int64_t super;
  std::int64_t group_before;  // of the block's super before it, or 0
  std::uint64_t run;
  bool taken_in;   // all of the super, as it is
  bool taken_out;  // likewise, and nothing else
};

// The bytes of a super in an array, as far as they are there, and where those of a stage begin: at
// a multiple of 16, which may lie before the array.
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
  UPSWEEP_BARRIERS(folded, max_stages);
  UPSWEEP_BARRIERS(placed, max_stages);
  UPSWEEP_BARRIERS(freed, max_stages);
  UPSWEEP_SHARED(work, named, max_stages);
  UPSWEEP_SHARED(T, chunk_totals, chunks * max_stages);
  UPSWEEP_SHARED(T, tile_totals, tiles * max_stages);
  UPSWEEP_SHARED(carry<Op>, carried, max_stages);                            // before the group
  UPSWEEP_SHARED(T, borders, (chunks + 1) * max_stages);                     // W at the chunks
  UPSWEEP_SHARED(quad, between, roles::scanners * (chunk::elements / vec));  // runs and rows

  static_assert(max_stages * (5 * 8 + sizeof(work) + sizeof(carry<Op>) +
                              sizeof(T) * (2 * chunks + 1 + tiles)) +
                        sizeof(quad) * roles::scanners * (chunk::elements / vec) + 10 * 16 <=
                    beside_stages,
                "all arrays, each at a multiple of 16 bytes");

  const std::int64_t supers = (what.n + super_elements - 1) / super_elements;
  const int lane = lane_index();
  const int warp = warp_index();
  // Whoever reads or writes what a barrier orders arrives there itself, behind it and once: of
  // others, whose warp was synchronised, compute-sanitizer's racecheck would not know.
  if (thread_index() < how.stages) {
    landed.init(thread_index(), warp_size);
    reduced.init(thread_index(), roles::reducers * warp_size);
    folded.init(thread_index(), 1);
    placed.init(thread_index(), warp_size);
    freed.init(thread_index(), roles::scanners * warp_size + 1);
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
    const std::int64_t low = first * what.in_size;
    return {low - address_of(array, low) % 16, byte(first), byte(first + super_elements)};
  };
  // A split form's coefficients have the second half of the stage.
  const int second = what.made == form::split ? how.stage_bytes / 2 : how.stage_bytes;

  constexpr int vec_bytes = bytes_of_vec<E, In>;
  constexpr int last_vec = super_elements - vec;
  // A super has whole words, so that all begin as far behind a multiple of 16 bytes.
  const int behind = static_cast<int>(
      address_of(what.in, what.place(what.reverse ? last_vec : 0) * what.in_size) % 16);
  const bool plain_in = what.straight_in && !what.reverse;
  // Chunk c of the stage: what the kernel takes as it is; or anything, as rows.
  const auto load_taken = [&]<bool plain>(auto& runs, int into, int c) {
    const bool down = !plain && what.reverse;
    const int first =
        stage * how.stage_bytes + behind + (down ? last_vec * static_cast<int>(sizeof(In)) : 0);
    const int stride = down ? -vec_bytes : vec_bytes;
    runs.template load<In>(into, what, memory, first + c * (chunk::elements / vec * stride), stride,
                           plain ? 0 : what.off_in);
  };
  const auto load_rows = [&](std::int64_t s, int c) -> quads<chunk::rows> {
    const int base = stage * how.stage_bytes;
    const stretch x = where_in(what.in, s);
    const stretch y = what.made == form::split ? where_in(what.scales, s) : x;
    const auto in_stage = [&](const stretch& x, int first_byte) -> shared_bytes {
      return {memory, first_byte, static_cast<int>(x.begin - x.base),
              static_cast<int>(x.end - x.base)};
    };
    const auto words_of = [](const stretch& x) {
      return static_cast<int>((x.end - x.base + 15) / 16 * 16);
    };
    const typename flat<Op, E>::template source<shared<std::byte>, int> there{
        in_stage(x, base), in_stage(y, base + second), x.base, y.base, words_of(x), words_of(y)};
    return what.template load<chunk::rows>(there, s * super_elements + c * chunk::elements);
  };

  if (warp == 0) {
    // Copies a stretch; what shares its 16 bytes with memory that is not the array's, or that
    // others write now, goes by hand, with zeros around the stretch, since words read them. Returns
    // the bytes that the barrier must expect.
    const auto copy = [&](const global<const std::byte>& array, std::int64_t s, int to) -> int {
      const stretch x = where_in(array, s);
      const bool in_place = array.data() == what.out.data();
      const std::int64_t first_word = x.begin - address_of(array, x.begin) % 16;
      std::int64_t begin = first_word, end = x.end;
      if (begin < (in_place ? x.begin : 0)) begin += 16;
      const std::int64_t over = address_of(array, end) % 16;
      const bool can_end_later = end + 16 - over <= (in_place ? x.end : array.size());
      if (over != 0) end += can_end_later ? 16 - over : -over;
      if (begin > end) begin = end = x.begin;
      if (lane < 16 && x.begin < x.end) {
        const auto by_hand = [&](std::int64_t b) {
          const bool there = b >= x.begin && b < x.end;
          store_as(memory, to + static_cast<int>(b - x.base),
                   there ? load_as<std::uint8_t>(array, b) : std::uint8_t{0});
        };
        const std::int64_t head = first_word + lane, tail = end + lane;
        if (head < begin) by_hand(head);
        if (tail >= begin && tail - x.base < (x.end - x.base + 15) / 16 * 16) by_hand(tail);
      }
      // What is taken as it is, is taken whole.
      if (what.taken_in && x.end - x.begin < super_elements * what.in_size) {
        const int whole = (behind + super_elements * what.in_size + 15) / 16 * 16;
        for (int b = lane * 16; b < whole; b += warp_size * 16)
          if (x.base + b < first_word || x.base + b >= x.end) store_as(memory, to + b, quad{});
      }
      fence_async();  // before the next copy to here
      const int bytes = static_cast<int>(end - begin);
      if (lane == 0 && bytes > 0)
        bulk_load(memory, to + static_cast<int>(begin - x.base), array, begin, bytes, landed,
                  stage);
      return bytes;
    };
    // Most supers lie whole at multiples of 16 bytes, and go in one piece.
    const bool aligned =
        what.made != form::split &&
        address_of(what.in, (what.reverse ? what.n : -what.skipped) * what.in_size) % 16 == 0;
    const auto fill = [&](std::int64_t s) -> int {
      const std::int64_t begin = s * super_elements, end = begin + super_elements;
      const int base = stage * how.stage_bytes;
      int bytes = 0;
      if (aligned && what.in_memory(begin, end)) {
        bytes = super_elements * what.in_size;
        if (lane == 0)
          bulk_load(memory, base, what.in,
                    what.place(what.reverse ? end - vec : begin) * what.in_size, bytes, landed,
                    stage);
      } else if (s < supers) {
        bytes = copy(what.in, s, base);
        if (what.made == form::split) bytes += copy(what.scales, s, base + second);
      }
      return bytes;
    };

    // The first stages' supers go by the block's index, and first of all; then those who are done
    // first draw.
    const std::int64_t given = grid_size() * how.stages;
    std::uint64_t asked = 0;
    if (lane == 0) asked = more.ask();
    std::int64_t s = block_index();
    int early = 0;  // a lane has the bytes of one
    for (; stage < how.in_flight; ++stage) {
      const int bytes = fill(s + stage * grid_size());
      if (lane == stage) early = bytes;
    }
    stage = 0;
    ticket drawn{};
    if (lane == 0) drawn = more.answer(asked, supers > given ? supers - given : 0);
    std::int64_t group_before = 0;
    // Without a super: all look-backs come to one, and to as many as they wait for.
    int ends = how.stages;
    for (int filled = 0;; ++filled) {
      if (filled >= how.stages) {
        s = given + shuffle(drawn.tile, 0);
        if (lane == 0 && s < supers) drawn = more.draw_of(supers - given);
        freed.wait(stage, parity ^ 1);
      }
      int bytes = shuffle(early, stage);
      if (filled >= how.in_flight) {
        const int before = stage - how.in_flight;
        if (before >= 0)
          landed.wait(before, parity);
        else
          landed.wait(before + how.stages, parity ^ 1);
        bytes = fill(s);
      }
      if (lane == 0) {
        const std::int64_t begin = s * super_elements, end = begin + super_elements;
        named[stage] = {s, group_before, drawn.run, what.taken_in && begin >= what.skipped,
                        what.taken_out && what.stored_alone(begin, end)};
      }
      if (lane == 0 && bytes > 0)
        landed.arrive_expecting(stage, bytes);
      else
        landed.arrive(stage);
      if (s >= supers && --ends == 0) break;
      group_before = s / warp_size;
      s += grid_size();
      next_stage();
    }
  } else if (warp <= roles::look_backs) {
    // In turn. What comes before a super's group goes from one to the next.
    for (int turn = 1; turn < warp; ++turn) next_stage();
    for (;;) {
      landed.wait(stage, parity);
      const work mine = named[stage];
      if (mine.super >= supers) break;
      // Not sooner, though totals may be there: memory is then slower (docs/single-pass.md).
      const int ahead = stage + how.look_ahead;
      if (ahead < how.stages)
        landed.wait(ahead, parity);
      else
        landed.wait(ahead - how.stages, parity ^ 1);

      const std::int64_t group = mine.super / warp_size;
      const int b = static_cast<int>(mine.super % warp_size);
      carry<Op> groups;  // those before group `first`, folded
      group_part<T> part{};
      std::int64_t first = mine.group_before;
      do {
        std::int64_t unit[groups_at_once + 1];  // the last: of its own group
        bool wanted[groups_at_once + 1];
        T total[groups_at_once + 1];
        const int left = static_cast<int>(group - first);
        UPSWEEP_UNROLL
        for (int k = 0; k < groups_at_once; ++k) {
          unit[k] = (first + k) * warp_size + lane;
          wanted[k] = k < left;
        }
        unit[groups_at_once] = group * warp_size + lane;
        wanted[groups_at_once] = lane <= b;
        totals.wait(unit, wanted, mine.run, total);
        const T t = eight_groups<Op>(total);
        if (first == mine.group_before) {
          part = part_of_group<Op>(total[groups_at_once], b);
          if (mine.super == block_index()) {
            groups = what.start();
          } else {
            const int before = stage > 0 ? stage - 1 : how.stages - 1;
            folded.wait(before, stage > 0 ? parity : parity ^ 1);
            groups = carried[before];
          }
        }
        UPSWEEP_UNROLL
        for (int k = 0; k < groups_at_once; ++k) {
          const T g = shuffle(t, lane_of_group(k));
          if constexpr (Op::neutral)
            groups = {true, Op::combine(groups.value, wanted[k] ? g : Op::identity())};
          else if (wanted[k])
            groups = {true, groups.then(g)};
        }
        first += groups_at_once;
      } while (first < group);
      sync_warp();  // all lanes have read
      if (lane == 0) {
        carried[stage] = groups;
        folded.arrive(stage);
      }
      const super_place<Op> place = place_of<Op>(groups, part, b);

      // A lane has a chunk's border, the next one the super's end.
      reduced.wait(stage, parity);
      const auto chunk_total = [&](int i) -> T {
        return chunk_totals[stage * chunks + lane % chunks / Sizes::chunks * Sizes::chunks + i];
      };
      const auto tile_total = [&](int i) -> T { return tile_totals[stage * tiles + i]; };
      if (lane <= chunks)
        borders[stage * (chunks + 1) + lane] =
            chunk_place<Op, Sizes>(lane, chunk_total).in(place, tile_total).value;
      placed.arrive(stage);
      for (int turn = 0; turn < roles::look_backs; ++turn) next_stage();
    }
  } else if (warp < 1 + roles::look_backs + roles::reducers) {
    const int tile = warp - 1 - roles::look_backs;
    for (;; next_stage()) {
      landed.wait(stage, parity);
      const work mine = named[stage];
      if (mine.super >= supers) break;
      T of_chunk;  // of unit_of_lane
      either(mine.taken_in && plain_in, [&]<bool plain>() {
        constexpr int count = Sizes::chunks;
        T t[count];
        if (plain || mine.taken_in) {
          chunk_runs<Op, E, Sizes, count> part;
          UPSWEEP_UNROLL
          for (int c = 0; c < count; ++c) {
            load_taken.template operator()<plain>(part, c, tile * count + c);
            t[c] = part.run_total(c);
          }
          of_chunk = total_of_each<Op>(t, part.runs);
        } else {
          UPSWEEP_UNROLL
          for (int c = 0; c < count; ++c) {
            chunk part;
            part.take(load_rows(mine.super, tile * count + c));
            const T total = part.total();
            if (c == 0 || unit_of_lane<count>() == c) of_chunk = total;
          }
        }
      });
      if (lane < Sizes::chunks)
        chunk_totals[stage * chunks + tile * Sizes::chunks + unit_of_lane<Sizes::chunks>()] =
            of_chunk;
      const T of_tile = joined_total<Op, Sizes::chunks>(of_chunk);
      if (lane == 0) tile_totals[stage * tiles + tile] = of_tile;
      reduced.arrive(stage);
      if (tile == 0) {
        reduced.wait(stage, parity);
        if (lane == 0) {
          T of_tiles[tiles];
          UPSWEEP_UNROLL
          for (int k = 0; k < tiles; ++k) of_tiles[k] = tile_totals[stage * tiles + k];
          totals.publish(mine.super, mine.run, tree_total<Op>(of_tiles));
          freed.arrive(stage);  // has read: the total, relaxed, does not say so
        }
      }
    }
  } else {
    constexpr int each = roles::chunks_each;
    const int scanner = warp - 1 - roles::look_backs - roles::reducers;
    const int first_chunk = scanner * each;
    const int quads_at = scanner * (chunk::elements / vec);  // the warp's, in `between`
    for (;; next_stage()) {
      landed.wait(stage, parity);
      const work mine = named[stage];
      if (mine.super >= supers) break;
      either(mine.taken_in && mine.taken_out && plain_in && what.straight_out, [&]<bool plain>() {
        chunk_runs<Op, E, Sizes, each> part;
        UPSWEEP_UNROLL
        for (int c = 0; c < each; ++c) {
          if (plain || mine.taken_in)
            load_taken.template operator()<plain>(part, c, first_chunk + c);
          else
            part.turn_in(c, load_rows(mine.super, first_chunk + c), between, quads_at);
        }
        constexpr bool early = sizeof(T) <= 8;
        if constexpr (early) part.scan();
        placed.wait(stage, parity);
        T w[each + 1];
        UPSWEEP_UNROLL
        for (int k = 0; k <= each; ++k) w[k] = borders[stage * (chunks + 1) + first_chunk + k];
        freed.arrive(stage);

        const std::int64_t begin = mine.super * super_elements + first_chunk * chunk::elements;
        if constexpr (!early) part.scan();
        UPSWEEP_UNROLL
        for (int c = 0; c < each; ++c) {
          const std::int64_t from = begin + c * chunk::elements;
          const carry<Op> before{what.has_init || from > 0, w[c]};
          part.put_results(c, before, w[c + 1], what.exclusive, between, quads_at);
          if (!plain && mine.taken_out && what.off_out != 0) {
            const std::int64_t lowest = what.reverse ? from + chunk::elements - vec : from;
            part.template store_shifted<Out>(what, what.place(lowest) * what.out_size, what.off_out,
                                             between, quads_at);
          } else {
            store_rows<E, Out, plain>(what, from, part.rows_of(between, quads_at), w[c + 1],
                                      mine.taken_out);
          }
        }
      });
    }
  }
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
