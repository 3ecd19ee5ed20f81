// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_PORT_CUDA_HPP
#define UPSWEEP_KERNELS_PORT_CUDA_HPP

// port.hpp's words on the GPU.

#include <cuda/atomic>
#include <cuda/std/cstring>
#ifndef __CUDACC_RTC__
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <string>

#include "upsweep/error.hpp"
#endif

#define UPSWEEP_KERNEL __global__ __launch_bounds__(1024)  // any block size that shape allows
#define UPSWEEP_KERNEL_OF(threads, blocks) __global__ __launch_bounds__(threads, blocks)
#define UPSWEEP_UNROLL _Pragma("unroll")
#define UPSWEEP_ROLLED _Pragma("unroll 1")
#define UPSWEEP_ARGUMENT const __grid_constant__
#define UPSWEEP_DEVICE __device__ __forceinline__
#define UPSWEEP_APART __device__ __noinline__
#define UPSWEEP_HOST_DEVICE __host__ __device__ __forceinline__

// Bytes, so that element types with constructors may be shared.
#define UPSWEEP_SHARED(T, name, count)                                    \
  __shared__ alignas(16) unsigned char name##_bytes[sizeof(T) * (count)]; \
  const ::upsweep::kernels::shared<T> name(name##_bytes, count)
#define UPSWEEP_DYNAMIC_SHARED(T, name)             \
  extern __shared__ uint4 upsweep_dynamic_shared[]; \
  const ::upsweep::kernels::shared<T> name(         \
      upsweep_dynamic_shared,                       \
      static_cast<int>(::upsweep::kernels::dynamic_shared_bytes() / sizeof(T)))
#define UPSWEEP_BARRIERS(name, count)              \
  __shared__ std::uint64_t name##_barriers[count]; \
  const ::upsweep::kernels::barriers name(name##_barriers, count)

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

inline constexpr int warp_size = 32;

UPSWEEP_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
UPSWEEP_DEVICE int block_size() { return static_cast<int>(blockDim.x); }
UPSWEEP_DEVICE std::int64_t block_index() { return blockIdx.x; }
UPSWEEP_DEVICE std::int64_t grid_size() { return gridDim.x; }

UPSWEEP_DEVICE unsigned dynamic_shared_bytes() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}

UPSWEEP_DEVICE void sync_block() { __syncthreads(); }
UPSWEEP_DEVICE void sync_warp() { __syncwarp(); }
UPSWEEP_DEVICE void sync_threads(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// A value of any trivially copyable type travels as 32-bit words.
template <class T, class Word>
UPSWEEP_DEVICE T by_words(T x, Word&& word) {
  static_assert(sizeof(T) % 4 == 0, "shuffled types are whole 32-bit words");
  unsigned words[sizeof(T) / 4];
  ::cuda::std::memcpy(words, &x, sizeof(T));
  for (unsigned& w : words) w = word(w);
  ::cuda::std::memcpy(&x, words, sizeof(T));
  return x;
}

template <class T>
UPSWEEP_DEVICE T shuffle(T x, int lane) {
  return by_words(x, [=](unsigned w) { return __shfl_sync(0xffffffffu, w, lane); });
}
template <class T>
UPSWEEP_DEVICE T shuffle_up(T x, int distance) {
  return by_words(x, [=](unsigned w) { return __shfl_up_sync(0xffffffffu, w, distance); });
}
template <class T>
UPSWEEP_DEVICE T shuffle_down(T x, int distance) {
  return by_words(x, [=](unsigned w) { return __shfl_down_sync(0xffffffffu, w, distance); });
}
template <class T>
UPSWEEP_DEVICE T shuffle_xor(T x, int mask) {
  return by_words(x, [=](unsigned w) { return __shfl_xor_sync(0xffffffffu, w, mask); });
}
template <class A, class B>
UPSWEEP_DEVICE void copy_bits(A& to, const B& from) {
  static_assert(sizeof(A) == sizeof(B));
  ::cuda::std::memcpy(&to, &from, sizeof(A));
}
UPSWEEP_DEVICE unsigned bytes_of(unsigned a, unsigned b, unsigned digits) {
  unsigned r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(digits));
  return r;
}

template <class F>
UPSWEEP_HOST_DEVICE F least(F a, F b);
UPSWEEP_HOST_DEVICE float least(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float low;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(low) : "f"(a), "f"(b));
  return low;
#else
  return least<float>(a, b);
#endif
}

