// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/scan.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep {

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw error(errc::invalid_argument, message);
}

// What backends may read when a plan is made: all variables of this library.
std::vector<std::string> environment() {
  std::vector<std::string> ours;
  for (char** v = environ; v != nullptr && *v != nullptr; ++v)
    if (**v == 'U' && std::string_view(*v).starts_with("UPSWEEP_")) ours.emplace_back(*v);
  return ours;
}

// A plan, with everything that makes it differ from another one. The
// environment is part of it, so that a call obeys what it says now.
class cached_plan {
 public:
  cached_plan(const spec& what, const extents& at_most, const plan_options& o)
      : what(what),
        at_most(at_most),
        made(what, at_most, o),
        backend_(o.backend),
        memory_(o.memory),
        threads_(o.threads) {}

  bool serves(const spec& scan, const extents& longest, const plan_options& o) const {
    return scan == what && longest == at_most && o.backend == backend_ && o.memory == memory_ &&
           o.threads == threads_ && environment() == environment_;
  }

  spec what;
  extents at_most;
  plan made;

 private:
  std::string backend_;
  memory memory_;
  int threads_;
  std::vector<std::string> environment_ = environment();
};

// Plans that no thread is using, the most recently used first. A call takes one
// out, runs it, and puts it back; so two threads never share a plan, and at
// most `capacity` idle ones are kept.
class plan_cache {
 public:
  // The one that serves, or a new one: a list of it alone, so that nothing is
  // allocated for it.
  std::list<cached_plan> take(const spec& what, const extents& at_most, const plan_options& o) {
    std::list<cached_plan> taken;
    {
      const std::lock_guard lock(mutex_);
      const auto it = std::ranges::find_if(
          idle_, [&](const cached_plan& p) { return p.serves(what, at_most, o); });
      if (it != idle_.end()) taken.splice(taken.begin(), idle_, it);
    }
    if (taken.empty()) taken.emplace_back(what, at_most, o);
    return taken;
  }

  void give_back(std::list<cached_plan> taken) {
    std::list<cached_plan> evicted;
    const std::lock_guard lock(mutex_);
    idle_.splice(idle_.begin(), taken);
    if (idle_.size() > capacity) evicted.splice(evicted.begin(), idle_, std::prev(idle_.end()));
  }

 private:
  static constexpr std::size_t capacity = 32;
  std::mutex mutex_;
  std::list<cached_plan> idle_;
};

plan_cache& cache() {
  static plan_cache c;
  return c;
}

extents rounded_up(std::int64_t length) {
  constexpr std::int64_t least = 4096;
  if (length <= least) return {.length = least};
  const auto up = std::bit_ceil(static_cast<std::uint64_t>(length));
  // Above this, rounding could pass the address space where the length itself
  // does not.
  return {.length = up > (std::uint64_t{1} << 48) ? length : static_cast<std::int64_t>(up)};
}

}  // namespace

void scan(const spec& what, const arguments& a, const plan_options& o) {
  if (a.length < 0) refuse("length: " + std::to_string(a.length) + " is negative");
  if (o.memory == memory::device)
    throw error(errc::unsupported,
                "memory: one-shot calls serve host memory; "
                "device memory is served by a plan");
  std::list<cached_plan> p = cache().take(what, rounded_up(a.length), o);
  p.front().made.run(a);
  cache().give_back(std::move(p));
}

}  // namespace upsweep
