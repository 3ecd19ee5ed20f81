// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command `upsweep`: its command line, and what its failures look like.
#include <array>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "upsweep/backends.hpp"
#include "upsweep/error.hpp"

namespace upsweep::command {

namespace {

constexpr const char* exit_codes =
    "Exit codes: 0 success, 1 the work failed (file, data, machine, mismatch), 2 wrong usage.";

constexpr const char* examples = R"(Examples:
  upsweep list
  seq 10 | upsweep scan - -o -
  upsweep scan counts.npy -o offsets.npy --exclusive --out-dtype i64
  upsweep check --seconds 10
  upsweep tune -o upsweep.tuning
`upsweep SUBCOMMAND --help` says more.)";

constexpr const char* list_examples = R"(Examples:
  upsweep list
  upsweep list --json | python3 -m json.tool)";

constexpr const char* scan_examples = R"(IN and OUT are, by their extensions:
  .npy              one NumPy array of rank 0 or 1; bool is read as u8
  .txt .text .csv   one element a line; complex numbers as re,im and affine pairs as a,u
  .raw .bin .dat    little-endian elements, nothing else; IN also with any other name, OUT then as IN
Standard input is an array if it starts like one, else raw with --dtype and text without.
In raw and .npy files an affine element is two values, a then u: h[i] = a[i] * h[i-1] + u[i].

OUT appears when it is complete; after an error or a signal it is as it was before.
Files larger than memory go through in chunks, with the bits that one scan of the whole gives. Held in
memory whole: a reverse scan from or to a pipe or text, and raw bytes or text from a pipe to an array
on a pipe.

Examples:
  upsweep scan x.npy -o cumsum.npy
  upsweep scan x.npy -o peaks.npy --op maximum --reverse
  upsweep scan flags.raw --dtype u8 -o slots.npy --exclusive --out-dtype i64 --total
  upsweep scan pairs.raw --dtype f64 --op affine --init 1,0 -o h.raw --threads 2
  seq 10 | upsweep scan - --in-format text --dtype i32 -o - --op product)";

constexpr const char* check_examples =
    R"(Random scans of random data: every type, operator and mode that a backend serves. Production backends
must give the bits of the numerical contract; the others are exact on exact data, else within the bound.

Examples:
  upsweep check
  upsweep check --seconds 60 --backend cpu.openmp)";

constexpr const char* tune_examples =
    R"(Measures where threads pay, how much a thread should take at a time, and where stores past the caches
pay. The library takes the result from the file that UPSWEEP_TUNING names. It decides speed alone, never a
bit. Under a minute, on a machine that does nothing else.

Examples:
  upsweep tune -o upsweep.tuning
  UPSWEEP_TUNING=upsweep.tuning upsweep scan x.npy -o cumsum.npy)";

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (int t = 0; t < static_cast<int>(type::user); ++t)
    names.emplace_back(name_of(static_cast<type>(t)));
  return names;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (int op = static_cast<int>(builtin::sum); op <= static_cast<int>(builtin::log_add_exp); ++op)
    names.emplace_back(name_of(static_cast<builtin>(op)));
  return names;
}

// Both are called with names that CLI::IsMember has let pass.
type type_named(const std::string& name) {
  int t = 0;
  while (name_of(static_cast<type>(t)) != name) ++t;
  return static_cast<type>(t);
}

builtin operator_named(const std::string& name) {
  int op = 0;
  while (name_of(static_cast<builtin>(op)) != name) ++op;
  return static_cast<builtin>(op);
}

const CLI::Validator positive(
    [](const std::string& s) {
      double x = 0;
      return CLI::detail::lexical_cast(s, x) && x > 0 ? "" : s + " is not a positive number";
    },
    "", "positive");

void add_backend(CLI::App& app, std::string& backend, const char* otherwise) {
  app.add_option("--backend", backend,
                 std::string("A name of `upsweep list`, or a family such as cpu; ") + otherwise)
      ->type_name("NAME");
}

void add_threads(CLI::App& app, int& threads) {
  app.add_option("--threads", threads, "CPU threads at most; default: as OpenMP would choose")
      ->check(positive)
      ->type_name("N");
}

void add_list(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("list", "The backends: which are here, and why others are not");
  static bool json = false;
  sub->add_flag("--json", json, "For programs: an array of objects");
  sub->footer(std::string(list_examples) + "\n\n" + exit_codes);
  sub->callback([] { list(json); });
}

