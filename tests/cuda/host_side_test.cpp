// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host does around the kernels: probes, refusals, streams, graphs, errors.
#include <cuda.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <numeric>
#include <regex>
#include <span>

#include "tests/cuda/gpu.hpp"
#include "tests/property/harness.hpp"
#include "tests/unit/expect.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::testing {

namespace {

TEST(probe, says_why_there_is_no_gpu) {
  const std::regex words(
      "no NVIDIA driver|driver too old for CUDA \\d+\\.\\d+|"
      "no GPU of compute capability >= 7\\.5(: device \\d+, which is current, has \\d+\\.\\d+)?|"
      "built for compute capability .*; device \\d+, which is current, has \\d+\\.\\d+|cuda\\w+: "
      ".*");
  EXPECT_FALSE(tested_backends().empty());
  for (const backend_info& b : tested_backends())
    if (b.available)
      EXPECT_EQ(b.reason, "");
    else
      EXPECT_TRUE(std::regex_match(b.reason, words)) << b.name << ": " << b.reason;
}

// Makes a device the current one, for as long as it lives.
class current_device {
 public:
  explicit current_device(int d) {
    check(cudaGetDevice(&before_));
    check(cudaSetDevice(d));
  }
  ~current_device() { cudaSetDevice(before_); }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;

 private:
  int before_ = 0;
};

class host_side : public on_backend {
 protected:
  static constexpr std::int64_t n = 10'000;

  void SetUp() override {
    on_backend::SetUp();
    std::iota(x_.begin(), x_.end(), 1);
    std::partial_sum(x_.begin(), x_.end(), want_.begin());
  }

  plan make(memory where, std::int64_t longest = n, const spec& what = {.in = i32}) const {
    return plan(what, {.length = longest}, {.backend = GetParam().name, .memory = where});
  }

  void expect_served() const {
    std::vector<std::int32_t> out(x_.size());
    make(host).run({.in = x_.data(), .out = out.data(), .length = n});
    EXPECT_EQ(out, want_);
  }

