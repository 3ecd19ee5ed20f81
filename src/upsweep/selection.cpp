// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/detail/selection.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <vector>

namespace upsweep {

namespace detail {

namespace {

std::string quoted(std::string_view s) { return "'" + std::string(s) + "'"; }

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

constexpr std::string_view families[][2] = {
    {"cpu", "cpu.openmp"}, {"cuda", "cuda.single_pass"}, {"simt", "simt.single_pass"}};

const registration* find(std::string_view name) {
  for (const auto& [family, member] : families)
    if (name == family) name = member;
  const auto all = registry();
  const auto it = std::ranges::find(all, name, &registration::name);
  return it == all.end() ? nullptr : &*it;
}

// By the whole name, or by its part after the dot: "serial" means cpu.serial.
std::string_view closest(std::string_view name) {
  std::vector<std::string_view> all{"auto"};
  for (const auto& [family, member] : families) all.push_back(family);
  for (const registration& r : registry()) all.push_back(r.name);
  return *std::ranges::min_element(all, {}, [&](std::string_view known) {
    return std::min(edit_distance(name, known),
                    edit_distance(name, known.substr(known.find('.') + 1)));
  });
}

// Why a backend cannot be used here at all, or nothing.
std::string absence(const registration& r) {
  if (r.instance == nullptr) return "not compiled in: " + std::string(r.not_compiled_in);
  const availability& a = availability_of(r);
  return a.here ? "" : "not available: " + a.reason;
}

std::string serving(const spec& what, const extents& at_most, memory where) {
  std::string names;
  for (const registration& r : registry()) {
    if (!absence(r).empty() || !r.instance->refusal(what, at_most, where).empty()) continue;
    names += (names.empty() ? "" : ", ") + std::string(r.name);
  }
  return names.empty() ? "no backend here serves it" : "served here by: " + names;
}

}  // namespace

const availability& availability_of(const registration& r) {
  // Each when it is first asked for: a scan on the CPU wakes no driver.
  struct probed {
    std::once_flag once;
    availability found;
  };
  static std::vector<probed> all(registry().size());
  probed& p = all[static_cast<std::size_t>(&r - registry().data())];
  std::call_once(p.once, [&] {
    p.found = r.instance != nullptr ? r.instance->probe()
                                    : availability{false, std::string(r.not_compiled_in)};
  });
  return p.found;
}

selection select(const spec& what, const extents& at_most, const plan_options& options) {
  std::string_view name = options.backend;
  std::string asked = "backend";
  if (name.empty()) {
    if (const char* env = std::getenv("UPSWEEP_BACKEND"); env != nullptr && *env != '\0') {
      name = env;
      asked = "UPSWEEP_BACKEND";
    }
  }

  if (!name.empty() && name != "auto") {
    const registration* r = find(name);
    if (r == nullptr)
      throw error(
          errc::unknown_backend,
          asked + ": " + quoted(name) + " is unknown; did you mean " + quoted(closest(name)) + "?");
    if (const std::string reason = absence(*r); !reason.empty())
      throw error(errc::unavailable, asked + ": " + quoted(r->name) + " is " + reason + "; " +
                                         serving(what, at_most, options.memory));
    if (const std::string reason = r->instance->refusal(what, at_most, options.memory);
        !reason.empty())
      throw error(errc::unsupported, asked + ": " + quoted(r->name) +
                                         " does not serve this scan: " + reason + "; " +
                                         serving(what, at_most, options.memory));
    return {r, "named by " + asked + " (" + std::string(name) + ")"};
  }

  std::string refusals;
  for (const registration& r : registry()) {
    if (r.what != role::production) continue;
    // Before its probe: host data are no reason to wake a GPU.
    std::string reason =
        r.home == options.memory
            ? absence(r)
            : std::string("it scans ") + (r.home == memory::host ? "host" : "device") + " memory";
    if (reason.empty()) reason = r.instance->refusal(what, at_most, options.memory);
    if (reason.empty())
      return {&r, options.memory == memory::host ? "chosen by auto for host memory"
                                                 : "chosen by auto for device memory"};
    refusals += "; " + std::string(r.name) + ": " + reason;
  }
  throw error(errc::unavailable,
              "backend: auto found none for " +
                  std::string(options.memory == memory::host ? "host" : "device") + " memory" +
                  refusals);
}

}  // namespace detail

std::vector<backend_info> backends() {
  std::vector<backend_info> all;
  for (const detail::registration& r : detail::registry()) {
    const detail::availability& a = detail::availability_of(r);
    all.push_back({.name = std::string(r.name),
                   .role = r.what,
                   .deterministic = r.deterministic,
                   .compiled = r.instance != nullptr,
                   .available = a.here,
                   .reason = a.here ? "" : a.reason});
  }
  return all;
}

const char* name_of(role r) noexcept {
  switch (r) {
    case role::production: return "production";
    case role::textbook: return "textbook";
    case role::reference: return "reference";
    case role::peer: return "peer";
  }
  return "unknown";
}

const char* version() noexcept { return UPSWEEP_VERSION; }

}  // namespace upsweep
