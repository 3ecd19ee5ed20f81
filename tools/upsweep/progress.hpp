// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_COMMAND_PROGRESS_HPP
#define UPSWEEP_COMMAND_PROGRESS_HPP

#include <chrono>
#include <cstdint>
#include <optional>

namespace upsweep::command {

// A line on standard error for work that lasts more than a second, if a terminal is there to see
// it.
class progress {
 public:
  // `bytes`: of the whole work, if that is known.
  explicit progress(std::optional<std::int64_t> bytes);
  ~progress();  // wipes the line
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void advance(std::int64_t bytes);

 private:
  using clock = std::chrono::steady_clock;
  std::optional<std::int64_t> all_;
  std::int64_t done_ = 0;
  bool terminal_, shown_ = false;
  clock::time_point begin_ = clock::now(), next_ = begin_ + std::chrono::seconds(1);
};

}  // namespace upsweep::command

#endif