UPSWEEP_DEVICE unsigned min_pairs(unsigned a, unsigned b) { return __vmins2(a, b); }
UPSWEEP_DEVICE int bit_width(unsigned a) { return 32 - __clz(static_cast<int>(a)); }
UPSWEEP_DEVICE unsigned add_bytes(unsigned w, unsigned sum) { return __dp4a(w, 0x01010101u, sum); }
UPSWEEP_DEVICE unsigned add_halves(unsigned w, unsigned sum) { return __dp2a_lo(w, 0x0101u, sum); }

struct half {
  std::uint16_t bits;

  half() = default;
  UPSWEEP_DEVICE explicit half(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  UPSWEEP_DEVICE operator float() const {  // NOLINT(google-explicit-constructor)
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
  }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
struct brain_half;
template <class H>
UPSWEEP_DEVICE unsigned two_of(float low, float high);
template <>
UPSWEEP_DEVICE unsigned two_of<half>(float low, float high) {
  unsigned both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
template <>
UPSWEEP_DEVICE unsigned two_of<brain_half>(float low, float high) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
#endif

UPSWEEP_DEVICE unsigned ballot(bool p) { return __ballot_sync(0xffffffffu, p); }

template <class T>
UPSWEEP_HOST_DEVICE std::uint64_t to_bits(T x) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  ::cuda::std::memcpy(&bits, &x, sizeof(T));
  return bits;
}
template <class T>
UPSWEEP_HOST_DEVICE T from_bits(std::uint64_t bits) {
  static_assert(sizeof(T) <= 8);
  T x;
  ::cuda::std::memcpy(&x, &bits, sizeof(T));
  return x;
}

enum class order { relaxed, acquire, release, acq_rel };

UPSWEEP_HOST_DEVICE constexpr ::cuda::memory_order to_cuda(order o) {
  switch (o) {
    case order::relaxed: return ::cuda::memory_order_relaxed;
    case order::acquire: return ::cuda::memory_order_acquire;
    case order::release: return ::cuda::memory_order_release;
    default: return ::cuda::memory_order_acq_rel;
  }
}

template <class T>
class atomic_word {
 public:
  UPSWEEP_DEVICE explicit atomic_word(T& x) : x_(x) {}
  UPSWEEP_DEVICE T load(order o) const { return x_.load(to_cuda(o)); }
  UPSWEEP_DEVICE void store(T x, order o) const { x_.store(x, to_cuda(o)); }
  UPSWEEP_DEVICE T fetch_add(T x, order o) const { return x_.fetch_add(x, to_cuda(o)); }

 private:
  mutable ::cuda::atomic_ref<T, ::cuda::thread_scope_device> x_;
};

// One 16-byte access is atomic; libcu++ has no name for it on every GPU of ours.
template <>
class atomic_word<tagged> {
 public:
  UPSWEEP_DEVICE explicit atomic_word(tagged& x) : x_(&x) {}
  UPSWEEP_DEVICE tagged load(order) const {
    tagged w;
    asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                 : "=l"(w.tag), "=l"(w.bits)
                 : "l"(x_)
                 : "memory");
    return w;
  }
  UPSWEEP_DEVICE void store(tagged w, order) const {
    asm volatile(
        "{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(x_),
        "l"(w.tag), "l"(w.bits)
        : "memory");
  }

 private:
  tagged* x_;
};

UPSWEEP_DEVICE void fence(order o) {
  ::cuda::atomic_thread_fence(to_cuda(o), ::cuda::thread_scope_device);
}

// The simt engine's eye on loops that wait; a GPU needs nothing here.
UPSWEEP_DEVICE void pause() {}

// What moves so many bytes in one access.
template <std::size_t Bytes>
struct bits_of;
template <>
struct bits_of<1> {
  using type = unsigned char;
};
template <>
struct bits_of<2> {
  using type = unsigned short;
};
template <>
struct bits_of<4> {
  using type = unsigned;
};
template <>
struct bits_of<8> {
  using type = unsigned long long;
};
template <>
struct bits_of<16> {
  using type = uint4;
};

template <class U>
UPSWEEP_DEVICE U load_whole(const void* p) {
  const auto bits = *static_cast<const typename bits_of<sizeof(U)>::type*>(p);
  U u;
  ::cuda::std::memcpy(&u, &bits, sizeof(U));
  return u;
}
template <class U>
UPSWEEP_DEVICE void store_whole(void* p, U u) {
  typename bits_of<sizeof(U)>::type bits;
  ::cuda::std::memcpy(&bits, &u, sizeof(U));
  *static_cast<typename bits_of<sizeof(U)>::type*>(p) = bits;
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#include "views_plain.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// Barriers and bulk copies, from Hopper on.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_bulk_copies = false;
#else
inline constexpr bool has_bulk_copies = true;
#endif

UPSWEEP_DEVICE unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Shared memory that threads wrote, for bulk copies to see.
UPSWEEP_DEVICE void fence_async() {
  if constexpr (has_bulk_copies)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  else
    __trap();
}

class barriers {
 public:
  UPSWEEP_DEVICE barriers(std::uint64_t* first, int) : first_(shared_address(first)) {}
  UPSWEEP_DEVICE barriers(shared<std::byte> memory, int first_byte, int)
      : first_(shared_address(memory.data()) + static_cast<unsigned>(first_byte)) {}

  UPSWEEP_DEVICE void init(int i, int arrivals) const {
    if constexpr (has_bulk_copies)
      asm volatile(
          "mbarrier.init.shared::cta.b64 [%0], %1;"
          "fence.mbarrier_init.release.cluster;" ::"r"(address(i)),
          "r"(arrivals)
          : "memory");
    fence_async();
  }
  UPSWEEP_DEVICE void arrive(int i) const {
    if constexpr (has_bulk_copies)
      asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address(i))
                   : "memory");
    else
      __trap();
  }
  UPSWEEP_DEVICE void arrive_expecting(int i, int bytes) const {
    if constexpr (has_bulk_copies)
      asm volatile(
          "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(address(i)),
          "r"(bytes)
          : "memory");
    else
      __trap();
  }
  UPSWEEP_DEVICE void wait(int i, int parity) const { wait_for<false>(i, parity); }
  UPSWEEP_DEVICE void wait_sent(int i, int parity) const { wait_for<true>(i, parity); }

