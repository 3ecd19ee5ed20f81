// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sink.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "failure.hpp"
#include "npy.hpp"
#include "text.hpp"

namespace upsweep::command {

namespace {

// Refused before the file exists.
sink::options checked(sink::options o) {
  if (o.as == format::npy && o.type == type::bf16)
    throw misuse(fmt::format("OUT: {}: .npy has no bf16; use --format raw or text", shown(o.path)));
  return o;
}

}  // namespace

sink::sink(options o) : o_(checked(std::move(o))), e_(element_of(o_.type, o_.op)), file_(o_.path) {
  if (o_.as == format::npy) data_ = npy::written_size;
}

void sink::begin(std::optional<std::int64_t> length) {
  if (needs_length()) write_header(*length);
}

void sink::write_header(std::int64_t length) {
  const std::string h = npy::write(o_.type, length * (o_.op == builtin::affine ? 2 : 1), o_.zero_d);
  const auto bytes = std::as_bytes(std::span(h));
  file_.seekable() ? file_.write_at(0, bytes) : file_.write(bytes);
}

void sink::write(std::int64_t first, const std::byte* from, std::int64_t count) {
  end_ = std::max(end_, first + count);
  const std::span bytes(from, static_cast<std::size_t>(count) * e_.size());
  if (o_.as == format::text) {
    constexpr std::size_t block = std::size_t{1} << 20;
    std::string lines;
    for (std::size_t i = 0; i < bytes.size(); i += e_.size()) {
      format_element(from + i, e_, lines);
      lines += '\n';
      if (lines.size() >= block) {
        file_.write(std::as_bytes(std::span(lines)));
        lines.clear();
      }
    }
    file_.write(std::as_bytes(std::span(lines)));
  } else if (file_.seekable()) {
    file_.write_at(data_ + first * static_cast<std::int64_t>(e_.size()), bytes);
  } else {
    file_.write(bytes);
  }
}

void sink::commit() {
  if (o_.as == format::npy && file_.seekable()) write_header(end_);
  file_.commit();
}

}  // namespace upsweep::command
