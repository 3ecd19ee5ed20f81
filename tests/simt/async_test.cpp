// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose warps do different work: bulk copies beside the threads, barriers with phases and
// of some warps, accesses of bytes. Right ones run in every schedule; a wrong one is told what is
// wrong.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "backends/kernels/port.hpp"
#include "backends/simt/device.hpp"
#include "on_devices.hpp"

namespace upsweep::simt {

namespace {

using kernels::barriers;
using kernels::block_index;
using kernels::global;
using kernels::grid_size;
using kernels::lane_index;
using kernels::load_as;
using kernels::shared;
using kernels::store_as;
using kernels::stream;
using kernels::sync_block;
using kernels::sync_threads;
using kernels::sync_warp;
using kernels::thread_index;
using kernels::warp_index;

// ---- a ring of stages: one warp loads tiles, two add to them and store the sums

enum class fault_of_ring : std::uint8_t {
  none,
  no_wait_for_load,
  no_wait_for_readers,
  readers_never_arrive,
  freed_before_read,
  no_fence,
  fence_of_one_only,
  fence_before_write,
  no_wait_for_stores,
  no_barrier_before_store,
  no_last_wait,
  no_commit,
  expects_less,
  expects_more,
};

constexpr int stages = 3;
constexpr int tile_words = 64;
constexpr int tile_bytes = 4 * tile_words;

UPSWEEP_KERNEL_OF(96, 1)
void ring(global<const std::byte> in, global<std::byte> out, std::int64_t tiles, fault_of_ring f) {
  UPSWEEP_SHARED(std::byte, loaded, stages * tile_bytes);
  UPSWEEP_DYNAMIC_SHARED(std::byte, sums);
  UPSWEEP_BARRIERS(full, stages);
  const barriers empty(sums, 2 * tile_bytes, stages);
  if (thread_index() == 0)
    for (int s = 0; s < stages; ++s) {
      full.init(s, 1);
      empty.init(s, 2);
    }
  // So that a wrong ring reads what it should not, and not what is not there.
  for (int i = thread_index(); i < stages * tile_words; i += 96) store_as<word>(loaded, 4 * i, 0);
  for (int i = thread_index(); i < 2 * tile_words; i += 96) store_as<word>(sums, 4 * i, 0);
  kernels::fence_async();
  sync_block();
  using enum fault_of_ring;
  int round = 0;
  if (warp_index() == 0) {
    if (lane_index() != 0) return;
    for (std::int64_t tile = block_index(); tile < tiles; tile += grid_size(), ++round) {
      const int s = round % stages;
      if (f != no_wait_for_readers) empty.wait(s, (round / stages + 1) % 2);
      const int more = f == expects_less ? -16 : f == expects_more ? 16 : 0;
      full.arrive_expecting(s, tile_bytes + more);
      for (const int half : {0, tile_bytes / 2})
        bulk_load(loaded, s * tile_bytes + half, in, tile * tile_bytes + half, tile_bytes / 2, full,
                  s);
    }
  } else {
    const int i = thread_index() - 32;
    for (std::int64_t tile = block_index(); tile < tiles; tile += grid_size(), ++round) {
      const int s = round % stages, place = round % 2 * tile_bytes;
      if (f != no_wait_for_load) full.wait(s, round / stages % 2);
      if (f == freed_before_read && lane_index() == 0) empty.arrive(s);
      const word x = load_as<word>(loaded, s * tile_bytes + 4 * i);
      sync_warp();
      if (f != readers_never_arrive && f != freed_before_read && lane_index() == 0) empty.arrive(s);

      if (i == 0 && f != no_wait_for_stores) kernels::bulk_wait_read<1>();
      sync_threads(1, 64);
      if (f == fence_before_write) kernels::fence_async();
      store_as<word>(sums, place + 4 * i, x + static_cast<word>(tile));
      if (f != no_fence && f != fence_before_write && (f != fence_of_one_only || i == 0))
        kernels::fence_async();
      if (f != no_barrier_before_store) sync_threads(2, 64);
      if (i == 0) {
        bulk_store(out, tile * tile_bytes, sums, place, tile_bytes);
        if (f != no_commit) kernels::bulk_commit();
      }
    }
    if (i == 0 && f != no_last_wait) kernels::bulk_wait_read<0>();
  }
}

void run_ring(device& d, fault_of_ring f) {
  constexpr int tiles = 20;
  const array in(d, tiles * tile_words, 7), out(d, tiles * tile_words);
  launch(stream{&d}, {2, 96, 2 * tile_bytes + 8 * stages}, ring, in.const_bytes(), out.bytes(),
         tiles, f);
  for (int i = 0; i < tiles * tile_words; ++i)
    ASSERT_EQ(out[i], static_cast<word>(7 + i / tile_words)) << i;
}

TEST(simt_async, a_ring_of_stages_runs_in_every_schedule) {
  on_many([](device& d) { run_ring(d, fault_of_ring::none); }, 60);
}

TEST(simt_async, finds_each_fault_of_a_ring) {
  using enum fault_of_ring;
  const struct {
    fault_of_ring what;
    fault_kind kind;
    std::vector<std::string> words;
  } faults[] = {
      {no_wait_for_load, fault_kind::race, {"shared memory", "bulk copy", " read"}},
      {readers_never_arrive,
       fault_kind::stuck,
       {"phase 0 of the barrier lacks 2 of 2 arrivals and 0 bytes"}},
      {freed_before_read, fault_kind::race, {"shared memory", "bulk copy", " read"}},
      {no_fence, fault_kind::proxy, {"reads shared memory", "called no fence_async() between"}},
      {fence_of_one_only, fault_kind::proxy, {"reads shared memory", "thread 33 of block"}},
      {fence_before_write, fault_kind::proxy, {"reads shared memory", "called no fence_async()"}},
      {no_wait_for_stores, fault_kind::race, {" writes shared memory", "a bulk copy of block"}},
      {no_barrier_before_store, fault_kind::race, {"shared memory", "bulk copy", "nothing orders"}},
      {no_last_wait, fault_kind::unfinished, {"thread 32 of block", "no bulk_wait_read()"}},
      {no_commit, fault_kind::race, {" writes shared memory", "a bulk copy of block"}},
      {expects_less, fault_kind::barrier, {"expects 240 bytes", "have 256"}},
      {expects_more, fault_kind::stuck, {"lacks 0 of 1 arrivals and 16 bytes"}},
  };
  for (const auto& [what, kind, words] : faults)
    expect_fault(kind, words, [what = what](device& d) { run_ring(d, what); });
}

TEST(simt_async, finds_a_stage_that_is_loaded_again_without_a_wait) {
#ifdef UPSWEEP_SIMT_RAW
  GTEST_SKIP() << "this build leaves the checks to a sanitizer";
#endif
  on_many([](device& d) {
    try {
      run_ring(d, fault_of_ring::no_wait_for_readers);
      ADD_FAILURE() << "no fault";
    } catch (const fault& e) {  // whichever comes first
      EXPECT_TRUE(e.kind() == fault_kind::race || e.kind() == fault_kind::barrier) << e.what();
    }
  });
}

// ---- barriers

enum class misuse : std::uint8_t {
  no_init,
  init_not_ordered,
  init_twice,
  no_arrivals,
  surplus_arrival,
  parity_of_two,
  index_outside,
  bytes_beyond_a_phase,
  plain_write,
  wait_for_ever,
};

UPSWEEP_KERNEL void misuse_barrier(misuse how) {
  UPSWEEP_BARRIERS(b, 2);
  const int i = thread_index();
  if (i == 0 && how != misuse::no_init) b.init(0, how == misuse::no_arrivals ? 0 : 1);
  if (i == 0 && how == misuse::init_twice) b.init(0, 1);
  if (how != misuse::init_not_ordered) sync_block();
  if (i == 0 && how == misuse::surplus_arrival) {
    b.arrive_expecting(0, 16);
    b.arrive(0);
  }
  if (i == 0 && how == misuse::bytes_beyond_a_phase) b.arrive_expecting(0, 1 << 20);
  if (how == misuse::init_not_ordered && i == 1)
    for (int k = 0; k < 100; ++k) b.wait(0, 1);
  b.wait(how == misuse::index_outside ? 2 : 0, how == misuse::parity_of_two ? 2 : 0);
}

UPSWEEP_KERNEL void write_over_barrier() {
  UPSWEEP_DYNAMIC_SHARED(std::byte, all);
  const barriers b(all, 16, 1);
  if (thread_index() == 0) b.init(0, 1);
  sync_block();
  if (thread_index() == 1) store_as<word>(all, 20, 1);
}

UPSWEEP_KERNEL void misplace_barriers(int first, int count) {
  UPSWEEP_DYNAMIC_SHARED(std::byte, all);
  const barriers b(all, first, count);
  static_cast<void>(b);
}

TEST(simt_async, finds_barriers_that_are_used_as_none_may_be) {
  const struct {
    misuse what;
    fault_kind kind;
    std::vector<std::string> words;
  } faults[] = {
      {misuse::no_init, fault_kind::barrier, {"a barrier that nothing has initialised"}},
      {misuse::init_twice, fault_kind::barrier, {"that was initialised at", "async_test.cpp:"}},
      {misuse::no_arrivals, fault_kind::barrier, {"for 0 arrivals"}},
      {misuse::surplus_arrival, fault_kind::barrier, {"has the 1 arrivals of phase 0 already"}},
      {misuse::parity_of_two, fault_kind::barrier, {"parity 2"}},
      {misuse::index_outside, fault_kind::out_of_bounds, {"index 2 of an array of 2"}},
      {misuse::bytes_beyond_a_phase, fault_kind::barrier, {"expects 1048576 bytes in one phase"}},
      {misuse::wait_for_ever, fault_kind::stuck, {"lacks 1 of 1 arrivals"}},
  };
  for (const auto& [what, kind, words] : faults)
    expect_fault(kind, words, [what = what](device& d) {
      launch(stream{&d}, {1, 32}, misuse_barrier, what);
    });
  expect_fault(fault_kind::barrier, {"writes shared memory", "where a barrier lies"},
               [](device& d) {
                 launch(stream{&d}, {1, 32, 64}, write_over_barrier);
               });
  expect_fault(fault_kind::misaligned, {"4 bytes past a multiple of 8"}, [](device& d) {
    launch(stream{&d}, {1, 32, 64}, misplace_barriers, 4, 1);
  });
  expect_fault(fault_kind::out_of_bounds, {"bytes 48..71 of an array of 64 bytes in shared"},
               [](device& d) {
                 launch(stream{&d}, {1, 32, 64}, misplace_barriers, 48, 3);
               });
}

TEST(simt_async, finds_a_barrier_that_another_thread_may_use_before_it_is_there) {
#ifdef UPSWEEP_SIMT_RAW
  GTEST_SKIP() << "this build leaves the checks to a sanitizer";
#endif
  on_many([](device& d) {
    try {
      launch(stream{&d}, {1, 32}, misuse_barrier, misuse::init_not_ordered);
      ADD_FAILURE() << "no fault";
    } catch (const fault& e) {  // by the schedule: it is not there yet, or might not have been
      EXPECT_TRUE(e.kind() == fault_kind::race || e.kind() == fault_kind::barrier) << e.what();
    }
  });
}

// Thread 0 completes phases alone; the other comes when two more have passed than it has seen.
UPSWEEP_KERNEL void fall_behind(int phases, int parity) {
  UPSWEEP_BARRIERS(b, 2);
  if (thread_index() == 0) {
    b.init(0, 1);
    b.init(1, 1);
  }
  sync_block();
  if (thread_index() == 0)
    for (int k = 0; k < phases; ++k) b.arrive(0);
  kernels::ballot(true);  // in time, which orders nothing
  if (thread_index() == 1) b.wait(0, parity);
}

TEST(simt_async, finds_a_wait_for_a_phase_that_another_hides) {
  for (const int phases : {2, 3})
    expect_fault(fault_kind::barrier, {"waits at", "for phase 0", "phase 1 is complete, too"},
                 [=](device& d) {
                   launch(stream{&d}, {1, 32}, fall_behind, phases, 0);
                 });
  on_many([](device& d) {
    launch(stream{&d}, {1, 32}, fall_behind, 0, 1);
    launch(stream{&d}, {1, 32}, fall_behind, 1, 0);
  });
}

// Phases pass; a thread that has learned so by another way waits for a later one.
UPSWEEP_KERNEL void skip_phases() {
  UPSWEEP_BARRIERS(b, 1);
  if (thread_index() == 0) b.init(0, 1);
  sync_block();
  if (thread_index() == 0)
    for (int k = 0; k < 4; ++k) {
      b.arrive(0);
      b.wait(0, k % 2);
    }
  sync_block();
  if (thread_index() == 0) b.arrive(0);
  if (thread_index() == 32) b.wait(0, 0);
}

TEST(simt_async, knows_what_phases_a_thread_has_learned_of) {
  on_many([](device& d) { launch(stream{&d}, {1, 64}, skip_phases); });
}

// Warps hand a word on, each to the next, by arrivals alone.
UPSWEEP_KERNEL void hand_on(global<word> out, bool arrive_first) {
  UPSWEEP_BARRIERS(turn, 3);
  UPSWEEP_SHARED(word, x, 32);
  if (thread_index() == 0)
    for (int w = 0; w < 3; ++w) turn.init(w, 32);
  if (thread_index() < 32) x[thread_index()] = 0u;
  sync_block();
  const int w = warp_index(), l = lane_index();
  if (w > 0) turn.wait(w - 1, 0);
  if (arrive_first) turn.arrive(w);
  const word before = w > 0 ? x[31 - l] : word{0};
  if (w > 0) sync_warp();
  x[l] = before + 1;
  if (!arrive_first) turn.arrive(w);
  if (w == 2) out[l] = before;
}

TEST(simt_async, arrivals_hand_over_what_a_thread_did_before_them) {
  on_many([](device& d) {
    const array out(d, 32);
    launch(stream{&d}, {1, 96}, hand_on, out, false);
    for (int l = 0; l < 32; ++l) EXPECT_EQ(out[l], 2u);
  });
#ifndef UPSWEEP_SIMT_RAW
  expect_fault(fault_kind::race, {"shared memory", "nothing orders"}, [](device& d) {
    const array out(d, 32);
    launch(stream{&d}, {1, 96}, hand_on, out, true);
  });
#endif
}

// ---- copies

struct copy {
  int at = 0;
  std::int64_t from_at = 0;
  int bytes = 32;
  bool load = true;
  bool wait = true;
};

UPSWEEP_KERNEL void copy_once(global<const std::byte> in, global<std::byte> out, copy c) {
  UPSWEEP_SHARED(std::byte, x, 256);
  UPSWEEP_BARRIERS(b, 1);
  const int i = thread_index();
  store_as<std::uint64_t>(x, 8 * i, 0);
  kernels::fence_async();
  if (i == 0) b.init(0, 1);
  sync_block();
  if (i != 0) return;
  if (c.load) {
    bulk_load(x, c.at, in, c.from_at, c.bytes, b, 0);
    b.arrive_expecting(0, c.bytes);
    if (c.wait) b.wait(0, 0);
  } else {
    bulk_store(out, c.from_at, x, c.at, c.bytes);
    kernels::bulk_commit();
    kernels::bulk_wait_read<0>();
  }
}

void run_copy(device& d, copy c) {
  const array in(d, 32, 3), out(d, 32);
  launch(stream{&d}, {1, 32}, copy_once, in.const_bytes(), out.bytes(), c);
}

TEST(simt_async, finds_copies_of_what_none_may_copy) {
  on_many([](device& d) {
    run_copy(d, {});
    run_copy(d, {.load = false});
  });
  for (const bool load : {true, false}) {
    const auto expect = [&](fault_kind kind, const std::string& words, copy c) {
      c.load = load;
      expect_fault(kind, {words, "async_test.cpp:"}, [=](device& d) { run_copy(d, c); });
    };
    expect(fault_kind::misaligned, "8 bytes past a multiple of 16", {.at = 8});
    expect(fault_kind::misaligned, "4 bytes past a multiple of 16", {.from_at = 4});
    expect(fault_kind::misaligned, "copies 24 bytes", {.bytes = 24});
    expect(fault_kind::misaligned, "copies 0 bytes", {.bytes = 0});
    expect(fault_kind::out_of_bounds, "bytes 240..271 of an array of 256 bytes in shared",
           {.at = 240});
    expect(fault_kind::out_of_bounds, "bytes -16..15 of an array of 256 bytes in shared",
           {.at = -16});
    expect(fault_kind::out_of_bounds, "bytes 112..143 of an array of 128 bytes in global",
           {.from_at = 112});
  }
}

TEST(simt_async, finds_a_copy_that_nobody_waits_for) {
  expect_fault(fault_kind::unfinished, {"the kernel ended before its bulk copy: block 0 started"},
               [](device& d) { run_copy(d, {.wait = false}); });
}

TEST(simt_async, finds_a_copy_of_what_nothing_has_written) {
  expect_fault(fault_kind::uninitialised, {"a bulk copy of thread 0", "reads global memory"},
               [](device& d) {
                 const array in(d, 32), out(d, 32);
                 launch(stream{&d}, {1, 32}, copy_once, in.const_bytes(), out.bytes(), copy{});
               });
}

enum class meets : std::uint8_t {
  unfenced_write,
  late_fence,
  unordered_read,
  another_copy,
  write_of_source,
  earlier_write_of_source,
  read_of_stored,
};

UPSWEEP_KERNEL void copy_and_touch(global<word> words, global<const std::byte> in,
                                   global<std::byte> out, meets what) {
  UPSWEEP_SHARED(std::byte, x, 256);
  UPSWEEP_BARRIERS(b, 1);
  const int i = thread_index();
  store_as<std::uint64_t>(x, 8 * i, 0);
  if (what != meets::unfenced_write && what != meets::late_fence) kernels::fence_async();
  if (i == 0) b.init(0, 1);
  sync_block();
  if (what == meets::late_fence) kernels::fence_async();
  kernels::ballot(true);  // in time, which orders nothing
  if (i == 1 && what == meets::earlier_write_of_source) words[3] = 5u;
  if (i == 1 && what == meets::unordered_read) load_as<word>(x, 4);
  if (what == meets::earlier_write_of_source) sync_block();
  if (i != 0) return;
  if (what == meets::read_of_stored) {
    bulk_store(out, 0, x, 0, 64);
    kernels::bulk_commit();
    kernels::bulk_wait_read<0>();
    load_as<word>(out, 8);
    return;
  }
  b.arrive_expecting(0, what == meets::another_copy ? 128 : 64);
  bulk_load(x, 0, in, 0, 64, b, 0);
  if (what == meets::another_copy) bulk_load(x, 48, in, 64, 64, b, 0);
  if (what == meets::write_of_source) words[2] = 1u;
  b.wait(0, 0);
}

TEST(simt_async, finds_accesses_that_a_copy_may_meet) {
  const struct {
    meets what;
    fault_kind kind;
    std::vector<std::string> words;
  } faults[] = {
      {meets::late_fence, fault_kind::proxy, {"writes shared memory", "no fence_async()"}},
      {meets::unfenced_write, fault_kind::proxy, {"writes shared memory", "no fence_async()"}},
      {meets::unordered_read,
       fault_kind::race,
       {"shared memory", "bulk copy of", "nothing orders"}},
      {meets::another_copy, fault_kind::race, {"a bulk copy of thread 0", "; a bulk copy of"}},
      {meets::write_of_source, fault_kind::race, {"thread 0 of block 0 writes global memory"}},
      {meets::earlier_write_of_source, fault_kind::proxy, {"reads global", "in the same launch"}},
      {meets::read_of_stored,
       fault_kind::race,
       {"reads global memory", "; a bulk copy of block 0"}},
  };
  for (const auto& [what, kind, words] : faults)
    expect_fault(kind, words, [what = what](device& d) {
      const array in(d, 32, 3), out(d, 32);
      launch(stream{&d}, {1, 32}, copy_and_touch, in, in.const_bytes(), out.bytes(), what);
    });
}

UPSWEEP_KERNEL void copy_beside_writer(global<word> words, global<const std::byte> in) {
  UPSWEEP_SHARED(std::byte, x, 64);
  UPSWEEP_BARRIERS(b, 1);
  if (thread_index() != 0) return;
  if (block_index() == 1) {
    words[7] = 1u;
    return;
  }
  b.init(0, 1);
  b.arrive_expecting(0, 64);
  bulk_load(x, 0, in, 0, 64, b, 0);
  b.wait(0, 0);
}

TEST(simt_async, finds_a_block_that_writes_what_another_copies) {
  expect_fault(fault_kind::race, {"global memory", "bulk copy of", "nothing orders"},
               [](device& d) {
                 const array in(d, 16, 3);
                 launch(stream{&d}, {2, 32}, copy_beside_writer, in, in.const_bytes());
               });
}

// Thread 0 learns that a stage is read after it has arrived for the copy into it.
UPSWEEP_KERNEL void copy_after_arrival(global<const std::byte> in, global<word> out) {
  UPSWEEP_SHARED(std::byte, x, 64);
  UPSWEEP_BARRIERS(b, 2);
  const int i = thread_index();
  if (i == 0) {
    b.init(0, 1);
    b.init(1, 1);
    for (int k = 0; k < 16; ++k) store_as<word>(x, 4 * k, 1);
    kernels::fence_async();
  }
  sync_block();
  if (i == 32) {
    out[0] = load_as<word>(x, 60);
    b.arrive(1);
  } else if (i == 0) {
    b.arrive_expecting(0, 64);
    b.wait(1, 0);
    bulk_load(x, 0, in, 0, 64, b, 0);
  } else if (i == 64) {
    b.wait(0, 0);
    out[1] = load_as<word>(x, 60);
    store_as<word>(x, 60, 9);
  }
}

TEST(simt_async, a_copy_comes_after_what_its_start_came_after) {
  on_many([](device& d) {
    const array in(d, 16, 3), out(d, 2);
    launch(stream{&d}, {1, 96}, copy_after_arrival, in.const_bytes(), out);
    EXPECT_EQ(out[0], 1u);
    EXPECT_EQ(out[1], 3u);
  });
}

// ---- barriers of some warps

UPSWEEP_KERNEL void pairs_of_warps(global<word> out) {
  UPSWEEP_SHARED(word, x, 128);
  const int i = thread_index(), pair = i / 64;
  for (word round = 0; round < 4; ++round) {
    x[i] = round;
    sync_threads(1 + pair, 64);
    const word other = x[i ^ 32];
    sync_threads(1 + pair, 64);
    if (other != round) out[0] = 1u;
  }
}

enum class mismatch : std::uint8_t { threads, half_warps, too_few, id, odd, left };

UPSWEEP_KERNEL void mismatched(mismatch how) {
  const int i = thread_index();
  switch (how) {
    case mismatch::threads: sync_threads(3, i < 32 ? 64 : 96); break;
    case mismatch::half_warps:
      if (i % 32 < 16) sync_threads(3, 32);
      break;
    case mismatch::too_few:
      if (i < 32) sync_threads(3, 64);
      if (i >= 32) sync_block();
      break;
    case mismatch::id: sync_threads(0, 64); break;
    case mismatch::odd: sync_threads(3, 48); break;
    case mismatch::left:
      if (i < 32) sync_threads(3, 64);
      break;
  }
}

TEST(simt_async, some_warps_wait_for_each_other) {
  on_many([](device& d) {
    const array out(d, 1, 0);
    launch(stream{&d}, {2, 128}, pairs_of_warps, out);
    EXPECT_EQ(out[0], 0u);
  });
}

TEST(simt_async, finds_warps_that_do_not_agree_on_a_barrier) {
  const struct {
    mismatch what;
    fault_kind kind;
    std::string words;
  } faults[] = {
      {mismatch::threads, fault_kind::divergent, "others at that of "},
      {mismatch::half_warps, fault_kind::divergent, ": warps come whole"},
      {mismatch::too_few, fault_kind::divergent, "waits at"},
      {mismatch::id, fault_kind::divergent, "is at barrier 0 of 64 threads"},
      {mismatch::odd, fault_kind::divergent, "is at barrier 3 of 48 threads"},
      {mismatch::left, fault_kind::early_exit, "left the kernel while"},
  };
  for (const auto& [what, kind, words] : faults)
    expect_fault(kind, {words, "async_test.cpp:"}, [what = what](device& d) {
      launch(stream{&d}, {1, 96}, mismatched, what);
    });
}

UPSWEEP_KERNEL void pairs_without_order(global<word> out) {
  UPSWEEP_SHARED(word, x, 128);
  const int i = thread_index();
  x[i] = 0u;
  sync_block();
  x[i] = 1u;
  sync_threads(1 + i / 64, 64);
  const word other = x[(i + 64) % 128];  // of the other pair
  out[i] = other;
}

TEST(simt_async, some_warps_learn_nothing_of_others) {
  expect_fault(fault_kind::race, {"shared memory", "nothing orders"}, [](device& d) {
    const array out(d, 128);
    launch(stream{&d}, {1, 128}, pairs_without_order, out);
  });
}

// ---- bytes

template <class U>
struct moved {
  static UPSWEEP_KERNEL void there_and_back(global<const std::byte> in, global<std::byte> out) {
    UPSWEEP_SHARED(std::byte, x, 32 * sizeof(U));
    const int at = thread_index() * static_cast<int>(sizeof(U));
    const U u = load_as<U>(in, at);
    store_as<U>(x, at, u);
    sync_block();
    const int other = (31 - thread_index()) * static_cast<int>(sizeof(U));
    store_as(out, other, load_as<U>(x, other));
  }
};

template <class U>
void run_moved(device& d) {
  const array in(d, 128, 0x01020304), out(d, 128, 0);
  launch(stream{&d}, {1, 32}, moved<U>::there_and_back, in.const_bytes(), out.bytes());
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], i * sizeof(word) < 32 * sizeof(U) ? 0x01020304u : 0u);
}