  UPSWEEP_DEVICE unsigned address(int i) const { return first_ + 8 * static_cast<unsigned>(i); }

 private:
  template <bool of_cluster>
  UPSWEEP_DEVICE void wait_for(int i, int parity) const {
    if constexpr (has_bulk_copies) {
      unsigned done = 0;
      while (done == 0)
        if constexpr (of_cluster)
          asm volatile(
              "{ .reg .pred p;"
              "  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;"
              "  selp.u32 %0, 1, 0, p; }"
              : "=r"(done)
              : "r"(address(i)), "r"(parity)
              : "memory");
        else
          asm volatile(
              "{ .reg .pred p;"
              "  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;"
              "  selp.u32 %0, 1, 0, p; }"
              : "=r"(done)
              : "r"(address(i)), "r"(parity)
              : "memory");
    } else {
      __trap();
    }
  }

  unsigned first_;
};

UPSWEEP_DEVICE void bulk_load(shared<std::byte> to, int at, global<const std::byte> from,
                              std::int64_t from_at, int bytes, barriers b, int i) {
  if constexpr (has_bulk_copies)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(shared_address(to.data() + at)),
        "l"(__cvta_generic_to_global(from.data() + from_at)), "r"(bytes), "r"(b.address(i))
        : "memory");
  else
    __trap();
}

UPSWEEP_DEVICE void bulk_store(global<std::byte> to, std::int64_t to_at, shared<std::byte> from,
                               int at, int bytes) {
  if constexpr (has_bulk_copies)
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(to.data() + to_at)),
                 "r"(shared_address(from.data() + at)), "r"(bytes)
                 : "memory");
  else
    __trap();
}

UPSWEEP_DEVICE void bulk_commit() {
  if constexpr (has_bulk_copies)
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  else
    __trap();
}

