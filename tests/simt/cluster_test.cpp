// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of a cluster, which reach each other's shared memory: right in every schedule; a wrong
// kernel is told what is wrong.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "backends/kernels/port.hpp"
#include "backends/simt/device.hpp"
#include "on_devices.hpp"

namespace upsweep::simt {

namespace {

using kernels::arrive_cluster;
using kernels::block_index;
using kernels::global;
using kernels::grid_size;
using kernels::stream;
using kernels::thread_index;
using kernels::wait_cluster;

enum class fault_of_cluster : std::uint8_t {
  none,
  no_first_barrier,
  no_second_barrier,
  no_last_barrier,
  arrives_twice,
  waits_twice,
  beyond,
};

// Each block writes into the next one's memory, and reads the one's before.
UPSWEEP_KERNEL void hand_round(global<word> out, fault_of_cluster f) {
  using enum fault_of_cluster;
  UPSWEEP_SHARED(word, from_before, 64);
  UPSWEEP_SHARED(word, own, 64);
  const int t = thread_index();
  const auto mine = static_cast<int>(block_index()), blocks = static_cast<int>(grid_size());
  own[t] = static_cast<word>(1000 * mine + t);
  const auto meet = [] {
    arrive_cluster();
    wait_cluster();
  };
  if (f != no_first_barrier) meet();
  if (f == arrives_twice) {
    arrive_cluster();
    arrive_cluster();
  }
  if (f == waits_twice) wait_cluster();
  of_block(from_before, f == beyond ? blocks : (mine + 1) % blocks)[t] =
      static_cast<word>(7 * mine + t);
  if (f != no_second_barrier) meet();
  const word handed = from_before[63 - t];
  const word there = of_block(own, (mine + blocks - 1) % blocks)[t];
  out[mine * 64 + t] = handed + there;
  if (f != no_last_barrier) meet();
}

void run(device& d, fault_of_cluster f, std::int64_t blocks = 5) {
  const array out(d, 64 * blocks);
  launch(stream{&d}, {.blocks = blocks, .threads = 64, .cluster = true}, hand_round, out, f);
  for (std::int64_t b = 0; b < blocks; ++b)
    for (int t = 0; t < 64; ++t) {
      const auto before = static_cast<word>((b + blocks - 1) % blocks);
      ASSERT_EQ(out[b * 64 + t], 7 * before + (63 - t) + 1000 * before + t);
    }
}

TEST(simt_cluster, blocks_reach_each_others_memory) {
  on_many([](device& d) {
    run(d, fault_of_cluster::none);
    run(d, fault_of_cluster::none, 16);
    run(d, fault_of_cluster::none, 1);
  });
}

// A thread that has left is waited for no longer.
UPSWEEP_KERNEL void leave_early(global<word> out) {
  if (thread_index() >= 32) return;
  arrive_cluster();
  wait_cluster();
  if (thread_index() == 0) out[block_index()] = 1;
}

TEST(simt_cluster, counts_threads_that_still_run) {
  on_many([](device& d) {
    const array out(d, 3);
    launch(stream{&d}, {.blocks = 3, .threads = 64, .cluster = true}, leave_early, out);
    for (int b = 0; b < 3; ++b) EXPECT_EQ(out[b], 1u);
  });
}

TEST(simt_cluster, tells_what_is_wrong) {
#ifdef UPSWEEP_SIMT_RAW
  GTEST_SKIP() << "this build leaves the checks to a sanitizer";
#endif
  using enum fault_of_cluster;
  device d({.seed = 3});
  const auto with = [](fault_of_cluster f) { return [f](device& on) { run(on, f); }; };
  expect_fault(d, fault_kind::unknown_memory, {"cluster_test.cpp", "shared memory of block"},
               with(no_first_barrier));
  expect_fault(d, fault_kind::uninitialised, {"shared memory", "nothing has written"},
               with(no_second_barrier));
  expect_fault(d, fault_kind::unknown_memory, {"shared memory of", "has left"},
               with(no_last_barrier));
  expect_fault(d, fault_kind::barrier, {"arrives", "has not waited"}, with(arrives_twice));
  expect_fault(d, fault_kind::barrier, {"waits", "has not arrived"}, with(waits_twice));
  expect_fault(d, fault_kind::unknown_memory, {"shared memory of block 5"}, with(beyond));
  expect_fault(d, fault_kind::barrier, {"the launch has none"}, [](device& on) {
    const array out(on, 64);
    launch(stream{&on}, {.blocks = 1, .threads = 64}, hand_round, out, none);
  });
  EXPECT_THROW(run(d, none, 17), std::invalid_argument);
}

}  // namespace

}  // namespace upsweep::simt
