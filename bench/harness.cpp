// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/harness.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <thread>

namespace upsweep::bench {

namespace {

constexpr int poison_byte = 0xa5;
constexpr std::size_t page = 4096;

class arena {
 public:
  std::byte* at_least(std::size_t size) {
    if (size > size_) {
      memory_.reset();
      size_ = (size + page - 1) / page * page;
      memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page, size_)));
      if (memory_ == nullptr) throw std::bad_alloc();
      std::memset(memory_.get(), poison_byte, size_);
    }
    return memory_.get();
  }

 private:
  struct release {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, release> memory_;
  std::size_t size_ = 0;
};

bool wrong_seen = false;

}  // namespace

std::vector<int> team_sizes() {
  const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<int> teams;
  for (int t = 1; t < all; t *= 2) teams.push_back(t);
  teams.push_back(all);
  return teams;
}

std::byte* input_bytes(std::size_t size) {
  static arena a;
  return a.at_least(size);
}

std::byte* output_bytes(std::size_t size) {
  static arena a;
  return a.at_least(size);
}

std::uint64_t fresh_seed() {
  static const std::uint64_t process = std::random_device{}();
  static std::uint64_t calls = 0;
  return testing::random_bits(process, ++calls);
}

void report_wrong(benchmark::State& state, const std::string& what) {
  wrong_seen = true;
  state.SkipWithError(what.c_str());
}

bool any_wrong() { return wrong_seen; }

std::int64_t first_wrong_copy(const std::byte* in, const std::byte* out, std::int64_t bytes) {
  return std::mismatch(in, in + bytes, out).first - in;
}

void poison(std::byte* p, std::size_t size) { std::memset(p, poison_byte, size); }

}  // namespace upsweep::bench
