// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures upsweep beside copies and other scans. All options are those of Google Benchmark;
// docs/performance.md says which ones the published results use. Exits 1 if a result was wrong.
#include <fstream>
#include <string>

#include "bench/harness.hpp"
#include "upsweep/upsweep.hpp"

namespace {

// The first `key : value` line of a file such as /proc/cpuinfo.
std::string field(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? line : "unknown";
}

void add_context() {
  constexpr auto cpuinfo = "/proc/cpuinfo";
  benchmark::AddCustomContext("cpu", field(cpuinfo, "model name"));
  benchmark::AddCustomContext("cpu_model",
                              field(cpuinfo, "cpu family") + "-" + field(cpuinfo, "model\t"));
#if defined(__clang__)
  benchmark::AddCustomContext("compiler", "clang " __clang_version__);
#else
  benchmark::AddCustomContext("compiler", "g++ " __VERSION__);
#endif
  benchmark::AddCustomContext("huge_pages",
                              first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  benchmark::AddCustomContext("upsweep_version", upsweep::version());
  const upsweep::plan plan({.in = upsweep::type::f32}, {.length = 1}, {.backend = "cpu"});
  benchmark::AddCustomContext("upsweep_plan", plan.backend() + ": " + plan.why());
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  add_context();
  upsweep::bench::add_upsweep();
  upsweep::bench::add_copies();
  upsweep::bench::add_std();
#ifdef UPSWEEP_BENCH_TBB
  upsweep::bench::add_tbb();
#endif
#ifdef UPSWEEP_BENCH_DIRECTIVE
  upsweep::bench::add_directive();
#endif
#ifdef UPSWEEP_BENCH_THRUST
  upsweep::bench::add_thrust();
#endif
  const std::size_t measured = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return measured == 0 || upsweep::bench::any_wrong() ? 1 : 0;
}
