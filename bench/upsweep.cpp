// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/upsweep.hpp"

#include <memory>

#include "bench/harness.hpp"

namespace upsweep::bench {

namespace {

template <class Case>
spec inclusive() {
  return {.in = type_of<typename Case::in>,
          .out = type_of<typename Case::out>,
          .op = typename Case::tag{}};
}

template <class Case>
void enlist_plan(const char* backend, const std::vector<int>& teams) {
  enlist<Case>(backend, teams, [backend](std::int64_t n, int threads) -> scan_call<Case> {
    const auto p = std::make_shared<plan>(inclusive<Case>(), extents{.length = n},
                                          plan_options{.backend = backend, .threads = threads});
    return [p, n](auto* in, auto* out) { p->run({.in = in, .out = out, .length = n}); };
  });
}

// One-shot calls: what the cache of plans adds.
template <class Case>
void enlist_call() {
  enlist<Case>("upsweep.call", {1}, [](std::int64_t n, int threads) -> scan_call<Case> {
    return [=](auto* in, auto* out) {
      scan(inclusive<Case>(), {.in = in, .out = out, .length = n},
           {.backend = "cpu", .threads = threads});
    };
  });
}

}  // namespace

void add_upsweep() {
  for_each_case([]<class Case>(Case) {
    enlist_plan<Case>("cpu.serial", {1});
    enlist_plan<Case>("cpu.openmp", team_sizes());
    enlist_call<Case>();
  });
}

}  // namespace upsweep::bench
