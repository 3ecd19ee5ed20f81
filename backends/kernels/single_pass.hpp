// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_SINGLE_PASS_HPP
#define UPSWEEP_KERNELS_SINGLE_PASS_HPP

// The host's handle on the production scan, for backends/cuda and backends/simt alike: which kernel
// runs, with what parameters, and a scan in the kernels' terms.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "grid/single_pass/cluster.hpp"
#include "grid/single_pass/persistent.hpp"
#include "grid/single_pass/registers.hpp"
#include "grid/single_pass/totals.hpp"
#include "in_build.hpp"
#include "runner.hpp"
#include "single_pass_options.hpp"
#include "upsweep/error.hpp"
#include "upsweep/order.hpp"
#include "upsweep/spec.hpp"
#include "workspace.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// Measured on an H200: up to so many tiles a block takes one, and then a super, while one wave of
// blocks holds all. Then the ring; without bulk copies supers serve all longer scans.
inline constexpr std::int64_t most_tiles = 128;

constexpr scalar scalar_kind(type t) {
  switch (t) {
    case type::i8: return scalar::i8;
    case type::u8: return scalar::u8;
    case type::i16: return scalar::i16;
    case type::u16: return scalar::u16;
    case type::i32: return scalar::i32;
    case type::u32: return scalar::u32;
    case type::f16: return scalar::f16;
    case type::bf16: return scalar::bf16;
    case type::f32:
    case type::c64: return scalar::f32;
    case type::f64:
    case type::c128: return scalar::f64;
    default: return scalar::i64;
  }
}

// What makes another operator of one: max(a, b) = ~min(~a, ~b), and likewise and, by or; unsigned
// integers less half of their range are in the order of signed ones. The bits of one scalar.
constexpr std::uint64_t flipped_bits(builtin op, type out) {
  const detail::type_facts f = detail::facts_of(accumulator_of(out));
  const int bits =
      8 * static_cast<int>(f.integer ? (f.digits + f.is_signed) / 8 : (f.digits > 24 ? 8 : 4));
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1), all = sign | (sign - 1);
  switch (op) {
    case builtin::bit_and:
    case builtin::logical_and: return all;
    case builtin::minimum: return f.integer && !f.is_signed ? sign : 0;
    case builtin::maximum: return !f.integer ? sign : f.is_signed ? all : all ^ sign;
    default: return 0;
  }
}

template <class Op, class E, class Sizes>
class single_pass_runner final : public runner, private state_kernels {
  using T = typename Op::value;
  using scan = flat<Op, E>;
  using S = typename scan::S;
  using tile_unit = block_unit<Sizes, true>;
  using super_unit = block_unit<Sizes, false>;
  static constexpr std::int64_t vec = vec_of<Op, E>::size;
  static constexpr std::int64_t super = Sizes::super_vecs * vec;
  static constexpr std::int64_t tile = super / Sizes::tiles;
  static constexpr std::int64_t part = super / cluster_unit<Sizes, 0>::warps;  // of a warp
  static constexpr std::int64_t group = super * Sizes::supers;
  static_assert(order1::group(16) == std::int64_t{1} << (open_totals - 1));

