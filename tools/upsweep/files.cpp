// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "failure.hpp"
#include "text.hpp"

namespace upsweep::command {

namespace {

// The temporary file that a signal must remove. Written while signals are blocked, before any other
// thread exists.
char doomed[PATH_MAX];

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

extern "C" void remove_and_end(int signal) {
  if (doomed[0] != '\0') unlink(doomed);
  raise(signal);  // its action is the default again: the process ends as by the signal
}

void handle_signals() {
  for (const int s : ending_signals) {
    struct sigaction old {
    }, ours{};
    ours.sa_handler = remove_and_end;
    ours.sa_flags = static_cast<int>(SA_RESETHAND);
    if (sigaction(s, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(s, &ours, nullptr);
  }
  signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is then an error of write
}

class blocked_signals {
 public:
  blocked_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int s : ending_signals) sigaddset(&set, s);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.fd_;
    other.fd_ = -1;
  }
  return *this;
}

bool descriptor::close() {
  const int fd = fd_;
  fd_ = -1;
  return fd <= STDERR_FILENO || ::close(fd) == 0;
}

void fail_with_errno(std::string_view subject, std::string_view doing) {
  const std::string why = std::generic_category().message(errno);
  throw failure(fmt::format("{}: {}: {}", subject, doing, why));
}

std::size_t read_full(int fd, std::span<std::byte> to, std::string_view subject) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t n = ::read(fd, to.data() + done, to.size() - done);
    if (n == 0) break;
    if (n > 0)
      done += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      fail_with_errno(subject, "cannot read");
  }
  return done;
}

void write_full(int fd, std::span<const std::byte> from, std::string_view subject) {
  while (!from.empty()) {
    const ssize_t n = ::write(fd, from.data(), from.size());
    if (n >= 0)
      from = from.subspan(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      fail_with_errno(subject, "cannot write");
  }
}

void write_full_at(int fd, std::span<const std::byte> from, std::int64_t offset,
                   std::string_view subject) {
  while (!from.empty()) {
    const ssize_t n = ::pwrite(fd, from.data(), from.size(), offset);
    if (n >= 0) {
      from = from.subspan(static_cast<std::size_t>(n));
      offset += n;
    } else if (errno != EINTR) {
      fail_with_errno(subject, "cannot write");
    }
  }
}

output_file::output_file(const std::string& path) : subject_("OUT: " + shown(path)), target_(path) {
  handle_signals();
  if (path == "-") {
    fd_ = descriptor(STDOUT_FILENO);
    return;
  }
  struct stat s {};
  const bool exists = stat(path.c_str(), &s) == 0;
  if (exists && S_ISDIR(s.st_mode)) throw failure(subject_ + " is a directory");
  if (exists && !S_ISREG(s.st_mode)) {
    fd_ = descriptor(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (fd_.get() < 0) fail_with_errno(subject_, "cannot open");
    return;
  }
  if (exists) {
    if (access(path.c_str(), W_OK) != 0) fail_with_errno(subject_, "cannot replace");
    target_ = std::filesystem::canonical(path).string();  // a link goes on pointing there
  }
  create_temporary();
  if (exists) fchmod(fd_.get(), s.st_mode & 07777);
}

void output_file::create_temporary() {
  const std::filesystem::path target(target_);
  if (!target.has_filename()) throw failure(subject_ + " names no file");
  const blocked_signals during;
  for (int k = 0; fd_.get() < 0; ++k) {
    temporary_ = (target.parent_path() / fmt::format(".upsweep-{}-{}.tmp", getpid(), k)).string();
    if (temporary_.size() >= sizeof doomed) throw failure(subject_ + ": name too long");
    fd_ = descriptor(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd_.get() < 0 && errno != EEXIST) {
      temporary_.clear();
      fail_with_errno(subject_, "cannot create a file beside it");
    }
  }
  std::memcpy(doomed, temporary_.c_str(), temporary_.size() + 1);
}

output_file::~output_file() {
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  doomed[0] = '\0';
}

void output_file::write(std::span<const std::byte> bytes) {
  write_full(fd_.get(), bytes, subject_);
}

void output_file::write_at(std::int64_t offset, std::span<const std::byte> bytes) {
  write_full_at(fd_.get(), bytes, offset, subject_);
}

void output_file::commit() {
  if (!fd_.close()) fail_with_errno(subject_, "cannot write");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
    fail_with_errno(subject_, "cannot rename the finished file");
  doomed[0] = '\0';
  temporary_.clear();
}

}  // namespace upsweep::command
