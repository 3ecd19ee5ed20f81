// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of the textbook scans.
#include "backends/kernels/textbook.hpp"

#include "backends/kernels/algorithms.hpp"
#include "backends/simt/tables.hpp"

namespace upsweep::simt {

namespace {

using namespace kernels;

// Tiles of four elements a thread, so that a short scan crosses more than a window of them.
template <class Op>
using small_tile = coarsened<Op, 4, warp_shuffle<Op>>;
template <class Op>
using small_chained = chained<Op, small_tile<Op>>;
template <class Op>
using small_lookback = decoupled_lookback<Op, small_tile<Op>>;

entry from_textbook(std::string_view name, const textbook& (*algorithm)(const spec& what)) {
  const textbook_entry e{name, algorithm};
  // The least blocks serve the fewest elements.
  return {name, [e](const spec& what, std::int64_t n) { return e.refusal(what, n, warp_size); },
          [e](const spec& what, std::int64_t n, const settings& how) {
            return e.make(what, n, how.threads);
          }};
}

}  // namespace

std::vector<entry> textbook_algorithms() {
  return {from_textbook("simt.naive", textbook_for<textbooks::naive>),
          from_textbook("simt.hillis_steele", textbook_for<textbooks::hillis_steele>),
          from_textbook("simt.kogge_stone", textbook_for<textbooks::kogge_stone>),
          from_textbook("simt.brent_kung", textbook_for<textbooks::brent_kung>),
          from_textbook("simt.blelloch", textbook_for<textbooks::blelloch>),
          from_textbook("simt.warp_shuffle", textbook_for<textbooks::warp_shuffle>),
          from_textbook("simt.coarsened", textbook_for<textbooks::coarsened>),
          from_textbook("simt.three_pass", textbook_for<textbooks::three_pass>),
          from_textbook("simt.hybrid", textbook_for<textbooks::hybrid>),
          from_textbook("simt.chained", textbook_for<small_chained>),
          from_textbook("simt.decoupled_lookback", textbook_for<small_lookback>)};
}

}  // namespace upsweep::simt
