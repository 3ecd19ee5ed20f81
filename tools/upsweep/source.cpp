// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "failure.hpp"
#include "files.hpp"
#include "npy.hpp"
#include "text.hpp"

namespace upsweep::command {

namespace {

// An open file: what was read of it to recognise it comes first.
struct input_file {
  descriptor fd{};
  std::string subject{};               // "IN: 'x.npy'"
  std::optional<std::int64_t> size{};  // of a regular file
  std::vector<std::byte> start{};

  std::size_t read(std::span<std::byte> to) {
    const std::size_t k = std::min(to.size(), start.size());
    std::copy_n(start.begin(), k, to.begin());
    start.erase(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(k));
    return k + read_full(fd.get(), to.subspan(k), subject);
  }

  // Reads on until `start` holds `bytes`, or all there are.
  void look_ahead(std::size_t bytes) {
    const std::size_t had = start.size();
    if (bytes <= had) return;
    start.resize(bytes);
    start.resize(had + read_full(fd.get(), std::span(start).subspan(had), subject));
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw failure(fmt::format("{}: {}", subject, what));
  }
};

input_file open_input(const std::string& path) {
  input_file f{.subject = "IN: " + shown(path)};
  if (path == "-") {
    f.fd = descriptor(STDIN_FILENO);
    return f;
  }
  f.fd = descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (f.fd.get() < 0) fail_with_errno(f.subject, "cannot open");
  struct stat s {};
  if (fstat(f.fd.get(), &s) != 0) fail_with_errno(f.subject, "cannot examine");
  if (S_ISDIR(s.st_mode)) throw failure(f.subject + " is a directory");
  if (S_ISREG(s.st_mode)) f.size = s.st_size;
  return f;
}

void swap_bytes(std::byte* data, std::size_t bytes, std::size_t width) {
  for (std::size_t i = 0; i < bytes; i += width) std::reverse(data + i, data + i + width);
}

// Elements as they lie in memory, but perhaps big-endian: raw files and .npy data.
class binary_source final : public source {
 public:
  binary_source(input_file f, upsweep::type t, element e) : file_(std::move(f)), e_(e) { type = t; }

  static std::unique_ptr<source> raw(input_file f, upsweep::type t, element e) {
    auto s = std::make_unique<binary_source>(std::move(f), t, e);
    if (s->file_.size) {
      s->check_whole(*s->file_.size);
      s->length = *s->file_.size / s->width();
    }
    return s;
  }

  static std::unique_ptr<source> npy(input_file f, const source_options& o) try {
    f.look_ahead(npy::preamble_size);
    f.look_ahead(npy::header_size(f.start));
    const npy::header h = npy::parse(f.start);
    const auto begin = static_cast<std::int64_t>(npy::header_size(f.start));
    f.start.erase(f.start.begin(), f.start.begin() + begin);
    if (o.type && *o.type != h.type)
      throw misuse(fmt::format("--dtype: {}, but {} holds {}", name_of(*o.type), f.subject,
                               name_of(h.type)));
    if (h.shape.size() > 1)
      f.fail(fmt::format("shape: ({}) has rank {}; scans along an axis are not served yet",
                         fmt::join(h.shape, ", "), h.shape.size()));
    const element e = element_of(h.type, o.op);
    const auto bytes = h.elements * static_cast<std::int64_t>(size_of(h.type));
    if (bytes % static_cast<std::int64_t>(e.size()) != 0)
      f.fail(fmt::format("shape: {} values are no whole number of affine pairs", h.elements));
    if (f.size && *f.size - begin < bytes)
      f.fail(fmt::format("data: {} bytes, but the header promises {}", *f.size - begin, bytes));
    if (f.size && *f.size - begin > bytes)
      f.fail(fmt::format("data: {} bytes follow the {} that the header promises",
                         *f.size - begin - bytes, bytes));
    auto s = std::make_unique<binary_source>(std::move(f), h.type, e);
    s->begin_ = begin;
    s->swap_ = h.big_endian;
    s->zero_d = h.shape.empty();
    s->length = bytes / s->width();
    return s;
  } catch (const npy::error& problem) {
    throw failure(fmt::format("IN: {}: {}", shown(o.path), problem.what()));
  }

  std::int64_t read(std::byte* to, std::int64_t count) override {
    if (length) count = std::min(count, *length - position_);
    const auto bytes = static_cast<std::size_t>(count * width());
    const std::size_t got = file_.read({to, bytes});
    if (length && got < bytes)
      file_.fail(fmt::format("data: ended after {} of {} elements",
                             position_ + static_cast<std::int64_t>(got) / width(), *length));
    bytes_ += static_cast<std::int64_t>(got);
    if (!length && got < bytes) check_whole(bytes_);
    const std::int64_t elements = static_cast<std::int64_t>(got) / width();
    position_ += elements;
    std::byte more{};
    if (length && !file_.size && position_ == *length && file_.read({&more, 1}) != 0)
      file_.fail(
          fmt::format("data: more bytes follow the {} elements that the header promises", *length));
    if (swap_) swap_bytes(to, got, size_of(e_.scalar));
    return elements;
  }

