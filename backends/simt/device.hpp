// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_SIMT_DEVICE_HPP
#define UPSWEEP_SIMT_DEVICE_HPP

// A GPU played by CPU fibers: one for each thread of a kernel, on one OS thread, switched in an
// order that a seed decides. In the checked build every access to memory is judged by the rules of
// CUDA's memory model, so that a race in shared memory is found in any schedule, also where the
// result looks right; one between blocks, in any where the two meet unordered. docs/simt.md tells
// how; examples/simt_own_kernel.cpp shows a kernel of one's own.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "upsweep/export.hpp"

namespace upsweep::simt {

// In what order threads and blocks get to run.
enum class schedule : std::uint8_t { fifo, reverse, random };

struct options {
  std::uint64_t seed = 1;  // the same options and the same kernel: the same run
  schedule order = schedule::random;
  int resident = 4;   // blocks that run side by side; the others start when one ends
  int preempt = 32;   // a thread gives way at one of so many accesses, on average; 0: never
  int patience = 64;  // rounds of pauses without progress, until a launch counts as stuck
};

// What a launch did wrong.
enum class fault_kind : std::uint8_t {
  race,            // two accesses, one of them a write, and nothing that orders them
  out_of_bounds,   // an index outside its array
  uninitialised,   // a read of memory that nothing has written
  divergent,       // threads wait at different barriers or warp operations
  early_exit,      // a thread left the kernel while others wait for it at a barrier
  stuck,           // all threads wait for something that does not come
  unknown_memory,  // a global array that the device was not given
  misaligned,      // an address or a size that an access of this width does not take
  barrier,         // a barrier that is used as none may be
  proxy,           // no fence_async() between a thread's write and a bulk copy of what it wrote
  unfinished,      // a bulk copy that nobody waited for
};

UPSWEEP_API std::string_view name_of(fault_kind kind) noexcept;

class UPSWEEP_API fault : public std::runtime_error {
 public:
  fault(fault_kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  fault_kind kind() const noexcept { return kind_; }

 private:
  fault_kind kind_;
};

// What the launches of a device have done so far.
struct counters {
  std::int64_t launches = 0;
  std::int64_t block_barriers = 0;  // completed, over all blocks
  std::int64_t warp_barriers = 0;   // completed, over all warps
  std::int64_t warp_exchanges = 0;  // shuffles and ballots, over all warps
  std::int64_t accesses = 0;        // checked reads and writes of elements
};

// Used by one OS thread at a time. Launches run to their end before they return.
class UPSWEEP_API device {
 public:
  explicit device(const options& how = {});
  ~device();
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  // Global memory of the device: not initialised, aligned to 128 bytes.
  void* allocate(std::size_t bytes);
  void release(void* p);

  // Makes memory of the caller's global memory of the device, until give_back. An input is
  // initialised, an output is not. Borrowed ranges may be the same, else must not overlap. Both
  // throw std::invalid_argument for a range that is not so.
  void borrow(const void* p, std::size_t bytes, bool initialised);
  void give_back(const void* p);

  // Marks memory as written by the host (cudaMemset, cudaMemcpy).
  void written_by_host(const void* p, std::size_t bytes);

  const options& how() const noexcept;
  const counters& count() const noexcept;

  class engine;
  engine& running() noexcept { return *engine_; }

 private:
  std::unique_ptr<engine> engine_;
};

}  // namespace upsweep::simt

#endif