 public:
  single_pass_runner(const spec& what, std::int64_t at_most, const device_facts& device,
                     const single_pass_options& forced)
      : device_(device), forced_(forced) {
    const bool affine = what.op.id == builtin::affine;
    const bool split = affine && what.affine == affine_form::split;
    scan_.from = scalar_kind(what.in);
    scan_.to = scalar_kind(what.out);
    scan_.in_scalar = static_cast<std::uint8_t>(alignment_of(what.in));
    scan_.out_scalar = static_cast<std::uint8_t>(alignment_of(what.out));
    const bool pairs = (affine && !split) || (what.in == type::c64 || what.in == type::c128);
    scan_.made = split             ? form::split
                 : pairs           ? form::pair
                 : scan::parts > 1 ? form::real
                                   : form::single;
    scan_.in_size = static_cast<std::uint8_t>(scan_.in_scalar * (pairs ? 2 : 1));
    scan_.out_size = static_cast<std::uint8_t>(scan_.out_scalar * (split ? 1 : scan::parts));
    scan_.native_in = scan_.in_size == static_cast<int>(sizeof(E)) && !split &&
                      is_float<S> == !detail::facts_of(what.in).integer;
    scan_.native_out = scan_.out_size == static_cast<int>(sizeof(E));
    scan_.exclusive = what.kind == kind::exclusive;
    scan_.reverse = what.direction == direction::reverse;
    scan_.truth = what.op.id == builtin::logical_and || what.op.id == builtin::logical_or;
    const std::uint64_t flip = flipped_bits(what.op.id, what.out);
    fill(scan_.flip, scan_.flip_high, flip);
    if (scan_.truth) fill(scan_.keep, scan_.keep_high, 1);
    scan_.first = static_cast<E>(Op::first());

    ring_.stage_bytes = static_cast<int>((Sizes::super_vecs * vec * scan_.in_size + 31) / 16 * 16) *
                        (split ? 2 : 1);
    const int stages_bytes = device.shared_bytes - beside_stages;
    ring_.stages = std::min({stages_bytes / ring_.stage_bytes, forced.stages, max_stages});
    constexpr int enough_in_flight = 64 << 10;
    ring_.in_flight =
        std::clamp(enough_in_flight / ring_.stage_bytes, 2, std::max(ring_.stages, 2));
    ring_.look_ahead = ring_.stages / 2;
    if (!device.bulk_copies) ring_.stages = 0;
    ringed_ = kernel_of_ring(what, scan_);
    if (ring_.stages >= 2)
      allow_shared(ringed_.kernel, stages_bytes);  // of all plans
    else if (forced.shape == scan_shape::ring)
      throw error(errc::unsupported,
                  "UPSWEEP_SINGLE_PASS: shape=ring needs bulk copies (compute capability 9.0) and "
                  "two stages of " +
                      std::to_string(ring_.stage_bytes) + " bytes of shared memory");
    if (device.clusters && (at_most > super / 2 || forced.shape == scan_shape::cluster)) {
      if (fits<1>()) clustered_tiles_ = most_in_cluster;
      if (at_most > most_in_cluster * tile && clustered_tiles_ > 0 && fits<pair>())
        clustered_tiles_ = most_in_cluster * pair;
    }
    if (forced.shape == scan_shape::cluster && at_most > clustered_tiles_ * tile)
      throw error(errc::unsupported, "UPSWEEP_SINGLE_PASS: shape=cluster serves " +
                                         std::to_string(clustered_tiles_ * tile) +
                                         " elements here, not " + std::to_string(at_most));
    const std::int64_t unit = forced.shape == scan_shape::tiles ? tile : super;
    if (at_most > max_tiles * unit - group)
      throw error(errc::unsupported, "extents.length: " + std::to_string(at_most) +
                                         " is more than it serves, " +
                                         std::to_string(max_tiles * unit - group));
    longest_ = at_most + group;
  }

  std::size_t workspace_bytes() const override {
    return tickets::bytes() + unit_totals<T>::bytes(words()) + workspace::bytes<E>(open_totals) +
           workspace::bytes<E>(passed());
  }

  void run(stream on, const call& c, void* memory) override {
    const auto [more, totals, given, to] = arrays_in(memory);
    const scan what = scan_of(on, c, given);
    const std::int64_t n = what.n;
    switch (shape_for(c)) {
      case scan_shape::cluster:
        if (n == 0 || (n <= alone() && forced_.shape != scan_shape::cluster))
          return launch(
              on,
              {.blocks = 1,
               .threads = static_cast<int>(std::max<std::int64_t>(count(n, part), 1)) * warp_size},
              cluster_kernel<Op, E, Sizes, 0>, what);
        return n <= most_in_cluster * tile ? launch_cluster<1>(on, what)
                                           : launch_cluster<pair>(on, what);
      case scan_shape::tiles: return launch_units<true>(on, what, more, totals, count(n, tile));
      case scan_shape::ring: return launch_ring(on, what, more, totals);
      default: return launch_units<false>(on, what, more, totals, count(n, super));
    }
  }

  state_kernels* states() override { return std::is_same_v<Sizes, order1_sizes> ? this : nullptr; }

