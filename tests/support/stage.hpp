// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_STAGE_HPP
#define UPSWEEP_TESTS_SUPPORT_STAGE_HPP

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/cases.hpp"
#include "tests/support/guarded.hpp"
#include "upsweep/backends.hpp"
#include "upsweep/plan.hpp"

namespace upsweep::testing {

// The init of a case: of its own type, of the accumulator's, or a narrower one.
value init_of(const test_case& c);

// A case with its data: guarded inputs and outputs, and what the oracle says of them.
class stage {
 public:
  explicit stage(const test_case& c);

  // A run of the whole case; `total` included.
  arguments whole() { return part(0, case_.length); }
  // A run of elements [first, first + n), with the init of the case if the run is the first one, in
  // the order of the scan.
  arguments part(std::int64_t first, std::int64_t n);
  // The same of elements [first, last) counted in the order of the scan.
  arguments stretch(std::int64_t first, std::int64_t last) {
    return part(case_.what.direction == reverse ? case_.length - last : first, last - first);
  }

  // What is wrong after a run, or nothing: results (bit for bit, or, for a backend that keeps its
  // own order, exact or within its bound), guards, inputs. With `results` false only the latter
  // two.
  std::optional<std::string> problem(const backend_info& backend, bool results = true);

  // All memory that runs may touch: inputs, outputs, total.
  std::array<guarded*, 4> arrays() { return {&in_, &coefficients_, &out_, &total_}; }

  const value& init() const { return init_; }
  const std::vector<std::byte>& want() const { return want_; }
  const std::vector<std::byte>& want_total() const { return want_total_; }
  const std::byte* out() const { return case_.in_place ? in_.data() : out_.data(); }
  const std::byte* total() const { return total_.data(); }
  const test_case& what() const { return case_; }

 private:
  std::optional<std::string> wrong_results(const backend_info& backend);

  test_case case_;
  value init_;
  guarded in_, coefficients_, out_, total_;
  std::vector<std::byte> in_before_, coefficients_before_, want_, want_total_;
};

struct verdict {
  enum { passed, refused, failed } outcome = passed;
  std::string detail{};
};

// Runs the case on one backend and checks all that stage::problem does. refused: the backend says
// in words that it does not serve such a scan.
verdict run_case(const test_case& c, const backend_info& backend);

}  // namespace upsweep::testing

#endif