TEST(simt_async, neighbouring_bytes_are_apart) {
  on_many([](device& d) {
    run_moved<std::uint8_t>(d);
    run_moved<std::uint16_t>(d);
    run_moved<float>(d);
    run_moved<double>(d);
    run_moved<kernels::quad>(d);
  });
}

enum class touch_bytes : std::uint8_t { same_byte, word_over_byte, byte_of_word, unwritten, none };

// Warp 0 and warp 1 meet in one word of shared memory.
UPSWEEP_KERNEL void touch_a_word(touch_bytes what) {
  UPSWEEP_SHARED(std::byte, x, 4);
  if (lane_index() != 0) return;
  const bool first = warp_index() == 0;
  switch (what) {
    case touch_bytes::same_byte: store_as<std::uint8_t>(x, 3, 1); break;
    case touch_bytes::word_over_byte:
      if (first)
        store_as<std::uint8_t>(x, 3, 1);
      else
        store_as<word>(x, 0, 1);
      break;
    case touch_bytes::byte_of_word:
      if (first)
        store_as<word>(x, 0, 1);
      else
        store_as<std::uint8_t>(x, 1, 1);
      break;
    case touch_bytes::unwritten:
      if (first) {
        store_as<std::uint16_t>(x, 0, 1);
        load_as<word>(x, 0);
      }
      break;
    case touch_bytes::none:
      store_as<std::uint16_t>(x, first ? 0 : 2, 1);
      load_as<std::uint8_t>(x, first ? 1 : 3);
      break;
  }
}

