// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The industry's own scans in the place of textbook algorithms, so that one test suite and one
// benchmark serve theirs and ours. The plain inclusive scan, which is what is measured, is called
// as their users call it. All others share two instantiations over iterators, a little slower: each
// instantiation takes nvcc half a second, for every operator and type.

// Else Thrust instantiates each scan twice, for 32 bits too. CUB counts in 64 bits here as well.
#define THRUST_FORCE_64_BIT_OFFSET_TYPE
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <cub/device/device_scan.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include "backends/cuda/tables.hpp"

namespace upsweep::cuda {

namespace {

using namespace kernels;

template <class Op>
struct combination {
  using T = typename Op::value;
  UPSWEEP_HOST_DEVICE T operator()(T l, T r) const { return Op::combine(l, r); }
};

// CUB is tuned for functors that it knows: it gets them wherever they give the same bits. Its
// minimum and maximum of floats do not: they have other rules for NaN and zeros.
template <class Op>
auto functor() {
  using T = typename Op::value;
  if constexpr (std::is_same_v<Op, sum_op<T>>)
    return ::cuda::std::plus<T>{};
  else if constexpr (std::is_integral_v<T> && std::is_same_v<Op, minimum_op<T>>)
    return ::cuda::minimum<T>{};
  else if constexpr (std::is_integral_v<T> && std::is_same_v<Op, maximum_op<T>>)
    return ::cuda::maximum<T>{};
  else
    return combination<Op>{};
}

// Element i of a scan, with the init of an inclusive scan in the first.
template <class Op>
struct element {
  scan<Op> what;
  UPSWEEP_DEVICE typename Op::value operator()(std::int64_t i) const {
    const auto x = what.load(i);
    return i == 0 && !what.exclusive ? what.start().then(x) : x;
  }
};

// Where result i goes.
struct place {
  std::int64_t first, step;
  UPSWEEP_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return first + i * step; }
};

// An exclusive scan without init is given the identity, not first(), so that sums of -0.0 stay
// -0.0. The one that it may change is an affine map of offset -0.0 or of an infinite coefficient.
template <class Op>
typename Op::value beginning(const scan<Op>& what) {
  return what.has_init ? what.init : Op::identity();
}

// The last element, for the total: an exclusive scan does not use it, and may overwrite it.
template <class Op>
UPSWEEP_KERNEL void keep_last(scan<Op> what, global<typename Op::value> last) {
  if (thread_index() == 0) last[0] = what.load(what.size() - 1);
}

// What the libraries leave to do: the total, and first() in the place of the identity.
template <class Op>
UPSWEEP_KERNEL void finish(scan<Op> what, global<typename Op::value> last) {
  if (thread_index() != 0) return;
  const auto end = what.stored(what.size() - 1);
  what.store_total(what.exclusive ? Op::combine(end, last[0]) : end);
  if (what.exclusive && !what.has_init) what.store(0, Op::first());
}

// CUB would take an older error of the caller for its own.
void forget_errors() { cudaGetLastError(); }

// Library: inclusive(in, out, op, n) and exclusive(in, out, init, op, n) on a stream, in storage
// that suffices for the longest scan of the plan.
template <class Op, class Library>
struct peer {
  using T = typename Op::value;
  static constexpr int default_threads = 0;  // the library's own choice
  // Both are CUB's kernels, which count tiles in an int.
  static constexpr std::int64_t max_length(int) { return std::int64_t{1} << 40; }

  static std::size_t workspace_bytes(std::int64_t n, int) {
    return workspace::bytes<T>(1) + Library::template storage_bytes<Op>(n);
  }

