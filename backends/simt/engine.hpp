// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_SIMT_ENGINE_HPP
#define UPSWEEP_SIMT_ENGINE_HPP

// The inside of a device. engine.cpp runs threads; memory.cpp judges their accesses; copies.cpp has
// the copies that run beside them, and the barriers that wait for those.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/simt/device.hpp"
#include "backends/simt/fiber.hpp"
#include "backends/simt/knowledge.hpp"

namespace upsweep::simt {

std::string place(where at);  // "backends/kernels/block/brent_kung.hpp:31"

#ifdef UPSWEEP_SIMT_RAW
inline constexpr bool checked = false;
#else
inline constexpr bool checked = true;
#endif

// What a barrier orders, in words that TSan knows.
inline void tell_release([[maybe_unused]] const void* barrier) {
#if defined(UPSWEEP_SIMT_TSAN)
  __tsan_release(const_cast<void*>(barrier));
#endif
}
inline void tell_acquire([[maybe_unused]] const void* barrier) {
#if defined(UPSWEEP_SIMT_TSAN)
  __tsan_acquire(const_cast<void*>(barrier));
#endif
}

enum class content : std::uint8_t { none, value, barrier };

inline constexpr std::size_t cell_bytes = 4;

// What is known of 4 bytes of memory: what they hold, and the latest accesses. Two plain reads are
// kept, of different threads, so that a race shows whichever of them raced. Atomic accesses race
// with none of their kind, so all are kept that no later one stands for. An access of some of the
// bytes splits the cell into one for each.
struct cell {
  stamp write;
  std::array<stamp, 2> reads;
  std::vector<stamp> atomics;
  std::unique_ptr<std::array<cell, cell_bytes>> bytes;
  content holds = content::none;
};

// Cells of a range of memory; none in the raw build.
class shadow {
 public:
  shadow(const void* begin, std::size_t bytes, bool initialised);
  bool contains(const void* p, std::size_t bytes) const;
  void grow(std::size_t bytes);  // at the end, not initialised
  std::size_t size() const { return bytes_; }
  // Calls f(cell) for those that [p, p + bytes) is made of.
  template <class F>
  void for_each(const void* p, std::size_t bytes, F&& f) {
    std::size_t at = static_cast<const std::byte*>(p) - begin_;
    const std::size_t end = at + bytes;
    while (at < end) {
      if (at % cell_bytes != 0 || end - at < cell_bytes) {
        f(byte(at++));
        continue;
      }
      cell& c = cells_[at / cell_bytes];
      if (c.bytes == nullptr)
        f(c);
      else
        std::for_each(c.bytes->begin(), c.bytes->end(), f);
      at += cell_bytes;
    }
  }
  // Makes one again of cells whose bytes have just been written together.
  void unite(const void* p, std::size_t bytes);

 private:
  cell& byte(std::size_t at);

