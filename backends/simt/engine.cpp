// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a launch: fibers, barriers, warp operations, and what happens when nobody can go on.
#include "backends/simt/engine.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace upsweep::simt {

namespace {

// Shared memory of a block: what an H100 gives at most.
constexpr std::size_t arena_bytes = std::size_t{227} << 10;

thread_local device::engine* current_engine = nullptr;

std::string too_much(std::size_t shared_bytes) {
  return "a block asks for " + std::to_string(shared_bytes) + " bytes of shared memory, and has " +
         std::to_string(arena_bytes);
}

bool same(where a, where b) { return a.line == b.line && std::strcmp(a.file, b.file) == 0; }

}  // namespace

std::string place(where at) {
  std::string file = std::filesystem::path(at.file).lexically_normal().string();
  while (file.starts_with("../")) file.erase(0, 3);
  return file + ":" + std::to_string(at.line);
}

std::string_view name_of(fault_kind kind) noexcept {
  switch (kind) {
    case fault_kind::race: return "race";
    case fault_kind::out_of_bounds: return "out of bounds";
    case fault_kind::uninitialised: return "uninitialised read";
    case fault_kind::divergent: return "divergent threads";
    case fault_kind::early_exit: return "early exit";
    case fault_kind::stuck: return "stuck";
    case fault_kind::unknown_memory: return "unknown memory";
    case fault_kind::misaligned: return "misaligned access";
    case fault_kind::barrier: return "barrier misuse";
    case fault_kind::proxy: return "missing proxy fence";
    default: return "unfinished copy";
  }
}

device::engine& device::engine::current() { return *current_engine; }

