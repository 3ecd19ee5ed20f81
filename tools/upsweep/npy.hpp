// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_COMMAND_NPY_HPP
#define UPSWEEP_COMMAND_NPY_HPP

// The header of NumPy's .npy files, versions 1 to 3
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). Pure over bytes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/types.hpp"

namespace upsweep::command::npy {

// Says which part of the header is wrong, and its value.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct header {
  upsweep::type type{};  // bool is u8
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape{};  // empty: 0-d, one element
  std::int64_t elements = 1;          // product of the shape; their bytes fit in 63 bits
};

// Bytes from which header_size can tell how long the whole header is.
inline constexpr std::size_t preamble_size = 12;
// Longest header taken; NumPy's own are 64 to 192 bytes.
inline constexpr std::size_t longest_header = 65536;

// Size of the header, preamble included, which is where the data begin.
// Errors: fewer than preamble_size bytes, wrong magic, unknown version, more than longest_header.
std::size_t header_size(std::span<const std::byte> start);

// Reads the header at the beginning of `file`; what follows it is not looked at.
// Errors: those of header_size; header cut short, no such dictionary, a type that upsweep lacks, a
// shape that is negative or whose bytes exceed 2^63 - 1.
header parse(std::span<const std::byte> file);

// Size of every header that `write` makes.
inline constexpr std::size_t written_size = 128;

// A version 1 header for a sequence of `elements` values (0-d: a single value without a shape),
// little-endian. `t` is any type but bf16, which .npy lacks.
std::string write(upsweep::type t, std::int64_t elements, bool zero_d);

}  // namespace upsweep::command::npy

#endif
