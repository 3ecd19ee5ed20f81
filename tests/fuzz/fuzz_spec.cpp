// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a spec, extents, arguments and a state: validation lets pass what the backends may
// rely on, or throws upsweep::error with a message that names an argument; never anything else.
#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/detail/backend.hpp"
#include "upsweep/detail/validation.hpp"

namespace {

using namespace upsweep;

// Where the pointers of a run point: never read, for validation looks at addresses alone.
alignas(64) std::array<std::byte, 4096> arena;

template <class E>
E any(FuzzedDataProvider& d) {
  // Mostly values of the enumeration, but not only.
  return static_cast<E>(d.ConsumeIntegral<std::uint8_t>() % 20);
}

std::int64_t count(FuzzedDataProvider& d) {
  return d.ConsumeBool() ? d.ConsumeIntegralInRange<std::int64_t>(-2, 100)
                         : d.ConsumeIntegral<std::int64_t>();
}

std::byte* pointer(FuzzedDataProvider& d) {
  return d.ConsumeIntegral<std::uint8_t>() < 16
             ? nullptr
             : arena.data() + d.ConsumeIntegralInRange<std::size_t>(0, arena.size() - 1);
}

spec any_spec(FuzzedDataProvider& d) {
  spec s{.in = any<type>(d), .out = any<type>(d)};
  s.op.id = any<builtin>(d);
  s.kind = d.ConsumeBool() ? inclusive : any<kind>(d);
  s.direction = d.ConsumeBool() ? forward : any<direction>(d);
  s.affine = d.ConsumeBool() ? affine_form::pair : any<affine_form>(d);
  s.layout = d.ConsumeBool() ? layout::flat : any<layout>(d);
  s.accuracy = d.ConsumeBool() ? accuracy::ordered : any<accuracy>(d);
  if (s.op.id == builtin::none) {
    s.op.size = d.ConsumeIntegral<std::size_t>();
    s.op.alignment = d.ConsumeIntegral<std::size_t>();
    s.op.name = d.ConsumeRandomLengthString(8);
    s.op.identity.resize(d.ConsumeIntegralInRange<std::size_t>(0, 32));
    if (d.ConsumeBool()) s.op.source = "text";
  }
  return s;
}

value any_init(FuzzedDataProvider& d) {
  switch (d.ConsumeIntegralInRange(0, 9)) {
    case 0: return d.ConsumeIntegral<std::int8_t>();
    case 1: return d.ConsumeIntegral<std::uint64_t>();
    case 2: return d.ConsumeIntegral<std::int64_t>();
    case 3: return float16::from_bits(d.ConsumeIntegral<std::uint16_t>());
    case 4: return std::bit_cast<float>(d.ConsumeIntegral<std::uint32_t>());
    case 5: return std::bit_cast<double>(d.ConsumeIntegral<std::uint64_t>());
    case 6: return std::complex<double>(d.ConsumeFloatingPoint<double>(), d.ConsumeBool());
    case 7: return affine_pair<double>{d.ConsumeFloatingPoint<double>(), 1};
    case 8: return value(arena.data(), d.ConsumeIntegral<std::size_t>());
    default: return {};
  }
}

arguments any_arguments(FuzzedDataProvider& d, state& s) {
  arguments a{.in = pointer(d), .out = pointer(d), .length = count(d), .init = any_init(d)};
  if (d.ConsumeBool()) a.out = const_cast<void*>(a.in);
  if (d.ConsumeBool()) a.total = pointer(d);
  if (d.ConsumeBool()) a.coefficients = pointer(d);
  if (d.ConsumeBool()) a.state = &s;
  if (d.ConsumeBool()) return a;
  a.init_device = d.ConsumeBool() ? arena.data() : nullptr;
  a.outer = count(d);
  a.inner = count(d);
  a.in_strides[0] = count(d);
  a.out_strides[2] = count(d);
  a.segments = count(d);
  if (d.ConsumeBool()) a.offsets = reinterpret_cast<const std::int64_t*>(arena.data());
  if (d.ConsumeBool()) a.keys = arena.data();
  return a;
}

void check_served(const spec& what, const extents& at_most, const arguments& a) {
  assert(what.in < type::user && what.out < type::user && represents(what.out, what.in));
  assert(what.layout == layout::flat && what.op.id != builtin::none);
  assert(0 <= a.length && a.length <= at_most.length);
  assert(a.init_device == nullptr || !a.init.has_value());
  if (a.length == 0) return;
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const bool pair = what.op.id == builtin::affine && what.affine == affine_form::pair;
  const auto n = static_cast<std::size_t>(a.length) * (pair ? 2 : 1);
  const std::uintptr_t in = address(a.in), in_end = in + n * size_of(what.in);
  const std::uintptr_t out = address(a.out), out_end = out + n * size_of(what.out);
  assert(in != 0 && in % alignment_of(what.in) == 0 && in < in_end);
  assert(out != 0 && out % alignment_of(what.out) == 0 && out < out_end);
  assert(in_end <= out || out_end <= in || (in == out && size_of(what.in) == size_of(what.out)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider d(bytes, size);
  try {
    const spec what = any_spec(d);
    const extents at_most{count(d), d.ConsumeBool() ? 1 : count(d), 1,
                          d.ConsumeBool() ? 0 : count(d)};
    detail::validate(what, at_most);
    state s;
    if (d.ConsumeBool()) {
      const auto image = d.ConsumeBytes<std::byte>(64);
      s = state::from_bytes(image);
      assert(s.to_bytes() == image);
    }
    const arguments a = any_arguments(d, s);
    const detail::request r = detail::validate(what, at_most, a, true);
    check_served(what, at_most, a);
    assert(r.has_init == a.init.has_value());
  } catch (const error& e) {
    const std::string message = e.what();
    assert(message.find(": ") != message.npos);
  }
  return 0;
}
