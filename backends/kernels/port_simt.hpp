// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_PORT_SIMT_HPP
#define UPSWEEP_KERNELS_PORT_SIMT_HPP

// port.hpp's words on CPU fibers. What a running thread asks of the engine is declared here and
// defined in backends/simt/. With UPSWEEP_SIMT_RAW arrays are plain pointers, for a build that ASan
// or TSan watches; else every access is checked.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "upsweep/types.hpp"

#define UPSWEEP_KERNEL
#define UPSWEEP_KERNEL_OF(threads, blocks)
#define UPSWEEP_UNROLL
#define UPSWEEP_ROLLED
#define UPSWEEP_ARGUMENT const
#define UPSWEEP_DEVICE inline
#define UPSWEEP_APART inline
#define UPSWEEP_HOST_DEVICE inline

// The lambda's address tells one declaration from another.
#define UPSWEEP_STATIC_SHARED(bytes) \
  ::upsweep::simt::static_shared(    \
      [] {                           \
        static const char key = 0;   \
        return &key;                 \
      }(),                           \
      bytes)
#define UPSWEEP_SHARED(T, name, count) \
  const ::upsweep::kernels::shared<T> name(UPSWEEP_STATIC_SHARED(sizeof(T) * (count)), count)
#define UPSWEEP_BARRIERS(name, count) \
  const ::upsweep::kernels::barriers name(UPSWEEP_STATIC_SHARED(8 * (count)), count)
#define UPSWEEP_DYNAMIC_SHARED(T, name)     \
  const ::upsweep::kernels::shared<T> name( \
      ::upsweep::simt::dynamic_shared(),    \
      static_cast<int>(::upsweep::simt::dynamic_shared_bytes() / sizeof(T)))

#pragma GCC visibility push(default)  // the library's, for kernels of other programs

namespace upsweep::simt {

class device;      // backends/simt/device.hpp
class allocation;  // a piece of a device's global memory, with what is known of each element

// A place in a kernel's text, for messages. As a default argument it is the caller's place.
struct where {
  const char* file;
  int line;
  static constexpr where here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

// ---- of the running thread

int thread_index();
int block_size();
std::int64_t block_index();
std::int64_t grid_size();

void sync_block(where at);
void sync_warp(where at);
void sync_threads(int id, int threads, where at);

// Gives `bytes` (at most 64) of each lane to all lanes of the warp: lane l's lie at result + 64 * l
// until the calling thread's next warp operation.
const std::byte* exchange(const void* mine, std::size_t bytes, where at);

std::byte* static_shared(const void* key, std::size_t bytes);
std::byte* dynamic_shared();
std::size_t dynamic_shared_bytes();

void arrive_cluster(where at);
void wait_cluster(where at);

// Lets other threads run. A launch in which all threads only pause is stuck, and said to be so.
void pause(where at);

// ---- checks of accesses, in the checked build

enum class access : std::uint8_t { read, write, update };  // update: both, as one

void check_shared(const void* p, std::size_t bytes, access how, where at);
allocation* find_memory(const void* p, std::size_t bytes, where at);
void check_global(allocation* m, const void* p, std::size_t bytes, access how, where at);
[[noreturn]] void out_of_bounds(std::int64_t index, std::int64_t size, const char* space, where at);
// Of bytes [first, first + bytes) in an array of so many.
[[noreturn]] void range_out_of_bounds(std::int64_t first, std::int64_t bytes, std::int64_t size,
                                      const char* space, where at);
[[noreturn]] void misaligned(const void* p, std::size_t to, where at);

inline void check_range(std::int64_t first, std::int64_t bytes, std::int64_t size,
                        const char* space, where at) {
  if (first < 0 || first > size - bytes) range_out_of_bounds(first, bytes, size, space, at);
}
inline void check_aligned(const void* p, std::size_t to, where at) {
  if (reinterpret_cast<std::uintptr_t>(p) % to != 0) misaligned(p, to, at);
}

// ---- barriers with phases, each in 8 bytes of shared memory, and copies beside the threads

void barrier_init(std::byte* barrier, int arrivals, where at);
void barrier_arrive(std::byte* barrier, int expected_bytes, where at);
// of_cluster: what other blocks sent is to be seen as well.
void barrier_wait(std::byte* barrier, int parity, bool of_cluster, where at);
void bulk_load(std::byte* to, const std::byte* from, int bytes, std::byte* barrier, where at);
void bulk_store(std::byte* to, const std::byte* from, int bytes, where at);
void bulk_commit();
void bulk_wait_read(int groups);
void fence_async();
// To what `to` and the barrier are in another block's shared memory.
void send(const std::byte* to, const void* x, std::size_t bytes, const std::byte* barrier,
          std::int64_t block, where at);

// ---- atomics of 4, 8 and 16 bytes, as the bits of two numbers

enum class order { relaxed, acquire, release, acq_rel };

using atomic_bits = std::array<std::uint64_t, 2>;

atomic_bits atomic_load(allocation* m, const void* p, std::size_t bytes, order o, where at);
void atomic_store(allocation* m, void* p, std::size_t bytes, atomic_bits x, order o, where at);
// Of 4 and 8 bytes; returns what was there.
std::uint64_t atomic_add(allocation* m, void* p, std::size_t bytes, std::uint64_t x, order o,
                         where at);
void fence(order o);

// ---- of the host

enum class grouping : std::uint8_t { none, together, cluster };

void launch(device& on, std::int64_t blocks, int threads, int shared_bytes, grouping how,
            const std::function<void()>& kernel);
void copy_to_device(device& on, void* to, const void* from, std::size_t bytes);

}  // namespace upsweep::simt

#pragma GCC visibility pop

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

inline constexpr int warp_size = 32;

using simt::block_index;
using simt::block_size;
using simt::bulk_commit;
using simt::fence;
using simt::fence_async;
using simt::grid_size;
using simt::order;
using simt::thread_index;

inline void sync_block(simt::where at = simt::where::here()) { simt::sync_block(at); }
inline void sync_warp(simt::where at = simt::where::here()) { simt::sync_warp(at); }
inline void sync_threads(int id, int threads, simt::where at = simt::where::here()) {
  simt::sync_threads(id, threads, at);
}
inline void pause(simt::where at = simt::where::here()) { simt::pause(at); }

template <class T>
T shuffle(T x, int lane, simt::where at = simt::where::here()) {
  static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= 64 && std::is_trivially_copyable_v<T>);
  const std::byte* all = simt::exchange(&x, sizeof(T), at);
  std::memcpy(&x, all + 64 * (lane % warp_size), sizeof(T));
  return x;
}

