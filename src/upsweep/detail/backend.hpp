// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_DETAIL_BACKEND_HPP
#define UPSWEEP_DETAIL_BACKEND_HPP

// The one interface between the core and its backends.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/backends.hpp"
#include "upsweep/error.hpp"
#include "upsweep/plan.hpp"
#include "upsweep/spec.hpp"

namespace upsweep::detail {

// What a state holds. `data` is the backend's; the rest says which scan it belongs to.
struct state_data {
  std::uint8_t order = 0;  // order1::version, or 0 for a plain left-to-right fold
  builtin op = builtin::none;
  type accumulator = type::f32;
  upsweep::direction direction = direction::forward;
  std::int64_t position = 0;
  std::vector<std::byte> data{};  // empty: the state before any element, without init
};

struct state_access {
  static state_data& data(state& s);
  static const state_data& data(const state& s);
};

// One validated run.
struct request {
  const arguments& args;
  bool has_init = false;
  // The init in the accumulator type; an affine init is a pair, (1, h) where only h is given.
  alignas(16) std::array<std::byte, 16> init{};
  state_data* state = nullptr;  // belongs to this scan, or is empty
};

// An element of an array of what, if its type is t.
inline std::size_t element_bytes(const spec& what, type t) {
  const bool pairs = what.op.id == builtin::affine && what.affine == affine_form::pair;
  return size_of(t) * (pairs ? 2 : 1);
}

// First of all in a run, where a backend reads no init from device memory.
inline void refuse_init_device(const request& r, const std::string& backend) {
  if (r.args.init_device != nullptr)
    throw error(errc::unsupported,
                "init_device: an init in device memory is not served by " + backend);
}

// A backend's part of a plan. Called by one thread at a time, with validated requests only.
class plan_impl {
 public:
  virtual ~plan_impl() = default;
  virtual void run(const request& r) = 0;
  virtual void aggregate(const request& r) = 0;
  virtual void append(state_data& before, const state_data& next) const = 0;
  virtual void rebind(void*) {}            // the stream of the next runs
  virtual std::string policy() const = 0;  // for plan::why
};

struct availability {
  bool here = false;
  std::string reason{};
};

class backend {
 public:
  virtual ~backend() = default;
  // Whether it can run on this machine. Asked once a process.
  virtual availability probe() const = 0;
  // Why it does not serve this scan, or nothing.
  virtual std::string refusal(const spec& what, const extents& at_most, memory where) const = 0;
  virtual std::unique_ptr<plan_impl> make_plan(const spec& what, const extents& at_most,
                                               const plan_options& options) const = 0;
};

// A line of the registry: what is known of a backend, and the backend itself if it is compiled in.
struct registration {
  std::string_view name;
  role what;
  bool deterministic;
  const backend* instance;           // nullptr: not compiled in
  std::string_view not_compiled_in;  // why; empty otherwise
  memory home = memory::host;        // where the arrays live that auto gives it
};

// backends/registry.cpp: every backend, in order of preference.
std::span<const registration> registry();

// What one-shot calls ask of the family whose devices have memory of their own.
class device_family {
 public:
  virtual ~device_family() = default;
  // The device that p's memory is of; none for host memory, page-locked or not. Managed memory is
  // the current device's.
  virtual std::optional<int> device_of(const void* p) const = 0;
  virtual int current_device() const = 0;
  virtual bool capturing(void* stream) const = 0;  // its work into a graph
  virtual void wait(void* stream) const = 0;
  // Host memory that kernels can write to.
  virtual std::shared_ptr<void> host_memory(std::size_t bytes) const = 0;
};

// backends/registry.cpp: that family. nullptr: no memory is a device's, for lack of the family in
// this build, or because the process has not loaded the driver, which a scan does not do for it.
const device_family* devices();

}  // namespace upsweep::detail

#endif
