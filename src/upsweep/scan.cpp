// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/scan.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upsweep/detail/validation.hpp"

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

// A plan, with everything that makes it differ from another one. The environment is part of it, so
// that a call obeys what it says now.
class cached_plan {
 public:
  cached_plan(const spec& what, const extents& at_most, const plan_options& o,
              std::optional<int> device)
      : what(what),
        at_most(at_most),
        made(what, at_most, o),
        backend_(o.backend),
        memory_(o.memory),
        threads_(o.threads),
        device_(device) {}

  bool serves(const spec& scan, const extents& longest, const plan_options& o,
              std::optional<int> device) const {
    return scan == what && longest == at_most && o.backend == backend_ && o.memory == memory_ &&
           o.threads == threads_ && device == device_ && environment() == environment_;
  }

  spec what;
  extents at_most;
  plan made;
  std::shared_ptr<void> total{};  // where a run on a device leaves one for the host

 private:
  std::string backend_;
  memory memory_;
  int threads_;
  std::optional<int> device_;
  std::vector<std::string> environment_ = environment();
};

// Plans that no thread is using, the most recently used first. A call takes one out, runs it, and
// puts it back; so two threads never share a plan, and at most `capacity` idle ones are kept.
class plan_cache {
 public:
  // The one that serves, or a new one: a list of it alone, so that nothing is allocated for it.
  std::list<cached_plan> take(const spec& what, const extents& at_most, const plan_options& o,
                              std::optional<int> device) {
    std::list<cached_plan> taken;
    {
      const std::lock_guard lock(mutex_);
      const auto it = std::ranges::find_if(
          idle_, [&](const cached_plan& p) { return p.serves(what, at_most, o, device); });
      if (it != idle_.end()) taken.splice(taken.begin(), idle_, it);
    }
    if (taken.empty()) taken.emplace_back(what, at_most, o, device);
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

// One for each home of the data: that a plan on a device is freed may wait for the device, which no
// scan of host memory should. Never destroyed: when the process ends, CUDA may have ended before.
plan_cache& cache_of(memory where) {
  static plan_cache* const all = new plan_cache[2];
  return all[where == memory::device];
}

extents rounded_up(std::int64_t length) {
  constexpr std::int64_t least = 4096;
  if (length <= least) return {.length = least};
  const auto up = std::bit_ceil(static_cast<std::uint64_t>(length));
  // Above this, rounding could pass the address space where the length itself does not.
  return {.length = up > (std::uint64_t{1} << 48) ? length : static_cast<std::int64_t>(up)};
}

struct placement {
  std::optional<int> device{};  // where the data live; none: in host memory
  bool total_on_host = false;
};

std::string words(std::optional<int> device) {
  return device ? "on device " + std::to_string(*device) : "in host memory";
}

// Asks where each pointer's memory is: in one place, but for the total, which the host may have.
placement placement_of(const arguments& a, memory asked, const detail::device_family* family) {
  const bool some = a.length > 0;  // else no array is read or written
  const struct {
    const char* name;
    const void* data;
  } all[] = {{"in", some ? a.in : nullptr},
             {"out", some ? a.out : nullptr},
             {"coefficients", some ? a.coefficients : nullptr},
             {"init_device", a.init_device},
             {"total", a.total}};
  placement found;
  const char* first = nullptr;
  for (const auto& [name, data] : all) {
    if (data == nullptr) continue;
    const auto device = family == nullptr ? std::nullopt : family->device_of(data);
    found.total_on_host = !device && data == a.total;
    if (first == nullptr) {
      first = name;
      found.device = device;
    } else if (device != found.device && !found.total_on_host) {
      refuse(std::string(name) + ": it is " + words(device) + ", but " + first + " is " +
             words(found.device));
    }
  }
  const bool arrays = first != nullptr && std::string_view(first) != "total";
  if (arrays && !found.device && asked == memory::device)
    refuse(std::string(first) + ": it is in no device's memory, but memory is device");
  if (found.device)
    if (const int current = family->current_device(); current != *found.device)
      refuse(std::string(first) + ": it is " + words(found.device) + ", but device " +
             std::to_string(current) + " is current");
  return found;
}

// A run on the current device, and the wait for it.
void run_on_device(cached_plan& p, const arguments& a, bool total_on_host,
                   const detail::device_family& family) {
  arguments run = a;
  if (total_on_host) {
    // The plan does not see the caller's own.
    detail::validate(p.what, p.at_most, a, true);
    constexpr std::size_t largest_element = 16;
    if (p.total == nullptr) p.total = family.host_memory(largest_element);
    run.total = p.total.get();
  }
  p.made.rebind(a.stream);
  try {
    p.made.run(run);
  } catch (...) {
    // Some of it may have been launched. What failed first is what is told.
    try {
      family.wait(a.stream);
    } catch (const error&) {
    }
    throw;
  }
  family.wait(a.stream);
  if (total_on_host) std::memcpy(a.total, p.total.get(), detail::element_bytes(p.what, p.what.out));
}

}  // namespace

void scan(const spec& what, const arguments& a, const plan_options& o) {
  if (a.length < 0) refuse("length: " + std::to_string(a.length) + " is negative");
  const detail::device_family* const family = detail::devices();
  const placement place = placement_of(a, o.memory, family);
  plan_options options = o;
  options.memory = place.device ? memory::device : memory::host;
  // Before a plan is made, which would end the capture.
  if (family != nullptr && (place.device || a.stream != nullptr) && family->capturing(a.stream))
    refuse("stream: it is being captured, but a one-shot call waits; capture a plan's run");
  plan_cache& cache = cache_of(options.memory);
  std::list<cached_plan> p = cache.take(what, rounded_up(a.length), options, place.device);
  if (place.device)
    run_on_device(p.front(), a, place.total_on_host, *family);
  else
    p.front().made.run(a);
  cache.give_back(std::move(p));
}

}  // namespace upsweep