template <class T>
T shuffle_up(T x, int distance, simt::where at = simt::where::here()) {
  const int lane = thread_index() % warp_size;
  return shuffle(x, lane >= distance ? lane - distance : lane, at);
}

template <class T>
T shuffle_down(T x, int distance, simt::where at = simt::where::here()) {
  const int lane = thread_index() % warp_size;
  return shuffle(x, lane + distance < warp_size ? lane + distance : lane, at);
}

template <class T>
T shuffle_xor(T x, int mask, simt::where at = simt::where::here()) {
  return shuffle(x, thread_index() % warp_size ^ mask, at);
}

inline unsigned ballot(bool p, simt::where at = simt::where::here()) {
  const std::byte* all = simt::exchange(&p, sizeof p, at);
  unsigned bits = 0;
  for (int lane = 0; lane < warp_size; ++lane)
    bits |= unsigned{all[64 * lane] != std::byte{0}} << lane;
  return bits;
}

template <class T>
std::uint64_t to_bits(T x) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof(T));
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  static_assert(sizeof(T) <= 8);
  T x;
  std::memcpy(static_cast<void*>(&x), &bits, sizeof(T));
  return x;
}

template <class A, class B>
void copy_bits(A& to, const B& from) {
  static_assert(sizeof(A) == sizeof(B));
  std::memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof(A));
}

inline std::uint32_t bytes_of(std::uint32_t a, std::uint32_t b, std::uint32_t digits) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t r = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t d = digits >> 4 * k & 15;
    std::uint32_t byte = static_cast<std::uint32_t>(both >> 8 * (d & 7)) & 0xff;
    if (d >= 8) byte = byte >> 7 != 0 ? 0xff : 0;
    r |= byte << 8 * k;
  }
  return r;
}

inline int bit_width(std::uint32_t a) { return static_cast<int>(std::bit_width(a)); }

inline std::uint32_t min_pairs(std::uint32_t a, std::uint32_t b) {
  const auto min = [](std::uint32_t x, std::uint32_t y) {
    return static_cast<std::int16_t>(x) < static_cast<std::int16_t>(y) ? x & 0xffff : y & 0xffff;
  };
  return min(a >> 16, b >> 16) << 16 | min(a, b);
}

inline std::uint32_t add_halves(std::uint32_t w, std::uint32_t sum) {
  return sum + (w & 0xffff) + (w >> 16);
}
inline std::uint32_t add_bytes(std::uint32_t w, std::uint32_t sum) {
  return add_halves(w & 0xff00ff, add_halves(w >> 8 & 0xff00ff, sum));
}

using half = float16;

struct stream {
  simt::device* on = nullptr;
};

template <class... Parameters, class... Arguments>
void launch(stream s, const shape& of, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
  const auto how = of.cluster    ? simt::grouping::cluster
                   : of.together ? simt::grouping::together
                                 : simt::grouping::none;
  simt::launch(*s.on, of.blocks, of.threads, of.shared_bytes, how,
               [&] { kernel(Parameters(arguments)...); });
}

