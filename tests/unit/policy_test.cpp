// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How cpu.openmp chooses its threads, and where it takes its numbers from.
#include "backends/cpu/policy.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/caches.hpp"
#include "backends/cpu/cgroup.hpp"
#include "expect.hpp"
#include "scoped_folder.hpp"
#include "upsweep/plan.hpp"

namespace upsweep::cpu {
namespace {

using testing::expect_error;
using testing::scoped_environment;
using testing::scoped_folder;

constexpr surroundings machine{.openmp_threads = 8, .processors = 64, .quota = INT_MAX};

surroundings inside(surroundings s) {
  s.in_parallel = true;
  return s;
}
surroundings with_quota(int threads) {
  surroundings s = machine;
  s.quota = threads;
  return s;
}

TEST(threads, are_the_callers_or_openmps) {
  EXPECT_EQ(threads_for(0, machine), 8);
  EXPECT_EQ(threads_for(3, machine), 3);
  EXPECT_EQ(threads_for(40, machine), 40);
}

TEST(threads, never_end_the_process) {
  EXPECT_EQ(threads_for(1 << 20, machine), 64);
  surroundings small = machine;
  small.processors = 2;
  EXPECT_EQ(threads_for(1 << 20, small), 16);
}

TEST(threads, in_a_callers_parallel_region_are_one_unless_asked_for) {
  EXPECT_EQ(threads_for(0, inside(machine)), 1);
  EXPECT_EQ(threads_for(4, inside(machine)), 4);
  surroundings no_nesting = inside(machine);
  no_nesting.may_fork = false;
  EXPECT_EQ(threads_for(4, no_nesting), 1);
}

TEST(threads, keep_to_the_quota) {
  EXPECT_EQ(threads_for(0, with_quota(2)), 2);
  EXPECT_EQ(threads_for(5, with_quota(2)), 2);
  EXPECT_EQ(threads_for(1, with_quota(2)), 1);
  EXPECT_EQ(threads_for(0, with_quota(100)), 8);
}

void write_line(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text << '\n';
}

// The quota of a process in `membership`, with `files` below the mounted cgroups.
int quota(const std::string& membership,
          const std::vector<std::pair<std::string, std::string>>& files) {
  const scoped_folder at;
  write_line(at.path("self"), membership);
  for (const auto& [name, text] : files) write_line(at.path("mount/" + name), text);
  return cgroup_threads(at.path("self"), at.path("mount"));
}

TEST(cgroup, of_version_2) {
  EXPECT_EQ(quota("0::/", {{"cpu.max", "200000 100000"}}), 2);
  EXPECT_EQ(quota("0::/a/b", {{"a/b/cpu.max", "150000 100000"}}), 2);
  EXPECT_EQ(quota("0::/a/b", {{"a/b/cpu.max", "5000 100000"}}), 1);
  EXPECT_EQ(quota("0::/a/b", {{"a/b/cpu.max", "max 100000"}}), INT_MAX);
}

TEST(cgroup, is_no_freer_than_those_above_it) {
  EXPECT_EQ(quota("0::/a/b", {{"a/b/cpu.max", "max 100000"}, {"a/cpu.max", "300000 100000"}}), 3);
  EXPECT_EQ(quota("0::/a/b", {{"a/b/cpu.max", "100 100"}, {"a/cpu.max", "300 100"}}), 1);
  EXPECT_EQ(quota("0::/docker/host/path", {{"cpu.max", "400000 100000"}}), 4);
}

TEST(cgroup, of_version_1) {
  const std::string membership = "3:memory:/m\n2:cpuacct,cpu:/a\n1:cpuset:/b\n0::/";
  const auto with = [&](const char* us) {
    return quota(membership, {{"cpu/a/cpu.cfs_quota_us", us},
                              {"cpu/a/cpu.cfs_period_us", "100000"},
                              {"cpu/b/cpu.cfs_quota_us", "100000"},
                              {"cpu/b/cpu.cfs_period_us", "100000"}});
  };
  EXPECT_EQ(with("250000"), 3);
  EXPECT_EQ(with("-1"), INT_MAX);
}

TEST(cgroup, without_files_or_sense_is_no_quota) {
  EXPECT_EQ(quota("0::/a", {}), INT_MAX);
  EXPECT_EQ(quota("", {{"cpu.max", "100 100"}}), INT_MAX);
  EXPECT_EQ(quota("0::/", {{"cpu.max", "100 0"}}), INT_MAX);
  EXPECT_EQ(quota("0::/", {{"cpu.max", "9223372036854775807 1"}}), INT_MAX);
  EXPECT_EQ(cgroup_threads("/no/such/file", "/no/such/folder"), INT_MAX);
}

// With `files` in the folder of a processor's caches.
cache_sizes caches_of(const std::vector<std::pair<std::string, std::string>>& files) {
  const scoped_folder at;
  for (const auto& [name, text] : files) write_line(at.path(name), text);
  return read_caches(at.path(""));
}

TEST(caches, are_the_second_and_the_last_of_a_processor) {
  const cache_sizes three = caches_of({{"index0/level", "1"},
                                       {"index0/type", "Data"},
                                       {"index0/size", "32K"},
                                       {"index1/level", "2"},
                                       {"index1/type", "Instruction"},
                                       {"index1/size", "64K"},
                                       {"index2/level", "2"},
                                       {"index2/type", "Unified"},
                                       {"index2/size", "512K"},
                                       {"index3/level", "3"},
                                       {"index3/type", "Unified"},
                                       {"index3/size", "32M"}});
  EXPECT_EQ(three.second, 512 << 10);
  EXPECT_EQ(three.last, 32 << 20);
  const cache_sizes two =
      caches_of({{"index0/level", "2"}, {"index0/type", "Unified"}, {"index0/size", "2048K"}});
  EXPECT_EQ(two.second, 2 << 20);
  EXPECT_EQ(two.last, 2 << 20);
}

TEST(caches, without_files_are_what_the_library_says_or_usual) {
  for (const auto& text : {"", "no number", "-1K"}) {
    const cache_sizes unknown =
        caches_of({{"index0/level", "3"}, {"index0/type", "Unified"}, {"index0/size", text}});
    EXPECT_GT(unknown.second, 0) << text;
    EXPECT_GE(unknown.last, unknown.second) << text;
  }
}

// UPSWEEP_TUNING names a file of this text, for as long as it lives.
struct tuned {
  explicit tuned(const std::string& text) { std::ofstream(path) << text; }