TEST(simt_async, finds_what_goes_wrong_with_single_bytes) {
  const auto run = [](touch_bytes what) {
    return [=](device& d) { launch(stream{&d}, {1, 64}, touch_a_word, what); };
  };
  on_many(run(touch_bytes::none));
  for (const touch_bytes what :
       {touch_bytes::same_byte, touch_bytes::word_over_byte, touch_bytes::byte_of_word})
    expect_fault(fault_kind::race, {"writes shared memory", "nothing orders"}, run(what));
  expect_fault(fault_kind::uninitialised, {"reads shared memory"}, run(touch_bytes::unwritten));
}

// A word that was split into bytes is one again, with what was known of them.
UPSWEEP_KERNEL void split_and_unite(bool order) {
  UPSWEEP_SHARED(std::byte, x, 4);
  const int i = thread_index();
  if (i < 4) store_as<std::uint8_t>(x, i, 1);
  sync_block();
  if (i == 40) store_as<word>(x, 0, 2);
  if (order) sync_block();
  if (i == 3) load_as<std::uint8_t>(x, i);
}

TEST(simt_async, bytes_become_a_word_again) {
  on_many([](device& d) { launch(stream{&d}, {1, 64}, split_and_unite, true); });
  expect_fault(fault_kind::race, {"shared memory", "nothing orders"}, [](device& d) {
    launch(stream{&d}, {1, 64}, split_and_unite, false);
  });
}