std::uint64_t device::engine::random() {  // splitmix64
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

std::uint64_t device::engine::below(std::uint64_t n) { return (random() >> 32) * n >> 32; }

std::string device::engine::name(const thread& t) const {
  return "thread " + std::to_string(t.index) + " of block " + std::to_string(t.home->index);
}

std::string device::engine::replay() const {
  const char* const orders[] = {"fifo", "reverse", "random"};
  return " [launch " + std::to_string(count.launches) + ": " + std::to_string(grid_) +
         " blocks of " + std::to_string(block_size_) + "; seed " + std::to_string(how.seed) +
         ", order " + orders[static_cast<int>(how.order)] + ", resident " +
         std::to_string(how.resident) + ", preempt " + std::to_string(how.preempt) + "]";
}

void device::engine::fail(fault_kind kind, const std::string& message) {
  throw fault(kind, std::string(name_of(kind)) + ": " + message + replay());
}

// ---- launches

void device::engine::launch(std::int64_t blocks, int threads, int shared_bytes, grouping grouped,
                            const std::function<void()>& kernel) {
  if (blocks < 1 || threads < 32 || threads > 1024 || threads % 32 != 0 || shared_bytes < 0)
    throw std::invalid_argument("launch: " + std::to_string(blocks) + " blocks of " +
                                std::to_string(threads) +
                                " threads; blocks have 32 to 1024, whole warps");
  if (static_cast<std::size_t>(shared_bytes) > arena_bytes)
    throw fault(fault_kind::out_of_bounds, too_much(static_cast<std::size_t>(shared_bytes)));
  clustered_ = grouped == grouping::cluster;
  if (clustered_ && blocks > kernels::most_in_cluster)
    throw std::invalid_argument("launch: " + std::to_string(blocks) + " blocks in a cluster, of " +
                                std::to_string(kernels::most_in_cluster) + " at most");
  cluster_ = {.running = blocks * threads};
  ++count.launches;
  kernel_ = &kernel;
  grid_ = blocks;
  most_resident_ =
      grouped != grouping::none ? blocks : std::min<std::int64_t>(how.resident, blocks);
  block_size_ = threads;
  dynamic_bytes_ = static_cast<std::size_t>(shared_bytes);
  pauses_ = 0;
  thrown_ = nullptr;
  words_.clear();
  next_word_ = 0;
  ready_.clear(static_cast<std::size_t>(most_resident_ * threads));

  pending_.resize(static_cast<std::size_t>(blocks));
  for (std::int64_t b = 0; b < blocks; ++b)
    pending_[b] = how.order == schedule::reverse ? b : blocks - 1 - b;
  if (how.order == schedule::random)
    for (std::size_t i = pending_.size(); i > 1; --i)
      std::swap(pending_[i - 1], pending_[below(i)]);

  engine* const outer = std::exchange(current_engine, this);
  tell_release(&start_);
  try {
    run_ready();
  } catch (...) {  // no memory for a block
    thrown_ = std::current_exception();
  }
  current_engine = outer;

  if (!thrown_) finish_stores();
  copies_.clear();
  for (const auto& b : resident_) end_block(*b);
  resident_.clear();
  pending_.clear();
  self_ = nullptr;
  if (thrown_) std::rethrow_exception(thrown_);
}

void device::engine::run_ready() {
  while (!thrown_) {
    while (!pending_.empty() && std::ssize(resident_) < most_resident_) {
      start_block(pending_.back());
      pending_.pop_back();
    }
    if (!copies_.empty()) advance_copies();
    self_ = next_ready();
    if (self_ == nullptr) return;
    self_->run.resume();
    block& b = *self_->home;
    if (b.alive == 0 || thrown_) tell_acquire(&end_);
    if (b.alive == 0) {
      end_block(b);
      std::erase_if(resident_, [&](const auto& r) { return r.get() == &b; });
    }
  }
}

void device::engine::start_block(std::int64_t index) {
  auto b = std::make_unique<block>();
  b->index = index;
  b->alive = b->ready = block_size_;
  b->statics.reserve(16);
  b->phased.reserve(64);
  b->threads = std::make_unique<thread[]>(static_cast<std::size_t>(block_size_));
  b->warps = std::make_unique<warp[]>(static_cast<std::size_t>(block_size_ + 31) / 32);
  if (arenas_.empty()) arenas_.push_back(std::make_unique_for_overwrite<std::byte[]>(arena_bytes));
  b->arena = std::move(arenas_.back());
  arenas_.pop_back();
  b->arena_used = (dynamic_bytes_ + 127) / 128 * 128;
  b->cells.emplace(b->arena.get(), b->arena_used, false);
  for (int i = 0; i < block_size_; ++i) {
    thread& t = b->threads[how.order == schedule::reverse ? block_size_ - 1 - i : i];
    t.home = b.get();
    t.index = static_cast<int>(&t - b->threads.get());
    t.run.start(stacks_.take(), run_thread, &t);
    ready_.push(&t);
  }
  resident_.push_back(std::move(b));
}

void device::engine::end_block(block& b) {
  for (int i = 0; i < block_size_; ++i) stacks_.put_back(b.threads[i].run.finish());
  arenas_.push_back(std::move(b.arena));
}

void device::engine::run_thread(void* argument) {
  thread& t = *static_cast<thread*>(argument);
  engine& e = current();
  tell_acquire(&e.start_);
  try {
    (*e.kernel_)();
    if constexpr (checked) e.check_finished(t);
    t.state = thread_state::done;
    --t.home->alive;
    --t.home->ready;
    --e.cluster_.running;
    e.complete_cluster_phase();
    e.progress();
    if (t.home->alive != 0) e.stop_if_stuck(*t.home);
  } catch (...) {
    e.thrown_ = std::current_exception();
  }
  tell_release(&e.end_);
}

// ---- who runs next

thread* device::engine::next_ready() {
  if (ready_.size() == 0) return nullptr;
  if (how.order == schedule::random) std::swap(ready_[0], ready_[below(ready_.size())]);
  return ready_.pop();
}

void device::engine::make_ready(thread& t) {
  t.state = thread_state::ready;
  ++t.home->ready;
  ready_.push(&t);
}

void device::engine::wait(thread_state why, where at) {
  thread& t = *self_;
  t.state = why;
  t.at = at;
  --t.home->ready;
  stop_if_stuck(*t.home);
  suspend();
}

void device::engine::suspend() {
  tell_release(&end_);  // it may be for good
  self_->run.suspend();
}

void device::engine::give_way() {
  if (how.preempt == 0 || --until_preempt_ > 0) return;
  until_preempt_ = 1 + static_cast<int>(below(2 * static_cast<unsigned>(how.preempt)));
  ready_.push(self_);
  suspend();
}

void device::engine::pause(where at) {
  self_->at = at;
  if (++pauses_ > how.patience * (static_cast<std::int64_t>(ready_.size()) + 64))
    fail(fault_kind::stuck, "nobody makes progress; waiting: " + waiting_places());
  ready_.push(self_);
  suspend();
}

// A few of the places that threads wait at.
std::string device::engine::waiting_places() const {
  std::vector<where> seen;
  std::string text;
  for (const auto& b : resident_)
    for (int i = 0; i < block_size_; ++i) {
      const thread& t = b->threads[i];
      if (t.state == thread_state::done || t.at.file == nullptr ||
          std::any_of(seen.begin(), seen.end(), [&](where w) { return same(w, t.at); }))
        continue;
      seen.push_back(t.at);
      text += (text.empty() ? "" : ", ") + name(t) + " at " + place(t.at);
      if (t.phased >= 0) text += " (" + missing_of(b->phased[t.phased]) + ")";
    }
  return text;
}

// A block none of whose threads can run waits for itself.
void device::engine::stop_if_stuck(const block& b) {
  if (b.ready != 0) return;
  const auto all = [&](auto&& f) { return std::all_of(&b.threads[0], &b.threads[block_size_], f); };
  const auto one = [&](auto&& f) {
    return std::find_if(&b.threads[0], &b.threads[block_size_], f);
  };
  const auto* waits = one([](const thread& t) { return t.state != thread_state::done; });
  if (!all([](const thread& t) { return t.state != thread_state::done; })) {
    const auto* left = one([](const thread& t) { return t.state == thread_state::done; });
    fail(fault_kind::early_exit,
         name(*left) + " left the kernel while " + name(*waits) + " waits at " + place(waits->at));
  }
  const auto* other = one([&](const thread& t) { return !same(t.at, waits->at); });
  const bool apart = other != &b.threads[block_size_];
  fail(fault_kind::divergent,
       name(*waits) + " waits at " + place(waits->at) +
           (apart ? ", " + name(*other) + " at " + place(other->at) : ", where not all arrive"));
}

// ---- barriers and warp operations

void device::engine::sync_block(where at) {
  thread& me = *self_;
  block& b = *me.home;
  me.at = at;
  tell_release(&b);
  if (++b.arrived < block_size_) {
    wait(thread_state::at_block_barrier, at);
  } else {
    known all;
    for (int i = 0; i < block_size_; ++i) {
      const thread& t = b.threads[i];
      if (!same(t.at, at))
        fail(fault_kind::divergent, name(me) + " is at the barrier of " + place(at) + ", " +
                                        name(t) + " at that of " + place(t.at));
      all.join(t.knows);
    }
    ++count.block_barriers;
    ++b.barriers;
    b.arrived = 0;
    progress();
    for (int k = 0; k < block_size_; ++k) {
      thread& t = b.threads[how.order == schedule::reverse ? block_size_ - 1 - k : k];
      t.knows = all;
      if (&t != &me) make_ready(t);
    }
    give_way();
  }
  tell_acquire(&b);
}

void device::engine::sync_threads(int id, int threads, where at) {
  thread& me = *self_;
  block& b = *me.home;
  const auto barrier = [&] {
    return name(me) + " is at barrier " + std::to_string(id) + " of " + std::to_string(threads) +
           " threads at " + place(at);
  };
  if (id < 1 || id > 15 || threads < 32 || threads % 32 != 0 || threads > block_size_)
    fail(fault_kind::divergent, barrier() +
                                    "; there are barriers 1 to 15, of whole warps of the "
                                    "block");
  named_barrier& n = b.named[static_cast<std::size_t>(id)];
  if (n.arrived == 0)
    n = {.threads = threads, .at = at};
  else if (n.threads != threads)
    fail(fault_kind::divergent,
         barrier() + ", others at that of " + std::to_string(n.threads) + " at " + place(n.at));
  me.at = at;
  me.named = id;
  tell_release(&n);
  if (++n.arrived < threads) {
    wait(thread_state::at_named_barrier, at);
  } else {
    const auto here = [&](const thread& t) {
      return &t == &me || (t.state == thread_state::at_named_barrier && t.named == id);
    };
    known all;
    for (int first = 0; first < block_size_; first += 32) {
      thread* const lane = &b.threads[first];
      const auto lanes = std::count_if(lane, lane + 32, here);
      if (lanes == 0) continue;
      if (lanes != 32)
        fail(fault_kind::divergent, barrier() + " with " + std::to_string(lanes) +
                                        " lanes of warp " + std::to_string(first / 32) +
                                        ": warps come whole");
      warp& w = b.warps[first / 32];
      ++w.barriers;
      if constexpr (checked) {
        for (int l = 0; l < 32; ++l) all.join(lane[l].knows);
        all.change().add_warp(b.index, static_cast<unsigned>(first / 32), w.barriers);
      }
    }
    n.arrived = 0;
    progress();
    for (int k = 0; k < block_size_; ++k) {
      thread& t = b.threads[how.order == schedule::reverse ? block_size_ - 1 - k : k];
      if (!here(t)) continue;
      t.knows = all;
      if (&t != &me) make_ready(t);
    }
    give_way();
  }
  tell_acquire(&n);
}

void device::engine::warp_operate(warp_operation what, where at, const void* mine,
                                  std::size_t bytes, std::byte** all) {
  thread& me = *self_;
  const int first = me.index / 32 * 32;
  const int lanes = std::min(32, block_size_ - first);
  warp& w = me.home->warps[me.index / 32];
  if (w.arrived != 0 && (w.operation != what || !same(w.at, at)))
    fail(fault_kind::divergent, name(me) + " is at the warp operation of " + place(at) +
                                    ", other lanes at that of " + place(w.at));
  w.operation = what;
  w.at = at;
  std::byte* const slots = w.exchanged[w.turn % 2].data();
  if (what == warp_operation::exchange) {
    std::memcpy(slots + warp::lane_bytes * static_cast<std::size_t>(me.index - first), mine, bytes);
    *all = slots;
  }
  tell_release(&w);  // TSan takes an exchange for a barrier, too: values pass from lane to lane
  if (++w.arrived < lanes) {
    wait(thread_state::at_warp_operation, at);
  } else {
    w.arrived = 0;
    ++w.turn;
    progress();
    thread* const lane = &me.home->threads[first];
    if (what == warp_operation::sync) {
      ++count.warp_barriers;
      ++w.barriers;
      known joined;
      for (int l = 0; l < lanes; ++l) joined.join(lane[l].knows);
      for (int l = 0; l < lanes; ++l) lane[l].knows = joined;
    } else {
      ++count.warp_exchanges;
    }
    for (int l = 0; l < lanes; ++l)
      if (&lane[l] != &me) make_ready(lane[l]);
    give_way();
  }
  tell_acquire(&w);
}

// ---- clusters

void device::engine::arrive_cluster(where at) {
  give_way();
  thread& me = *self_;
  if (!clustered_)
    fail(fault_kind::barrier, name(me) + " arrives at " + place(at) +
                                  " at the barrier of a cluster, and the launch has none");
  if (me.in_cluster_phase)
    fail(fault_kind::barrier, name(me) + " arrives at " + place(at) +
                                  " at the cluster's barrier, and has not waited since it arrived "
                                  "before");
  tell_release(&cluster_);
  for (phased_barrier& p : me.home->phased)
    if (p.announced == 0 && p.made.thread == me.index) p.announced = cluster_.phase + 1;
  me.cluster_phase = cluster_.phase;
  me.in_cluster_phase = true;
  ++cluster_.arrived;
  progress();
  complete_cluster_phase();
}

void device::engine::complete_cluster_phase() {
  if (!clustered_ || cluster_.arrived == 0 || cluster_.arrived != cluster_.running) return;
  ++cluster_.phase;
  cluster_.arrived = 0;
  progress();
}

void device::engine::wait_cluster(where at) {
  give_way();
  thread& me = *self_;
  if (!me.in_cluster_phase)
    fail(fault_kind::barrier, name(me) + " waits at " + place(at) +
                                  " at the cluster's barrier, where it has not arrived");
  me.in_cluster_phase = false;
  while (cluster_.phase == me.cluster_phase) pause(at);
  me.clusters_waited = me.cluster_phase + 1;
  tell_acquire(&cluster_);
}

block& device::engine::in_cluster(std::int64_t index, where at) {
  const auto b = std::find_if(resident_.begin(), resident_.end(),
                              [&](const auto& r) { return r->index == index; });
  if (!clustered_ || b == resident_.end() || (*b)->arena_used < self_->home->arena_used)
    fail(fault_kind::unknown_memory,
         name(*self_) + " at " + place(at) + " uses shared memory of block " +
             std::to_string(index) +
             ", which is none of its cluster, has not made it, or has left");
  return **b;
}

// The first thread that comes to a declaration makes room for it.
std::byte* device::engine::static_shared(const void* key, std::size_t bytes) {
  block& b = *self_->home;
  for (const auto& [k, offset] : b.statics)
    if (k == key) return b.arena.get() + offset;
  const std::size_t offset = b.arena_used;
  b.arena_used += (bytes + 127) / 128 * 128;
  if (b.arena_used > arena_bytes) fail(fault_kind::out_of_bounds, too_much(b.arena_used));
  b.statics.emplace_back(key, offset);
  b.cells->grow(b.arena_used);
  return b.arena.get() + offset;
}

// ---- what port_simt.hpp declares

namespace {
device::engine& here() { return device::engine::current(); }
}  // namespace

int thread_index() { return here().self().index; }
int block_size() { return here().block_size(); }
std::int64_t block_index() { return here().self().home->index; }
std::int64_t grid_size() { return here().grid_size(); }

void sync_block(where at) { here().sync_block(at); }
void sync_threads(int id, int threads, where at) { here().sync_threads(id, threads, at); }
void arrive_cluster(where at) { here().arrive_cluster(at); }
void wait_cluster(where at) { here().wait_cluster(at); }
void sync_warp(where at) { here().warp_operate(warp_operation::sync, at, nullptr, 0, nullptr); }
const std::byte* exchange(const void* mine, std::size_t bytes, where at) {
  std::byte* all = nullptr;
  here().warp_operate(warp_operation::exchange, at, mine, bytes, &all);
  return all;
}
void pause(where at) { here().pause(at); }

std::byte* static_shared(const void* key, std::size_t bytes) {
  return here().static_shared(key, bytes);
}
std::byte* dynamic_shared() { return here().self().home->arena.get(); }
std::size_t dynamic_shared_bytes() { return here().dynamic_bytes(); }

void launch(device& on, std::int64_t blocks, int threads, int shared_bytes, grouping how,
            const std::function<void()>& kernel) {
  on.running().launch(blocks, threads, shared_bytes, how, kernel);
}
void copy_to_device(device& on, void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
  on.written_by_host(to, bytes);
}

}  // namespace upsweep::simt
