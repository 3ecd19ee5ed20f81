// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_BACKENDS_CPU_FETCH_HPP
#define UPSWEEP_BACKENDS_CPU_FETCH_HPP

#include <cstddef>
#include <cstdint>

namespace upsweep::cpu {

// Fetches memory into L2 while lines in front of it are read, a line for each: four pages at once,
// of each aligned 16 KiB a line of each page in turn. Hardware fetches ahead of several streams,
// but of none past the end of its page. On a Xeon of 2023 a copy that fetches so has 1.05 times
// memcpy's speed, with the same lines in order 0.9.
class fetcher {
  static constexpr std::uintptr_t pages = 4, page = 4096;

 public:
  static constexpr std::uintptr_t line = 64;  // bytes
  // In bytes: the least that it can be ahead, and a divisor of what else it is.
  static constexpr std::int64_t granule = pages * page;

  // For a part of `part` bytes that begins at `read`; parts of one length follow each other. A
  // power of two of lines, which share out among the pages.
  fetcher(const void* read, std::size_t part, std::int64_t bytes_ahead) {
    constexpr std::uintptr_t all = granule;
    const auto at = reinterpret_cast<std::uintptr_t>(read);
    there_ = at / all * all + at % all / part * (part / pages) +
             static_cast<std::uintptr_t>(bytes_ahead);
  }

  // For line j of the part. Of an address alone, which may pass the end of an array. Inline: g++
  // takes a function that does nothing else to have no effect, and leaves out its calls.
  [[gnu::always_inline]] void fetch_line(std::size_t j) const {
    __builtin_prefetch(reinterpret_cast<const void*>(there_ + j % pages * page + j / pages * line),
                       0, 2);
  }

 private:
  std::uintptr_t there_;
};

}  // namespace upsweep::cpu

#endif
