// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_PLAN_HPP
#define UPSWEEP_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/error.hpp"
#include "upsweep/export.hpp"
#include "upsweep/spec.hpp"

namespace upsweep {

namespace detail {
class plan_core;
struct state_access;
}  // namespace detail

// Where the arrays of a plan's runs live.
enum class memory : std::uint8_t { host, device };
using enum memory;

struct plan_options {
  std::string_view
      backend{};  // a name, a family ("cpu"), "auto"; empty: UPSWEEP_BACKEND, else auto
  upsweep::memory memory = memory::host;
  // CPU threads at most, and no more than a CPU quota allows; 0: as OpenMP would choose at each
  // run, one inside a parallel region.
  int threads = 0;
  // Where the workspace comes from, called with `context`. Not served yet.
  void* (*allocate)(void* context, std::size_t bytes, std::size_t alignment) = nullptr;
  void (*release)(void* context, void* p, std::size_t bytes) = nullptr;
  void* context = nullptr;
};

// What a range of elements leaves behind: enough to go on after it with the same bits as one whole
// scan. Default-constructed, it is the state before any element. It belongs to one scan: the same
// operator, accumulator type, direction and order.
class UPSWEEP_API state {
 public:
  state();
  ~state();
  state(const state&);
  state(state&&) noexcept;
  state& operator=(const state&);
  state& operator=(state&&) noexcept;

  // Elements passed since the state was empty.
  std::int64_t position() const noexcept;
  bool empty() const noexcept;

  // A portable image (little-endian, for files and messages), and back. from_bytes throws
  // errc::invalid_argument for bytes that no state has.
  std::vector<std::byte> to_bytes() const;
  static state from_bytes(std::span<const std::byte> bytes);

 private:
  friend struct detail::state_access;
  struct body;
  std::unique_ptr<body> body_;
};

// A scan made ready: validated, bound to a backend, with its workspace. Move-only. A plan is for
// one thread at a time (checked: errc::busy); different plans are independent.
class UPSWEEP_API plan {
 public:
  // Validates the spec and chooses the backend. Allocates all that runs need: O(length) time never,
  // workspace at most length / 64 elements + a constant.
  // Errors: invalid_argument, unsupported, unknown_backend, unavailable, out_of_memory.
  plan(const spec& what, const extents& at_most, const plan_options& options = {});
  ~plan();
  plan(plan&&) noexcept;
  plan& operator=(plan&&) noexcept;

  // Scans. O(length) work; no allocation on the CPU but for state. With `state`, goes on from it
  // (init must then be absent, except from the empty state) and leaves the state after this run in
  // it; a reverse scan goes through its ranges from the last to the first. On a GPU a run with a
  // state waits for its stream, and cannot be captured; init_device must then be null, products of
  // complex numbers go on from group borders only, and from inside a group the work is that of the
  // group's earlier elements too.
  // Errors: invalid_argument, unsupported, busy, out_of_memory (for the state), device.
  void run(const arguments& a);

  // Advances a.state over a.in without writing an output: the aggregate of a range. A range that
  // starts at an empty state, without init, keeps the list of its group totals, so that append can
  // fold it in. `out` is ignored; a total may be asked for. O(length) work; allocates the totals of
  // the range's supers. Errors: those of run, and invalid_argument without a state.
  void aggregate(const arguments& a);

  // Puts the range that `next` passed after the one that `before` passed. `before` must be empty or
  // lie on a group border: position() a multiple of order1::group(accumulator bytes). `next` must
  // come from aggregate, from an empty state without init. O(groups of next). On an error `before`
  // is as it was. Errors: invalid_argument (not so, a state of another scan, the same object
  // twice), unsupported (cpu.serial, which keeps one running value).
  void append(state& before, const state& next) const;

  // Lets the next runs use another stream than the last, which must have finished, or be waited for
  // by the new one. On the CPU it has no effect. Errors: invalid_argument if the plan was moved
  // from.
  void rebind(void* stream);

  // "cpu.openmp"; how that was chosen, and the policy of its runs. Both empty once moved from.
  const std::string& backend() const noexcept;
  const std::string& why() const noexcept;

 private:
  std::unique_ptr<detail::plan_core> core_;
};

}  // namespace upsweep

#endif
