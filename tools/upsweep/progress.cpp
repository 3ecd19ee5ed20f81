// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace upsweep::command {

progress::progress(std::optional<std::int64_t> bytes)
    : all_(bytes), terminal_(isatty(STDERR_FILENO) != 0) {}

progress::~progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void progress::advance(std::int64_t bytes) {
  done_ += bytes;
  const auto now = clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  std::string bar;
  if (all_ && *all_ > 0) {
    constexpr double width = 30;
    const double part = static_cast<double>(done_) / static_cast<double>(*all_);
    bar = fmt::format("[{:<{}}] {:3.0f} %  ",
                      std::string(static_cast<std::size_t>(width * part), '#'),
                      static_cast<int>(width), 100 * part);
  }
  const double gigabytes = static_cast<double>(done_) * 1e-9;
  const std::string line =
      fmt::format("\r{}{:.2f} GB  {:.2f} GB/s\x1b[K", bar, gigabytes, gigabytes / seconds);
  std::fputs(line.c_str(), stderr);
}

}  // namespace upsweep::command
