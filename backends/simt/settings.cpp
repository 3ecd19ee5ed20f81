// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/settings.hpp"

#include <bit>
#include <cstdint>

#include "backends/kernels/setting.hpp"

namespace upsweep::simt {

namespace {

void set(settings& s, const detail::setting& given) {
  const auto& [variable, key, value] = given;
  if (key == "seed") {
    s.device.seed = given.number(std::uint64_t{0});
  } else if (key == "order") {
    if (value == "fifo")
      s.device.order = schedule::fifo;
    else if (value == "reverse")
      s.device.order = schedule::reverse;
    else if (value == "random")
      s.device.order = schedule::random;
    else
      given.refuse("fifo, reverse or random");
  } else if (key == "resident") {
    s.device.resident = given.number(1);
  } else if (key == "preempt") {
    s.device.preempt = given.number(0);
  } else if (key == "patience") {
    s.device.patience = given.number(1);
  } else if (key == "threads") {
    s.threads = given.number(0);
    const bool fit =
        s.threads >= 32 && s.threads <= 1024 && std::has_single_bit(unsigned(s.threads));
    if (s.threads != 0 && !fit) given.refuse("0 or a power of two from 32 to 1024");
  } else if (key == "units") {
    if (value != "order1" && value != "small") given.refuse("order1 or small");
    s.small_units = value == "small";
  } else {
    given.refuse("a setting: seed, order, resident, preempt, patience, threads and units are");
  }
}

}  // namespace

settings settings_from_environment() {
  settings s;
  detail::for_each_setting("UPSWEEP_SIMT", [&](const detail::setting& given) { set(s, given); });
  return s;
}

}  // namespace upsweep::simt
