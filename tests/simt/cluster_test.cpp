// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of a cluster, which send to each other's shared memory: right in every schedule; a wrong
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
using kernels::sync_block;
using kernels::thread_index;
using kernels::wait_cluster;

enum class fault_of_cluster : std::uint8_t {
  none,
  no_barrier,
  announced_late,
  too_few_expected,
  read_early,
  waited_for_the_block,
  left_early,
  written_by_two,
  arrives_twice,
  waits_twice,
  beyond,
};

struct pair {
  word low, high;
};

// Each block sends to the next one.
UPSWEEP_KERNEL void hand_round(global<word> out, fault_of_cluster f) {
  using enum fault_of_cluster;
  UPSWEEP_SHARED(pair, from_before, 64);
  UPSWEEP_SHARED(word, too, 1);
  UPSWEEP_BARRIERS(landed, 2);
  const int t = thread_index();
  const auto mine = static_cast<int>(block_index()), blocks = static_cast<int>(grid_size());
  const auto init = [&] {
    if (t != 0) return;
    landed.init(1, 1);
    landed.arrive_expecting(1,
                            64 * static_cast<int>(sizeof(pair)) + (f == too_few_expected ? 0 : 4));
  };
  if (f != announced_late) init();
  if (f != no_barrier) {
    arrive_cluster();
    if (f == arrives_twice) arrive_cluster();
    wait_cluster();
  }
  if (f == waits_twice) wait_cluster();
  if (f == announced_late) init();
  const int next = f == beyond ? blocks : (mine + 1) % blocks;
  const auto value = static_cast<word>(1000 * mine + t);
  const int to = f == written_by_two && t == 1 ? 0 : t;
  send(from_before, to, pair{value, value + 7}, landed, 1, next);
  if (t == 63) send(too, 0, value, landed, 1, next);
  if (f == left_early) return;
  sync_block();
  if (f == waited_for_the_block)
    landed.wait(1, 0);
  else if (f != read_early)
    landed.wait_sent(1, 0);
  const pair handed = from_before[63 - t];
  const word last = too[0];
  out[mine * 64 + t] = handed.low + handed.high + last;
}

void run(device& d, fault_of_cluster f, std::int64_t blocks = 5) {
  const array out(d, 64 * blocks);
  launch(stream{&d}, {.blocks = blocks, .threads = 64, .cluster = true}, hand_round, out, f);
  for (std::int64_t b = 0; b < blocks; ++b)
    for (int t = 0; t < 64; ++t) {
      const auto before = static_cast<word>(1000 * ((b + blocks - 1) % blocks));
      const word handed = before + static_cast<word>(63 - t);
      ASSERT_EQ(out[b * 64 + t], 2 * handed + 7 + before + 63);
    }
}

TEST(simt_cluster, blocks_send_to_each_other) {
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
  expect_fault(d, fault_kind::barrier, {"cluster_test.cpp", "sends to a barrier of block"},
               with(announced_late));
  expect_fault(d, fault_kind::barrier, {"expects 512 bytes", "516"}, with(too_few_expected));
  expect_fault(d, fault_kind::uninitialised, {"shared memory", "nothing has written"},
               with(read_early));
  expect_fault(d, fault_kind::barrier, {"waits", "by wait() for what blocks have sent"},
               with(waited_for_the_block));
  expect_fault(d, fault_kind::race, {"a bulk copy of thread", "shared memory"},
               with(written_by_two));
  expect_fault(d, fault_kind::barrier, {"arrives", "has not waited"}, with(arrives_twice));
  expect_fault(d, fault_kind::barrier, {"waits", "has not arrived"}, with(waits_twice));
  expect_fault(d, fault_kind::unknown_memory, {"shared memory of block 5"}, with(beyond));
  // By the schedule: the other block has no barrier yet, or is not there.
  EXPECT_THROW(run(d, no_barrier), fault);
  // Likewise: it has left, or leaves before what is sent to it is there.
  EXPECT_THROW(run(d, left_early), fault);
  expect_fault(d, fault_kind::barrier, {"the launch has none"}, [](device& on) {
    const array out(on, 64);
    launch(stream{&on}, {.blocks = 1, .threads = 64}, hand_round, out, none);
  });
  EXPECT_THROW(run(d, none, 17), std::invalid_argument);
}

}  // namespace

}  // namespace upsweep::simt