  std::vector<std::int32_t> x_ = std::vector<std::int32_t>(n);
  std::vector<std::int32_t> want_ = std::vector<std::int32_t>(n);
};

TEST_P(host_side, tells_how_it_was_chosen) {
  EXPECT_NE(make(device).why().find("named by backend (" + GetParam().name + "); device 0, "),
            std::string::npos);
}

TEST_P(host_side, failed_allocation_says_what_failed_and_spoils_nothing) {
  if (GetParam().name == "cuda.naive") setenv("UPSWEEP_NAIVE_LENGTH", "60000000000", 1);
  expect_error(errc::out_of_memory, {" bytes: cudaErrorMemoryAllocation: out of memory"},
               [&] { make(host, 60'000'000'000); });
  unsetenv("UPSWEEP_NAIVE_LENGTH");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  expect_served();
}

TEST_P(host_side, failed_launch_says_what_failed_and_spoils_nothing) {
  plan before = make(host);
  expect_error(errc::device, {"launch of a kernel: cudaErrorInvalidValue: invalid argument"},
               launch_with_too_much_shared_memory);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  std::vector<std::int32_t> out(x_.size());
  before.run({.in = x_.data(), .out = out.data(), .length = n});
  EXPECT_EQ(out, want_);
  expect_served();
}

class host_side_of_naive : public host_side {};

TEST_P(host_side_of_naive, limits_what_would_take_too_long) {
  expect_error(errc::unsupported, {"at most 65536 elements, not 65537", "UPSWEEP_NAIVE_LENGTH"},
               [&] { make(device, 65'537); });
  const scoped_environment asked("UPSWEEP_NAIVE_LENGTH", "65537");
  EXPECT_NO_THROW(make(device, 65'537));
}

UPSWEEP_ON_BACKENDS(host_side_of_naive, tested_backends(true));

class host_side_of_textbooks : public host_side {};

TEST_P(host_side_of_textbooks, refuses_states) {
  state s;
  std::vector<std::int32_t> out(x_.size(), 7);
  plan p = make(host);
  const arguments a{.in = x_.data(), .out = out.data(), .length = n, .state = &s};
  expect_error(errc::unsupported, {"state: ", GetParam().name}, [&] { p.run(a); });
  expect_error(errc::unsupported, {"state: ", GetParam().name}, [&] { p.aggregate(a); });
  expect_error(errc::unsupported, {"state: ", GetParam().name}, [&] { p.append(s, state()); });
  EXPECT_EQ(out, std::vector<std::int32_t>(x_.size(), 7));
}

TEST_P(host_side_of_textbooks, refuses_an_init_in_device_memory) {
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, init(1);
  const std::vector<std::int32_t> sevens(x_.size(), 7);
  const on_gpu<std::int32_t> out{std::span<const std::int32_t>(sevens)};
  plan p = make(device);
  for (const std::int64_t length : {n, std::int64_t{0}})
    expect_error(errc::unsupported, {"init_device: ", GetParam().name}, [&] {
      p.run({.in = in.data(), .out = out.data(), .length = length, .init_device = init.data()});
    });
  EXPECT_EQ(out.fetch(), sevens);

  std::vector<std::int32_t> host_out = sevens;
  plan on_host = make(host);
  expect_error(errc::unsupported, {"init_device: ", GetParam().name, "host memory"}, [&] {
    on_host.run({.in = x_.data(), .out = host_out.data(), .length = n, .init_device = init.data()});
  });
  EXPECT_EQ(host_out, sevens);
}

UPSWEEP_ON_BACKENDS(host_side_of_textbooks, of_role(false));

class host_side_of_production : public host_side {};

TEST_P(host_side_of_production, serves_an_init_in_device_memory) {
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, out(x_.size()), totals(2);
  const std::vector<std::int32_t> inits{1000};
  const on_gpu<std::int32_t> init{std::span<const std::int32_t>(inits)};
  plan p = make(device);
  p.run({.in = in.data(),
         .out = out.data(),
         .length = n,
         .init_device = init.data(),
         .total = totals.data()});
  p.run({.length = 0, .init_device = init.data(), .total = totals.data() + 1});
  std::vector<std::int32_t> want = want_;
  for (std::int32_t& w : want) w += 1000;
  EXPECT_EQ(out.fetch(), want);
  EXPECT_EQ(totals.fetch(), (std::vector<std::int32_t>{want.back(), 1000}));
}

// Its init must be on the host, where the state is.
TEST_P(host_side_of_production, refuses_an_init_in_device_memory_beside_a_state) {
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, init(1);
  state s;
  plan p = make(device);
  expect_error(errc::unsupported, {"init_device: ", GetParam().name + " beside a state"}, [&] {
    p.aggregate({.in = in.data(), .length = n, .init_device = init.data(), .state = &s});
  });
  EXPECT_TRUE(s.empty());
}

TEST_P(host_side_of_production, leaves_the_total_in_device_memory_beside_a_state) {
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, totals(2);
  const gpu_stream stream;
  state s;
  plan p = make(device);
  arguments a{.in = in.data(), .length = n, .total = totals.data(), .state = &s, .stream = stream};
  p.aggregate(a);
  a.length = 0;
  a.total = totals.data() + 1;
  p.run(a);
  stream.wait();
  EXPECT_EQ(totals.fetch(), std::vector<std::int32_t>(2, want_.back()));
  EXPECT_EQ(s.position(), n);
}

UPSWEEP_ON_BACKENDS(host_side_of_production, of_role(true));

// CUB would take the error for its own, so the peers clear it.
TEST_P(host_side, leaves_an_error_of_the_caller_alone) {
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  expect_served();
  const bool peer = GetParam().role == role::peer;
  EXPECT_EQ(cudaGetLastError(), peer ? cudaSuccess : cudaErrorMemoryAllocation);
}

TEST_P(host_side, writes_the_total_alone_for_no_elements) {
  const on_gpu<std::int32_t> totals(2);
  plan p = make(device);
  p.run({.length = 0, .total = totals.data()});
  p.run({.length = 0, .init = 42, .total = totals.data() + 1});
  EXPECT_EQ(totals.fetch(), (std::vector<std::int32_t>{0, 42}));
}

TEST_P(host_side, obeys_one_stream_at_a_time) {
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, out(x_.size());
  const gpu_stream one, two;
  plan p = make(device);
  arguments a{.in = in.data(), .out = out.data(), .length = n, .stream = one};
  p.run(a);
  one.wait();
  a.stream = two;
  expect_error(errc::invalid_argument, {"stream: ", "rebind"}, [&] { p.run(a); });
  p.rebind(two);
  p.run(a);
  two.wait();
  EXPECT_EQ(out.fetch(), want_);
}

// On every device that is here: the plan's own serves it, others refuse, and none is changed.
TEST_P(host_side, obeys_its_device) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  plan on_first = make(device), on_host = make(host);
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, on_device(x_.size());
  for (int d = 0; d < devices; ++d) {
    const current_device other(d);
    const auto run = [&] { on_first.run({.in = in.data(), .out = on_device.data(), .length = n}); };
    if (d == 0)
      run();
    else
      expect_error(errc::invalid_argument, {"made for device 0, but device " + std::to_string(d)},
                   run);
    std::vector<std::int32_t> out(x_.size());
    on_host.run({.in = x_.data(), .out = out.data(), .length = n});
    EXPECT_EQ(out, want_);
    int now = -1;
    check(cudaGetDevice(&now));
    EXPECT_EQ(now, d);
  }
  EXPECT_EQ(on_device.fetch(), want_);
}

// NVIDIA/thrust#905 (B105): a call waits for nothing, and its stream for no other.
TEST_P(host_side, does_not_wait) {
  using clock = std::chrono::steady_clock;
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, out(x_.size());
  const gpu_stream slow, own;
  plan p = make(device);
  const arguments a{.in = in.data(), .out = out.data(), .length = n, .stream = own};
  p.run(a);  // loads the kernels
  own.wait();
  occupy(1, 200'000, slow);
  const auto begin = clock::now();
  p.run(a);
  EXPECT_LT(clock::now() - begin, std::chrono::milliseconds(5));
  own.wait();
  EXPECT_EQ(cudaStreamQuery(slow), cudaErrorNotReady);
  slow.wait();
  EXPECT_EQ(out.fetch(), want_);
}

TEST_P(host_side, runs_in_a_graph) {
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, out(x_.size());
  const gpu_stream stream;
  plan p = make(device);
  const arguments a{.in = in.data(), .out = out.data(), .length = n, .stream = stream};
  p.run(a);  // loads the kernels
  stream.wait();
  const gpu_graph graph(stream, [&] { p.run(a); });
  for (int replay = 0; replay < 3; ++replay) {
    check(cudaMemsetAsync(out.data(), 0xa5, n * sizeof(std::int32_t), stream));
    graph.launch();
    stream.wait();
    EXPECT_EQ(out.fetch(), want_);
  }
}

// Whether one-shot calls take memory for the host's: then its backends serve it.
bool is_host_memory(const std::int32_t* in, std::int32_t* out) {
  try {
    scan({.in = i32}, {.in = in, .out = out, .length = 1}, {.backend = "cpu"});
    return true;
  } catch (const error&) {
    return false;
  }
}

TEST_P(host_side, serves_one_shot_calls_on_device_memory) {
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, out(x_.size()), total(1);
  const gpu_stream stream;
  for (const cudaStream_t s : {cudaStream_t{}, cudaStream_t{stream}, cudaStream_t{}}) {
    check(cudaMemset(out.data(), 0xa5, n * sizeof(std::int32_t)));
    check(cudaDeviceSynchronize());
    occupy(1, 5'000, s);
    std::int32_t on_host = 0;
    scan({.in = i32},
         {.in = in.data(), .out = out.data(), .length = n, .total = &on_host, .stream = s},
         {.backend = GetParam().name});
    EXPECT_EQ(cudaStreamQuery(s), cudaSuccess) << "it did not wait";
    EXPECT_EQ(out.fetch(), want_);
    EXPECT_EQ(on_host, want_.back());
  }
  scan({.in = i32}, {.in = in.data(), .out = out.data(), .length = n, .total = total.data()},
       {.backend = GetParam().name});
  EXPECT_EQ(total.fetch()[0], want_.back());
  scan({.in = i32}, {.length = 0, .init = 42, .total = total.data()}, {.backend = GetParam().name});
  EXPECT_EQ(total.fetch()[0], 42);
}

TEST_P(host_side, refuses_one_shot_calls_on_a_stream_that_is_captured) {
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, out(x_.size());
  plan p = make(host);
  cudaStream_t stream = nullptr;  // one that the default stream waits for
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (const cudaStream_t s : {stream, cudaStream_t{}})
    expect_error(errc::invalid_argument, {"stream: it is being captured"}, [&] {
      scan({.in = i32}, {.in = in.data(), .out = out.data(), .length = n, .stream = s},
           {.backend = GetParam().name});
    });
  std::vector<std::int32_t> host_out(x_.size());
  const arguments on_host{.in = x_.data(), .out = host_out.data(), .length = n, .stream = stream};
  expect_error(errc::invalid_argument, {"stream: it is being captured"},
               [&] { scan({.in = i32}, on_host, {.backend = GetParam().name}); });
  expect_error(errc::invalid_argument, {"stream: it is being captured"}, [&] { p.run(on_host); });
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  std::size_t nodes = 1;
  check(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 0u);
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

TEST_P(host_side_of_production, is_what_auto_takes_for_device_memory) {
  const on_gpu<std::int32_t> in{std::span<const std::int32_t>(x_)}, out(x_.size());
  const std::span from(in.data(), x_.size()), to(out.data(), x_.size());
  EXPECT_EQ(inclusive_scan(from, to), want_.back());
  EXPECT_EQ(out.fetch(), want_);
  // A thread that has not called CUDA yet.
  EXPECT_EQ(std::async(std::launch::async, [&] { return inclusive_scan(from, from); }).get(),
            want_.back());
  EXPECT_EQ(in.fetch(), want_);
  EXPECT_FALSE(is_host_memory(in.data(), out.data()));
}

TEST_P(host_side_of_production, one_shot_calls_know_managed_and_page_locked_memory) {
  void *moving = nullptr, *staying = nullptr;
  check(cudaMallocManaged(&moving, 64));
  check(cudaMallocHost(&staying, 64));
  auto* const managed = static_cast<std::int32_t*>(moving);
  auto* const locked = static_cast<std::int32_t*>(staying);
  *managed = *locked = 3;
  EXPECT_FALSE(is_host_memory(managed, managed));
  EXPECT_TRUE(is_host_memory(locked, locked));
  EXPECT_TRUE(is_host_memory(x_.data(), x_.data()));
  scan({.in = i32}, {.in = managed, .out = managed + 1, .length = 1, .total = locked});
  EXPECT_EQ(managed[1], 3);
  EXPECT_EQ(*locked, 3);
  check(cudaFree(managed));
  check(cudaFreeHost(locked));
}

TEST_P(host_side_of_production, one_shot_calls_leave_an_error_of_the_caller_alone) {
  const on_gpu<std::int32_t> x{std::span<const std::int32_t>(x_)};
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  const std::span all(x.data(), x_.size());
  EXPECT_EQ(inclusive_scan(all, all), want_.back());
  EXPECT_TRUE(is_host_memory(x_.data(), x_.data()));
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

// On every device that is here, likewise.
TEST_P(host_side_of_production, names_the_devices_of_one_shot_calls) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  const on_gpu<std::int32_t> first(1);
  for (int d = 0; d < devices; ++d) {
    const current_device other(d);
    const on_gpu<std::int32_t> here{std::vector<std::int32_t>{5}};
    if (d != 0) {
      const std::string name = "device " + std::to_string(d);
      expect_error(
          errc::invalid_argument, {"in: it is on device 0, but " + name + " is current"},
          [&] { scan({.in = i32}, {.in = first.data(), .out = first.data(), .length = 1}); });
      expect_error(errc::invalid_argument, {"out: it is on device 0, but in is on " + name}, [&] {
        scan({.in = i32}, {.in = here.data(), .out = first.data(), .length = 1});
      });
    }
    const std::span x(here.data(), 1);
    EXPECT_EQ(inclusive_scan(x, x), 5);
  }
}

// How many GPUs have a context.
int contexts() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto state_of = reinterpret_cast<decltype(&cuDevicePrimaryCtxGetState)>(
      dlsym(driver, "cuDevicePrimaryCtxGetState"));
  int devices = 0, active = 0, all = 0;
  unsigned flags = 0;
  check(cudaGetDeviceCount(&devices));
  for (int d = 0; d < devices; ++d)
    if (state_of(d, &flags, &active) == CUDA_SUCCESS) all += active;
  return all;
}

// In processes of their own: in this one, the tests before have made a context.
TEST_P(host_side_of_production, scans_of_host_memory_make_no_context) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto scan_by_auto = [&] { return inclusive_scan(x_, x_) == want_.back(); };
  EXPECT_EXIT(std::_Exit(scan_by_auto() ? contexts() : 99), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::_Exit((check(cudaFree(nullptr)), contexts())), ::testing::ExitedWithCode(1), "");
}

UPSWEEP_ON_ALL_BACKENDS(host_side);

}  // namespace

}  // namespace upsweep::testing