  const std::byte* begin_;
  std::size_t bytes_;
  std::vector<cell> cells_;
  std::size_t split_ = 0;
};

class allocation {
 public:
  allocation(const void* begin, std::size_t bytes, bool initialised)
      : cells(begin, bytes, initialised) {}
  shadow cells;
  int borrowers = 1;
  bool owned = false;
};

// The values that an atomic word has had in this launch, the latest last. `carries` is what a
// reader that acquires learns.
struct atomic_history {
  struct version {
    atomic_bits value;
    known carries;
  };
  std::size_t number;       // of the word, for knowledge::seen
  std::uint32_t first = 0;  // the count of versions[0]
  std::deque<version> versions;
};

enum class thread_state : std::uint8_t {
  ready,
  at_block_barrier,
  at_named_barrier,
  at_warp_operation,
  done
};
enum class warp_operation : std::uint8_t { none, sync, exchange };

struct block;

struct thread {
  fiber run;
  simt::block* home = nullptr;
  int index = 0;
  thread_state state = thread_state::ready;
  where at{};                         // what it waits at
  std::uint32_t releases = 0;         // so far
  known knows;                        // ordered before its next access
  known heard;                        // will be, once it fences: what relaxed loads carried
  known told;                         // at its last release fence: what its relaxed stores carry
  int named = 0;                      // the barrier that it is at
  int phased = -1;                    // the barrier of the block whose phase it waits for
  std::uint32_t cluster_phase = 0;    // that it arrived at last, of the cluster's barrier
  bool in_cluster_phase = false;      // it has not waited since
  std::uint32_t clusters_waited = 0;  // the last phase that it waited for, from 1 on
  std::vector<stamp> fences;          // its calls of fence_async
  std::uint32_t group = 0;            // of its bulk stores, the one that is not committed
  std::uint32_t groups_with_stores = 0, groups_read = 0;  // both from 0 on
  where stored{};                                         // its last bulk store
};

struct warp {
  static constexpr std::size_t lane_bytes = 64;
  warp_operation operation = warp_operation::none;
  where at{};
  int arrived = 0;
  std::uint32_t barriers = 0;
  // Two of them: a fast lane may reach the next operation before a slow one has read this one's.
  std::array<std::array<std::byte, 32 * lane_bytes>, 2> exchanged;
  unsigned turn = 0;
};

// Of some warps.
struct named_barrier {
  int threads = 0;
  int arrived = 0;
  where at{};
};

// A barrier of port.hpp's `barriers`: each phase is complete after so many arrivals and bytes.
struct phased_barrier {
  const std::byte* word;
  stamp made;
  int arrivals;  // of a phase
  // Of the current phase:
  std::uint32_t phase = 0;
  int missing = arrivals;
  std::int64_t expected = 0, started = 0, arrived = 0;  // bytes
  known gathered{};                                     // from those who arrived
  // Of those before:
  known carries{};                  // what one learns who waits
  std::uint32_t copied_phases = 0;  // the last that had copies, from 1 on
  where copied{};
  std::uint32_t announced = 0;  // the phase of the cluster's barrier that tells others, from 1 on
  bool sent = false;            // blocks have sent to it
};

struct block {
  std::int64_t index = 0;
  std::unique_ptr<thread[]> threads;
  std::unique_ptr<warp[]> warps;
  int arrived = 0;  // at the block's barrier
  int ready = 0;
  int alive = 0;
  std::uint32_t barriers = 0;
  std::unique_ptr<std::byte[]> arena;  // shared memory, of arena_bytes
  std::size_t arena_used = 0;
  std::vector<std::pair<const void*, std::size_t>> statics;  // declaration, offset
  std::optional<shadow> cells;
  std::array<named_barrier, 16> named;
  std::vector<phased_barrier> phased;
  known left;  // what its threads that are done knew
};

// Of all blocks of a launch: a phase is complete once all threads that still run have arrived.
struct cluster_barrier {
  std::uint32_t phase = 0;
  std::int64_t running = 0, arrived = 0;
};

// A copy under way. A store reads all of its source into `kept` before it writes the last; what is
// sent is there from the start, and goes the way of a load.
struct bulk_copy {
  block* home;
  const std::byte* from;
  std::byte* to;
  std::size_t bytes;
  int barrier;              // of a load, in home's list; -1: a store
  int thread = 0;           // of a store
  std::uint32_t group = 0;  // of the thread's
  std::vector<std::byte> kept{};
  std::size_t read = 0, written = 0;
};

// Threads that can run. Its room is made before a launch: memory that one fiber takes and another
// gives back would look like a race to TSan, which sees no order between the two.
class ready_queue {
 public:
  void clear(std::size_t room) {
    ring_.assign(room, nullptr);
    head_ = size_ = 0;
  }
  std::size_t size() const { return size_; }
  thread*& operator[](std::size_t i) {
    const std::size_t at = head_ + i;
    return ring_[at < ring_.size() ? at : at - ring_.size()];
  }
  void push(thread* t) { (*this)[size_++] = t; }
  thread* pop() {
    thread* const t = ring_[head_];
    head_ = head_ + 1 == ring_.size() ? 0 : head_ + 1;
    --size_;
    return t;
  }

 private:
  std::vector<thread*> ring_;
  std::size_t head_ = 0, size_ = 0;
};

class device::engine {
 public:
  explicit engine(const options& how) : how(how), state_(how.seed * 0x9e3779b97f4a7c15u + 1) {}

  const options how;
  counters count;

  // ---- engine.cpp
  void launch(std::int64_t blocks, int threads, int shared_bytes, grouping how,
              const std::function<void()>& kernel);
  static engine& current();
  thread& self() { return *self_; }
  std::int64_t grid_size() const { return grid_; }
  int block_size() const { return block_size_; }
  std::size_t dynamic_bytes() const { return dynamic_bytes_; }

  void sync_block(where at);
  void warp_operate(warp_operation what, where at, const void* mine, std::size_t bytes,
                    std::byte** all);
  void sync_threads(int id, int threads, where at);
  std::byte* static_shared(const void* key, std::size_t bytes);
  void arrive_cluster(where at);
  void wait_cluster(where at);
  block& in_cluster(std::int64_t index, where at);  // once it has come to what it declares
  void pause(where at);
  void give_way();  // at an access, now and then
  void progress() { pauses_ = 0; }
  [[noreturn]] void fail(fault_kind kind, const std::string& message);
  std::uint64_t random();
  std::uint64_t below(std::uint64_t n);  // n < 2^32
  std::string name(const thread& t) const;

