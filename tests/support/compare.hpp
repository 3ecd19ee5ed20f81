// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_SUPPORT_COMPARE_HPP
#define UPSWEEP_TESTS_SUPPORT_COMPARE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "upsweep/spec.hpp"

namespace upsweep::testing {

enum class zeros { differ, equal };  // whether -0.0 and +0.0 are two values

// The first of n outputs whose bits differ, all NaNs taken as one, in words: index, coordinates in
// the units of order 1, both values. Nothing if there is none.
std::optional<std::string> first_difference(const spec& what, std::int64_t n, const void* got,
                                            const void* want, zeros signs = zeros::differ);

// How a backend brackets its operations: from the left, or as it likes.
enum class brackets { left, any };

// The first result outside the bound of docs/numerics.md, section 6, in words; nothing if none.
// `depth(m)` is the depth d of a sum of m terms. `a` holds the inputs and, in out and total, the
// results. Integers, minimum and maximum have no bound; results after an overflow or underflow that
// the brackets allow are not judged. `judged`, if given, receives how many results were.
std::optional<std::string> outside_bound(const spec& what, const arguments& a,
                                         const std::function<double(std::int64_t)>& depth,
                                         brackets order = brackets::left,
                                         std::int64_t* judged = nullptr);

// The depths that the docs give: a fold from the left, order 1, and the textbook scans by the names
// of their backends (docs/algorithms.md), which for simt.* hold for every size of blocks.
double serial_depth(std::int64_t terms);
std::function<double(std::int64_t)> order1_depth(const spec& what);
std::function<double(std::int64_t)> textbook_depth(std::string_view backend, const spec& what);

// Outputs in scalars: 2 where an output element is a pair, else 1.
std::int64_t out_parts(const spec& what);
std::int64_t in_parts(const spec& what);

}  // namespace upsweep::testing

#endif