  scoped_folder folder{};
  std::string path = folder.path("file").string();
  scoped_environment environment{"UPSWEEP_TUNING", path.c_str()};
};

TEST(tuning, replaces_what_the_file_gives) {
  const policy own = make_policy(3);
  const tuned file("# a comment\n\n  block =4096# another\r\nparallel_from= 0\n");
  const policy p = make_policy(3);
  EXPECT_EQ(p.threads, 3);
  EXPECT_EQ(p.block, 4096);
  EXPECT_EQ(p.parallel_from, 0);
  EXPECT_EQ(p.stream_stores_from, own.stream_stores_from);
}

TEST(tuning, is_told_by_the_plan) {
  const auto why = [] { return plan({}, {}, {.backend = "cpu.openmp"}).why(); };
  {
    const scoped_environment none("UPSWEEP_TUNING", nullptr);
    EXPECT_EQ(why().find("UPSWEEP_TUNING"), std::string::npos);
  }
  {
    const tuned file("# nothing\n");
    EXPECT_EQ(why().find("UPSWEEP_TUNING"), std::string::npos);
  }
  const tuned file("stream_stores_from = 7168\nblock = 1023\n");
  const std::string end =
      ", blocks of 1023 bytes, non-temporal stores from 7 KiB; UPSWEEP_TUNING (" + file.path +
      ") gives block, stream_stores_from";
  EXPECT_TRUE(why().ends_with(end)) << why();
}

TEST(tuning, of_an_empty_name_is_none) {
  const scoped_environment empty("UPSWEEP_TUNING", "");
  EXPECT_EQ(make_policy(0).tuning, "");
}

TEST(tuning, refuses_by_file_line_key_and_value) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"block = 1\nblocks = 7\n", {":2: ", "blocks = 7", "parallel_from, block and"}},
           {"\nblock = 1\nblock = 2\n", {":3: ", "block = 2", "again"}},
           {"block = 0\n", {":1: ", "block = 0", "at least 1"}},
           {"parallel_from = -1\n", {":1: ", "parallel_from = -1", "at least 0"}},
           {"block = 256K\n", {":1: ", "block = 256K", "number of bytes"}},
           {"block =\n", {":1: ", "'block ='", "number of bytes"}},
           {"block = 9223372036854775808\n", {":1: ", "9223372036854775808"}},
           {"block 1\n", {":1: ", "block 1", "key = value"}}}) {
    const tuned file(text);
    std::vector<std::string> all = words;
    all.push_back("UPSWEEP_TUNING: " + file.path);
    expect_error(errc::invalid_argument, all, [] { make_policy(0); });
    expect_error(errc::invalid_argument, all, [] { plan({}, {}); });
  }
}

TEST(tuning, refuses_what_cannot_be_read) {
  const scoped_folder folder;
  for (const std::string& path : {folder.path("none").string(), folder.path("").string()}) {
    const scoped_environment set("UPSWEEP_TUNING", path.c_str());
    expect_error(errc::invalid_argument, {"UPSWEEP_TUNING: " + path, "cannot be read"},
                 [] { make_policy(0); });
  }
}

}  // namespace
}  // namespace upsweep::cpu
