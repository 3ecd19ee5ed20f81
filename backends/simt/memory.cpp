// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of a launch: bounds, values, races, and a weak memory model for atomics.
//
// The model is view-based (operational release and acquire, as in J. Kang et al., A Promising
// Semantics for Relaxed-Memory Concurrency, POPL 2017, without promises): the values of a word are
// kept in the order they were stored; a load may return any that the reader does not know to be
// superseded; a release store carries what its thread knows, and an acquire load learns it.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "backends/simt/engine.hpp"

namespace upsweep::simt {

namespace {

bool releases(order o) { return o == order::release || o == order::acq_rel; }
bool acquires(order o) { return o == order::acquire || o == order::acq_rel; }

atomic_bits get(const void* p, std::size_t bytes) {
  atomic_bits x{};
  std::memcpy(&x, p, bytes);  // little-endian
  return x;
}

}  // namespace

// ---- shadow memory

shadow::shadow(const void* begin, std::size_t bytes, bool initialised)
    : begin_(static_cast<const std::byte*>(begin)) {
  grow(bytes);
  if (initialised)
    for (cell& c : cells_) c.holds = content::value;
}

bool shadow::contains(const void* p, std::size_t bytes) const {
  const auto* b = static_cast<const std::byte*>(p);
  return b >= begin_ && b + bytes <= begin_ + bytes_;
}

void shadow::grow(std::size_t bytes) {
  bytes_ = bytes;
  if constexpr (checked) cells_.resize((bytes + cell_bytes - 1) / cell_bytes);
}

cell& shadow::byte(std::size_t at) {
  cell& c = cells_[at / cell_bytes];
  if (c.bytes == nullptr) {
    ++split_;
    c.bytes = std::make_unique<std::array<cell, cell_bytes>>();
    for (cell& b : *c.bytes) {
      b.write = c.write;
      b.reads = c.reads;
      b.atomics = c.atomics;
      b.holds = c.holds;
    }
  }
  return (*c.bytes)[at % cell_bytes];
}

void shadow::unite(const void* p, std::size_t bytes) {
  if (split_ == 0) return;
  const std::size_t at = static_cast<const std::byte*>(p) - begin_;
  for (std::size_t i = (at + cell_bytes - 1) / cell_bytes; i < (at + bytes) / cell_bytes; ++i)
    if (cells_[i].bytes != nullptr) {
      cell first = std::move(cells_[i].bytes->front());
      cells_[i] = std::move(first);
      --split_;
    }
}

allocation* device::engine::find(const void* p, std::size_t bytes) {
  const auto at = memories.lower_bound(p);
  return at != memories.end() && at->second.cells.contains(p, bytes) ? &at->second : nullptr;
}

bool device::engine::overlaps(const void* p, std::size_t bytes) const {
  const auto* const end = static_cast<const std::byte*>(p) + bytes;
  for (const auto& [begin, m] : memories) {
    const auto* const b = static_cast<const std::byte*>(begin);
    if (b < end && b + m.cells.size() > p) return true;
  }
  return false;
}

// ---- races

stamp device::engine::stamp_now(bool writes, where at) const {
  const thread& t = *self_;
  return {.launch = static_cast<std::uint32_t>(count.launches),
          .releases = t.releases,
          .block_barriers = t.home->barriers,
          .warp_barriers = t.home->warps[t.index / 32].barriers,
          .block = static_cast<std::int32_t>(t.home->index),
          .thread = static_cast<std::uint16_t>(t.index),
          .writes = writes,
          .at = at};
}

// Whether an earlier access happens before the next one of the running thread.
bool device::engine::ordered(const stamp& s) const {
  if (s.launch != static_cast<std::uint32_t>(count.launches)) return true;
  const thread& t = *self_;
  if (s.block == t.home->index) {
    if (s.thread == t.index || s.block_barriers < t.home->barriers) return true;
    if (s.thread / 32 == t.index / 32 && s.warp_barriers < t.home->warps[t.index / 32].barriers)
      return true;
  }
  return t.knows && t.knows->covers(s);
}

void device::engine::check(shadow& cells, const void* p, std::size_t bytes, access how, bool atomic,
                           const char* space, where at) {
  ++count.accesses;
  give_way();
  if (!atomic || how == access::write) progress();
  judge(cells, p, bytes, how, atomic, stamp_now(how != access::read, at), space);
}

void device::engine::judge(shadow& cells, const void* p, std::size_t bytes, access how, bool atomic,
                           const stamp& now, const char* space) {
  const bool writes = how != access::read;
  const auto me = [&] {
    return (now.copy ? "a bulk copy of " : "") + name(*self_) + (writes ? " writes " : " reads ") +
           space + " memory at " + place(now.at);
  };
  const auto race = [&](const stamp& with, const char* did) {
    fail(fault_kind::race,
         me() + "; " + (with.copy ? "a bulk copy" : "thread " + std::to_string(with.thread)) +
             " of block " + std::to_string(with.block) + did + "it at " + place(with.at) +
             ", and nothing orders the two");
  };

  cells.for_each(p, bytes, [&](cell& c) {
    if (!ordered(c.write)) race(c.write, " wrote ");
    if (writes)
      for (const stamp& r : c.reads)
        if (!ordered(r)) race(r, " read ");
    if (!atomic)
      for (const stamp& a : c.atomics)
        if ((writes || a.writes) && !ordered(a))
          race(a, a.writes ? " atomically wrote " : " atomically read ");
    if (c.holds != content::value) {
      if (c.holds == content::barrier) fail(fault_kind::barrier, me() + ", where a barrier lies");
      if (how != access::write) fail(fault_kind::uninitialised, me() + " that nothing has written");
      c.holds = content::value;
    }

    // What is ordered before this access and conflicts with no more than it can be forgotten:
    // whatever races with that races with this.
    if (atomic) {
      std::erase_if(c.atomics, [&](const stamp& a) { return (writes || !a.writes) && ordered(a); });
      c.atomics.push_back(now);
    } else if (writes) {
      c.write = now;
      c.atomics.clear();
    } else {
      c.reads[ordered(c.reads[0]) ? 0 : ordered(c.reads[1]) ? 1 : below(2)] = now;
    }
  });
  if (writes && !atomic) cells.unite(p, bytes);
}

// ---- atomics

atomic_history& device::engine::history_of(const void* p, std::size_t bytes) {
  const auto [at, made] = words_.try_emplace(p);
  if (made) {
    at->second.number = next_word_++;
    at->second.versions.push_back({get(p, bytes), {}});
  }
  return at->second;
}

// A plain write begins the history of the words that it touches anew.
void device::engine::forget_words(const void* p, std::size_t bytes) {
  if (words_.empty()) return;
  const std::size_t into = reinterpret_cast<std::uintptr_t>(p) % cell_bytes;
  for (std::size_t i = 0; i < into + bytes; i += cell_bytes)
    words_.erase(static_cast<const std::byte*>(p) - into + i);
}

// What the running thread knows at this moment, itself included. Its later accesses are not.
known device::engine::release() {
  thread& t = *self_;
  known carries = t.knows;
  carries.change().add(stamp_now(false, {}));
  ++t.releases;
  return carries;
}

void device::engine::learn(const known& carried, order o) {
  (acquires(o) ? self_->knows : self_->heard).join(carried);
}

void device::engine::publish(atomic_history& h, void* p, std::size_t bytes, atomic_bits x,
                             known carries) {
  constexpr std::size_t kept = 16;
  std::memcpy(p, &x, bytes);
  h.versions.push_back({x, std::move(carries)});
  if (h.versions.size() > kept) {
    h.versions.pop_front();
    ++h.first;
  }
  self_->knows.change().see(h.number, h.first + static_cast<std::uint32_t>(h.versions.size()) - 1);
}

atomic_bits device::engine::atomic_load(allocation* m, const void* p, std::size_t bytes, order o,
                                        where at) {
  check(m->cells, p, bytes, access::read, true, "global", at);
  atomic_history& h = history_of(p, bytes);
  const auto latest = h.first + static_cast<std::uint32_t>(h.versions.size()) - 1;
  const std::uint32_t oldest = std::max(h.first, self_->knows ? self_->knows->seen(h.number) : 0u);
  // Mostly the latest, so that those who wait for it get on.
  const std::uint32_t got =
      below(4) != 0 ? latest : oldest + static_cast<std::uint32_t>(below(latest - oldest + 1));
  if (got > oldest) self_->knows.change().see(h.number, got);
  const atomic_history::version& v = h.versions[got - h.first];
  learn(v.carries, o);
  return v.value;
}

void device::engine::atomic_store(allocation* m, void* p, std::size_t bytes, atomic_bits x, order o,
                                  where at) {
  check(m->cells, p, bytes, access::write, true, "global", at);
  publish(history_of(p, bytes), p, bytes, x, releases(o) ? release() : self_->told);
}

// Reads the latest value, and passes on what that carried (a release sequence).
std::uint64_t device::engine::atomic_add(allocation* m, void* p, std::size_t bytes, std::uint64_t x,
                                         order o, where at) {
  check(m->cells, p, bytes, access::update, true, "global", at);
  atomic_history& h = history_of(p, bytes);
  const std::uint64_t before = h.versions.back().value[0];
  known carries = h.versions.back().carries;
  learn(carries, o);
  carries.join(releases(o) ? release() : self_->told);
  publish(h, p, bytes, {before + x, 0}, std::move(carries));
  return before;
}

void device::engine::fence(order o) {
  give_way();
  if constexpr (!checked) return std::atomic_thread_fence(std::memory_order_acq_rel);
  if (acquires(o)) self_->knows.join(self_->heard);
  if (releases(o)) self_->told = release();
}

// ---- of the host

device::device(const options& how) : engine_(std::make_unique<engine>(how)) {
  if (how.resident < 1 || how.preempt < 0 || how.preempt > 1 << 20 || how.patience < 1)
    throw std::invalid_argument(
        "device: resident and patience begin at 1, preempt lies in 0..2^20");
}

device::~device() {
  while (!engine_->memories.empty()) {
    const auto& [p, m] = *engine_->memories.begin();
    if (m.owned) ::operator delete (const_cast<void*>(p), std::align_val_t{128});
    engine_->memories.erase(engine_->memories.begin());
  }
}

void* device::allocate(std::size_t bytes) {
  void* const p = ::operator new (bytes, std::align_val_t{128});
  try {
    engine_->memories.try_emplace(p, p, bytes, false).first->second.owned = true;
  } catch (...) {
    ::operator delete (p, std::align_val_t{128});
    throw;
  }
  return p;
}

void device::release(void* p) {
  if (p == nullptr) return;
  engine_->memories.erase(p);
  ::operator delete (p, std::align_val_t{128});
}

void device::borrow(const void* p, std::size_t bytes, bool initialised) {
  const auto same = engine_->memories.find(p);
  if (same == engine_->memories.end()) {
    if (engine_->overlaps(p, bytes))
      throw std::invalid_argument("borrow: a part of the memory is the device's already");
    engine_->memories.try_emplace(p, p, bytes, initialised);
    return;
  }
  if (same->second.cells.size() != bytes)
    throw std::invalid_argument("borrow: the memory is the device's already, with another size");
  ++same->second.borrowers;
  if (initialised) written_by_host(p, bytes);
}

void device::give_back(const void* p) {
  const auto at = engine_->memories.find(p);
  if (at == engine_->memories.end())
    throw std::invalid_argument("give_back: the memory was not borrowed");
  if (--at->second.borrowers == 0) engine_->memories.erase(at);
}

void device::written_by_host(const void* p, std::size_t bytes) {
  allocation* const m = engine_->find(p, bytes);
  if (m == nullptr) throw std::invalid_argument("written_by_host: it is not the device's memory");
  if constexpr (checked)
    if (bytes != 0) m->cells.for_each(p, bytes, [](cell& c) { c.holds = content::value; });
}

const options& device::how() const noexcept { return engine_->how; }
const counters& device::count() const noexcept { return engine_->count; }

// ---- what port_simt.hpp declares

namespace {
device::engine& here() { return device::engine::current(); }
}  // namespace

void check_shared(const void* p, std::size_t bytes, access how, where at) {
  here().check(*here().self().home->cells, p, bytes, how, false, "shared", at);
}

allocation* find_memory(const void* p, std::size_t bytes, where at) {
  allocation* const m = here().find(p, bytes);
  if (m == nullptr)
    here().fail(fault_kind::unknown_memory, here().name(here().self()) + " at " + place(at) +
                                                " uses an array that the device was not given");
  return m;
}

void check_global(allocation* m, const void* p, std::size_t bytes, access how, where at) {
  here().check(m->cells, p, bytes, how, false, "global", at);
  if (how == access::write) here().forget_words(p, bytes);
}

void out_of_bounds(std::int64_t index, std::int64_t size, const char* space, where at) {
  here().fail(fault_kind::out_of_bounds, here().name(here().self()) + " at " + place(at) +
                                             " uses index " + std::to_string(index) +
                                             " of an array of " + std::to_string(size) +
                                             " elements in " + space + " memory");
}

void range_out_of_bounds(std::int64_t first, std::int64_t bytes, std::int64_t size,
                         const char* space, where at) {
  here().fail(fault_kind::out_of_bounds,
              here().name(here().self()) + " at " + place(at) + " uses bytes " +
                  std::to_string(first) + ".." + std::to_string(first + bytes - 1) +
                  " of an array of " + std::to_string(size) + " bytes in " + space + " memory");
}

void misaligned(const void* p, std::size_t to, where at) {
  here().fail(fault_kind::misaligned, here().name(here().self()) + " at " + place(at) +
                                          " uses an address " +
                                          std::to_string(reinterpret_cast<std::uintptr_t>(p) % to) +
                                          " bytes past a multiple of " + std::to_string(to));
}

atomic_bits atomic_load(allocation* m, const void* p, std::size_t bytes, order o, where at) {
  return here().atomic_load(m, p, bytes, o, at);
}
void atomic_store(allocation* m, void* p, std::size_t bytes, atomic_bits x, order o, where at) {
  here().atomic_store(m, p, bytes, x, o, at);
}
std::uint64_t atomic_add(allocation* m, void* p, std::size_t bytes, std::uint64_t x, order o,
                         where at) {
  return here().atomic_add(m, p, bytes, x, o, at);
}
void fence(order o) { here().fence(o); }

}  // namespace upsweep::simt