  // Complex 1 changes the signs of zeros on its left.
  bool go_on_inside_groups() const override { return Op::neutral || !is_complex<T>; }

  void translate(void* accumulator) const override {
    E e;
    std::memcpy(static_cast<void*>(&e), accumulator, sizeof(E));
    e = translated(e);
    std::memcpy(accumulator, static_cast<const void*>(&e), sizeof(E));
  }

  void fetch_totals(stream on, const call& c, void* memory, bool after, std::int64_t supers,
                    void* to_host) override {
    const auto [more, totals, given, to] = arrays_in(memory);
    if (!after)
      launch(on, {.blocks = blocks_for(supers, wave_of_supers()), .threads = super_unit::threads},
             super_totals_kernel<Op, E, Sizes>, scan_of(on, c, given), supers, totals);
    const bool by_tiles = after && shape_for(c) == scan_shape::tiles;
    constexpr int warps = 4;
    launch(on, {.blocks = count(count(supers, warp_size), warps), .threads = warps * warp_size},
           by_tiles ? group_totals_kernel<Op, E, Sizes, true>
                    : group_totals_kernel<Op, E, Sizes, false>,
           totals, more, after, supers, to);
    const std::int64_t stored = supers / warp_size + supers % warp_size;
    copy_to_host(on, to_host, to.data(), sizeof(E) * static_cast<std::size_t>(stored));
  }

  void total_of_none(const void* init, void* total) const override {
    E e{};
    if (init != nullptr) {
      std::memcpy(static_cast<void*>(&e), init, sizeof(E));
    } else {
      e = scan_.first;
      flip(e);
      each_word(e, scan_.keep, scan_.keep_high, std::bit_and{});
    }
    if (scan_.native_out) {
      std::memcpy(total, &e, sizeof(E));
    } else if constexpr (scan::parts == 2) {
      std::memcpy(total, reinterpret_cast<const S*>(&e) + 1, sizeof(S));
    } else {
      const auto x = static_cast<float>(e);
      const std::uint16_t bits = scan_.to == scalar::f16 ? float16(x).bits : bfloat16(x).bits;
      std::memcpy(total, &bits, sizeof bits);
    }
  }

  bool serves_init_device() const override { return true; }

  std::string policy(std::string_view) const override {
    std::string text =
        std::is_same_v<Sizes, order1_sizes> ? "order 1" : "small units, which are not order 1";
    const std::string ring = "a ring of " + std::to_string(ring_.stages) + " stages of " +
                             std::to_string(ring_.stage_bytes) + " bytes";
    switch (forced_.shape) {
      case scan_shape::cluster: text += ": a cluster, as forced"; break;
      case scan_shape::tiles: text += ": tiles, as forced"; break;
      case scan_shape::supers: text += ": supers, as forced"; break;
      case scan_shape::ring: text += ": " + ring + ", as forced"; break;
      case scan_shape::by_policy: {
        const auto up_to = [&](const char* what, std::int64_t units, std::int64_t unit) {
          return "; " + std::string(what) + " of " + std::to_string(unit) + " elements up to " +
                 std::to_string(units * unit);
        };
        text += ": one block up to " + std::to_string(alone()) + " elements";
        if (clustered_tiles_ > 0) text += up_to("a cluster of tiles", clustered_tiles_, tile);
        text += up_to("tiles", most_tiles, tile);
        text += "; supers";
        if (ring_.stages >= 2)
          text += " up to " + std::to_string(wave_of_supers() * super) + "; " + ring;
      }
    }
    return text + ", " + std::to_string(device_.multiprocessors) + " multiprocessors";
  }

 private:
  static std::int64_t count(std::int64_t n, std::int64_t unit) {
    return n / unit + (n % unit != 0);
  }

  // What the workspace is cut into.
  struct arrays {
    tickets more;
    unit_totals<T> totals;
    global<E> given;  // flat's
    global<E> to;     // of group_totals_kernel
  };
  arrays arrays_in(void* memory) const {
    workspace space(memory, longest_);
    return {tickets(space), unit_totals<T>(space, words()), space.take<E>(open_totals),
            space.take<E>(passed())};
  }

