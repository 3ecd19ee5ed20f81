// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_GRID_HYBRID_HPP
#define UPSWEEP_KERNELS_GRID_HYBRID_HPP

// Hybrid: few elements by the shortest span, Hillis-Steele in one block and one launch, where work
// is no matter because most of the GPU is idle; many by the least work, three passes over Blelloch
// blocks, in as many threads as suit those. The threshold is where the second becomes the faster.

#include <cstddef>
#include <cstdint>

#include "../block/blelloch.hpp"
#include "../block/hillis_steele.hpp"
#include "../port.hpp"
#include "../scan.hpp"
#include "../workspace.hpp"
#include "single_block.hpp"
#include "three_pass.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// Elements that one block scans at most.
inline constexpr std::int64_t hybrid_threshold = 4096;

template <class Op>
struct hybrid {
  using few = single_block<Op, hillis_steele<Op>>;
  using many = three_pass<Op, blelloch<Op>>;
  static constexpr int default_threads = few::default_threads;
  static constexpr std::int64_t max_length(int threads) {
    return many::max_length(threads_of_many(threads));
  }

  static std::size_t workspace_bytes(std::int64_t n, int threads) {
    return n <= hybrid_threshold ? 0 : many::workspace_bytes(n, threads_of_many(threads));
  }

  static void run(stream on, const scan<Op>& what, workspace space, int threads) {
    if (what.size() <= hybrid_threshold)
      few::run(on, what, space, threads);
    else
      many::run(on, what, space, threads_of_many(threads));
  }

 private:
  static constexpr int threads_of_many(int threads) {
    return threads > many::default_threads ? many::default_threads : threads;
  }
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
