// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/property/harness.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>

#include "tests/support/sanitised.hpp"
#include "upsweep/error.hpp"

namespace upsweep::testing {

namespace {

const char* environment(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : nullptr;
}

// How many cases of each sort a backend has seen.
class tally : public ::testing::Environment {
 public:
  void count(const std::string& backend, const test_case& c, bool refused) {
    auto& rows = backends_[backend];
    const auto add = [&](const char* row, std::string_view column) {
      ++rows[row][std::string(column)];
    };
    add("cases", refused ? "refused" : "run");
    if (refused) return;
    const unit_sizes u = sizes_of(c);
    if (c.length > u.tile) add("cases", "cross a tile");
    if (c.length > u.group) add("cases", "cross a group");
    if (c.length > std::max(limits{}.common, limits{}.group)) add("cases", "large");
    add("out", upsweep::name_of(c.what.out));
    if (c.what.in != c.what.out) add("mode", "mixed types");
    add("operator", upsweep::name_of(c.what.op.id));
    add("mode", c.what.kind == inclusive ? "inclusive" : "exclusive");
    add("mode", c.what.direction == forward ? "forward" : "reverse");
    if (c.what.op.id == builtin::affine)
      add("mode", c.what.affine == affine_form::pair ? "pair" : "split");
    if (c.init) add("mode", "init");
    if (c.in_place) add("mode", "in place");
    if (c.one_shot) add("mode", "one-shot");
    if (c.in_offset != 0 || c.out_offset != 0) add("mode", "misaligned");
    add("threads", c.threads == 0 ? "default" : std::to_string(c.threads));
    add("data", name_of(c.data));
  }

  void TearDown() override {
    for (const auto& [backend, rows] : backends_) {
      std::cout << "tested " << backend << '\n';
      for (const auto& [row, columns] : rows) {
        std::cout << "  " << row << ':';
        for (const auto& [column, n] : columns) std::cout << ' ' << column << ' ' << n << ';';
        std::cout << '\n';
      }
    }
    std::cout << "not tested:";
    for (const backend_info& b : backends())
      if (!b.available) std::cout << ' ' << b.name;
    std::cout << std::endl;
  }

 private:
  std::map<std::string, std::map<std::string, std::map<std::string, int>>> backends_;
};

// GoogleTest owns and runs it.
tally& tallied() {
  static auto* t = new tally;
  return *t;
}
[[maybe_unused]] const auto* const registered = ::testing::AddGlobalTestEnvironment(&tallied());

struct answer {
  std::optional<std::string> wrong, refused;
};

answer check_one(const std::string& backend, const test_case& c, const property& holds) {
  answer is;
  try {
    is.wrong = holds(c);
  } catch (const error& e) {
    (e.code() == errc::unsupported ? is.refused : is.wrong) = e.what();
  } catch (const std::exception& e) {
    is.wrong = e.what();
  }
  tallied().count(backend, c, is.refused.has_value());
  return is;
}

// rapidcheck draws a seed; the case and all its data follow from that.
rc::Gen<test_case> any_case() {
  const auto seeds =
      rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()));
  const limits most = case_limits();
  return rc::gen::shrink(rc::gen::map(seeds, [most](std::uint64_t s) { return draw(s, most); }),
                         [](const test_case& c) { return rc::seq::fromContainer(simpler(c)); });
}

}  // namespace

int case_count() {
  if (const char* text = environment("UPSWEEP_CASES")) return std::max(1, std::atoi(text));
  return sanitised ? 1'500 : 20'000;
}

limits case_limits() {
  if (const char* text = environment("UPSWEEP_MAX_LENGTH")) {
    const std::int64_t most = std::max(1, std::atoi(text));
    return {.common = most, .group = most, .rare = most};
  }
  return sanitised ? limits{.common = 20'000, .group = 0, .rare = 0} : limits{};
}

std::vector<backend_info> compiled_backends() {
  std::vector<backend_info> all = backends();
  std::erase_if(all, [](const backend_info& b) { return !b.compiled; });
  return all;
}

std::string parameter_name(const ::testing::TestParamInfo<backend_info>& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
}

void for_all_cases(const std::string& backend, int count, const property& holds) {
  if (const char* line = environment("UPSWEEP_CASE")) {
    const answer is = check_one(backend, from_line(line), holds);
    EXPECT_FALSE(is.wrong.has_value()) << *is.wrong;
    if (is.refused) GTEST_SKIP() << *is.refused;
    return;
  }
  rc::detail::TestMetadata about;
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  about.id = std::string(info->test_suite_name()) + '.' + info->name();
  rc::detail::TestParams parameters = rc::detail::configuration().testParams;
  parameters.maxSuccess = std::max(count, 1);
  const rc::Gen<test_case> cases = any_case();
  int served = 0;
  std::string refusal;
  const auto result = rc::detail::checkTestable(
      [&] {
        const test_case c = *cases;
        const answer is = check_one(backend, c, holds);
        if (is.wrong) {
          const std::string message =
              *is.wrong + "\nreplay this case alone with UPSWEEP_CASE='" + to_line(c) + "'";
          RC_FAIL(message);
        }
        served += is.refused ? 0 : 1;
        refusal = is.refused.value_or(refusal);
      },
      about, parameters);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  ASSERT_TRUE(result.is<rc::detail::SuccessResult>()) << message.str();
  if (served == 0) GTEST_SKIP() << "every case refused: " << refusal;
}

}  // namespace upsweep::testing