  // Totals of the groups and supers of the longest scan.
  std::int64_t passed() const { return longest_ / group + Sizes::supers; }

  // 0 or 1, of a state or an init, counts as no bits or all.
  E translated(E e) const {
    const E none{};
    if (scan_.truth && std::memcmp(&e, &none, sizeof(E)) != 0)
      std::memset(static_cast<void*>(&e), 0xff, sizeof(E));
    flip(e);
    return e;
  }

  void flip(E& e) const { each_word(e, scan_.flip, scan_.flip_high, std::bit_xor{}); }

  // As kernels do with the words of a vec.
  template <class Bitwise>
  static void each_word(E& e, std::uint32_t low, std::uint32_t high, Bitwise op) {
    std::uint32_t w[4] = {};
    std::memcpy(w, &e, sizeof(E));
    for (int k = 0; k < 4; ++k) w[k] = op(w[k], k % 2 == 0 ? low : high);
    std::memcpy(static_cast<void*>(&e), w, sizeof(E));
  }

  // The bits of every scalar, in two words.
  static void fill(std::uint32_t& low, std::uint32_t& high, std::uint64_t bits) {
    for (std::size_t b = 8 * sizeof(S); b < 64; b *= 2) bits |= bits << b;
    low = static_cast<std::uint32_t>(bits);
    high = static_cast<std::uint32_t>(bits >> 32);
  }

  // The elements that one block scans: where blocks make clusters, two are soon faster.
  std::int64_t alone() const { return clustered_tiles_ > 0 ? super / 2 : super; }

  // Blocks of supers that run at once.
  std::int64_t wave_of_supers() const {
    return std::int64_t{super_unit::resident(sizeof(T))} * device_.multiprocessors;
  }

  scan_shape shape_for(const call& c) const {
    const std::int64_t n = c.skipped + c.n;
    if (n == 0) return scan_shape::cluster;
    // A cluster leaves no totals in memory.
    if (forced_.shape != scan_shape::by_policy &&
        (forced_.shape != scan_shape::cluster ||
         (!c.leaves_totals && n <= clustered_tiles_ * tile)))
      return forced_.shape;
    const std::int64_t supers = count(n, super);
    if (!c.leaves_totals && n <= std::max(alone(), clustered_tiles_ * tile))
      return scan_shape::cluster;
    if (count(n, tile) <= most_tiles) return scan_shape::tiles;
    if (ring_.stages < 2 || supers <= wave_of_supers()) return scan_shape::supers;
    return scan_shape::ring;
  }

  // As many as there are words for: of the shapes that may be used, in whole groups.
  std::int64_t words() const {
    const std::int64_t tiles = count(longest_, tile);
    const std::int64_t in_tiles =
        forced_.shape == scan_shape::tiles ? tiles : std::min(tiles, most_tiles);
    return std::max((count(count(longest_, super), warp_size) + groups_at_once) * warp_size,
                    count(in_tiles, warp_size * Sizes::tiles) * warp_size * Sizes::tiles);
  }

  std::int64_t blocks_for(std::int64_t units, std::int64_t places) const {
    return std::max<std::int64_t>(1, std::min({units, places, forced_.blocks}));
  }

  static constexpr int pair = most_tiles_each<Sizes>;
  template <int each>
  static shape cluster_of(std::int64_t blocks) {
    return {
        .blocks = blocks, .threads = cluster_unit<Sizes, each>::warps * warp_size, .cluster = true};
  }
  template <int each>
  static bool fits() {
    return cluster_fits(cluster_kernel<Op, E, Sizes, each>, cluster_of<each>(most_in_cluster));
  }
  template <int each>
  static void launch_cluster(stream on, const scan& what) {
    const std::int64_t blocks = std::max<std::int64_t>(count(what.n, each * tile), 2);
    launch(on, cluster_of<each>(blocks), cluster_kernel<Op, E, Sizes, each>, what);  // 1 is none
  }

