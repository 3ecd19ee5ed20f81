// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one list of backends, in order of preference. One that is not compiled in stays known.
#include "backends/cpu/cpu.hpp"
#ifndef UPSWEEP_NO_CUDA
#include "backends/cuda/cuda.hpp"
#endif
#ifndef UPSWEEP_NO_SIMT
#include "backends/simt/simt.hpp"
#endif
#include "upsweep/detail/backend.hpp"

namespace upsweep::detail {

namespace {

[[maybe_unused]] registration of(const backend* b, std::string_view name, role what,
                                 bool deterministic, memory home) {
  return {name, what, deterministic, b, b == nullptr ? "this version of upsweep lacks it yet" : "",
          home};
}

// UPSWEEP_NO_CUDA and UPSWEEP_NO_SIMT say why this build has none of a family.
registration cuda(std::string_view name, role what, bool deterministic) {
#ifdef UPSWEEP_NO_CUDA
  return {name, what, deterministic, nullptr, UPSWEEP_NO_CUDA, memory::device};
#else
  return of(upsweep::cuda::find(name), name, what, deterministic, memory::device);
#endif
}
registration simt(std::string_view name, role what, bool deterministic) {
#ifdef UPSWEEP_NO_SIMT
  return {name, what, deterministic, nullptr, UPSWEEP_NO_SIMT, memory::host};
#else
  return of(upsweep::simt::find(name), name, what, deterministic, memory::host);
#endif
}

}  // namespace

std::span<const registration> registry() {
  static const registration all[] = {
      cuda("cuda.single_pass", role::production, true),
      {"cpu.openmp", role::production, true, &cpu::openmp(), {}, memory::host},
      {"cpu.serial", role::reference, true, &cpu::serial(), {}, memory::host},
      cuda("cuda.decoupled_lookback", role::textbook, false),
      cuda("cuda.chained", role::textbook, true),
      cuda("cuda.three_pass", role::textbook, true),
      cuda("cuda.hybrid", role::textbook, true),
      cuda("cuda.coarsened", role::textbook, true),
      cuda("cuda.warp_shuffle", role::textbook, true),
      cuda("cuda.blelloch", role::textbook, true),
      cuda("cuda.brent_kung", role::textbook, true),
      cuda("cuda.kogge_stone", role::textbook, true),
      cuda("cuda.hillis_steele", role::textbook, true),
      cuda("cuda.naive", role::textbook, true),
      cuda("cuda.cub", role::peer, false),
      cuda("cuda.thrust", role::peer, false),
      simt("simt.single_pass", role::production, true),
      simt("simt.decoupled_lookback", role::textbook, false),
      simt("simt.chained", role::textbook, true),
      simt("simt.three_pass", role::textbook, true),
      simt("simt.hybrid", role::textbook, true),
      simt("simt.coarsened", role::textbook, true),
      simt("simt.warp_shuffle", role::textbook, true),
      simt("simt.blelloch", role::textbook, true),
      simt("simt.brent_kung", role::textbook, true),
      simt("simt.kogge_stone", role::textbook, true),
      simt("simt.hillis_steele", role::textbook, true),
      simt("simt.naive", role::textbook, true),
  };
  return all;
}

const device_family* devices() {
#ifdef UPSWEEP_NO_CUDA
  return nullptr;
#else
  return upsweep::cuda::devices();
#endif
}

}  // namespace upsweep::detail
