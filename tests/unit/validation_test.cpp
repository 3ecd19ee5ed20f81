// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every rule that is checked at the boundary: the code, the argument and the value in the message,
// and no output written.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "expect.hpp"
#include "formats.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {
namespace {

using testing::expect_error;

constexpr std::int64_t length = 8;

// Arguments of a valid run of 8 elements of at most 16 bytes, all in one block of memory.
struct fixture {
  alignas(64) std::array<std::byte, 1024> memory{};
  spec what{};
  extents at_most{.length = length};
  arguments args{.in = at(0), .out = at(256), .length = length, .total = at(512)};
  upsweep::state state{};

  std::byte* at(std::size_t offset) { return memory.data() + offset; }
};

struct refusal {
  const char* name;
  errc code;
  std::vector<std::string> words;
  std::function<void(fixture&)> spoil;
};

void PrintTo(const refusal& r, std::ostream* os) { *os << r.name; }

std::string case_name(const ::testing::TestParamInfo<refusal>& info) { return info.param.name; }

// ---- what a plan refuses when it is made

class spec_refusal : public ::testing::TestWithParam<refusal> {};

TEST_P(spec_refusal, is_said) {
  fixture f;
  GetParam().spoil(f);
  for (const char* backend : {"", "cpu.serial", "cpu.openmp"})
    expect_error(GetParam().code, GetParam().words,
                 [&] { plan(f.what, f.at_most, {.backend = backend}); });
}

template <class E>
E beyond(E last) {
  return static_cast<E>(static_cast<unsigned>(last) + 1);
}

void user_operator(fixture& f) {
  f.what = {.in = user,
            .op = {.id = builtin::none,
                   .name = "mine",
                   .size = 12,
                   .alignment = 4,
                   .identity = std::vector<std::byte>(12),
                   .source = "text"}};
}

const refusal spec_refusals[] = {
    {"in_unknown",
     errc::invalid_argument,
     {"in: 15", "enumeration"},
     [](fixture& f) { f.what.in = beyond(user); }},
    {"out_unknown",
     errc::invalid_argument,
     {"out: 200"},
     [](fixture& f) { f.what.out = static_cast<type>(200); }},
    {"op_unknown",
     errc::invalid_argument,
     {"op.id: 12"},
     [](fixture& f) { f.what.op.id = beyond(builtin::log_add_exp); }},
    {"kind_unknown",
     errc::invalid_argument,
     {"kind: 2"},
     [](fixture& f) { f.what.kind = beyond(exclusive); }},
    {"direction_unknown",
     errc::invalid_argument,
     {"direction: 2"},
     [](fixture& f) { f.what.direction = beyond(direction::reverse); }},
    {"affine_unknown",
     errc::invalid_argument,
     {"affine: 2"},
     [](fixture& f) { f.what.affine = beyond(affine_form::split); }},
    {"layout_unknown",
     errc::invalid_argument,
     {"layout: 5"},
     [](fixture& f) { f.what.layout = beyond(layout::keys); }},
    {"accuracy_unknown",
     errc::invalid_argument,
     {"accuracy: 2"},
     [](fixture& f) { f.what.accuracy = beyond(accuracy::compensated); }},

    {"length_negative",
     errc::invalid_argument,
     {"extents.length: -1"},
     [](fixture& f) { f.at_most.length = -1; }},
    {"outer_negative",
     errc::invalid_argument,
     {"extents.outer: -2"},
     [](fixture& f) { f.at_most.outer = -2; }},
    {"inner_negative",
     errc::invalid_argument,
     {"extents.inner: -3"},
     [](fixture& f) { f.at_most.inner = -3; }},
    {"segments_negative",
     errc::invalid_argument,
     {"extents.segments: -4"},
     [](fixture& f) { f.at_most.segments = -4; }},
    {"outer_of_a_flat_scan",
     errc::invalid_argument,
     {"extents.outer: 2", "flat"},
     [](fixture& f) { f.at_most.outer = 2; }},
    {"inner_of_a_flat_scan",
     errc::invalid_argument,
     {"extents.inner: 0", "flat"},
     [](fixture& f) { f.at_most.inner = 0; }},
    {"segments_of_a_flat_scan",
     errc::invalid_argument,
     {"extents.segments: 1", "flat"},
     [](fixture& f) { f.at_most.segments = 1; }},
    {"length_beyond_the_address_space",
     errc::invalid_argument,
     {"extents.length: 2305843009213693952", "4 bytes", "address space"},
     [](fixture& f) { f.at_most.length = std::int64_t{1} << 61; }},
    {"pairs_beyond_the_address_space",
     errc::invalid_argument,
     {"extents.length: 1152921504606846976", "8 bytes"},
     [](fixture& f) {
       f.what.op = affine{};
       f.at_most.length = std::int64_t{1} << 60;
     }},
    {"length_at_the_limit_of_int64",
     errc::invalid_argument,
     {"extents.length: 9223372036854775807"},
     [](fixture& f) { f.at_most.length = std::numeric_limits<std::int64_t>::max(); }},

    {"user_input_of_a_built_in",
     errc::invalid_argument,
     {"in: user", "built-in"},
     [](fixture& f) { f.what.in = user; }},
    {"user_output_of_a_built_in",
     errc::invalid_argument,
     {"out: user", "built-in"},
     [](fixture& f) { f.what.out = user; }},
    {"split_without_affine",
     errc::invalid_argument,
     {"affine: split", "sum"},
     [](fixture& f) { f.what.affine = affine_form::split; }},

    {"user_size_0",
     errc::invalid_argument,
     {"op.size: 0"},
     [](fixture& f) { user_operator(f), f.what.op.size = 0; }},
    {"user_alignment_0",
     errc::invalid_argument,
     {"op.alignment: 0"},
     [](fixture& f) { user_operator(f), f.what.op.alignment = 0; }},
    {"user_alignment_3",
     errc::invalid_argument,
     {"op.alignment: 3", "power of two"},
     [](fixture& f) { user_operator(f), f.what.op.alignment = 3; }},
    {"user_size_no_multiple",
     errc::invalid_argument,
     {"op.size: 12", "op.alignment 8"},
     [](fixture& f) { user_operator(f), f.what.op.alignment = 8; }},
    {"user_identity_of_another_size",
     errc::invalid_argument,
     {"op.identity: 5 bytes", "12"},
     [](fixture& f) { user_operator(f), f.what.op.identity.resize(5); }},
    {"user_without_text_or_callback",
     errc::invalid_argument,
     {"combine", "source"},
     [](fixture& f) { user_operator(f), f.what.op.source.clear(); }},
    {"user_on_a_built_in_type",
     errc::invalid_argument,
     {"in, out: f32, user"},
     [](fixture& f) { user_operator(f), f.what.in = f32; }},
    {"user_exclusive_without_identity",
     errc::unsupported,
     {"'mine' has no identity"},
     [](fixture& f) { user_operator(f), f.what.op.identity.clear(), f.what.kind = exclusive; }},
    {"user", errc::unsupported, {"user operators are not served yet", "'mine'"}, user_operator},

    {"log_add_exp",
     errc::unsupported,
     {"op: log_add_exp is not served yet"},
     [](fixture& f) { f.what.op = log_add_exp{}; }},
    {"axis",
     errc::unsupported,
     {"layout: axis scans are not served yet"},
     [](fixture& f) { f.what.layout = layout::axis; }},
    {"offsets",
     errc::unsupported,
     {"layout: segmented scans are not served yet"},
     [](fixture& f) { f.what.layout = layout::offsets; }},
    {"head_flags",
     errc::unsupported,
     {"layout: segmented scans are not served yet"},
     [](fixture& f) { f.what.layout = layout::head_flags; }},
    {"keys",
     errc::unsupported,
     {"layout: segmented scans are not served yet"},
     [](fixture& f) { f.what.layout = layout::keys; }},
    {"compensated",
     errc::unsupported,
     {"accuracy: compensated sums are not served yet"},
     [](fixture& f) { f.what.accuracy = accuracy::compensated; }},
};
INSTANTIATE_TEST_SUITE_P(validation, spec_refusal, ::testing::ValuesIn(spec_refusals), case_name);

TEST(validation, options_of_a_plan) {
  expect_error(errc::invalid_argument, {"threads: -1"}, [] { plan({}, {}, {.threads = -1}); });
  expect_error(errc::invalid_argument, {"memory: 7"},
               [] { plan({}, {}, {.memory = static_cast<memory>(7)}); });
}

// The rule of mixed types and the domain of each operator, for every pair of types. formats.hpp
// knows the types apart from the library; the domains are DESIGN's table in words.
bool in_domain(builtin op, type out) {
  const bool integer = testing::format_of(out).integer;
  const bool complex = testing::format_of(out).complex;
  switch (op) {
    case builtin::minimum:
    case builtin::maximum: return !complex;
    case builtin::bit_and:
    case builtin::bit_or:
    case builtin::bit_xor:
    case builtin::logical_and:
    case builtin::logical_or: return integer;
    case builtin::affine: return out == u32 || out == f32 || out == f64;
    default: return true;
  }
}

TEST(validation, every_operator_on_every_pair_of_types) {
  for (int id = 1; id < static_cast<int>(builtin::log_add_exp); ++id)
    for (const type in : testing::all_types)
      for (const type out : testing::all_types) {
        const builtin op = static_cast<builtin>(id);
        const std::string o(name_of(out)), i(name_of(in));
        SCOPED_TRACE(std::string(name_of(op)) + ": " + i + " -> " + o);
        const auto make = [&] { plan({.in = in, .out = out, .op = {.id = op}}, {.length = 4}); };
        if (!in_domain(op, out))
          expect_error(errc::invalid_argument, {"op: " + std::string(name_of(op)), o}, make);
        else if (!represents(out, in))
          expect_error(errc::invalid_argument, {"out: " + o, i}, make);
        else
          EXPECT_NO_THROW(make());
      }
}

// ---- what a run refuses

class run_refusal : public ::testing::TestWithParam<refusal> {};

TEST_P(run_refusal, is_said_and_writes_nothing) {
  for (const char* backend : {"cpu.serial", "cpu.openmp"})
    for (const bool one_shot : {false, true}) {
      fixture f;
      std::ranges::fill(f.memory, std::byte{0xa5});
      GetParam().spoil(f);
      const auto before = f.memory;
      const auto state_before = f.state.to_bytes();
      expect_error(GetParam().code, GetParam().words, [&] {
        if (one_shot)
          scan(f.what, f.args, {.backend = backend});
        else
          plan(f.what, f.at_most, {.backend = backend}).run(f.args);
      });
      EXPECT_EQ(f.memory, before);
      EXPECT_EQ(f.state.to_bytes(), state_before);
    }
}

void split(fixture& f) {
  f.what.op = affine{};
  f.what.affine = affine_form::split;
  f.args.coefficients = f.at(768);
}

// A state of 3 elements of the fixture's scan.
void resume(fixture& f, const spec& what) {
  alignas(16) static const std::array<std::byte, 64> zeros{};
  plan(what, {.length = 3}, {.backend = "cpu.serial"})
      .aggregate({.in = zeros.data(), .length = 3, .state = &f.state});
  f.args.state = &f.state;
}

const refusal run_refusals[] = {
    {"length_negative",
     errc::invalid_argument,
     {"length: -5"},
     [](fixture& f) { f.args.length = -5; }},
    {"in_null",
     errc::invalid_argument,
     {"in: null pointer"},
     [](fixture& f) { f.args.in = nullptr; }},
    {"out_null",
     errc::invalid_argument,
     {"out: null pointer"},
     [](fixture& f) { f.args.out = nullptr; }},
    {"coefficients_null",
     errc::invalid_argument,
     {"coefficients: null pointer"},
     [](fixture& f) { split(f), f.args.coefficients = nullptr; }},
    {"coefficients_of_another_scan",
     errc::invalid_argument,
     {"coefficients: given"},
     [](fixture& f) { f.args.coefficients = f.at(768); }},
    {"coefficients_of_a_pair_scan",
     errc::invalid_argument,
     {"coefficients: given"},
     [](fixture& f) { split(f), f.what.affine = affine_form::pair; }},

    {"in_misaligned",
     errc::invalid_argument,
     {"in: address 0x", "aligned", "4 bytes"},
     [](fixture& f) { f.args.in = f.at(2); }},
    {"out_misaligned",
     errc::invalid_argument,
     {"out: address 0x", "4 bytes"},
     [](fixture& f) { f.args.out = f.at(257); }},
    {"total_misaligned",
     errc::invalid_argument,
     {"total: address 0x", "4 bytes"},
     [](fixture& f) { f.args.total = f.at(513); }},
    {"total_misaligned_for_no_elements",
     errc::invalid_argument,
     {"total: address 0x"},
     [](fixture& f) { f.args = {.total = f.at(513)}; }},
    {"coefficients_misaligned",
     errc::invalid_argument,
     {"coefficients: address 0x"},
     [](fixture& f) { split(f), f.args.coefficients = f.at(769); }},
    {"complex_misaligned",
     errc::invalid_argument,
     {"in: address 0x", "8 bytes"},
     [](fixture& f) { f.what = {.in = c128}, f.args.in = f.at(4); }},

    {"out_one_after_in",
     errc::invalid_argument,
     {"out: overlaps in"},
     [](fixture& f) { f.args.out = f.at(4); }},
    {"out_one_before_in",
     errc::invalid_argument,
     {"out: overlaps in"},
     [](fixture& f) { f.args.in = f.at(4), f.args.out = f.at(0); }},
    {"out_at_the_last_of_in",
     errc::invalid_argument,
     {"out: overlaps in"},
     [](fixture& f) { f.args.out = f.at(4 * (length - 1)); }},
    {"out_is_in_of_another_size",
     errc::invalid_argument,
     {"out: overlaps in"},
     [](fixture& f) { f.what.out = f64, f.args.out = f.at(0); }},
    {"out_is_coefficients",
     errc::invalid_argument,
     {"out: overlaps coefficients"},
     [](fixture& f) { split(f), f.args.out = f.at(768); }},
    {"total_in_in",
     errc::invalid_argument,
     {"total: overlaps in"},
     [](fixture& f) { f.args.total = f.at(4 * (length - 1)); }},
    {"total_in_out",
     errc::invalid_argument,
     {"total: overlaps out"},
     [](fixture& f) { f.args.total = f.at(256); }},
    {"total_in_coefficients",
     errc::invalid_argument,
     {"total: overlaps coefficients"},
     [](fixture& f) { split(f), f.args.total = f.at(768 + 4); }},
    {"pair_total_reaches_into_out",
     errc::invalid_argument,
     {"total: overlaps out"},
     [](fixture& f) { f.what.op = affine{}, f.args.total = f.at(252); }},

    {"init_device",
     errc::unsupported,
     {"init_device: ", "CPU backends"},
     [](fixture& f) { f.args.init_device = f.at(768); }},
    {"init_device_for_no_elements",
     errc::unsupported,
     {"init_device: ", "CPU backends"},
     [](fixture& f) { f.args = {.init_device = f.at(768)}; }},
    {"init_device_beside_an_empty_state",
     errc::unsupported,
     {"init_device: ", "CPU backends"},
     [](fixture& f) { f.args.init_device = f.at(768), f.args.state = &f.state; }},
    {"init_device_misaligned",
     errc::invalid_argument,
     {"init_device: address", "not aligned"},
     [](fixture& f) { f.args.init_device = f.at(769); }},
    {"init_device_in_out",
     errc::invalid_argument,
     {"out: overlaps init_device"},
     [](fixture& f) { f.args.init_device = f.args.out; }},
    {"init_device_is_the_total",
     errc::invalid_argument,
     {"total: overlaps init_device"},
     [](fixture& f) { f.args.total = f.at(768), f.args.init_device = f.at(768); }},
    {"init_device_beside_init",
     errc::invalid_argument,
     {"init_device: given beside init"},
     [](fixture& f) { f.args.init_device = f.at(768), f.args.init = 1.0f; }},
    {"init_that_loses",
     errc::invalid_argument,
     {"init: 0.10000000000000001 (f64)", "f32"},
     [](fixture& f) { f.args.init = 0.1; }},

    {"outer", errc::invalid_argument, {"outer: 2", "flat"}, [](fixture& f) { f.args.outer = 2; }},
    {"inner", errc::invalid_argument, {"inner: 0", "flat"}, [](fixture& f) { f.args.inner = 0; }},
    {"in_strides",
     errc::invalid_argument,
     {"in_strides: -1", "flat"},
     [](fixture& f) {
       f.args.in_strides = {0, -1, 0};
     }},
    {"out_strides",
     errc::invalid_argument,
     {"out_strides: 3", "flat"},
     [](fixture& f) {
       f.args.out_strides = {0, 0, 3};
     }},
    {"segments",
     errc::invalid_argument,
     {"segments: 1", "flat"},
     [](fixture& f) { f.args.segments = 1; }},
    {"offsets",
     errc::invalid_argument,
     {"offsets", "flat"},
     [](fixture& f) {
       static const std::int64_t offsets[] = {0, length};
       f.args.offsets = offsets;
     }},
    {"flags",
     errc::invalid_argument,
     {"flags", "flat"},
     [](fixture& f) {
       static const std::uint8_t flags[length] = {};
       f.args.flags = flags;
     }},
    {"keys", errc::invalid_argument, {"keys", "flat"}, [](fixture& f) { f.args.keys = f.at(768); }},
    {"key_size",
     errc::invalid_argument,
     {"key_size: 4", "flat"},
     [](fixture& f) { f.args.key_size = 4; }},

    {"init_beside_a_state",
     errc::invalid_argument,
     {"init", "state of 3 elements"},
     [](fixture& f) { resume(f, f.what), f.args.init = 1.0f; }},
    {"init_device_beside_a_state",
     errc::invalid_argument,
     {"init_device: ", "state of 3 elements"},
     [](fixture& f) { resume(f, f.what), f.args.init_device = f.at(768); }},
    {"state_of_another_operator",
     errc::invalid_argument,
     {"state", "forward maximum over f32"},
     [](fixture& f) { resume(f, {.op = maximum{}}); }},
    {"state_of_another_type",
     errc::invalid_argument,
     {"state", "forward sum over f64"},
     [](fixture& f) { resume(f, {.in = f64}); }},
    {"state_of_another_direction",
     errc::invalid_argument,
     {"state", "reverse sum over f32"},
     [](fixture& f) { resume(f, {.direction = reverse}); }},
};
INSTANTIATE_TEST_SUITE_P(validation, run_refusal, ::testing::ValuesIn(run_refusals), case_name);

TEST(validation, a_run_longer_than_the_plan) {
  fixture f;
  plan p(f.what, {.length = length - 1});
  const auto before = f.memory;
  expect_error(errc::invalid_argument, {"length: 8", "extents.length 7"}, [&] { p.run(f.args); });
  EXPECT_EQ(f.memory, before);
}

TEST(validation, aggregate_needs_a_state_and_no_output) {
  fixture f;
  plan p(f.what, f.at_most);
  f.args.out = nullptr;
  expect_error(errc::invalid_argument, {"state: null pointer"}, [&] { p.aggregate(f.args); });
  f.args.state = &f.state;
  p.aggregate(f.args);
  EXPECT_EQ(f.state.position(), length);
}

TEST(validation, aggregate_refuses_an_init_in_device_memory) {
  for (const char* backend : {"cpu.serial", "cpu.openmp"}) {
    fixture f;
    f.args.state = &f.state;
    f.args.init_device = f.at(768);
    plan p(f.what, f.at_most, {.backend = backend});
    const auto before = f.memory;
    expect_error(errc::unsupported, {"init_device: ", "CPU backends"},
                 [&] { p.aggregate(f.args); });
    EXPECT_EQ(f.memory, before);
    EXPECT_TRUE(f.state.empty());
  }
}

// ---- what touches a rule, and is allowed

TEST(validation, neighbours_do_not_overlap) {
  fixture f;
  f.args.out = f.at(4 * length);
  f.args.total = f.at(8 * length);
  EXPECT_NO_THROW(plan(f.what, f.at_most).run(f.args));
  f.args.in = f.at(4 * length);
  f.args.out = f.at(0);
  EXPECT_NO_THROW(plan(f.what, f.at_most).run(f.args));
}

TEST(validation, out_may_be_in) {
  for (const bool is_split : {false, true}) {
    fixture f;
    if (is_split) split(f);
    f.args.out = f.at(0);
    EXPECT_NO_THROW(plan(f.what, f.at_most).run(f.args));
  }
}

TEST(validation, the_elements_own_alignment_suffices) {
  for (const type t : testing::all_types) {
    fixture f;
    f.what = {.in = t};
    f.args.in = f.at(alignment_of(t));
    f.args.out = f.at(256 + alignment_of(t));
    f.args.total = f.at(512 + alignment_of(t));
    EXPECT_NO_THROW(plan(f.what, f.at_most).run(f.args)) << name_of(t);
  }
}

TEST(validation, an_empty_run_needs_no_arrays) {
  fixture f;
  f.args = {};
  EXPECT_NO_THROW(plan(f.what, f.at_most).run(f.args));
  EXPECT_NO_THROW(scan(f.what, f.args));
}

}  // namespace
}  // namespace upsweep
