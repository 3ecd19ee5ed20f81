// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "upsweep/backends.hpp"
#include "upsweep/plan.hpp"

namespace upsweep::command {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::int64_t mib = 1 << 20;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr auto element = static_cast<std::int64_t>(sizeof(float));

// What is tried, in bytes; what is absent stays as the library has it.
struct tuning {
  std::optional<std::int64_t> parallel_from{}, block{}, stream_stores_from{};
};

// Trials go the way that a user's tuning goes: by a file that UPSWEEP_TUNING names. It is in no
// folder, where a signal could leave it.
class trial_file {
 public:
  trial_file() {
    if (fd_.get() < 0) fail_with_errno(name, "cannot create");
    setenv("UPSWEEP_TUNING", fmt::format("/proc/self/fd/{}", fd_.get()).c_str(), 1);
  }

  void write(const tuning& t) {
    std::string text;
    const auto add = [&](const char* key, std::optional<std::int64_t> value) {
      if (value) text += fmt::format("{} = {}\n", key, *value);
    };
    add("parallel_from", t.parallel_from);
    add("block", t.block);
    add("stream_stores_from", t.stream_stores_from);
    if (ftruncate(fd_.get(), 0) != 0) fail_with_errno(name, "cannot write");
    write_full_at(fd_.get(), std::as_bytes(std::span(text)), 0, name);
  }

 private:
  static constexpr const char* name = "a file in memory";
  descriptor fd_{memfd_create("upsweep-tune", MFD_CLOEXEC)};
};

// How much is measured.
struct effort {
  std::int64_t parallel_most, block_size, stream_most;  // bytes
  clock::duration race;                                 // time for one comparison, about
};

effort effort_of(bool quick) {
  using std::chrono::milliseconds;
  if (quick) return {mib, 4 * mib, 16 * mib, milliseconds(20)};
  const std::int64_t memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  // Not more: a container may have far less memory than the machine, whose number this is.
  return {32 * mib, 64 * mib, std::clamp(memory / 4, 128 * mib, 256 * mib), milliseconds(1000)};
}

class tuner {
 public:
  tuner(int threads, const effort& e)
      : threads_(threads),
        effort_(e),
        in_(static_cast<std::size_t>(e.stream_most / 2 / element), 1.0F),
        out_(in_.size(), 0.0F) {}

  // The least of the doubled sizes from which on threads pay at all larger ones; none: they do not.
  std::optional<std::int64_t> parallel_from() {
    // Below, a scan has too few supers for two threads.
    return threshold(128 << 10, effort_.parallel_most, [&](std::int64_t bytes) {
      return gains(bytes / element, {.parallel_from = never}, {.parallel_from = 0});
    });
  }

  // The least of the doubled sizes within noise of the fastest: it leaves more of a cache to
  // others.
  std::int64_t block() {
    std::vector<tuning> tried;
    for (std::int64_t bytes = 32 << 10; bytes <= mib; bytes *= 2)
      tried.push_back({.parallel_from = 0, .block = bytes});
    const std::vector<clock::duration> times = race(effort_.block_size / element, tried);
    const clock::duration best = std::ranges::min(times);
    std::size_t k = 0;
    while (faster(best, times[k])) ++k;
    return *tried[k].block;
  }

  // Likewise for stores past the caches; bytes in and out.
  std::optional<std::int64_t> stream_stores_from() {
    return threshold(4 * mib, effort_.stream_most, [&](std::int64_t bytes) {
      return gains(bytes / 2 / element, {.stream_stores_from = never}, {.stream_stores_from = 0});
    });
  }

 private:
  template <class Gains>
  static std::optional<std::int64_t> threshold(std::int64_t least, std::int64_t most,
                                               Gains&& gains) {
    std::optional<std::int64_t> from;
    for (std::int64_t bytes = most; bytes >= least && gains(bytes); bytes /= 2) from = bytes;
    return from;
  }

  // By more than noise.
  static bool faster(clock::duration a, clock::duration b) { return a * 100 < b * 97; }

  bool gains(std::int64_t n, const tuning& first, const tuning& second) {
    const std::vector<clock::duration> times = race(n, {first, second});
    return faster(times[1], times[0]);
  }

  // The shortest run of n elements under each tuning; taken in turns, so that a busy moment of the
  // machine hits all alike.
  std::vector<clock::duration> race(std::int64_t n, const std::vector<tuning>& tried) {
    std::vector<plan> plans;
    for (const tuning& t : tried) {
      file_.write(t);
      plans.emplace_back(spec{.in = f32}, extents{.length = n},
                         plan_options{.backend = "cpu.openmp", .threads = threads_});
    }
    std::vector<clock::duration> best(tried.size(), clock::duration::max());
    const auto end = clock::now() + effort_.race;
    for (int round = 0; round < 3 || clock::now() < end; ++round)
      for (std::size_t k = 0; k < plans.size(); ++k) {
        const auto began = clock::now();
        plans[k].run({.in = in_.data(), .out = out_.data(), .length = n});
        best[k] = std::min(best[k], clock::now() - began);
      }
    return best;
  }

  trial_file file_;
  int threads_;
  effort effort_;
  std::vector<float> in_, out_;
};

std::string line(const char* key, std::optional<std::int64_t> value, std::int64_t most,
                 const char* meaning) {
  if (!value) return fmt::format("# {}: no gain up to {}; the library's own stands\n", key, most);
  return fmt::format("{} = {}  # {}\n", key, *value, meaning);
}

}  // namespace

void tune(const tune_options& o) {
  output_file out(o.out);
  const effort e = effort_of(o.quick);
  tuner machine(o.threads, e);
  std::string text = fmt::format(
      "# By upsweep {}{}: cpu.openmp on this machine. UPSWEEP_TUNING names this file to the "
      "library.\n"
      "# Bytes; they decide speed alone, never a bit.\n",
      version(), o.quick ? ", roughly" : "");
  if (o.threads == 1) {
    text += "# parallel_from, block: not measured with one thread\n";
  } else {
    const auto parallel = machine.parallel_from();
    text += line("parallel_from", parallel, e.parallel_most, "results: more than one thread");
    if (parallel)
      text +=
          line("block", machine.block(), e.block_size, "results: what a thread takes at a time");
  }
  text += line("stream_stores_from", machine.stream_stores_from(), e.stream_most,
               "input and output: stores past the caches");
  out.write(std::as_bytes(std::span(text)));
  out.commit();
}

}  // namespace upsweep::command