template <int N>
UPSWEEP_DEVICE void bulk_wait_read() {
  if constexpr (has_bulk_copies)
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
  else
    __trap();
}

UPSWEEP_DEVICE void arrive_cluster() {
  if constexpr (has_bulk_copies)
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  else
    __trap();
}
UPSWEEP_DEVICE void wait_cluster() {
  if constexpr (has_bulk_copies)
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  else
    __trap();
}

template <class T>
UPSWEEP_DEVICE void send(const shared<T>& a, int i, const T& x, barriers b, int k, int block) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  if constexpr (has_bulk_copies) {
    const auto there = [&](unsigned here) {
      unsigned address;
      asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(here), "r"(block));
      return address;
    };
    const unsigned to = there(shared_address(a.data() + i)), barrier = there(b.address(k));
    if constexpr (sizeof(T) == 4) {
      std::uint32_t w;
      copy_bits(w, x);
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
              to),
          "r"(w), "r"(barrier)
          : "memory");
    } else if constexpr (sizeof(T) == 8) {
      std::uint64_t w;
      copy_bits(w, x);
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
              to),
          "l"(w), "r"(barrier)
          : "memory");
    } else {
      std::uint64_t w[2];
      copy_bits(w, x);
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, "
          "[%3];" ::"r"(to),
          "l"(w[0]), "l"(w[1]), "r"(barrier)
          : "memory");
    }
  } else {
    __trap();
  }
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#ifndef __CUDACC_RTC__
namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

struct stream {
  cudaStream_t handle = nullptr;
};

// The driver's own words, after what was tried.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not meet it again
  throw error(
      status == cudaErrorMemoryAllocation ? errc::out_of_memory : errc::device,
      std::string(what) + ": " + cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

// With a pointer to `attribute`.
inline cudaLaunchConfig_t config_of(const shape& of, cudaLaunchAttribute& attribute) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(of.blocks));
  config.blockDim = dim3(static_cast<unsigned>(of.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(of.shared_bytes);
  if (of.cluster) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {config.gridDim.x, 1, 1};
  } else {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  config.attrs = &attribute;
  config.numAttrs = of.together || of.cluster ? 1 : 0;
  return config;
}

template <class... Parameters, class... Arguments>
void launch(stream s, const shape& of, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config = config_of(of, attribute);
  config.stream = s.handle;
  check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), "launch of a kernel");
}

// Between the host's memory and the device's, when the stream comes to it.
inline void copy_to_device(stream s, void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, s.handle), "copy to the device");
}
inline void copy_to_host(stream s, void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, s.handle), "copy to the host");
}

// By the driver's function: the runtime's, where it succeeds, clears an error of the caller.
inline cudaError_t set_attribute(const void* kernel, CUfunction_attribute which, int value) {
  void* set = nullptr;
  cudaFunction_t function = nullptr;
  cudaError_t status =
      cudaGetDriverEntryPointByVersion("cuFuncSetAttribute", &set, 9000, cudaEnableDefault);
  if (status == cudaSuccess && set == nullptr) status = cudaErrorSymbolNotFound;
  if (status == cudaSuccess) status = cudaGetFuncBySymbol(&function, kernel);
  if (status != cudaSuccess) return status;
  // The driver's errors are the runtime's, number for number.
  return static_cast<cudaError_t>(
      reinterpret_cast<decltype(&cuFuncSetAttribute)>(set)(function, which, value));
}

template <class... Parameters>
bool cluster_fits(void (*kernel)(Parameters...), const shape& of) {
  const auto* code = reinterpret_cast<const void*>(kernel);
  cudaLaunchAttribute attribute{};
  const cudaLaunchConfig_t config = config_of(of, attribute);
  int clusters = 0;
  if (set_attribute(code, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) != cudaSuccess ||
      cudaOccupancyMaxActiveClusters(&clusters, code, &config) != cudaSuccess)
    return false;  // the GPU has no clusters of so many blocks
  return clusters > 0;
}

template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), int bytes) {
  check(set_attribute(reinterpret_cast<const void*>(kernel),
                      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes),
        "shared memory of a kernel");
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels
#endif

#endif
