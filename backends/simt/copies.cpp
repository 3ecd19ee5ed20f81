// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies, and the barriers with phases that wait for them.
//
// A copy is no thread's: it happens at some moment after its start. In the clocks of knowledge.hpp
// the loads that a barrier counts, and what is sent to it, are the accesses of a thread of the
// barrier's own, whose releases are the phases; who waits for a phase learns of them. The stores of
// a thread read as another such thread, whose releases are the groups; what they write nobody
// learns of in the same launch.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "backends/simt/engine.hpp"

namespace upsweep::simt {

namespace {

constexpr std::size_t copy_unit = 16;
constexpr std::int64_t most_pending = (1 << 20) - 1;  // arrivals, and bytes, of an mbarrier's phase
constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

// The threads that copies count as, beyond the 1024 of a block: at most 29,056 barriers fit in
// shared memory.
unsigned loads_of(int barrier) { return 1024u + static_cast<unsigned>(barrier); }
unsigned stores_of(const thread& t) { return 32768u + static_cast<unsigned>(t.index); }

[[maybe_unused]] stamp copied(stamp now, unsigned thread, std::uint32_t releases, bool writes) {
  now.copy = true;
  now.thread = static_cast<std::uint16_t>(thread);
  now.releases = releases;
  now.block_barriers = now.warp_barriers = never;
  now.writes = writes;
  return now;
}

}  // namespace

// ---- barriers

phased_barrier* device::engine::barrier_at(block& b, const std::byte* word) {
  const auto found = std::find_if(b.phased.begin(), b.phased.end(),
                                  [=](const phased_barrier& p) { return p.word == word; });
  return found == b.phased.end() ? nullptr : &*found;
}

int device::engine::find_barrier(const std::byte* word, where at) {
  block& b = *self_->home;
  const phased_barrier* const found = barrier_at(b, word);
  if (found == nullptr)
    fail(fault_kind::barrier,
         name(*self_) + " at " + place(at) + " uses a barrier that nothing has initialised");
  if (checked && !ordered(found->made))
    fail(fault_kind::race, name(*self_) + " uses a barrier at " + place(at) + "; thread " +
                               std::to_string(found->made.thread) + " initialised it at " +
                               place(found->made.at) + ", and nothing orders the two");
  return static_cast<int>(found - b.phased.data());
}

void device::engine::barrier_init(const std::byte* word, int arrivals, where at) {
  block& b = *self_->home;
  if (arrivals < 1 || arrivals > most_pending)
    fail(fault_kind::barrier, name(*self_) + " at " + place(at) + " initialises a barrier for " +
                                  std::to_string(arrivals) + " arrivals");
  if (const phased_barrier* const p = barrier_at(b, word); p != nullptr)
    fail(fault_kind::barrier, name(*self_) + " initialises a barrier at " + place(at) +
                                  " that was initialised at " + place(p->made.at));
  if constexpr (checked) {
    check(*b.cells, word, 8, access::write, false, "shared", at);
    b.cells->for_each(word, 8, [](cell& c) { c.holds = content::barrier; });
  }
  b.phased.push_back({.word = word, .made = stamp_now(true, at), .arrivals = arrivals});
  tell_release(word);
}

void device::engine::barrier_arrive(const std::byte* word, int expected_bytes, where at) {
  give_way();
  block& b = *self_->home;
  phased_barrier& p = b.phased[find_barrier(word, at)];
  if (p.missing == 0)
    fail(fault_kind::barrier, name(*self_) + " arrives at " + place(at) +
                                  " at a barrier that has " + "the " + std::to_string(p.arrivals) +
                                  " arrivals of phase " + std::to_string(p.phase) + " already");
  if (expected_bytes < 0 || p.expected + expected_bytes > most_pending)
    fail(fault_kind::barrier, name(*self_) + " at " + place(at) + " expects " +
                                  std::to_string(p.expected + expected_bytes) +
                                  " bytes in one phase of a barrier, which takes " +
                                  std::to_string(most_pending));
  tell_release(word);
  if constexpr (checked) p.gathered.join(release());
  p.expected += expected_bytes;
  --p.missing;
  progress();
  complete_phase(b, p);
}

// If it is complete.
void device::engine::complete_phase(block& b, phased_barrier& p) {
  if (p.missing != 0) return;
  if (p.started > p.expected)
    fail(fault_kind::barrier, "phase " + std::to_string(p.phase) + " of the barrier of block " +
                                  std::to_string(b.index) + " that was initialised at " +
                                  place(p.made.at) + " expects " + std::to_string(p.expected) +
                                  " bytes, and the bulk copies up to that of " + place(p.copied) +
                                  " have " + std::to_string(p.started));
  if (p.arrived != p.expected) return;
  ++p.phase;
  p.missing = p.arrivals;
  p.expected = p.started = p.arrived = 0;
  if constexpr (checked) {
    const auto which = static_cast<int>(&p - b.phased.data());
    p.gathered.change().add_thread(b.index, loads_of(which), p.phase);
    p.carries = p.gathered;
  }
  progress();
}

void device::engine::barrier_wait(const std::byte* word, int parity, bool of_cluster, where at) {
  give_way();
  thread& me = *self_;
  block& b = *me.home;
  const int which = find_barrier(word, at);
  if (parity != 0 && parity != 1)
    fail(fault_kind::barrier,
         name(me) + " at " + place(at) + " waits for a phase of parity " + std::to_string(parity));
  // Phases that it knows to be complete. It waits for the next, or for one of these.
  const std::uint32_t seen = me.knows ? me.knows->of_thread(b.index, loads_of(which)) : 0;
  while (true) {
    const phased_barrier& p = b.phased[which];
    if (checked && p.phase >= seen + 2 && seen % 2 == static_cast<unsigned>(parity))
      fail(fault_kind::barrier, name(me) + " waits at " + place(at) + " for phase " +
                                    std::to_string(seen) + " of a barrier, and phase " +
                                    std::to_string(seen + 1) +
                                    " is complete, too: its parity is another's by now");
    if (p.phase % 2 != static_cast<unsigned>(parity)) break;
    me.phased = which;
    pause(at);
  }
  me.phased = -1;
  if (b.phased[which].sent && !of_cluster)
    fail(fault_kind::barrier, name(me) + " waits at " + place(at) +
                                  " by wait() for what blocks have sent, which wait_sent() shows");
  if constexpr (checked) me.knows.join(b.phased[which].carries);
  tell_acquire(word);
}

std::string device::engine::missing_of(const phased_barrier& p) {
  return "phase " + std::to_string(p.phase) + " of the barrier lacks " + std::to_string(p.missing) +
         " of " + std::to_string(p.arrivals) + " arrivals and " +
         std::to_string(p.expected - p.arrived) + " bytes";
}

// ---- copies

// A thread's write that a bulk copy meets is one that the thread made known to copies.
void device::engine::judge_copied(shadow& cells, const void* p, std::size_t bytes, access how,
                                  const stamp& now, const char* space) {
  const bool shared = &cells == &*self_->home->cells;
  cells.for_each(p, bytes, [&](const cell& c) {
    const stamp& w = c.write;
    if (w.launch != now.launch || w.copy || !ordered(w) || (shared && fenced(w))) return;
    fail(fault_kind::proxy,
         "a bulk copy of " + name(*self_) + (now.writes ? " writes " : " reads ") + space +
             " memory at " + place(now.at) + "; thread " + std::to_string(w.thread) + " of block " +
             std::to_string(w.block) + " wrote it at " + place(w.at) +
             (shared ? ", and called no fence_async() between the two" : " in the same launch"));
  });
  judge(cells, p, bytes, how, false, now, space);
}

// Whether the first fence after a write of the running thread's block is ordered before this
// moment; those after it are no earlier.
bool device::engine::fenced(const stamp& s) const {
  const std::vector<stamp>& all = self_->home->threads[s.thread].fences;
  const auto first = std::lower_bound(
      all.begin(), all.end(), s.releases,
      [](const stamp& fence, std::uint32_t releases) { return fence.releases < releases; });
  return first != all.end() && ordered(*first);
}

void device::engine::send(const std::byte* to, const void* x, std::size_t bytes,
                          const std::byte* barrier, std::int64_t to_block, where at) {
  thread& me = *self_;
  ++count.accesses;
  give_way();
  progress();
  block& b = in_cluster(to_block, at);
  std::byte* const there = b.arena.get() + (to - me.home->arena.get());
  const std::byte* const word = b.arena.get() + (barrier - me.home->arena.get());
  phased_barrier* const found = barrier_at(b, word);
  if (found == nullptr || found->announced == 0 || found->announced > me.clusters_waited)
    fail(fault_kind::barrier, name(me) + " at " + place(at) + " sends to a barrier of block " +
                                  std::to_string(to_block) +
                                  " that no barrier of the cluster has told it of");
  phased_barrier& p = *found;
  p.sent = true;
  start_load(p, bytes, at);
  if constexpr (checked) {
    const auto which = static_cast<int>(found - b.phased.data());
    stamp now = copied(stamp_now(false, at), loads_of(which), p.phase, true);
    now.block = static_cast<std::int32_t>(b.index);
    judge(*b.cells, there, bytes, access::write, false, now, "shared");
    complete_phase(b, p);  // which it is not, but may be too many bytes
    const auto* const first = static_cast<const std::byte*>(x);
    copies_.push_back({.home = &b,
                       .from = nullptr,
                       .to = there,
                       .bytes = bytes,
                       .barrier = which,
                       .kept = std::vector<std::byte>(first, first + bytes)});
    copies_.back().from = copies_.back().kept.data();
  } else {
    load_now(b, p, there, x, bytes);
  }
}

void device::engine::fence_async() {
  if constexpr (checked) {
    self_->fences.push_back(stamp_now(false, {}));
    ++self_->releases;
  }
}

void device::engine::start_copy(const std::byte* to, const std::byte* from, int bytes, where at) {
  if (bytes <= 0 || bytes % static_cast<int>(copy_unit) != 0)
    fail(fault_kind::misaligned, name(*self_) + " at " + place(at) + " copies " +
                                     std::to_string(bytes) + " bytes, no multiple of " +
                                     std::to_string(copy_unit) + " above 0");
  check_aligned(to, copy_unit, at);
  check_aligned(from, copy_unit, at);
  ++count.accesses;
  give_way();
  progress();
}

// Of bytes that the current phase of a barrier counts.
void device::engine::start_load(phased_barrier& p, std::size_t bytes, where at) {
  p.copied = at;
  p.copied_phases = p.phase + 1;
  p.started += static_cast<std::int64_t>(bytes);
}

// All of it at once, in the raw build.
void device::engine::load_now(block& b, phased_barrier& p, std::byte* to, const void* from,
                              std::size_t bytes) {
  std::memcpy(to, from, bytes);
  tell_release(p.word);
  p.arrived += static_cast<std::int64_t>(bytes);
  complete_phase(b, p);
}

void device::engine::bulk_load(std::byte* to, const std::byte* from, int bytes,
                               const std::byte* barrier, where at) {
  start_copy(to, from, bytes, at);
  thread& me = *self_;
  block& b = *me.home;
  const auto size = static_cast<std::size_t>(bytes);
  const int which = find_barrier(barrier, at);
  phased_barrier& p = b.phased[which];
  start_load(p, size, at);
  if constexpr (checked) {
    const stamp now = stamp_now(false, at);
    judge_copied(find_memory(from, size, at)->cells, from, size, access::read,
                 copied(now, loads_of(which), p.phase, false), "global");
    judge_copied(*b.cells, to, size, access::write, copied(now, loads_of(which), p.phase, true),
                 "shared");
    p.gathered.join(me.knows);  // the copy comes after what its start came after
    complete_phase(b, p);       // which it is not, but may be too many bytes
    copies_.push_back({.home = &b, .from = from, .to = to, .bytes = size, .barrier = which});
  } else {
    load_now(b, p, to, from, size);
  }
}

void device::engine::bulk_store(std::byte* to, const std::byte* from, int bytes, where at) {
  start_copy(to, from, bytes, at);
  thread& me = *self_;
  const auto size = static_cast<std::size_t>(bytes);
  if constexpr (checked) {
    const stamp now = stamp_now(false, at);
    judge_copied(*me.home->cells, from, size, access::read,
                 copied(now, stores_of(me), me.group, false), "shared");
    judge_copied(find_memory(to, size, at)->cells, to, size, access::write,
                 copied(now, stores_of(me), never, true), "global");
    forget_words(to, size);
    me.groups_with_stores = me.group + 1;
    me.stored = at;
    copies_.push_back({.home = me.home,
                       .from = from,
                       .to = to,
                       .bytes = size,
                       .barrier = -1,
                       .thread = me.index,
                       .group = me.group,
                       .kept = std::vector<std::byte>(size)});
  } else {
    std::memcpy(to, from, size);
  }
}

void device::engine::bulk_wait_read(int groups) {
  give_way();
  thread& me = *self_;
  const auto running = static_cast<std::uint32_t>(groups);
  if (!checked || me.group < me.groups_read + running + 1) return;
  me.groups_read = me.group - running;
  for (bulk_copy& c : copies_)
    if (c.barrier < 0 && c.home == me.home && c.thread == me.index && c.group < me.groups_read)
      read_all(c);
  me.knows.change().add_thread(me.home->index, stores_of(me), me.groups_read);
}

void device::engine::read_all(bulk_copy& c) {
  std::memcpy(c.kept.data() + c.read, c.from + c.read, c.bytes - c.read);
  c.read = c.bytes;
}

// Now and then, a piece of one of the copies.
void device::engine::advance_copies() {
  if (below(4) != 0) return;
  bulk_copy& c = copies_[below(copies_.size())];
  const auto piece = [this](std::size_t left) {
    return std::min(left, copy_unit * (1 + static_cast<std::size_t>(below(left / copy_unit))));
  };
  if (c.read != c.bytes && (c.barrier >= 0 || c.written == c.read || below(2) == 0)) {
    const std::size_t n = piece(c.bytes - c.read);
    std::memcpy((c.barrier >= 0 ? c.to : c.kept.data()) + c.read, c.from + c.read, n);
    c.read += n;
    if (c.barrier >= 0) {
      phased_barrier& p = c.home->phased[static_cast<std::size_t>(c.barrier)];
      p.arrived += static_cast<std::int64_t>(n);
      complete_phase(*c.home, p);
    }
  } else {
    const std::size_t n = piece(c.read - c.written);
    std::memcpy(c.to + c.written, c.kept.data() + c.written, n);
    c.written += n;
  }
  progress();
  if ((c.barrier >= 0 ? c.read : c.written) == c.bytes) {
    if (&c != &copies_.back()) std::swap(c, copies_.back());
    copies_.pop_back();
  }
}

// At the end of a launch, whose threads waited for all loads.
void device::engine::finish_stores() {
  for (bulk_copy& c : copies_)
    std::memcpy(c.to + c.written, c.kept.data() + c.written, c.bytes - c.written);
}

// At the end of a thread.
void device::engine::check_finished(thread& t) {
  if (t.groups_with_stores > t.groups_read)
    fail(fault_kind::unfinished, name(t) + " ended before its bulk copy of " + place(t.stored) +
                                     " had read shared memory: no bulk_wait_read() waited for it");
  block& b = *t.home;
  if (b.phased.empty()) return;
  b.left.join(t.knows);
  if (b.alive != 1) return;
  for (int i = 0; i < std::ssize(b.phased); ++i) {
    const phased_barrier& p = b.phased[i];
    if (p.copied_phases > (b.left ? b.left->of_thread(b.index, loads_of(i)) : 0))
      fail(fault_kind::unfinished, "the kernel ended before its bulk copy: block " +
                                       std::to_string(b.index) + " started it at " +
                                       place(p.copied) + ", and no thread waited for it");
  }
}

// ---- what port_simt.hpp declares

namespace {
device::engine& here() { return device::engine::current(); }
}  // namespace

void barrier_init(std::byte* barrier, int arrivals, where at) {
  here().barrier_init(barrier, arrivals, at);
}
void barrier_arrive(std::byte* barrier, int expected_bytes, where at) {
  here().barrier_arrive(barrier, expected_bytes, at);
}
void barrier_wait(std::byte* barrier, int parity, bool of_cluster, where at) {
  here().barrier_wait(barrier, parity, of_cluster, at);
}
void bulk_load(std::byte* to, const std::byte* from, int bytes, std::byte* barrier, where at) {
  here().bulk_load(to, from, bytes, barrier, at);
}
void bulk_store(std::byte* to, const std::byte* from, int bytes, where at) {
  here().bulk_store(to, from, bytes, at);
}
void bulk_commit() { here().bulk_commit(); }
void bulk_wait_read(int groups) { here().bulk_wait_read(groups); }
void fence_async() { here().fence_async(); }
void send(const std::byte* to, const void* x, std::size_t bytes, const std::byte* barrier,
          std::int64_t block, where at) {
  here().send(to, x, bytes, barrier, block, at);
}

}  // namespace upsweep::simt
