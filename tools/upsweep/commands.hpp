// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_COMMAND_COMMANDS_HPP
#define UPSWEEP_COMMAND_COMMANDS_HPP

// The subcommands behind their command lines. Errors: `misuse`, `failure`, upsweep::error.

#include <cstdint>
#include <optional>
#include <string>

#include "format.hpp"
#include "upsweep/spec.hpp"

namespace upsweep::command {

void list(bool json);

struct scan_options {
  std::string in, out;  // "-": standard input, standard output
  std::optional<format> in_format{}, out_format{};
  std::optional<type> in_type{}, out_type{};
  builtin op = builtin::sum;
  bool exclusive = false, reverse = false, total = false;
  std::optional<std::string> init{};
  std::string backend{};
  int threads = 0;                      // 0: as many as there are
  std::optional<std::int64_t> chunk{};  // bytes of a chunk in memory, exactly so
};
void scan(const scan_options& o);

struct check_options {
  double seconds = 10;
  std::string backend{};                // empty: every one that is available
  std::optional<std::string> replay{};  // one case again, from the line that a failure has printed
};
// Whether every backend agreed with the oracle in every case.
bool check(const check_options& o);

struct tune_options {
  std::string out = "-";  // standard output
  int threads = 0;        // 0: as many as there are
  bool quick = false;
};
void tune(const tune_options& o);

}  // namespace upsweep::command

#endif
