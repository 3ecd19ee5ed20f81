// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_COMMAND_SINK_HPP
#define UPSWEEP_COMMAND_SINK_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "element.hpp"
#include "files.hpp"
#include "format.hpp"

namespace upsweep::command {

// Where the elements of a scan go. Errors: `failure`, naming the file; then nothing is left of it.
class sink {
 public:
  struct options {
    std::string path;  // "-": standard output
    format as;
    upsweep::type type;
    builtin op;
    bool zero_d;  // .npy: one value without a shape
  };
  explicit sink(options o);

  // Whether chunks may come in any order and number; otherwise from the first to the last, and for
  // a .npy file their number must be told before.
  bool seekable() const { return file_.seekable() && o_.as != format::text; }
  bool needs_length() const { return o_.as == format::npy && !file_.seekable(); }

  void begin(std::optional<std::int64_t> length);
  void write(std::int64_t first, const std::byte* from, std::int64_t count);
  void commit();  // nothing is seen of a regular file before

 private:
  void write_header(std::int64_t length);

  options o_;
  element e_;
  output_file file_;
  std::int64_t data_ = 0;  // where the elements begin
  std::int64_t end_ = 0;   // elements written, or the place of the last
};

}  // namespace upsweep::command

#endif