  // Where arrays of narrower scalars are common, a kernel of its own reads and writes them
  // straight.
  struct ring_kernel {
    void (*kernel)(scan, tickets, unit_totals<T>, ring);
    bool in, out;  // the arrays hold what it takes for straight
  };
  static ring_kernel kernel_of_ring(const spec& what, const scan& s) {
    if constexpr (std::is_same_v<E, float>) {
      if (what.in == type::f16 && what.out == type::f16)
        return {persistent_kernel<Op, E, Sizes, half, half>, true, true};
      if (what.in == type::bf16 && what.out == type::bf16)
        return {persistent_kernel<Op, E, Sizes, brain_half, brain_half>, true, true};
    }
    if constexpr (std::is_same_v<Op, sum_op<std::uint32_t>> && sizeof(E) == 4)
      if (what.in == type::u8)
        return {persistent_kernel<Op, E, Sizes, std::uint8_t, E>, true, true};
    if constexpr (std::is_same_v<Op, sum_op<double>>)
      if (what.in == type::f32) return {persistent_kernel<Op, E, Sizes, float, E>, true, true};
    return {persistent_kernel<Op, E, Sizes, E, E>, s.native_in, s.native_out};
  }
  void launch_ring(stream on, scan what, const tickets& more, const unit_totals<T>& totals) const {
    const std::int64_t blocks = blocks_for(count(what.n, super), device_.multiprocessors);
    set_straight(what, ringed_.in, ringed_.out);
    launch(on,
           {.blocks = blocks,
            .threads = roles<Sizes>::threads,
            .shared_bytes = ring_.stages * ring_.stage_bytes,
            .together = blocks > 1},
           ringed_.kernel, what, more, totals, ring_);
  }

  template <bool by_tiles>
  void launch_units(stream on, const scan& what, const tickets& more, const unit_totals<T>& totals,
                    std::int64_t units) const {
    using unit = block_unit<Sizes, by_tiles>;
    const std::int64_t blocks =
        blocks_for(units, std::int64_t{unit::resident(sizeof(T))} * device_.multiprocessors);
    launch(on, {.blocks = blocks, .threads = unit::threads, .together = blocks > 1},
           register_kernel<Op, E, Sizes, by_tiles>, what, more, totals);
  }

  // Queues what it needs in the workspace.
  scan scan_of(stream on, const call& c, const global<E>& given) const {
    scan s = scan_;
    const auto bytes = [](const void* p) { return static_cast<const std::byte*>(p); };
    s.in = {bytes(c.in), c.n * s.in_size};
    s.out = {static_cast<std::byte*>(c.out), c.n * s.out_size};
    if (s.made == form::split) s.scales = {bytes(c.coefficients), c.n * s.in_size};
    if (c.total != nullptr) s.total = {static_cast<std::byte*>(c.total), s.out_size};
    s.n = c.skipped + c.n;
    s.skipped = c.skipped;
    s.given = {given.data(), given.size()};
    if (c.skipped > 0) copy_to_device(on, given.data(), c.given, sizeof(E) * open_totals);
    s.off_in = off(s.in, s.place(0), s.in_size);
    s.off_scales = off(s.scales, s.place(0), s.in_size);
    s.off_out = off(s.out, s.place(0), s.out_size);
    set_straight(s, s.native_in, s.native_out);
    s.has_init = c.init != nullptr || c.init_device != nullptr;
    if (c.init != nullptr) {
      std::memcpy(static_cast<void*>(&s.init), c.init, sizeof(E));
      s.init = translated(s.init);
    }
    if (c.init_device != nullptr)
      s.init_there = {bytes(c.init_device),
                      static_cast<std::int64_t>(s.made == form::split ? sizeof(S) : sizeof(E))};
    return s;
  }

  // in, out: whether the arrays hold what the kernel takes for straight.
  static void set_straight(scan& s, bool in, bool out) {
    s.taken_in = in && !s.truth;
    s.straight_in = s.taken_in && s.off_in == 0;
    s.taken_out = out && !s.truth;
    s.straight_out = s.taken_out && s.off_out == 0;
  }

  // How far each vec of an array lies behind a multiple of its size, in bytes.
  template <class View>
  static std::uint8_t off(const View& a, std::int64_t first, int element) {
    return static_cast<std::uint8_t>(address_of(a, first * element) & (vec * element - 1));
  }