UPSWEEP_KERNEL void load_quad(global<const std::byte> in, std::int64_t at) {
  load_as<kernels::quad>(in, at);
}
UPSWEEP_KERNEL void store_shared_double(int at) {
  UPSWEEP_SHARED(std::byte, x, 64);
  store_as<double>(x, at, 1.0);
}

TEST(simt_async, finds_wide_accesses_that_are_misplaced) {
  const auto load = [](std::int64_t at) {
    return [=](device& d) {
      const array in(d, 8, 0);
      launch(stream{&d}, {1, 32}, load_quad, in.const_bytes(), at);
    };
  };
  expect_fault(fault_kind::misaligned, {"8 bytes past a multiple of 16", "async_test.cpp:"},
               load(8));
  for (const int at : {-16, 32})
    expect_fault(fault_kind::out_of_bounds,
                 {"bytes " + std::to_string(at) + ".." + std::to_string(at + 15) +
                  " of an array of 32 bytes in global memory"},
                 load(at));
  expect_fault(fault_kind::misaligned, {"4 bytes past a multiple of 8"}, [](device& d) {
    launch(stream{&d}, {1, 32}, store_shared_double, 4);
  });
  expect_fault(fault_kind::out_of_bounds, {"bytes 64..71 of an array of 64 bytes in shared memory"},
               [](device& d) {
                 launch(stream{&d}, {1, 32}, store_shared_double, 64);
               });
}

