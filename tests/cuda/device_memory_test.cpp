// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random scans of device memory, on a stream, against the oracle.
#include "tests/cuda/gpu.hpp"
#include "tests/property/harness.hpp"
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
      check(cudaMemcpy(p.memory.data() + shift, host.data(), host.size(), cudaMemcpyHostToDevice));
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
};

TEST_P(device_memory, scans_equal_the_oracle) {
  for_all_cases(GetParam().name, case_count(), [&](const test_case& c) { return run(c); });
}

UPSWEEP_ON_ALL_BACKENDS(device_memory);

}  // namespace

}  // namespace upsweep::testing
