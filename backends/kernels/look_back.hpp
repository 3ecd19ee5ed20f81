// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_LOOK_BACK_HPP
#define UPSWEEP_KERNELS_LOOK_BACK_HPP

// What the blocks of one running kernel tell each other in a single-pass scan: the one file of that
// protocol. A run is one launch. In the textbook scans it has one block a tile; each block draws
// its tile (tickets), and a tile tells later ones its prefix, all elements up to its last, init
// included (chain), or its aggregate, its own elements combined, and then its prefix (tile_words).
// In the production scan all blocks run at once; a block begins with the unit that its index names,
// and draws more of them where there are more units than blocks (tickets), and a unit tells later
// ones its total, and nothing else (unit_totals).
//
// All memory is zero when it is made, and nothing clears it between runs: neither a launch nor a
// call, so that a captured graph can be replayed. In place of that each run has a number, which is
// in the memory too, and each message bears the number of its run.
//
// Why it is right. "Before" is happens-before, of the C++ and the PTX memory model alike; all that
// one launch does is before all that the next one on its stream does.
//
// 1. Tickets. One word holds the number of the run and the next ticket. fetch_add hands out tickets
//    in the order in which blocks ask, whatever their indices, so that each tile is drawn once.
// 2. Reset. The block that draws the last ticket stores the next run's number and ticket 0. All
//    other draws of the run gave smaller tickets, so they come before its own in the order of
//    changes of that word, and the store comes after: no block of this run sees it. The next launch
//    begins with it. The order of one word is all that this needs, so that draws and reset are
//    relaxed (an ordering, acquire and release, costs 5 % of a large scan on an H200).
// 3. Stale messages. A flag or word of another run counts as absent. Messages lie at places that
//    depend on the workspace alone, never on the length of a run, so that each is read as what it
//    was written as: a shorter run leaves those of later tiles as they were. A number comes again
//    after 2^40 runs, two weeks of the shortest launches back to back; a message could then be
//    taken for new if its tile was last used in just the run of that number.
// 4. chain. A value is written by one thread, once in a run, before it stores the flag that
//    announces it, with release. A thread reads the value only after its own load of the flag, with
//    acquire, returned the number of this run. One store wrote that, so the two synchronise, the
//    write is before the read, and plain accesses do not race. The next write is in another launch.
// 5. tile_words. A word holds a value, its state and its run, and is stored and loaded as one. It
//    says nothing of other memory, so that there is nothing to order: relaxed is enough. A prefix
//    replaces the aggregate; a thread sees the one or the other, whole, and either will do.
//    A total of 16 bytes takes two words, each with the run's number, so that it is complete once
//    both are there.
// 6. It ends. A tile waits only for tiles of smaller tickets, whose blocks have started, since they
//    drew, and a block that started runs on until it ends. An aggregate is published before its
//    tile waits for anything. Of the tiles that are not done the one with the smallest ticket waits
//    for nothing that is not published or on its way, so it gets done, and then the next: with any
//    number of resident blocks, were it one, and in whatever order blocks start.
// 7. With all blocks at once, too: a unit waits for totals of earlier ones only, a block takes its
//    units in rising order, and publishing a unit's total waits for no other unit. So of the units
//    that are not done the first waits for nothing that is not published or on its way. In a ring
//    a look-back also waits for what came before the block's unit before its own, which its own
//    would wait for, and for stages further on to land, fewer than the ring has: those held
//    earlier units, or none, before, and the loader fills as many more, with no unit.
// 8. Numbers of such runs. Where blocks draw, each does so until a draw names no unit: that makes
//    one draw too many for each block, and the last of all draws resets, as in 2; none is in flight
//    when the kernel ends. Where none draws, every block reads the run's number before it
//    publishes, and the block of the last unit ends the run (finish) once it has read all other
//    totals: by then each block has read the number.
// 9. After a run its totals stay where they are, for the next launch to read. What a launch that is
//    no run publishes for the next one bears number 0, which no run has: to all runs it is absent.

#include <cstddef>
#include <cstdint>

#include "port.hpp"
#include "workspace.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// A block's tile, and the number of the run.
struct ticket {
  std::int64_t tile;
  std::uint64_t run;
};

// The number of a message that is of no run: also what memory that is new says.
inline constexpr std::uint64_t no_run = 0;

// Tiles of one run, so that a ticket fits into its bits.
inline constexpr int ticket_bits = 24;
inline constexpr std::int64_t max_tiles = std::int64_t{1} << ticket_bits;

class tickets {
 public:
  static std::size_t bytes() { return workspace::bytes<std::uint64_t>(1); }
  explicit tickets(workspace& space) : next_(space.take<std::uint64_t>(1)) {}

  // By all threads of a block, once, before all else.
  UPSWEEP_DEVICE ticket draw() const {
    UPSWEEP_SHARED(ticket, drawn, 1);
    if (thread_index() == 0) {
      drawn[0] = draw_of(0);
    }
    sync_block();
    return drawn[0];
  }

  // By one thread of a block of a grid that runs at once, until it gets a unit that there is none
  // of.
  UPSWEEP_DEVICE ticket draw_of(std::int64_t units) const { return answer(ask(), units); }

  // The same in two steps, between which the word travels.
  UPSWEEP_DEVICE std::uint64_t ask() const { return next_.atomic(0).fetch_add(1, order::relaxed); }
  UPSWEEP_DEVICE ticket answer(std::uint64_t word, std::int64_t units) const {
    const ticket drawn = read(word);
    if (drawn.tile == units + grid_size() - 1)
      next_.atomic(0).store(drawn.run << ticket_bits, order::relaxed);
    return drawn;
  }