  bool seekable() const override { return file_.size.has_value(); }
  void seek(std::int64_t element) override {
    file_.start.clear();
    if (lseek(file_.fd.get(), begin_ + element * width(), SEEK_SET) < 0)
      fail_with_errno(file_.subject, "cannot seek");
    position_ = element;
  }

 private:
  std::int64_t width() const { return static_cast<std::int64_t>(e_.size()); }
  void check_whole(std::int64_t bytes) const {
    if (bytes % width() != 0)
      file_.fail(fmt::format("{} bytes are no whole number of elements of {} bytes (--dtype {}{})",
                             bytes, width(), name_of(type),
                             e_.size() == size_of(type) ? "" : ", --op affine"));
  }

  input_file file_;
  element e_;
  std::int64_t begin_ = 0;     // of the data in the file
  std::int64_t position_ = 0;  // elements
  std::int64_t bytes_ = 0;     // read so far
  bool swap_ = false;
};

class text_source final : public source {
 public:
  text_source(input_file f, upsweep::type t, element e) : file_(std::move(f)), e_(e) { type = t; }

  std::int64_t read(std::byte* to, std::int64_t count) override {
    std::int64_t done = 0;
    for (; done < count; ++done) {
      const std::optional<std::string_view> line = next_line();
      if (!line) break;
      try {
        parse_element(*line, e_, to);
      } catch (const failure& problem) {
        file_.fail(fmt::format("line {}: {}", line_, problem.what()));
      }
      to += e_.size();
    }
    return done;
  }

 private:
  static constexpr std::size_t block = std::size_t{1} << 20;
  static constexpr std::size_t longest_line = 4096;

  std::optional<std::string_view> next_line() {
    std::size_t end = buffer_.find('\n', next_);
    if (end == buffer_.npos && !ended_) {
      refill();
      end = buffer_.find('\n', next_);
    }
    if (end == buffer_.npos && next_ == buffer_.size()) return std::nullopt;
    ++line_;
    const std::string_view line =
        std::string_view(buffer_).substr(next_, end == buffer_.npos ? buffer_.npos : end - next_);
    if (line.size() > longest_line)
      file_.fail(
          fmt::format("line {}: longer than {} characters: {}", line_, longest_line, shown(line)));
    next_ = end == buffer_.npos ? buffer_.size() : end + 1;
    return line;
  }

  // A block holds any line that is not too long, so one is enough.
  void refill() {
    buffer_.erase(0, next_);
    next_ = 0;
    const std::size_t had = buffer_.size();
    buffer_.resize(had + block);
    const std::size_t got = file_.read(std::as_writable_bytes(std::span(buffer_).subspan(had)));
    buffer_.resize(had + got);
    ended_ = got < block;
  }

  input_file file_;
  element e_;
  std::string buffer_;
  std::size_t next_ = 0;
  std::int64_t line_ = 0;
  bool ended_ = false;
};

class memory_source final : public source {
 public:
  memory_source(source& in, std::size_t width) : width_(width) {
    constexpr std::int64_t step = 1 << 20;
    std::int64_t n = 0, got = 0;
    do {
      bytes_.resize(static_cast<std::size_t>(n + step) * width);
      got = in.read(bytes_.data() + static_cast<std::size_t>(n) * width, step);
      n += got;
    } while (got == step);
    as = in.as;
    type = in.type;
    length = n;
    zero_d = in.zero_d;
  }

  std::int64_t read(std::byte* to, std::int64_t count) override {
    count = std::min(count, *length - position_);
    std::memcpy(to, bytes_.data() + static_cast<std::size_t>(position_) * width_,
                static_cast<std::size_t>(count) * width_);
    position_ += count;
    return count;
  }
  bool seekable() const override { return true; }
  void seek(std::int64_t element) override { position_ = element; }

 private:
  std::size_t width_;
  std::vector<std::byte> bytes_;
  std::int64_t position_ = 0;
};

// Standard input has no name that tells: an array shows its magic, raw bytes come with --dtype.
format recognise(input_file& f, const source_options& o) {
  if (o.as) return *o.as;
  if (o.path != "-") return format_by_extension(o.path).value_or(format::raw);
  f.look_ahead(1);
  if (!f.start.empty() && f.start[0] == std::byte{0x93}) {
    f.look_ahead(npy::preamble_size);
    const std::string_view s(reinterpret_cast<const char*>(f.start.data()), f.start.size());
    if (s.starts_with("\x93NUMPY")) return format::npy;
  }
  return o.type ? format::raw : format::text;
}

}  // namespace

std::unique_ptr<source> open_source(const source_options& o) {
  input_file f = open_input(o.path);
  const format as = recognise(f, o);
  const upsweep::type t = o.type.value_or(f64);
  std::unique_ptr<source> s;
  if (as == format::npy) {
    s = binary_source::npy(std::move(f), o);
  } else if (as == format::text) {
    s = std::make_unique<text_source>(std::move(f), t, element_of(t, o.op));
  } else {
    if (!o.type)
      throw misuse(
          fmt::format("--dtype: missing; {} is read as raw binary (see --in-format)", f.subject));
    s = binary_source::raw(std::move(f), t, element_of(t, o.op));
  }
  s->as = as;
  return s;
}

std::unique_ptr<source> spool(source& in, builtin op) {
  return std::make_unique<memory_source>(in, element_of(in.type, op).size());
}

}  // namespace upsweep::command
