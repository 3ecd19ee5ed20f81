// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_SIMT_KNOWLEDGE_HPP
#define UPSWEEP_SIMT_KNOWLEDGE_HPP

// Which accesses of other threads happen before the next one of a thread: a vector clock over all
// threads of a grid, kept small by what barriers imply. Each access is stamped with the counts of
// its thread's block barriers, warp barriers and releases. Someone who learns that a block has
// passed b barriers knows of all its accesses before the b-th; likewise by warp, and by thread.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backends/kernels/port.hpp"

namespace upsweep::simt {

// When, by whom and where memory was accessed.
struct stamp {
  std::uint32_t launch = 0;  // 0: never
  std::uint32_t releases = 0;
  std::uint32_t block_barriers = 0;
  std::uint32_t warp_barriers = 0;
  std::int32_t block = 0;
  std::uint16_t thread = 0;
  bool writes = false;
  bool copy = false;  // by a bulk copy, which is no thread's: `thread` is one of its own
  where at{};
};

class knowledge {
 public:
  // Whether an access of another block or warp is known of.
  bool covers(const stamp& s) const {
    const auto block = static_cast<std::size_t>(s.block);
    if (block < blocks_.size() && s.block_barriers < blocks_[block]) return true;
    return s.warp_barriers < count(warps_, key(s.block, s.thread / 32u)) ||
           s.releases < count(threads_, key(s.block, s.thread));
  }

  // Learns what the thread of `now` knows of its own block at this moment.
  void add(const stamp& now) {
    raise(blocks_, static_cast<std::size_t>(now.block), now.block_barriers);
    raise(warps_, key(now.block, now.thread / 32u), now.warp_barriers);
    raise(threads_, key(now.block, now.thread), now.releases + 1);
  }

  // Learns of all accesses of a warp, or a thread, until it had come to so many.
  void add_warp(std::int64_t block, unsigned warp, std::uint32_t barriers) {
    raise(warps_, key(static_cast<std::int32_t>(block), warp), barriers);
  }
  void add_thread(std::int64_t block, unsigned thread, std::uint32_t releases) {
    raise(threads_, key(static_cast<std::int32_t>(block), thread), releases);
  }
  std::uint32_t of_thread(std::int64_t block, unsigned thread) const {
    return count(threads_, key(static_cast<std::int32_t>(block), thread));
  }

  void join(const knowledge& other) {
    for (std::size_t i = 0; i < other.blocks_.size(); ++i) raise(blocks_, i, other.blocks_[i]);
    join(warps_, other.warps_);
    join(threads_, other.threads_);
    for (std::size_t i = 0; i < other.seen_.size(); ++i) raise(seen_, i, other.seen_[i]);
  }

  bool includes(const knowledge& other) const {
    return includes(blocks_, other.blocks_) && includes(warps_, other.warps_) &&
           includes(threads_, other.threads_) && includes(seen_, other.seen_);
  }

  // The oldest value of an atomic word that may still be read: a word has a number, its values
  // count up from 0.
  std::uint32_t seen(std::size_t word) const { return word < seen_.size() ? seen_[word] : 0; }
  void see(std::size_t word, std::uint32_t version) { raise(seen_, word, version); }

 private:
  using table = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  // by key

  static std::uint64_t key(std::int32_t block, unsigned which) {
    return std::uint64_t{static_cast<std::uint32_t>(block)} << 32 | which;
  }
  static table::const_iterator find(const table& t, std::uint64_t k) {
    return std::lower_bound(t.begin(), t.end(), k,
                            [](const auto& entry, std::uint64_t x) { return entry.first < x; });
  }
  static std::uint32_t count(const table& t, std::uint64_t k) {
    const auto at = find(t, k);
    return at != t.end() && at->first == k ? at->second : 0;
  }
  static void raise(table& t, std::uint64_t k, std::uint32_t n) {
    const auto at = t.begin() + (find(t, k) - t.cbegin());
    if (at != t.end() && at->first == k)
      at->second = std::max(at->second, n);
    else if (n != 0)
      t.insert(at, {k, n});
  }
  static void raise(std::vector<std::uint32_t>& v, std::size_t i, std::uint32_t n) {
    if (n == 0) return;
    if (i >= v.size()) v.resize(i + 1);
    v[i] = std::max(v[i], n);
  }

  static void join(table& t, const table& other) {
    std::size_t news = 0;
    auto at = t.begin();
    for (const auto& [k, n] : other) {
      while (at != t.end() && at->first < k) ++at;
      if (at != t.end() && at->first == k)
        at->second = std::max(at->second, n);
      else
        ++news;
    }
    if (news == 0) return;
    // From the end, so that each entry moves once.
    std::size_t mine = t.size(), theirs = other.size(), to = mine + news;
    t.resize(to);
    while (to != mine) {
      const auto& theirs_next = other[theirs - 1];
      if (mine != 0 && t[mine - 1].first >= theirs_next.first) {
        if (t[mine - 1].first == theirs_next.first) --theirs;
        t[--to] = t[--mine];
      } else {
        t[--to] = theirs_next;
        --theirs;
      }
    }
  }
  static bool includes(const table& t, const table& other) {
    auto at = t.begin();
    return std::all_of(other.begin(), other.end(), [&](const auto& entry) {
      while (at != t.end() && at->first < entry.first) ++at;
      return at != t.end() && at->first == entry.first && at->second >= entry.second;
    });
  }
  static bool includes(const std::vector<std::uint32_t>& v,
                       const std::vector<std::uint32_t>& other) {
    for (std::size_t i = 0; i < other.size(); ++i)
      if (other[i] > (i < v.size() ? v[i] : 0)) return false;
    return true;
  }

  std::vector<std::uint32_t> blocks_;  // barriers that the block has passed
  table warps_, threads_;
  std::vector<std::uint32_t> seen_;
};

// Shared by those who know the same; nullptr: nothing. Copied before a change that others would
// see.
class known {
 public:
  const knowledge* operator->() const { return p_.get(); }
  explicit operator bool() const { return p_ != nullptr; }

  knowledge& change() {
    if (p_ == nullptr)
      p_ = std::make_shared<knowledge>();
    else if (p_.use_count() != 1)
      p_ = std::make_shared<knowledge>(*p_);
    return *p_;
  }
  void join(const known& other) {
    if (other.p_ == nullptr || other.p_ == p_) return;
    if (p_ == nullptr || other.p_->includes(*p_))
      p_ = other.p_;
    else if (!p_->includes(*other.p_))
      change().join(*other.p_);
  }

 private:
  std::shared_ptr<knowledge> p_;
};

}  // namespace upsweep::simt

#endif
