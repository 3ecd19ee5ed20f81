// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cstring>

#include "upsweep/detail/backend.hpp"
#include "upsweep/order.hpp"

namespace upsweep {

struct state::body {
  detail::state_data data;
};

namespace {

// The image of a state: this header, then `size` bytes of the backend's data.
struct image_header {
  char magic[4];
  std::uint8_t version, order, op, accumulator, direction, reserved[7];
  std::int64_t position;
  std::uint64_t size;
};
static_assert(sizeof(image_header) == 32);
static_assert(std::endian::native == std::endian::little, "state images are little-endian");

constexpr char magic[4] = {'U', 'P', 'S', 'W'};
constexpr std::uint8_t image_version = 1;

[[noreturn]] void refuse(const std::string& what) {
  throw error(errc::invalid_argument, "bytes: no image of a state: " + what);
}

}  // namespace

namespace detail {
state_data& state_access::data(state& s) {
  if (s.body_ == nullptr) s.body_ = std::make_unique<state::body>();
  return s.body_->data;
}
const state_data& state_access::data(const state& s) {
  static const state_data none;
  return s.body_ == nullptr ? none : s.body_->data;
}
}  // namespace detail

state::state() = default;
state::~state() = default;
state::state(const state& other)
    : body_(other.body_ == nullptr ? nullptr : std::make_unique<body>(*other.body_)) {}
state::state(state&&) noexcept = default;
state& state::operator=(const state& other) { return *this = state(other); }
state& state::operator=(state&&) noexcept = default;

std::int64_t state::position() const noexcept { return detail::state_access::data(*this).position; }
bool state::empty() const noexcept { return detail::state_access::data(*this).data.empty(); }

std::vector<std::byte> state::to_bytes() const {
  const detail::state_data& d = detail::state_access::data(*this);
  image_header h{};
  std::memcpy(h.magic, magic, sizeof magic);
  h.version = image_version;
  h.order = d.order;
  h.op = static_cast<std::uint8_t>(d.op);
  h.accumulator = static_cast<std::uint8_t>(d.accumulator);
  h.direction = static_cast<std::uint8_t>(d.direction);
  h.position = d.position;
  h.size = d.data.size();
  std::vector<std::byte> bytes(sizeof h + d.data.size());
  std::memcpy(bytes.data(), &h, sizeof h);
  if (!d.data.empty()) std::memcpy(bytes.data() + sizeof h, d.data.data(), d.data.size());
  return bytes;
}

state state::from_bytes(std::span<const std::byte> bytes) {
  image_header h;
  if (bytes.size() < sizeof h)
    refuse(std::to_string(bytes.size()) + " bytes, fewer than its header's " +
           std::to_string(sizeof h));
  std::memcpy(&h, bytes.data(), sizeof h);
  if (std::memcmp(h.magic, magic, sizeof magic) != 0) refuse("it does not begin with UPSW");
  if (h.version != image_version)
    refuse("version " + std::to_string(h.version) + ", not " + std::to_string(image_version));
  if (h.size != bytes.size() - sizeof h)
    refuse("its header says " + std::to_string(h.size) + " bytes follow, not " +
           std::to_string(bytes.size() - sizeof h));
  if (h.order > order1::version) refuse("order " + std::to_string(h.order));
  if (std::ranges::any_of(h.reserved, [](std::uint8_t b) { return b != 0; }))
    refuse("its reserved bytes are not 0");
  if (h.op > static_cast<std::uint8_t>(builtin::log_add_exp))
    refuse("operator " + std::to_string(h.op));
  if (h.accumulator >= static_cast<std::uint8_t>(type::user))
    refuse("type " + std::to_string(h.accumulator));
  if (h.direction > static_cast<std::uint8_t>(direction::reverse))
    refuse("direction " + std::to_string(h.direction));
  if (h.position < 0) refuse("position " + std::to_string(h.position));
  if (h.size == 0 && h.position != 0) refuse("empty at position " + std::to_string(h.position));
  state s;
  detail::state_data& d = detail::state_access::data(s);
  d.order = h.order;
  d.op = static_cast<builtin>(h.op);
  d.accumulator = static_cast<type>(h.accumulator);
  d.direction = static_cast<upsweep::direction>(h.direction);
  d.position = h.position;
  d.data.assign(bytes.begin() + sizeof h, bytes.end());
  return s;
}

}  // namespace upsweep