  // ---- memory.cpp
  allocation* find(const void* p, std::size_t bytes);
  void check(shadow& cells, const void* p, std::size_t bytes, access how, bool atomic,
             const char* space, where at);
  atomic_bits atomic_load(allocation* m, const void* p, std::size_t bytes, order o, where at);
  void atomic_store(allocation* m, void* p, std::size_t bytes, atomic_bits x, order o, where at);
  std::uint64_t atomic_add(allocation* m, void* p, std::size_t bytes, std::uint64_t x, order o,
                           where at);
  void fence(order o);
  void forget_words(const void* p, std::size_t bytes);
  bool ordered(const stamp& s) const;
  stamp stamp_now(bool writes, where at) const;
  known release();
  // Whether an access may be; then `now` is left in the cells.
  void judge(shadow& cells, const void* p, std::size_t bytes, access how, bool atomic,
             const stamp& now, const char* space);
  bool overlaps(const void* p, std::size_t bytes) const;

  // ---- copies.cpp
  void barrier_init(const std::byte* word, int arrivals, where at);
  void barrier_arrive(const std::byte* word, int expected_bytes, where at);
  void barrier_wait(const std::byte* word, int parity, bool of_cluster, where at);
  void bulk_load(std::byte* to, const std::byte* from, int bytes, const std::byte* barrier,
                 where at);
  void bulk_store(std::byte* to, const std::byte* from, int bytes, where at);
  void bulk_commit() { ++self_->group; }
  void bulk_wait_read(int groups);
  void fence_async();
  void send(const std::byte* to, const void* x, std::size_t bytes, const std::byte* barrier,
            std::int64_t block, where at);

  std::map<const void*, allocation, std::greater<>> memories;  // by begin, the last first

 private:
  // ---- engine.cpp
  static void run_thread(void* t);
  void start_block(std::int64_t index);
  void end_block(block& b);
  void run_ready();
  thread* next_ready();
  void make_ready(thread& t);
  void wait(thread_state why, where at);
  void suspend();
  void stop_if_stuck(const block& b);
  void complete_cluster_phase();
  std::string waiting_places() const;
  std::string replay() const;

  // ---- memory.cpp
  atomic_history& history_of(const void* p, std::size_t bytes);
  void publish(atomic_history& h, void* p, std::size_t bytes, atomic_bits x, known carries);
  void learn(const known& carried, order o);

  // ---- copies.cpp
  static phased_barrier* barrier_at(block& b, const std::byte* word);  // null: none
  int find_barrier(const std::byte* word, where at);
  void start_load(phased_barrier& p, std::size_t bytes, where at);
  void load_now(block& b, phased_barrier& p, std::byte* to, const void* from, std::size_t bytes);
  void complete_phase(block& b, phased_barrier& p);
  void judge_copied(shadow& cells, const void* p, std::size_t bytes, access how, const stamp& now,
                    const char* space);
  bool fenced(const stamp& s) const;
  void start_copy(const std::byte* to, const std::byte* from, int bytes, where at);
  void advance_copies();
  static void read_all(bulk_copy& c);
  void finish_stores();
  void check_finished(thread& t);
  static std::string missing_of(const phased_barrier& p);

  const std::function<void()>* kernel_ = nullptr;
  std::int64_t grid_ = 0;
  std::int64_t most_resident_ = 0;
  bool clustered_ = false;
  cluster_barrier cluster_;
  int block_size_ = 0;
  std::size_t dynamic_bytes_ = 0;
  thread* self_ = nullptr;
  std::vector<std::unique_ptr<block>> resident_;
  ready_queue ready_;
  std::vector<std::int64_t> pending_;  // blocks, the next last
  stack_pool stacks_;
  std::vector<std::unique_ptr<std::byte[]>> arenas_;  // for the next blocks
  std::uint64_t state_;
  int until_preempt_ = 1;
  std::int64_t pauses_ = 0;
  char start_ = 0, end_ = 0;   // for TSan: what orders the host's work and that of all threads
  std::exception_ptr thrown_;  // by a kernel, or a fault of it
  std::unordered_map<const void*, atomic_history> words_;  // of this launch
  std::size_t next_word_ = 0;
  std::vector<bulk_copy> copies_;
};

}  // namespace upsweep::simt

#endif
