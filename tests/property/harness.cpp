// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/property/harness.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string_view>

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
  void count(const std::string& backend, const test_case& c, bool refused,
             const std::string& block) {
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
    if (!block.empty()) add("threads of a block", block);
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
  std::string block{};  // threads of a block, where fibers run it
};

// Fibers run most cases in small blocks, so that a short scan crosses many tiles, and some in
// blocks as large as on a GPU. Which, the seed tells, so that a case that is replayed is the same.
constexpr std::uint64_t full_blocks_in = 32;
bool in_full_blocks(const test_case& c) { return c.seed % full_blocks_in == 0; }
test_case with_blocks(test_case c, bool full) {
  if (full)
    c.seed -= c.seed % full_blocks_in;
  else if (in_full_blocks(c))
    ++c.seed;
  return c;
}

// How the fibers of a simt backend run follows from the case. Returns the threads of a block. TSan
// has no memory mappings for more than four blocks on each of eight threads.
std::string choose_schedule(const test_case& c) {
  dice d(c.seed + 1);
  const std::array<std::string_view, 3> orders{"fifo", "reverse", "random"};
  std::ostringstream text;
  text << "seed=" << d.between(1, 1'000'000)
       << ",order=" << (d.one_in(2) ? "random" : d.one_of(orders))
       << ",resident=" << d.between(1, d.one_in(4) && !sanitised ? 40 : 4)
       << ",preempt=" << d.between(0, 64) << ",threads=";
  const int threads = in_full_blocks(c) ? 0 : d.one_in(2) ? 32 : 64;
  text << threads;
  setenv("UPSWEEP_SIMT", text.str().c_str(), 1);
  return threads == 0 ? "full size" : std::to_string(threads);
}

answer check_one(const std::string& backend, const test_case& c, const property& holds) {
  answer is;
  if (backend.starts_with("simt.")) is.block = choose_schedule(c);
  try {
    is.wrong = holds(c);
  } catch (const error& e) {
    (e.code() == errc::unsupported ? is.refused : is.wrong) = e.what();
  } catch (const std::exception& e) {
    is.wrong = e.what();
  }
  tallied().count(backend, c, is.refused.has_value(), is.block);
  return is;
}

backend_info known(std::string_view name) {
  for (const backend_info& b : backends())
    if (b.name == name) return b;
  return {};
}

// rapidcheck draws a seed; the case and all its data follow from that. It hands out the sizes from
// 0 to 100 in turn: they say no more than which cases run in full blocks, three of 101. Of fewer
// than 50 cases none does: some such tests scan on eight threads at once, which are many fibers.
rc::Gen<test_case> any_case(const limits& most, int count) {
  const auto seeds =
      rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()));
  return rc::gen::withSize([=](int size) {
    const bool full = count >= 50 && size % 34 == 0;
    const auto drawn = [=](std::uint64_t s) { return with_blocks(draw(s, most), full); };
    return rc::gen::shrink(rc::gen::map(seeds, drawn),
                           [](const test_case& c) { return rc::seq::fromContainer(simpler(c)); });
  });
}

}  // namespace

budget budget_of(std::string_view backend) {
  budget b{sanitised ? 1'500 : 20'000, limits_for(known(backend))};
  if (backend.starts_with("cuda.")) b.cases = 5'000;
  if (backend.starts_with("simt."))
    b.cases = sanitised ? 40 : 500;
  else if (sanitised)
    b.most.common = std::min<std::int64_t>(b.most.common, 20'000), b.most.group = b.most.rare = 0;
  if (const char* text = environment("UPSWEEP_CASES")) b.cases = std::max(1, std::atoi(text));
  if (const char* text = environment("UPSWEEP_CASES_TIMES"))
    b.cases *= std::max(1, std::atoi(text));
  if (const char* text = environment("UPSWEEP_MAX_LENGTH"))
    b.most.common = b.most.group = b.most.rare = std::max(1, std::atoi(text));
  return b;
}

std::string forced_kernel(dice& d, bool fits_a_cluster) {
  if (const char* given = environment("UPSWEEP_SINGLE_PASS")) return given;
  if (d.one_in(4)) return "";
  constexpr std::array shapes{"tiles", "supers", "ring", "ring"};
  std::string all =
      std::string("shape=") + (fits_a_cluster && d.one_in(2) ? "cluster" : d.one_of(shapes));
  if (!d.one_in(3)) all += ",blocks=" + std::to_string(d.between(1, 6));
  return all + ",stages=" + std::to_string(d.between(2, 7));
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
  const rc::Gen<test_case> cases = any_case(budget_of(backend).most, count);
  int served = 0, full = 0;
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
        full += !is.refused && in_full_blocks(c) ? 1 : 0;
        refusal = is.refused.value_or(refusal);
      },
      about, parameters);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  ASSERT_TRUE(result.is<rc::detail::SuccessResult>()) << message.str();
  if (served == 0) GTEST_SKIP() << "every case refused: " << refusal;
  if (backend.starts_with("simt.")) {
    std::cout << "in blocks of full size: " << full << " of " << served << " cases\n";
    EXPECT_GE(full, served / 50);
  }
}

}  // namespace upsweep::testing