void add_scan(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("scan", "Scan a file: running sums, products, extremes ...");
  static scan_options o;
  const CLI::IsMember types(type_names()), formats({"npy", "raw", "text"});
  sub->add_option("IN", o.in, "File to scan; - is standard input")->required()->type_name("");
  sub->add_option("-o,--out", o.out, "File to write; - is standard output")
      ->required()
      ->type_name("OUT");
  sub->add_option_function<std::string>(
         "--op", [](const std::string& s) { o.op = operator_named(s); }, "Operator, default sum")
      ->check(CLI::IsMember(operator_names()))
      ->type_name("NAME");
  sub->add_flag("--exclusive", o.exclusive, "Result i leaves out element i");
  sub->add_flag("--reverse", o.reverse, "From the last element to the first");
  sub->add_option("--init", o.init, "What comes before the first element")->type_name("VALUE");
  sub->add_flag("--total", o.total,
                "Print all elements combined, on standard output (on standard error if OUT is -)");
  sub->add_option_function<std::string>(
         "--dtype", [](const std::string& s) { o.in_type = type_named(s); },
         "Type of the input: needed for raw files, f64 for text")
      ->check(types)
      ->type_name("TYPE");
  sub->add_option_function<std::string>(
         "--out-dtype", [](const std::string& s) { o.out_type = type_named(s); },
         "Type of the output, in which values are combined; default the input's")
      ->check(types)
      ->type_name("TYPE");
  sub->add_option_function<std::string>(
         "--in-format", [](const std::string& s) { o.in_format = format_named(s); },
         "Read IN as npy, raw or text, whatever its name")
      ->check(formats)
      ->type_name("FORMAT");
  sub->add_option_function<std::string>(
         "--format", [](const std::string& s) { o.out_format = format_named(s); },
         "Write OUT as npy, raw or text, whatever its name")
      ->check(formats)
      ->type_name("FORMAT");
  add_backend(*sub, o.backend, "default: UPSWEEP_BACKEND, else the fastest");
  add_threads(*sub, o.threads);
  sub->add_option("--chunk", o.chunk, "Bytes of a large file to hold at a time, default 64 MiB")
      ->check(positive)
      ->type_name("BYTES");
  sub->footer(std::string(scan_examples) + "\n\n" + exit_codes);
  sub->callback([] { scan(o); });
}

// `agreed` outlives the parsing.
void add_check(CLI::App& app, bool& agreed) {
  CLI::App* sub =
      app.add_subcommand("check", "Compare the backends with a plain implementation, at random");
  static check_options o;
  sub->add_option("--seconds", o.seconds, "How long, default 10")->check(positive)->type_name("N");
  add_backend(*sub, o.backend, "default: every one that is available");
  sub->add_option("--replay", o.replay,
                  "Run one case again, from the line that a failure has printed")
      ->type_name("CASE");
  sub->footer(std::string(check_examples) + "\n\n" + exit_codes);
  sub->callback([&agreed] { agreed = check(o); });
}

void add_tune(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("tune", "Measure what suits cpu.openmp on this machine");
  static tune_options o;
  sub->add_option("-o,--out", o.out, "File to write; default standard output")->type_name("OUT");
  add_threads(*sub, o.threads);
  sub->add_flag("--quick", o.quick, "Roughly, in a second or two");
  sub->footer(std::string(tune_examples) + "\n\n" + exit_codes);
  sub->callback([] { tune(o); });
}

// The library names its arguments; here they are options.
std::string in_terms_of_options(const std::string& message) {
  constexpr std::array<std::array<std::string_view, 2>, 6> names{{{"in", "--dtype"},
                                                                  {"out", "--out-dtype"},
                                                                  {"op", "--op"},
                                                                  {"init", "--init"},
                                                                  {"backend", "--backend"},
                                                                  {"threads", "--threads"}}};
  const auto colon = message.find(':');
  for (const auto& [argument, option] : names)
    if (std::string_view(message).substr(0, colon) == argument)
      return std::string(option) + message.substr(colon);
  return message;
}

int report(exit_code code, std::string_view message) {
  fmt::print(stderr, "upsweep: {}\n", message);
  if (code == misused) fmt::print(stderr, "`upsweep --help` says how it is used.\n");
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("Prefix sums (scans) with one set of results on every backend.", "upsweep");
  app.set_version_flag("--version", std::string("upsweep ") + version());
  app.require_subcommand(1);
  app.footer(std::string(examples) + "\n\n" + exit_codes);
  bool agreed = true;
  add_list(app);
  add_scan(app);
  add_check(app, agreed);
  add_tune(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& e) {
    return report(misused, e.what());
  }
  if (std::fflush(stdout) != 0) return report(failed, "standard output: cannot write");
  return agreed ? success : failed;
}

}  // namespace

}  // namespace upsweep::command

int main(int argc, char** argv) {
  using namespace upsweep;
  using namespace upsweep::command;
  try {
    return run(argc, argv);
  } catch (const misuse& e) {
    return report(misused, e.what());
  } catch (const upsweep::error& e) {
    const bool usage = e.code() == errc::invalid_argument || e.code() == errc::unsupported ||
                       e.code() == errc::unknown_backend;
    return report(usage ? misused : failed, in_terms_of_options(e.what()));
  } catch (const std::bad_alloc&) {
    return report(failed, "memory: not enough for this scan");
  } catch (const std::exception& e) {
    return report(failed, e.what());
  }
}