  // Of a run without draws: its number, likewise in two steps, and its end.
  UPSWEEP_DEVICE std::uint64_t look() const { return next_.atomic(0).load(order::relaxed); }
  UPSWEEP_DEVICE static std::uint64_t run_of(std::uint64_t word) { return read(word).run; }
  UPSWEEP_DEVICE void finish(std::uint64_t run) const {
    next_.atomic(0).store(run << ticket_bits, order::relaxed);
  }

 private:
  UPSWEEP_DEVICE static ticket read(std::uint64_t word) {
    const std::uint64_t run = word >> ticket_bits;
    return {static_cast<std::int64_t>(word - (run << ticket_bits)), run + 1};
  }

  global<std::uint64_t> next_;
};

// From each tile to the next: a flag, and the value that it announces.
template <class T>
class chain {
 public:
  static std::size_t bytes(std::int64_t tiles) {
    return workspace::bytes<std::uint64_t>(tiles) + workspace::bytes<T>(tiles);
  }
  // `tiles` of the longest scan that the workspace was made for.
  chain(workspace& space, std::int64_t tiles)
      : flags_(space.take<std::uint64_t>(tiles)), prefixes_(space.take<T>(tiles)) {}

  UPSWEEP_DEVICE void publish(ticket mine, T prefix) const {
    prefixes_[mine.tile] = prefix;
    flags_.atomic(mine.tile).store(mine.run, order::release);
  }

  // The prefix of the tile before, once it is there.
  UPSWEEP_DEVICE T wait(ticket mine) const {
    while (flags_.atomic(mine.tile - 1).load(order::acquire) != mine.run) pause();
    return prefixes_[mine.tile - 1];
  }

 private:
  global<std::uint64_t> flags_;
  global<T> prefixes_;
};

// In a word; later states tell more.
enum class tile_state : std::uint64_t { absent, aggregate, prefix };

// From each tile to all later ones: a word of 16 bytes, which costs a reader one trip to memory.
template <class T>
class tile_words {
 public:
  struct message {
    tile_state state;
    T value;
  };

  static std::size_t bytes(std::int64_t tiles) { return workspace::bytes<tagged>(tiles); }
  tile_words(workspace& space, std::int64_t tiles) : words_(space.take<tagged>(tiles)) {}

  UPSWEEP_DEVICE void publish(ticket mine, tile_state s, T value) const {
    words_.atomic(mine.tile).store({mine.run * 4 + static_cast<std::uint64_t>(s), to_bits(value)},
                                   order::relaxed);
  }

  // What a tile has published, once it has published anything.
  UPSWEEP_DEVICE message wait(std::int64_t tile, std::uint64_t run) const {
    tagged word = words_.atomic(tile).load(order::relaxed);
    while (word.tag / 4 != run) {
      pause();
      word = words_.atomic(tile).load(order::relaxed);
    }
    return {static_cast<tile_state>(word.tag % 4), from_bits<T>(word.bits)};
  }

 private:
  global<tagged> words_;
};

// From each unit to all later ones: its total, in as many words of 16 bytes as it needs.
template <class T>
class unit_totals {
  static constexpr int words = sizeof(T) > 8 ? 2 : 1;

 public:
  static std::size_t bytes(std::int64_t units) { return workspace::bytes<tagged>(units * words); }
  unit_totals(workspace& space, std::int64_t units) : words_(space.take<tagged>(units * words)) {}

  UPSWEEP_DEVICE void publish(std::int64_t unit, std::uint64_t run, T total) const {
    std::uint64_t half[words];
    split(total, half);
    UPSWEEP_UNROLL
    for (int w = 0; w < words; ++w)
      words_.atomic(unit * words + w).store({run, half[w]}, order::relaxed);
  }

  // The totals of some units, once those are there that are `wanted`; the others may be any units
  // that there are words of. No branches between the loads, so that they travel together.
  template <int count>
  UPSWEEP_DEVICE void wait(const std::int64_t (&unit)[count], const bool (&wanted)[count],
                           std::uint64_t run, T (&total)[count]) const {
    for (bool all = false; !all;) {
      tagged got[count * words];
      UPSWEEP_UNROLL
      for (int i = 0; i < count * words; ++i)
        got[i] = words_.atomic(unit[i / words] * words + i % words).load(order::relaxed);
      all = true;
      UPSWEEP_UNROLL
      for (int i = 0; i < count * words; ++i)
        all = all && (!wanted[i / words] || got[i].tag == run);
      UPSWEEP_UNROLL
      for (int i = 0; i < count; ++i) {
        std::uint64_t half[words];
        UPSWEEP_UNROLL
        for (int w = 0; w < words; ++w) half[w] = got[i * words + w].bits;
        join(half, total[i]);
      }
      if (!all) pause();
    }
  }

 private:
  UPSWEEP_DEVICE static void split(const T& x, std::uint64_t (&half)[words]) {
    if constexpr (words == 1)
      half[0] = to_bits(x);
    else
      copy_bits(half, x);
  }
  UPSWEEP_DEVICE static void join(const std::uint64_t (&half)[words], T& x) {
    if constexpr (words == 1)
      x = from_bits<T>(half[0]);
    else
      copy_bits(x, half);
  }

  global<tagged> words_;
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
