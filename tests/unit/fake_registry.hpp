// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_UNIT_FAKE_REGISTRY_HPP
#define UPSWEEP_TESTS_UNIT_FAKE_REGISTRY_HPP

// A registry of backends that do what a test tells them; it takes the place of
// backends/registry.cpp.

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

#include "upsweep/detail/backend.hpp"

namespace upsweep::testing {

struct fake_backend final : detail::backend {
  fake_backend(memory serves, detail::availability a) : serves(serves), here(std::move(a)) {}

  detail::availability probe() const override { return here; }
  std::string refusal(const spec&, const extents&, memory where) const override {
    return where == memory::device && serves == memory::host ? "it scans other memory" : refuses;
  }
  std::unique_ptr<detail::plan_impl> make_plan(const spec&, const extents&,
                                               const plan_options&) const override;

  memory serves;  // device: host memory too, as a GPU backend does
  detail::availability here;
  std::string refuses{};                                    // why it serves nothing, or empty
  std::function<void()> on_make = {};                       // when a plan is made
  std::function<void()> on_run = {};                        // when a plan runs
  std::function<void(const arguments&)> on_arguments = {};  // likewise
  mutable std::atomic<int> made{0};                         // plans
  mutable std::atomic<int> living{0};                       // plans
  mutable std::atomic<int> crowded{0};  // runs of a plan that was running already

  void reset() {
    refuses.clear();
    on_make = on_run = {};
    on_arguments = {};
    made = crowded = 0;
  }
};

// Two devices. Who touches their memory from the host crashes.
struct fake_devices final : detail::device_family {
  static constexpr std::size_t bytes = 1 << 20;

  fake_devices();
  template <class T>
  T* memory_of(int device, std::ptrdiff_t at = 0) const {
    return static_cast<T*>(memories[static_cast<std::size_t>(device)]) + at;
  }

  std::optional<int> device_of(const void* p) const override;
  int current_device() const override { return current; }
  bool capturing(void* stream) const override { return stream != nullptr && stream == captured; }
  void wait(void* stream) const override { on_wait(stream); }
  std::shared_ptr<void> host_memory(std::size_t n) const override;

  std::array<void*, 2> memories{};
  int current = 0;
  void* captured = nullptr;                 // the stream that is
  std::function<void(void*)> on_wait = {};  // for a stream

  void reset() {
    current = 0;
    captured = nullptr;
    on_wait = [](void*) {};
  }
};

struct fake_backends {
  fake_backend device{memory::device, {true, {}}};                  // cuda.single_pass
  fake_backend serial{memory::host, {true, {}}};                    // cpu.serial
  fake_backend textbook{memory::host, {true, {}}};                  // cpu.textbook
  fake_backend openmp{memory::host, {true, {}}};                    // cpu.openmp
  fake_backend second{memory::host, {true, {}}};                    // cpu.second
  fake_backend absent{memory::host, {false, "no such chip here"}};  // cpu.absent
  fake_devices devices{};

  void reset();
};

fake_backends& fakes();

}  // namespace upsweep::testing

#endif
