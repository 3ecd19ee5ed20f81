// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_CASES_HPP
#define UPSWEEP_TESTS_SUPPORT_CASES_HPP

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "tests/support/data.hpp"
#include "upsweep/backends.hpp"
#include "upsweep/spec.hpp"

namespace upsweep::testing {

// One scan, small enough to print on a line and to replay from it: everything else, the data
// included, follows from it.
struct test_case {
  spec what{};
  std::int64_t length = 0;
  bool init = false;
  bool in_place = false;
  bool one_shot = false;       // through upsweep::scan, else through a plan
  std::int64_t in_offset = 0;  // elements past a 64-byte border
  std::int64_t out_offset = 0;
  int threads = 0;
  distribution data = distribution::small;
  std::uint64_t seed = 0;

  friend bool operator==(const test_case&, const test_case&) = default;
};

// "in=f32 out=f64 op=sum kind=exclusive direction=reverse form=pair n=2049 init=1 ..."
std::ostream& operator<<(std::ostream& to, const test_case& c);
std::string to_line(const test_case& c);
// The case that to_line printed; members that the line lacks keep their defaults. Throws
// std::invalid_argument that names the bad word.
test_case from_line(const std::string& line);

// Whether the output type holds every value of the input type, from the table of docs/semantics.md.
bool mixes(type in, type out);
// Whether an operator is defined on an output type, likewise.
bool defined_on(builtin op, type out);

// How large random cases may be. At the defaults a half of them crosses a tile, a tenth a group,
// and a hundredth is larger still.
struct limits {
  std::int64_t common = std::int64_t{1} << 16;  // longest case of the usual kind
  std::int64_t group = 300'000;                 // longest case that is there to cross a group
  std::int64_t rare = 4'000'000;                // longest of the rare large cases
  bool (*served)(const spec&) = nullptr;        // only scans that the backend serves; null: any
};

// What suits a backend: fibers are slow, a naive scan the more so, and textbooks serve few types.
limits limits_for(const backend_info& backend);

// The case numbered `seed`, drawn from everything that mixes() and defined_on() allow, or
// what the backend serves alone.
test_case draw(std::uint64_t seed, const limits& most = {});

// Cases simpler than c, the simplest first: what a search for the smallest failure tries next.
std::vector<test_case> simpler(const test_case& c);

// Whether no operation of the scan rounds or depends on order, so that every backend must give the
// same values.
bool is_exact(const test_case& c);

// The scan of c as all backends see it: elements of a unit go by its accumulator.
struct unit_sizes {
  std::int64_t tile, group;
};
unit_sizes sizes_of(const test_case& c);

}  // namespace upsweep::testing

#endif
