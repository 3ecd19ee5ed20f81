// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_COMMAND_FILES_HPP
#define UPSWEEP_COMMAND_FILES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace upsweep::command {

// A file descriptor, closed at the end unless it is a standard stream.
class descriptor {
 public:
  explicit descriptor(int fd = -1) : fd_(fd) {}
  ~descriptor() { close(); }
  descriptor(descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  descriptor& operator=(descriptor&& other) noexcept;
  int get() const { return fd_; }
  // False, with errno, if the system reports an error of an earlier write.
  bool close();

 private:
  int fd_;
};

// Up to to.size() bytes, fewer only at the end of the file. `subject` begins the message of a
// failure.
std::size_t read_full(int fd, std::span<std::byte> to, std::string_view subject);

// All bytes, at the file's position or at `offset`.
void write_full(int fd, std::span<const std::byte> from, std::string_view subject);
void write_full_at(int fd, std::span<const std::byte> from, std::int64_t offset,
                   std::string_view subject);

// "subject: why", with errno in words.
[[noreturn]] void fail_with_errno(std::string_view subject, std::string_view doing);

// The file that a scan writes. A regular file is written under another name in the same directory
// and renamed by commit(); without commit, by an error or by a signal that ends the process, no
// trace is left. Standard output, devices and pipes are written directly.
class output_file {
 public:
  explicit output_file(const std::string& path);  // "-": standard output
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  bool seekable() const { return !temporary_.empty(); }
  void write(std::span<const std::byte> bytes);
  void write_at(std::int64_t offset, std::span<const std::byte> bytes);  // if seekable
  void commit();

 private:
  void create_temporary();

  std::string subject_, target_, temporary_;
  descriptor fd_;
};

}  // namespace upsweep::command

#endif
