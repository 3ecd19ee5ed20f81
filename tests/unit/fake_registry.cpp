// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_registry.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <functional>
#include <new>

namespace upsweep {

namespace testing {

namespace {

class fake_plan final : public detail::plan_impl {
 public:
  explicit fake_plan(const fake_backend& b) : backend_(b) {
    ++backend_.made;
    ++backend_.living;
  }
  ~fake_plan() override { --backend_.living; }

  void run(const detail::request& r) override {
    if (stream_.value_or(r.args.stream) != r.args.stream)
      throw error(errc::invalid_argument, "stream: not the one before");
    if (backend_.serves == memory::device) stream_ = r.args.stream;
    if (backend_.on_arguments) backend_.on_arguments(r.args);
    if (running_.exchange(true)) ++backend_.crowded;
    if (backend_.on_run) backend_.on_run();
    running_ = false;
  }
  void aggregate(const detail::request& r) override { run(r); }
  void append(detail::state_data&, const detail::state_data&) const override {}
  void rebind(void* stream) override { stream_ = stream; }
  std::string policy() const override { return "a fake"; }

 private:
  const fake_backend& backend_;
  std::atomic<bool> running_{false};
  std::optional<void*> stream_{};  // as a GPU's plan is bound to one
};

}  // namespace

std::unique_ptr<detail::plan_impl> fake_backend::make_plan(const spec&, const extents&,
                                                           const plan_options&) const {
  if (on_make) on_make();
  return std::make_unique<fake_plan>(*this);
}

fake_devices::fake_devices() {
  for (void*& m : memories)
    if (m = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); m == MAP_FAILED)
      throw std::bad_alloc();
}

std::optional<int> fake_devices::device_of(const void* p) const {
  for (const int d : {0, 1})
    if (std::greater_equal<>()(p, memory_of<std::byte>(d)) &&
        std::less<>()(p, memory_of<std::byte>(d, bytes)))
      return d;
  return std::nullopt;
}

std::shared_ptr<void> fake_devices::host_memory(std::size_t n) const {
  return {std::malloc(n), std::free};
}

void fake_backends::reset() {
  devices.reset();
  for (fake_backend* b : {&device, &serial, &textbook, &openmp, &second, &absent}) b->reset();
}

fake_backends& fakes() {
  static fake_backends all;
  return all;
}

}  // namespace testing

std::span<const detail::registration> detail::registry() {
  testing::fake_backends& f = testing::fakes();
  static const registration all[] = {
      {"cuda.single_pass", role::production, true, &f.device, {}, memory::device},
      {"simt.single_pass", role::production, true, nullptr, "built without fibers", memory::host},
      {"cpu.serial", role::reference, true, &f.serial, {}, memory::host},
      {"cpu.textbook", role::textbook, false, &f.textbook, {}, memory::host},
      {"cpu.absent", role::production, true, &f.absent, {}, memory::host},
      {"cpu.openmp", role::production, true, &f.openmp, {}, memory::host},
      {"cpu.second", role::production, true, &f.second, {}, memory::host},
  };
  return all;
}

const detail::device_family* detail::devices() { return &testing::fakes().devices; }

}  // namespace upsweep
