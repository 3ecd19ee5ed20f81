// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_SINGLE_PASS_OPTIONS_HPP
#define UPSWEEP_KERNELS_SINGLE_PASS_OPTIONS_HPP

// What the production scan's host half is made from, without its kernels.

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>

#include "in_build.hpp"
#include "runner.hpp"
#include "setting.hpp"
#include "upsweep/spec.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

struct device_facts {
  int multiprocessors = 1;
  int shared_bytes = 0;  // of a block that is alone on its multiprocessor
  bool bulk_copies = false;
  bool clusters = false;
};

// cluster: cluster_kernel. tiles, supers: register_kernel by these units. ring: persistent_kernel.
enum class scan_shape : std::uint8_t { by_policy, cluster, tiles, supers, ring };

// Of UPSWEEP_SINGLE_PASS: what tests force. blocks, stages: at most.
struct single_pass_options {
  scan_shape shape = scan_shape::by_policy;
  std::int64_t blocks = std::numeric_limits<std::int32_t>::max();
  int stages = std::numeric_limits<std::int32_t>::max();
};

inline single_pass_options single_pass_options_from_environment() {
  single_pass_options o;
  detail::for_each_setting("UPSWEEP_SINGLE_PASS", [&](const detail::setting& s) {
    if (s.key == "shape") {
      if (s.value == "cluster")
        o.shape = scan_shape::cluster;
      else if (s.value == "tiles")
        o.shape = scan_shape::tiles;
      else if (s.value == "supers")
        o.shape = scan_shape::supers;
      else if (s.value == "ring")
        o.shape = scan_shape::ring;
      else
        s.refuse("cluster, tiles, supers or ring");
    } else if (s.key == "blocks") {
      o.blocks = s.number<std::int64_t>(1);
    } else if (s.key == "stages") {
      o.stages = s.number(2);
    } else {
      s.refuse("a setting: shape, blocks and stages are");
    }
  });
  return o;
}

// Makes the runner of a spec with one operator and type of accumulators.
using runner_maker = std::unique_ptr<runner> (*)(const spec&, std::int64_t at_most,
                                                 const device_facts&, const single_pass_options&);

// What the first of some parts that has one has for a spec; else nullptr.
template <class Part, class... More>
runner_maker maker_for(const spec& what, std::initializer_list<Part> parts, More... more) {
  for (const Part part : parts)
    if (const runner_maker make = part(accumulator_of(what.out), what.op.id, more...)) return make;
  return nullptr;
}

// The words of a refusal, or nothing.
inline std::string refusal_by(runner_maker make) { return make == nullptr ? no_kernel : ""; }

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