// ---- the rest

UPSWEEP_KERNEL void more_lanes(global<word> out) {
  const int t = thread_index();
  const auto mine = static_cast<word>(t);
  const word down = kernels::shuffle_down(mine, 5), across = kernels::shuffle_xor(mine, 9);
  out[t] = 100 * down + across;
}

TEST(simt_async, lanes_exchange_values_downwards_and_across) {
  on_many([](device& d) {
    const array out(d, 64);
    launch(stream{&d}, {1, 64}, more_lanes, out);
    for (int t = 0; t < 64; ++t)
      EXPECT_EQ(out[t], static_cast<word>(100 * (t % 32 < 27 ? t + 5 : t) + (t ^ 9)));
  });
}

// Each block waits for all.
UPSWEEP_KERNEL void meet(global<word> count) {
  if (thread_index() != 0) return;
  count.atomic(0).fetch_add(1, order::relaxed);
  while (count.atomic(0).load(order::relaxed) != static_cast<word>(grid_size())) kernels::pause();
}

TEST(simt_async, blocks_of_a_launch_together_all_run_at_once) {
  kernels::allow_shared(meet, 100 << 10);
  for (const int resident : {1, 4}) {
    device d({.resident = resident});
    const array count(d, 1, 0), again(d, 1, 0);
    launch(stream{&d}, {.blocks = 9, .threads = 32, .together = true}, meet, count);
    EXPECT_EQ(count[0], 9u);
    expect_fault(d, fault_kind::stuck, {"nobody makes progress"}, [](device& on) {
      const array apart(on, 1, 0);
      launch(stream{&on}, {.blocks = 9, .threads = 32}, meet, apart);
    });
  }
  static_assert(kernels::has_bulk_copies);
}

}  // namespace

}  // namespace upsweep::simt