  device_facts device_;
  single_pass_options forced_;
  std::int64_t longest_;  // with a group's elements before those of the arrays
  scan scan_;
  ring ring_;
  ring_kernel ringed_{};
  int clustered_tiles_ = 0;  // that one cluster serves
};

template <class Op, class E, class Sizes>
std::unique_ptr<runner> make_runner(const spec& what, std::int64_t at_most,
                                    const device_facts& device, const single_pass_options& forced) {
  return std::make_unique<single_pass_runner<Op, E, Sizes>>(what, at_most, device, forced);
}

// nullptr: not in this build.
template <class Op, class E, class Sizes>
runner_maker maker_of() {
  if constexpr (in_build<Op, E>)
    return make_runner<Op, E, Sizes>;
  else
    return nullptr;
}

// For integers of so many bytes.
template <class U, class I, class Sizes>
runner_maker integer_runner(builtin op) {
  using Wide = decltype(U{} + 0u);
  using minimum =
      std::conditional_t<(sizeof(I) < 4), narrow_minimum_op<std::int32_t, I>, minimum_op<I>>;
  switch (op) {
    case builtin::sum: return maker_of<sum_op<Wide>, U, Sizes>();
    case builtin::product: return maker_of<product_op<Wide>, U, Sizes>();
    case builtin::bit_and:
    case builtin::bit_or:
    case builtin::logical_and:
    case builtin::logical_or: return maker_of<or_op<Wide>, U, Sizes>();
    case builtin::bit_xor: return maker_of<xor_op<Wide>, U, Sizes>();
    case builtin::minimum:
    case builtin::maximum: return maker_of<minimum, I, Sizes>();
    default: return nullptr;
  }
}

template <class F, class Sizes>
runner_maker float_runner(builtin op) {
  switch (op) {
    case builtin::sum: return maker_of<sum_op<F>, F, Sizes>();
    case builtin::product: return maker_of<product_op<F>, F, Sizes>();
    case builtin::minimum:
    case builtin::maximum: return maker_of<minimum_op<F>, F, Sizes>();
    default: return nullptr;
  }
}

template <class F, class Sizes>
runner_maker complex_runner(builtin op) {
  return op == builtin::sum       ? maker_of<sum_op<complex<F>>, complex<F>, Sizes>()
         : op == builtin::product ? maker_of<product_op<complex<F>>, complex<F>, Sizes>()
                                  : nullptr;
}

// By accumulator, in parts that are compiled apart. nullptr: not of this part.
template <class Sizes>
runner_maker narrow_runner(type accumulator, builtin op) {
  switch (accumulator) {
    case type::i8:
    case type::u8: return integer_runner<std::uint8_t, std::int8_t, Sizes>(op);
    case type::i16:
    case type::u16: return integer_runner<std::uint16_t, std::int16_t, Sizes>(op);
    default: return nullptr;
  }
}

template <class Sizes>
runner_maker wide_runner(type accumulator, builtin op) {
  switch (accumulator) {
    case type::i32:
    case type::u32: return integer_runner<std::uint32_t, std::int32_t, Sizes>(op);
    case type::i64:
    case type::u64: return integer_runner<std::uint64_t, std::int64_t, Sizes>(op);
    default: return nullptr;
  }
}

template <class Sizes>
runner_maker real_runner(type accumulator, builtin op) {
  switch (accumulator) {
    case type::f32: return float_runner<float, Sizes>(op);
    case type::f64: return float_runner<double, Sizes>(op);
    default: return nullptr;
  }
}

template <class Sizes>
runner_maker pair_runner(type accumulator, builtin op) {
  if (op == builtin::affine) {
    switch (accumulator) {
      case type::u32: return maker_of<affine_op<std::uint32_t>, affine_map<std::uint32_t>, Sizes>();
      case type::f32: return maker_of<affine_op<float>, affine_map<float>, Sizes>();
      case type::f64: return maker_of<affine_op<double>, affine_map<double>, Sizes>();
      default: return nullptr;
    }
  }
  switch (accumulator) {
    case type::c64: return complex_runner<float, Sizes>(op);
    case type::c128: return complex_runner<double, Sizes>(op);
    default: return nullptr;
  }
}

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
