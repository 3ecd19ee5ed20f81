// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checked engine: silent on right kernels in every schedule; where a kernel is wrong, it says
// what is wrong and where.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "backends/kernels/port.hpp"
#include "backends/simt/device.hpp"
#include "on_devices.hpp"

namespace upsweep::simt {

namespace {

using kernels::fence;
using kernels::global;
using kernels::stream;

// ---- right kernels

UPSWEEP_KERNEL void reverse_blocks(global<word> out) {
  UPSWEEP_DYNAMIC_SHARED(word, x);
  const int i = kernels::thread_index(), n = kernels::block_size();
  const std::int64_t first = kernels::block_index() * n;
  x[i] = static_cast<word>(first + i);
  kernels::sync_block();
  const word other = x[n - 1 - i];
  out[first + i] = other;
}

TEST(simt_engine, threads_of_a_block_exchange_through_shared_memory) {
  on_many([](device& d) {
    const array out(d, 5 * 96);
    launch(stream{&d}, {5, 96, 96 * 4}, reverse_blocks, out);
    for (int i = 0; i < 5 * 96; ++i)
      EXPECT_EQ(out[i], static_cast<word>(i / 96 * 96 + 95 - i % 96));
    EXPECT_EQ(d.count().block_barriers, 5);
    EXPECT_EQ(d.count().launches, 1);
  });
}

UPSWEEP_KERNEL void lanes(global<word> out) {
  const int t = kernels::thread_index();
  const word mine = static_cast<word>(10 * t);
  const word left = kernels::shuffle_up(mine, 3), last = kernels::shuffle(mine, 31);
  out[t] = left + last + kernels::ballot(t < 2);
}

TEST(simt_engine, lanes_of_a_warp_exchange_values) {
  on_many([](device& d) {
    const array out(d, 64);
    launch(stream{&d}, {1, 64}, lanes, out);
    for (int t = 0; t < 64; ++t) {
      const int from = t % 32 >= 3 ? t - 3 : t, last = t / 32 * 32 + 31;
      EXPECT_EQ(out[t], static_cast<word>(10 * from + 10 * last + (t < 32 ? 3 : 0)));
    }
    EXPECT_EQ(d.count().warp_exchanges, 6);
  });
}

UPSWEEP_KERNEL void two_arrays(global<word> out) {
  UPSWEEP_SHARED(word, a, 32);
  UPSWEEP_SHARED(word, b, 32);
  const int i = kernels::thread_index();
  a[i] = 1u;
  b[i] = 2u;
  kernels::sync_warp();
  const word x = a[31 - i], y = b[31 - i];
  out[kernels::block_index() * 32 + i] = x + 10 * y;
}

TEST(simt_engine, each_declaration_of_shared_memory_is_an_array_of_its_own) {
  on_many([](device& d) {
    const array out(d, 96);
    launch(stream{&d}, {3, 32}, two_arrays, out);
    for (int i = 0; i < 96; ++i) EXPECT_EQ(out[i], 21u);
    EXPECT_EQ(d.count().warp_barriers, 3);
  });
}

// Each block writes a word; the last to count itself adds them up.
UPSWEEP_KERNEL void last_block_adds(global<word> parts, global<word> count, global<word> sum) {
  if (kernels::thread_index() != 0) return;
  parts[kernels::block_index()] = static_cast<word>(kernels::block_index());
  const auto blocks = static_cast<word>(kernels::grid_size());
  if (count.atomic(0).fetch_add(1, order::acq_rel) != blocks - 1) return;
  word s = 0;
  for (word b = 0; b < blocks; ++b) s += parts[b];
  sum[0] = s;
}

TEST(simt_engine, a_counter_hands_over_what_every_block_wrote) {
  on_many([](device& d) {
    const array parts(d, 10), count(d, 1, 0), sum(d, 1);
    launch(stream{&d}, {10, 32}, last_block_adds, parts, count, sum);
    EXPECT_EQ(sum[0], 45u);
  });
}

// ---- two blocks: one writes data, then a flag; the other waits for the flag, then reads

struct handover {
  order store = order::release;
  order load = order::acquire;
  bool fence_before_store = false;
  bool fence_after_load = false;
  bool flag_first = false;
};

UPSWEEP_KERNEL void hand_over(global<word> data, global<word> flag, global<word> got,
                              handover how) {
  if (kernels::thread_index() != 0) return;
  if (kernels::block_index() == 0) {
    if (how.flag_first) flag.atomic(0).store(1, how.store);
    data[0] = 42u;
    if (how.fence_before_store) fence(order::release);
    if (!how.flag_first) flag.atomic(0).store(1, how.store);
  } else {
    while (flag.atomic(0).load(how.load) == 0) kernels::pause();
    if (how.fence_after_load) fence(order::acquire);
    const word x = data[0];
    got[0] = x;
  }
}

void run_hand_over(device& d, const handover& how) {
  const array data(d, 1, 0), flag(d, 1, 0), got(d, 1);
  launch(stream{&d}, {2, 32}, hand_over, data, flag, got, how);
  EXPECT_EQ(got[0], 42u);
}

TEST(simt_engine, a_released_flag_that_is_acquired_orders_data) {
  on_many_all_resident([](device& d) { run_hand_over(d, {}); });
}

TEST(simt_engine, fences_order_data_beside_relaxed_flags) {
#ifdef UPSWEEP_SIMT_RAW
  GTEST_SKIP() << "TSan does not understand fences";
#endif
  on_many_all_resident([](device& d) {
    run_hand_over(d, {order::relaxed, order::relaxed, true, true});
    run_hand_over(d, {order::relaxed, order::acquire, true, false});
    run_hand_over(d, {order::release, order::relaxed, false, true});
  });
}

TEST(simt_engine, finds_a_flag_that_orders_nothing) {
#ifdef UPSWEEP_SIMT_RAW
  GTEST_SKIP() << "this build leaves the checks to a sanitizer";
#endif
  for (const handover& how : {handover{.store = order::relaxed}, handover{.load = order::relaxed},
                              handover{.flag_first = true}})
    on_many_all_resident([&](device& d) {
      expect_fault(d, fault_kind::race, {"global memory", "engine_test.cpp:", "nothing orders"},
                   [&](device& on) { run_hand_over(on, how); });
    });
}

// ---- blocks that touch one word in turn, of which some learn what the one before them knows

enum class touch : std::uint8_t { read, write, atomic_read, atomic_write };

struct turn {
  touch what;
  bool learns = false;
};
using turns = std::array<turn, 4>;

UPSWEEP_KERNEL void take_turns(global<word> x, global<word> next, turns all) {
  if (kernels::thread_index() != 0) return;
  const auto me = static_cast<word>(kernels::block_index());
  const turn mine = all[me];
  // An acquire in the loop would learn from all before.
  while (next.atomic(0).load(order::relaxed) != me) kernels::pause();
  if (mine.learns) next.atomic(0).load(order::acquire);
  word got = 0;
  switch (mine.what) {
    case touch::read: got = x[0]; break;
    case touch::write: x[0] = me; break;
    case touch::atomic_read: got = x.atomic(0).load(order::relaxed); break;
    case touch::atomic_write: x.atomic(0).store(me, order::relaxed); break;
  }
  static_cast<void>(got);
  next.atomic(0).store(me + 1, order::release);
}

void run_turns(device& d, const turns& all) {
  const array x(d, 1, 0), next(d, 1, 0);
  launch(stream{&d}, {4, 32}, take_turns, x, next, all);
}

TEST(simt_engine, finds_plain_and_atomic_accesses_that_race_whatever_lies_between) {
#ifdef UPSWEEP_SIMT_RAW
  GTEST_SKIP() << "this build leaves the checks to a sanitizer";
#endif
  using enum touch;
  constexpr bool learns = true;
  const std::pair<turns, std::string> wrong[] = {
      {{{{write}, {atomic_write, learns}, {atomic_read}, {atomic_read}}}, "block 0 wrote"},
      {{{{write}, {atomic_write, learns}, {atomic_write}, {atomic_read}}}, "block 0 wrote"},
      {{{{read}, {atomic_read, learns}, {atomic_write}, {atomic_read}}}, "block 0 read"},
      {{{{atomic_write}, {atomic_write}, {read, learns}, {read}}}, "block 0 atomically wrote"},
      {{{{atomic_write}, {atomic_write}, {atomic_write}, {write, learns}}}, "atomically wrote"},
      {{{{atomic_read}, {atomic_read}, {atomic_read}, {write, learns}}}, "atomically read"}};
  for (const auto& [all, words] : wrong)
    on_many_all_resident([&, &all = all, &words = words](device& d) {
      expect_fault(d, fault_kind::race, {words, "nothing orders"},
                   [&](device& on) { run_turns(on, all); });
    });
}

TEST(simt_engine, lets_plain_and_atomic_accesses_mix_that_are_ordered) {
  using enum touch;
  constexpr bool learns = true;
  for (const touch a : {read, write, atomic_read, atomic_write})
    for (const touch b : {read, write, atomic_read, atomic_write})
      for (const touch c : {read, write, atomic_read, atomic_write})
        on_many_all_resident(
            [&](device& d) {
              EXPECT_NO_THROW(run_turns(d, {{{a}, {b, learns}, {c, learns}, {write, learns}}}));
            },
            3);
}

// ---- the weak memory model, on atomics alone

struct litmus {
  order store, load;
  bool fence_before_store, fence_after_load;
};

UPSWEEP_KERNEL void message(global<word> data, global<word> flag, global<word> got, litmus how) {
  if (kernels::thread_index() != 0) return;
  if (kernels::block_index() == 0) {
    data.atomic(0).store(1, order::relaxed);
    if (how.fence_before_store) fence(order::release);
    flag.atomic(0).store(1, how.store);
  } else {
    const word f = flag.atomic(0).load(how.load);
    if (how.fence_after_load) fence(order::acquire);
    const word x = data.atomic(0).load(order::relaxed);
    got[0] = 10 * f + x;
  }
}

// How often the flag was seen without the data.
int stale(const litmus& how) {
  int times = 0;
  on_many_all_resident(
      [&](device& d) {
        const array data(d, 1, 0), flag(d, 1, 0), got(d, 1);
        launch(stream{&d}, {2, 32}, message, data, flag, got, how);
        times += got[0] == 10 ? 1 : 0;
      },
      400);
  return times;
}

TEST(simt_engine, shows_old_values_exactly_where_nothing_forbids_them) {
#ifdef UPSWEEP_SIMT_RAW
  GTEST_SKIP() << "this build runs on the memory model of its processor";
#endif
  EXPECT_EQ(stale({order::release, order::acquire, false, false}), 0);
  EXPECT_EQ(stale({order::relaxed, order::relaxed, true, true}), 0);
  EXPECT_GT(stale({order::relaxed, order::acquire, false, false}), 0);
  EXPECT_GT(stale({order::release, order::relaxed, false, false}), 0);
  EXPECT_GT(stale({order::relaxed, order::relaxed, false, true}), 0);
  EXPECT_GT(stale({order::relaxed, order::relaxed, true, false}), 0);
}

UPSWEEP_KERNEL void count_up(global<word> x, global<word> went_back) {
  if (kernels::thread_index() != 0) return;
  if (kernels::block_index() == 0) {
    for (word i = 1; i <= 8; ++i) x.atomic(0).store(i, order::relaxed);
  } else {
    word last = 0, back = 0;
    for (int i = 0; i < 12; ++i) {
      const word now = x.atomic(0).load(order::relaxed);
      back += now < last ? 1 : 0;
      last = now;
    }
    went_back[0] = back;
  }
}

TEST(simt_engine, one_word_never_goes_back) {
  on_many_all_resident(
      [](device& d) {
        const array x(d, 1, 0), back(d, 1);
        launch(stream{&d}, {2, 32}, count_up, x, back);
        EXPECT_EQ(back[0], 0u);
      },
      200);
}

// ---- wrong kernels

enum class missing { barrier, second_barrier, warp_barrier };

UPSWEEP_KERNEL void neighbours(global<word> out, missing what) {
  UPSWEEP_SHARED(word, x, 64);
  const int i = kernels::thread_index();
  x[i] = 0u;
  kernels::sync_block();
  word other = 0;
  if (what == missing::barrier) {
    x[i] = 1u;
    other = x[(i + 32) % 64];
  } else if (what == missing::second_barrier) {
    other = x[(i + 32) % 64];
    x[i] = 1u;
  } else {
    x[i] = 1u;
    other = x[i ^ 1];  // of the same warp
  }
  out[i] = other;
}

TEST(simt_engine, finds_a_missing_barrier) {
  for (const missing what : {missing::barrier, missing::second_barrier, missing::warp_barrier})
    expect_fault(fault_kind::race, {"shared memory", "of block 0", "nothing orders"},
                 [&](device& d) {
                   const array out(d, 64);
                   launch(stream{&d}, {1, 64}, neighbours, out, what);
                 });
}

UPSWEEP_KERNEL void all_write_one(global<word> out) { out[0] = 1u; }

TEST(simt_engine, finds_blocks_that_write_one_element) {
  expect_fault(fault_kind::race, {"writes global memory"}, [](device& d) {
    const array out(d, 1);
    launch(stream{&d}, {2, 32}, all_write_one, out);
  });
}

UPSWEEP_KERNEL void read_at(global<word> x, std::int64_t i) {
  const word v = x[i];
  static_cast<void>(v);
}

TEST(simt_engine, finds_an_index_outside_its_array) {
  for (const int i : {-1, 8, 1 << 20})
    expect_fault(fault_kind::out_of_bounds,
                 {"index " + std::to_string(i) + " of an array of 8 elements in global memory"},
                 [&](device& d) {
                   const array x(d, 8, 0);
                   launch(stream{&d}, {1, 32}, read_at, x, i);
                 });
}

UPSWEEP_KERNEL void read_shared_at(int i) {
  UPSWEEP_DYNAMIC_SHARED(word, x);
  const word v = x[i];
  static_cast<void>(v);
}

TEST(simt_engine, finds_an_index_outside_shared_memory) {
  expect_fault(fault_kind::out_of_bounds, {"index 16 of an array of 16 elements in shared memory"},
               [](device& d) {
                 launch(stream{&d}, {1, 32, 64}, read_shared_at, 16);
               });
}

TEST(simt_engine, finds_a_read_of_what_nothing_has_written) {
  expect_fault(fault_kind::uninitialised, {"shared memory"}, [](device& d) {
    launch(stream{&d}, {1, 32, 64}, read_shared_at, 3);
  });
  expect_fault(fault_kind::uninitialised, {"global memory"}, [](device& d) {
    const array x(d, 8);
    launch(stream{&d}, {1, 32}, read_at, x, 0);
  });
}

UPSWEEP_KERNEL void leave_before_barrier() {
  if (kernels::thread_index() >= 40) return;
  kernels::sync_block();
}
UPSWEEP_KERNEL void two_barriers() {
  if (kernels::thread_index() < 40)
    kernels::sync_block();
  else
    kernels::sync_block();
}
UPSWEEP_KERNEL void barrier_and_warp() {
  if (kernels::thread_index() % 2 == 0)
    kernels::sync_block();
  else
    kernels::sync_warp();
}
UPSWEEP_KERNEL void two_warp_operations() {
  if (kernels::thread_index() % 2 == 0)
    kernels::sync_warp();
  else
    kernels::ballot(true);
}

TEST(simt_engine, finds_threads_that_wait_at_different_places) {
  expect_fault(fault_kind::early_exit, {"left the kernel while"}, [](device& d) {
    launch(stream{&d}, {1, 64}, leave_before_barrier);
  });
  for (auto* const kernel : {two_barriers, barrier_and_warp, two_warp_operations})
    expect_fault(fault_kind::divergent, {"engine_test.cpp:"}, [&](device& d) {
      launch(stream{&d}, {1, 64}, kernel);
    });
}

// Blocks in the order of their indices wait for the one before.
UPSWEEP_KERNEL void wait_for_predecessor(global<word> done) {
  if (kernels::thread_index() != 0) return;
  const std::int64_t b = kernels::block_index();
  while (b > 0 && done.atomic(b - 1).load(order::acquire) == 0) kernels::pause();
  done.atomic(b).store(1, order::release);
}

TEST(simt_engine, tells_when_nobody_makes_progress) {
  device all({.resident = 8});
  const array fine(all, 8, 0);
  launch(stream{&all}, {8, 32}, wait_for_predecessor, fine);

  // The hardware starts blocks in any order, and the first two here wait for later ones.
  for (const schedule order : {schedule::reverse, schedule::random}) {
    device few({.seed = 4, .order = order, .resident = 2});
    const array done(few, 8, 0);
    expect_fault(few, fault_kind::stuck, {"nobody makes progress", "engine_test.cpp:"},
                 [&](device& d) {
                   launch(stream{&d}, {8, 32}, wait_for_predecessor, done);
                 });
  }
}

TEST(simt_engine, knows_the_memory_of_its_device_only) {
  word outside[4] = {};
  expect_fault(fault_kind::unknown_memory, {"was not given"}, [&](device& d) {
    launch(stream{&d}, {1, 32}, read_at, global<word>(outside, 4), 0);
  });
}

UPSWEEP_KERNEL void add_one(global<word> x) { x.atomic(0).fetch_add(1, order::relaxed); }

TEST(simt_engine, finds_an_addition_to_what_nothing_has_written) {
  expect_fault(fault_kind::uninitialised, {"global memory"}, [](device& d) {
    const array x(d, 1);
    launch(stream{&d}, {1, 32}, add_one, x);
  });
}

// ---- the engine itself

UPSWEEP_KERNEL void write_between(global<word> x, global<word> got) {
  if (kernels::thread_index() != 0) return;
  x.atomic(0).store(1, order::relaxed);
  x[0] = 5u;
  got[0] = x.atomic(0).fetch_add(1, order::relaxed);
}

TEST(simt_engine, reads_atomically_what_was_written_plainly) {
  on_many([](device& d) {
    const array x(d, 1), got(d, 1);
    launch(stream{&d}, {1, 32}, write_between, x, got);
    EXPECT_EQ(got[0], 5u);
    EXPECT_EQ(x[0], 6u);
  });
}

UPSWEEP_KERNEL void nothing() {}

TEST(simt_engine, refuses_what_no_device_is_or_does) {
  EXPECT_THROW(device({.resident = 0}), std::invalid_argument);
  EXPECT_THROW(device({.preempt = -1}), std::invalid_argument);
  EXPECT_THROW(device({.patience = 0}), std::invalid_argument);
  device d;
  for (const int threads : {0, 31, 33, 1056})
    EXPECT_THROW(launch(stream{&d}, {1, threads}, nothing), std::invalid_argument) << threads;
  EXPECT_THROW(launch(stream{&d}, {0, 32}, nothing), std::invalid_argument);
  EXPECT_THROW(launch(stream{&d}, {1, 32, 300 << 10}, nothing), fault);

  word mine[8] = {};
  d.borrow(mine, 16, true);
  d.borrow(mine, 16, false);
  EXPECT_THROW(d.borrow(mine, 32, true), std::invalid_argument);
  EXPECT_THROW(d.borrow(mine + 2, 16, true), std::invalid_argument);
  EXPECT_THROW(d.give_back(mine + 1), std::invalid_argument);
  EXPECT_THROW(d.written_by_host(mine + 4, 4), std::invalid_argument);
  d.give_back(mine);
  d.give_back(mine);
  EXPECT_THROW(d.give_back(mine), std::invalid_argument);
}

TEST(simt_engine, repeats_a_run_from_its_seed) {
#ifdef UPSWEEP_SIMT_RAW
  GTEST_SKIP() << "this build leaves the checks to a sanitizer";
#endif
  const auto told = [](std::uint64_t seed) {
    device d({.seed = seed});
    const array out(d, 64);
    try {
      launch(stream{&d}, {1, 64}, neighbours, out, missing::barrier);
    } catch (const fault& e) {
      return std::string(e.what());
    }
    return std::to_string(d.count().accesses);
  };
  bool differ = false;
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    EXPECT_EQ(told(seed), told(seed));
    differ = differ || told(seed) != told(seed + 1);
  }
  EXPECT_TRUE(differ);
}

UPSWEEP_KERNEL void throw_at(int thread) {
  if (kernels::thread_index() == thread) throw std::runtime_error("from a kernel");
  kernels::sync_block();
}

TEST(simt_engine, is_fit_for_use_after_a_failure) {
  device d;
  EXPECT_THROW(launch(stream{&d}, {3, 64}, throw_at, 17), std::runtime_error);
  launch(stream{&d}, {3, 64}, throw_at, -1);
  EXPECT_EQ(d.count().block_barriers, 3);
}

}  // namespace

}  // namespace upsweep::simt
