// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The production scan on fibers: all its kernels, bulk copies included.
#include "backends/kernels/single_pass.hpp"

#include "backends/simt/tables.hpp"
#include "upsweep/error.hpp"

namespace upsweep::simt {

namespace {

kernels::runner_maker maker(const spec& what, bool small_units) {
  return kernels::maker_for(
      what, {single_pass_narrow, single_pass_wide, single_pass_real, single_pass_pair},
      small_units);
}

}  // namespace

std::vector<entry> production() {
  return {{"simt.single_pass",
           [](const spec& what, std::int64_t) { return kernels::refusal_by(maker(what, false)); },
           [](const spec& what, std::int64_t n, const settings& how) {
             // Few places in a wave, so that short scans fill more than one.
             const kernels::device_facts device{.multiprocessors = 2,
                                                .shared_bytes = 227 << 10,
                                                .bulk_copies = true,
                                                .clusters = true};
             const auto make = maker(what, how.small_units);
             if (make == nullptr)
               throw error(errc::unsupported,
                           "UPSWEEP_SIMT: units=small is not in a build with a sanitizer");
             return make(what, n, device, kernels::single_pass_options_from_environment());
           }}};
}

}  // namespace upsweep::simt
