// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_ALGORITHMS_HPP
#define UPSWEEP_KERNELS_ALGORITHMS_HPP

// The textbook backends: which grid strategy, over which block scan, has which name.

#include "block/blelloch.hpp"
#include "block/brent_kung.hpp"
#include "block/coarsened.hpp"
#include "block/hillis_steele.hpp"
#include "block/kogge_stone.hpp"
#include "block/warp_shuffle.hpp"
#include "grid/chained.hpp"
#include "grid/decoupled_lookback.hpp"
#include "grid/hybrid.hpp"
#include "grid/naive.hpp"
#include "grid/three_pass.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels::textbooks {

// So many bytes of elements for each thread.
template <class Op, int bytes>
using large_tile = kernels::coarsened<Op, bytes / static_cast<int>(sizeof(typename Op::value)),
                                      kernels::warp_shuffle<Op>>;

template <class Op>
using naive = kernels::naive<Op>;
template <class Op>
using hillis_steele = kernels::three_pass<Op, kernels::hillis_steele<Op>>;
template <class Op>
using kogge_stone = kernels::three_pass<Op, kernels::kogge_stone<Op>>;
template <class Op>
using brent_kung = kernels::three_pass<Op, kernels::brent_kung<Op>>;
template <class Op>
using blelloch = kernels::three_pass<Op, kernels::blelloch<Op, padded>>;
template <class Op>
using warp_shuffle = kernels::three_pass<Op, kernels::warp_shuffle<Op>>;
template <class Op>
using coarsened = kernels::three_pass<Op, kernels::coarsened<Op, 8, kernels::kogge_stone<Op>>>;
template <class Op>
using three_pass = kernels::three_pass<Op, large_tile<Op, 64>>;
template <class Op>
using hybrid = kernels::hybrid<Op>;
// Tiles of 32 KiB by 256 threads: the fewer, the shorter the chain and the way back; larger ones
// take more shared memory than a kernel has unasked, 48 KiB.
template <class Op>
using chained = kernels::chained<Op, large_tile<Op, 128>>;
template <class Op>
using decoupled_lookback = kernels::decoupled_lookback<Op, large_tile<Op, 128>>;

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels::textbooks

#endif
