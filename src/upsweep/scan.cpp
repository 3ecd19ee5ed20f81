// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/scan.hpp"

#include <bit>
#include <cstdlib>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "upsweep/detail/validation.hpp"

namespace upsweep {

namespace {

// Everything that makes one cached plan differ from another. The environment is part of it, so that
// a call obeys what it says now.
struct cache_key {
  spec what;
  extents at_most;
  std::string backend, environment;
  upsweep::memory memory;
  int threads;

  friend bool operator==(const cache_key&, const cache_key&) = default;
};

std::string environment() {
  std::string all;
  for (const char* name :
       {"UPSWEEP_BACKEND", "UPSWEEP_CPU_TARGET", "UPSWEEP_NAIVE_LENGTH", "UPSWEEP_SIMT"}) {
    const char* value = std::getenv(name);
    all += value == nullptr ? "" : value;
    all += '\n';
  }
  return all;
}

// Plans that no thread is using, the most recently used first. A call takes one out, runs it, and
// puts it back; so two threads never share a plan, and at most `capacity` idle ones are kept.
class plan_cache {
 public:
  std::optional<plan> take(const cache_key& key) {
    const std::lock_guard lock(mutex_);
    for (auto it = idle_.begin(); it != idle_.end(); ++it)
      if (it->first == key) {
        std::optional<plan> found(std::move(it->second));
        idle_.erase(it);
        return found;
      }
    return std::nullopt;
  }

  void give_back(cache_key key, plan p) {
    std::list<std::pair<cache_key, plan>> entry, evicted;
    entry.emplace_back(std::move(key), std::move(p));
    const std::lock_guard lock(mutex_);
    idle_.splice(idle_.begin(), entry);
    if (idle_.size() > capacity) evicted.splice(evicted.begin(), idle_, std::prev(idle_.end()));
  }

 private:
  static constexpr std::size_t capacity = 32;
  std::mutex mutex_;
  std::list<std::pair<cache_key, plan>> idle_;
};

plan_cache& cache() {
  static plan_cache c;
  return c;
}

extents rounded_up(std::int64_t length) {
  constexpr std::int64_t least = 4096;
  if (length <= least) return {.length = least};
  const auto up = std::bit_ceil(static_cast<std::uint64_t>(length));
  // Above this, rounding could pass the address space where the length itself does not.
  return {.length = up > (std::uint64_t{1} << 48) ? length : static_cast<std::int64_t>(up)};
}

}  // namespace

void scan(const spec& what, const arguments& a, const plan_options& o) {
  if (a.length < 0)
    throw error(errc::invalid_argument, "length: " + std::to_string(a.length) + " is negative");
  if (o.memory == memory::device)
    throw error(errc::unsupported,
                "memory: one-shot calls serve host memory; device memory is served by a plan");
  cache_key key{what,     rounded_up(a.length), std::string(o.backend), environment(), o.memory,
                o.threads};
  std::optional<plan> p = cache().take(key);
  if (!p) p.emplace(what, key.at_most, o);
  p->run(a);
  try {
    cache().give_back(std::move(key), std::move(*p));
  } catch (const std::bad_alloc&) {
    // The scan is done; the next one makes its plan anew.
  }
}

}  // namespace upsweep
