// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_COMMAND_SOURCE_HPP
#define UPSWEEP_COMMAND_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "element.hpp"
#include "format.hpp"

namespace upsweep::command {

// Where the elements of a scan come from, a chunk at a time. Errors: `failure`, naming the file.
class source {
 public:
  virtual ~source() = default;

  // Reads the next elements; fewer than `count` only at the end.
  virtual std::int64_t read(std::byte* to, std::int64_t count) = 0;

  // Whether seek may be called; then the length is known.
  virtual bool seekable() const { return false; }
  virtual void seek(std::int64_t) {}

  format as{};  // what it was read as
  upsweep::type type{};
  std::optional<std::int64_t> length{};  // elements; not known for raw bytes and text from a pipe
  bool zero_d = false;                   // a .npy file of one value without a shape
};

struct source_options {
  std::string path;                     // "-": standard input
  std::optional<format> as{};           // how to read it, if the name does not say
  std::optional<upsweep::type> type{};  // raw: needed; text: else f64; .npy: must agree
  builtin op = builtin::sum;            // an element of an affine scan is a pair
};

std::unique_ptr<source> open_source(const source_options& o);

// All that is left of `in`, in memory: seekable and of known length.
std::unique_ptr<source> spool(source& in, builtin op);

}  // namespace upsweep::command

#endif