  static void run(stream on, const scan<Op>& what, workspace space, int) {
    const std::int64_t n = what.size();
    const global<T> last = space.take<T>(1);
    const auto bytes =
        static_cast<std::int64_t>(Library::template storage_bytes<Op>(space.length()));
    const Library library{on.handle, space.take<std::byte>(bytes)};
    const bool totals = what.total.size() != 0;

    forget_errors();
    if (totals && what.exclusive) launch(on, {}, keep_last<Op>, what, last);
    if (what.exclusive || what.reverse || what.has_init) {
      const auto indices = thrust::make_counting_iterator(std::int64_t{0});
      const auto in = thrust::make_transform_iterator(indices, element<Op>{what});
      const auto to = what.reverse ? place{n - 1, -1} : place{0, 1};
      const auto out = thrust::make_permutation_iterator(
          what.out.data(), thrust::make_transform_iterator(indices, to));
      if (what.exclusive)
        library.exclusive(in, out, beginning(what), functor<Op>(), n);
      else
        library.inclusive(in, out, functor<Op>(), n);
    } else {
      library.inclusive(what.in.data(), what.out.data(), functor<Op>(), n);
    }
    if (totals || (what.exclusive && !what.has_init)) launch(on, {}, finish<Op>, what, last);
  }
};

struct cub_library {
  cudaStream_t on;
  global<std::byte> storage;

  // For any scan of up to n elements: the operator and its type alone decide the size of tiles.
  template <class Op>
  static std::size_t storage_bytes(std::int64_t n) {
    const typename Op::value* const in = nullptr;
    typename Op::value* const out = nullptr;
    std::size_t bytes = 0;
    forget_errors();
    check(cub::DeviceScan::InclusiveScan(nullptr, bytes, in, out, functor<Op>(), n), "cub");
    return bytes;
  }

  template <class In, class Out, class F>
  void inclusive(In in, Out out, F op, std::int64_t n) const {
    auto bytes = static_cast<std::size_t>(storage.size());
    check(cub::DeviceScan::InclusiveScan(storage.data(), bytes, in, out, op, n, on), "cub");
  }
  template <class In, class Out, class T, class F>
  void exclusive(In in, Out out, T init, F op, std::int64_t n) const {
    auto bytes = static_cast<std::size_t>(storage.size());
    check(cub::DeviceScan::ExclusiveScan(storage.data(), bytes, in, out, op, init, n, on), "cub");
  }
};

// Allocates its storage from the stream in each run, and gives it back: a cost of its own.
struct thrust_library {
  cudaStream_t on;
  global<std::byte> unused;

  template <class Op>
  static std::size_t storage_bytes(std::int64_t) {
    return 0;
  }

  template <class In, class Out, class F>
  void inclusive(In in, Out out, F op, std::int64_t n) const try {
    thrust::inclusive_scan(thrust::cuda::par_nosync.on(on), in, in + n, out, op);
  } catch (...) {
    translate();
  }
  template <class In, class Out, class T, class F>
  void exclusive(In in, Out out, T init, F op, std::int64_t n) const try {
    thrust::exclusive_scan(thrust::cuda::par_nosync.on(on), in, in + n, out, init, op);
  } catch (...) {
    translate();
  }

  // The exception in flight, as one of ours.
  static void translate() try { throw; } catch (const thrust::system_error& e) {
    check(static_cast<cudaError_t>(e.code().value()), "thrust");
  } catch (const std::bad_alloc& e) {
    throw error(errc::out_of_memory, std::string("thrust: ") + e.what());
  }
};

template <class Op>
using cub_scan = peer<Op, cub_library>;

// Thrust runs CUB's kernels, all of which cuda.cub shows, and each operator and type takes nvcc
// seconds: so it gets the few that are asked of it most. Sums of i32 are those of u32.
struct left_out_of_thrust {
  static constexpr std::string_view refusal =
      "it serves sum, minimum and maximum of i32, i64, f32 and f64, and sum of u32 only";
};
template <class Op, class T = typename Op::value>
constexpr bool is_in_thrust = std::is_same_v<Op, sum_op<T>> ||
                              (!std::is_same_v<T, std::uint32_t> &&
                               (std::is_same_v<Op, minimum_op<T>> ||
                                std::is_same_v<Op, maximum_op<T>>));
template <class Op>
using thrust_scan =
    std::conditional_t<is_in_thrust<Op>, peer<Op, thrust_library>, left_out_of_thrust>;

}  // namespace

std::vector<entry> peers() {
  return {from_textbook("cuda.cub", textbook_for<cub_scan>),
          from_textbook("cuda.thrust", textbook_for<thrust_scan>)};
}

}  // namespace upsweep::cuda
