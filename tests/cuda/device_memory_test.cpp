// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random scans of device memory, on a stream, against the oracle; whole and in parts.
#include <algorithm>

#include "tests/cuda/gpu.hpp"
#include "tests/property/harness.hpp"
#include "tests/unit/expect.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::testing {

namespace {

// The arrays of a stage on the GPU, guards included, at addresses of the same alignment.
class twin {
 public:
  explicit twin(stage& s) {
    for (guarded* const g : s.arrays()) {
      const std::span<std::byte> host = g->surroundings();
      const std::size_t shift = reinterpret_cast<std::uintptr_t>(host.data()) % guarded::guard;
      pieces_.push_back({host, on_gpu<std::byte>(host.size() + shift), shift});
      const piece& p = pieces_.back();
      p.memory.fill(host, shift);
    }
  }

  void fetch() const {
    for (const piece& p : pieces_) p.memory.fetch(p.host, p.shift);
  }

  arguments translated(arguments a) const {
    a.in = place(a.in);
    a.coefficients = place(a.coefficients);
    a.out = place(a.out);
    a.total = place(a.total);
    return a;
  }

 private:
  struct piece {
    std::span<std::byte> host;
    on_gpu<std::byte> memory;
    std::size_t shift;
  };

  void* place(const void* host) const {
    const auto* const at = static_cast<const std::byte*>(host);
    for (const piece& p : pieces_)
      if (at >= p.host.data() && at < p.host.data() + p.host.size())
        return p.memory.data() + p.shift + (at - p.host.data());
    return nullptr;
  }

  std::vector<piece> pieces_;
};

class device_memory : public on_backend {
 protected:
  std::optional<std::string> run(const test_case& c) const {
    stage s(c);
    const twin on_device(s);
    arguments a = on_device.translated(s.whole());
    const gpu_stream stream;
    a.stream = stream;
    if (c.one_shot) {
      scan(c.what, a, {.backend = GetParam().name});
    } else {
      plan p(c.what, {.length = c.length}, {.backend = GetParam().name, .memory = device});
      // What one run leaves in the workspace must be right for the next.
      if (!c.in_place) p.run(a);
      p.run(a);
      stream.wait();
    }
    on_device.fetch();
    return s.problem(GetParam());
  }

  // In three stretches, each aggregated, and then run on from the state that the one before left.
  std::optional<std::string> resume(const test_case& c) const {
    dice d(c.seed);
    const scoped_environment kernel("UPSWEEP_SINGLE_PASS",
                                    forced_kernel(d, fits_a_cluster(c)).c_str());
    std::vector<std::int64_t> cuts{0, d.between(0, c.length), d.between(0, c.length), c.length};
    std::ranges::sort(cuts);
    stage s(c);
    const twin on_device(s);
    const gpu_stream stream;
    plan p(c.what, {.length = c.length}, {.backend = GetParam().name, .memory = device});
    state at;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      arguments a = on_device.translated(s.stretch(cuts[k], cuts[k + 1]));
      if (!at.empty()) a.init = {};
      a.stream = stream;
      state passed = at;
      a.state = &passed;
      p.aggregate(a);
      a.state = &at;
      p.run(a);
      if (at.position() != cuts[k + 1] || passed.position() != cuts[k + 1])
        return "a state that is elsewhere";
    }
    stream.wait();
    on_device.fetch();
    return s.problem(GetParam());
  }
};

TEST_P(device_memory, scans_equal_the_oracle) {
  for_all_cases(GetParam().name, case_count(), [&](const test_case& c) { return run(c); });
}

UPSWEEP_ON_ALL_BACKENDS(device_memory);

class device_memory_of_production : public device_memory {};

TEST_P(device_memory_of_production, scans_in_parts_equal_the_oracle) {
  for_all_cases(GetParam().name, case_count() / 4, [&](const test_case& c) { return resume(c); });
}

UPSWEEP_ON_BACKENDS(device_memory_of_production, of_role(true));

}  // namespace

}  // namespace upsweep::testing
