// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_registry.hpp"

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

  void run(const detail::request&) override {
    if (running_.exchange(true)) ++backend_.crowded;
    if (backend_.on_run) backend_.on_run();
    running_ = false;
  }
  void aggregate(const detail::request& r) override { run(r); }
  void append(detail::state_data&, const detail::state_data&) const override {}
  std::string policy() const override { return "a fake"; }

 private:
  const fake_backend& backend_;
  std::atomic<bool> running_{false};
};

}  // namespace

std::unique_ptr<detail::plan_impl> fake_backend::make_plan(const spec&, const extents&,
                                                           const plan_options&) const {
  if (on_make) on_make();
  return std::make_unique<fake_plan>(*this);
}

void fake_backends::reset() {
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

}  // namespace upsweep
