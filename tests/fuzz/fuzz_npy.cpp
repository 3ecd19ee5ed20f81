// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a .npy file: a header that keeps its promises, or npy::error; never anything else.
#include <cassert>
#include <cstdint>
#include <limits>
#include <span>

#include "npy.hpp"

namespace npy = upsweep::command::npy;

namespace {

void check(const npy::header& h, std::size_t size, std::size_t header_size) {
  assert(h.elements >= 0);
  assert(header_size <= size && header_size <= npy::longest_header);
  const auto width = static_cast<std::int64_t>(upsweep::size_of(h.type));
  assert(h.elements <= std::numeric_limits<std::int64_t>::max() / width);
  std::int64_t product = 1;
  for (const std::int64_t n : h.shape) {
    assert(n >= 0);
    if (h.elements != 0) product *= n;
  }
  assert(h.elements == 0 || product == h.elements);
}

// What we write we read.
void round_trip(const npy::header& h) {
  const bool zero_d = h.shape.empty();
  const std::string text = npy::write(h.type, h.elements, zero_d);
  assert(text.size() == npy::written_size);
  const npy::header again = npy::parse(std::as_bytes(std::span(text)));
  assert(again.type == h.type && again.elements == h.elements && !again.big_endian);
  assert(again.shape.empty() == zero_d);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const npy::header h = npy::parse(bytes);
    check(h, size, npy::header_size(bytes));
    round_trip(h);
  } catch (const npy::error&) {
  }
  return 0;
}
