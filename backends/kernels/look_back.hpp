// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_LOOK_BACK_HPP
#define UPSWEEP_KERNELS_LOOK_BACK_HPP

// What the blocks of one running kernel tell each other in a single-pass scan: the one file of that
// protocol. A run is one launch, of one block a tile. Each block draws its tile (tickets); a tile
// tells later ones its prefix, all elements up to its last, init included (chain), or its
// aggregate, its own elements combined, and then its prefix (tile_words).
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
// 6. It ends. A tile waits only for tiles of smaller tickets, whose blocks have started, since they
//    drew, and a block that started runs on until it ends. An aggregate is published before its
//    tile waits for anything. Of the tiles that are not done the one with the smallest ticket waits
//    for nothing that is not published or on its way, so it gets done, and then the next: with any
//    number of resident blocks, were it one, and in whatever order blocks start.

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
      const std::uint64_t word = next_.atomic(0).fetch_add(1, order::relaxed);
      const std::uint64_t run = word >> ticket_bits;
      const auto tile = static_cast<std::int64_t>(word - (run << ticket_bits));
      if (tile == grid_size() - 1) next_.atomic(0).store((run + 1) << ticket_bits, order::relaxed);
      drawn[0] = {tile, run + 1};  // 0 is in no message
    }
    sync_block();
    return drawn[0];
  }

 private:
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

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