inline void copy_to_device(stream s, void* to, const void* from, std::size_t bytes) {
  simt::copy_to_device(*s.on, to, from, bytes);
}
inline void copy_to_host(stream, void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

template <class... Parameters>
bool cluster_fits(void (*)(Parameters...), const shape& of) {
  return of.blocks <= most_in_cluster;
}

template <class... Parameters>
void allow_shared(void (*)(Parameters...), int) {}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#ifdef UPSWEEP_SIMT_RAW

#include <atomic>

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

template <class T>
class atomic_word {
 public:
  explicit atomic_word(T& x) : x_(x) {}
  T load(order o) const { return x_.load(to_std(o)); }
  void store(T x, order o) const { x_.store(x, to_std(o)); }
  T fetch_add(T x, order o) const { return x_.fetch_add(x, to_std(o)); }

 private:
  static constexpr std::memory_order to_std(order o) {
    switch (o) {
      case order::relaxed: return std::memory_order_relaxed;
      case order::acquire: return std::memory_order_acquire;
      case order::release: return std::memory_order_release;
      default: return std::memory_order_acq_rel;
    }
  }
  std::atomic_ref<T> x_;
};

// One OS thread runs all fibers, and none is switched between the halves.
template <>
class atomic_word<tagged> {
 public:
  explicit atomic_word(tagged& x) : tag_(x.tag), bits_(x.bits) {}
  tagged load(order o) const { return {tag_.load(o), bits_.load(o)}; }
  void store(tagged w, order o) const {
    tag_.store(w.tag, o);
    bits_.store(w.bits, o);
  }

 private:
  atomic_word<std::uint64_t> tag_, bits_;
};

template <class U>
U load_whole(const void* p) {
  U u;
  std::memcpy(static_cast<void*>(&u), p, sizeof u);
  return u;
}
template <class U>
void store_whole(void* p, U u) {
  std::memcpy(p, &u, sizeof u);
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#include "views_plain.hpp"

#else

#include "views_checked.hpp"

#endif

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

inline constexpr bool has_bulk_copies = true;

class barriers {
 public:
  barriers(std::byte* first, int count) : first_(first), count_(count) {}
  barriers(const shared<std::byte>& memory, int first_byte, int count,
           simt::where at = simt::where::here())
      : count_(count) {
    simt::check_range(first_byte, std::int64_t{8} * count, memory.size(), "shared", at);
    first_ = memory.data() + first_byte;
    simt::check_aligned(first_, 8, at);
  }

  void init(int i, int arrivals, simt::where at = simt::where::here()) const {
    simt::barrier_init(address(i, at), arrivals, at);
  }
  void arrive(int i, simt::where at = simt::where::here()) const {
    simt::barrier_arrive(address(i, at), 0, at);
  }
  void arrive_expecting(int i, int bytes, simt::where at = simt::where::here()) const {
    simt::barrier_arrive(address(i, at), bytes, at);
  }
  void wait(int i, int parity, simt::where at = simt::where::here()) const {
    simt::barrier_wait(address(i, at), parity, false, at);
  }
  void wait_sent(int i, int parity, simt::where at = simt::where::here()) const {
    simt::barrier_wait(address(i, at), parity, true, at);
  }

  std::byte* address(int i, simt::where at) const {
    if (i < 0 || i >= count_) simt::out_of_bounds(i, count_, "shared", at);
    return first_ + std::int64_t{8} * i;
  }

 private:
  std::byte* first_ = nullptr;
  int count_;
};

inline void bulk_load(const shared<std::byte>& to, int at, const global<const std::byte>& from,
                      std::int64_t from_at, int bytes, const barriers& b, int i,
                      simt::where place = simt::where::here()) {
  simt::check_range(at, bytes, to.size(), "shared", place);
  simt::check_range(from_at, bytes, from.size(), "global", place);
  simt::bulk_load(to.data() + at, from.data() + from_at, bytes, b.address(i, place), place);
}

inline void bulk_store(const global<std::byte>& to, std::int64_t to_at,
                       const shared<std::byte>& from, int at, int bytes,
                       simt::where place = simt::where::here()) {
  simt::check_range(to_at, bytes, to.size(), "global", place);
  simt::check_range(at, bytes, from.size(), "shared", place);
  simt::bulk_store(to.data() + to_at, from.data() + at, bytes, place);
}

template <int N>
void bulk_wait_read() {
  static_assert(N >= 0);
  simt::bulk_wait_read(N);
}

inline void arrive_cluster(simt::where at = simt::where::here()) { simt::arrive_cluster(at); }
inline void wait_cluster(simt::where at = simt::where::here()) { simt::wait_cluster(at); }

template <class T>
void send(const shared<T>& a, int i, const T& x, const barriers& b, int k, std::int64_t block,
          simt::where at = simt::where::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  if (i < 0 || i >= a.size()) simt::out_of_bounds(i, a.size(), "shared", at);
  simt::send(reinterpret_cast<const std::byte*>(a.data() + i), &x, sizeof(T), b.address(k, at),
             block, at);
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
