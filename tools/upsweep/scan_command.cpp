// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "failure.hpp"
#include "progress.hpp"
#include "sink.hpp"
#include "source.hpp"
#include "text.hpp"
#include "upsweep/backends.hpp"
#include "upsweep/order.hpp"
#include "upsweep/plan.hpp"

namespace upsweep::command {

namespace {

constexpr std::int64_t default_chunk = 64 << 20;  // bytes

format format_of_output(const scan_options& o, const source& in) {
  if (o.out_format) return *o.out_format;
  if (const auto by_name = format_by_extension(o.out); by_name && o.out != "-") return *by_name;
  return in.as;
}

template <class T>
value value_from(const std::byte* bytes, int scalars, bool complex) {
  std::array<T, 2> x{};
  std::memcpy(x.data(), bytes, static_cast<std::size_t>(scalars) * sizeof(T));
  if constexpr (std::is_floating_point_v<T>)
    if (complex) return std::complex<T>(x[0], x[1]);
  if (scalars == 2) return affine_pair<T>{x[0], x[1]};
  return x[0];
}

// Parsed in the accumulator type at once, so that it is rounded once at most.
value parse_init(const std::string& text, type accumulator, builtin op) {
  const element e = element_of(accumulator, op);
  std::array<std::byte, 16> bytes{};
  try {
    parse_element(text, e, bytes.data());
  } catch (const failure& problem) {
    throw misuse(fmt::format("--init: {}", problem.what()));
  }
  const bool complex = e.scalar != accumulator;
  switch (e.scalar) {
    case type::i8: return value_from<std::int8_t>(bytes.data(), e.scalars, complex);
    case type::u8: return value_from<std::uint8_t>(bytes.data(), e.scalars, complex);
    case type::i16: return value_from<std::int16_t>(bytes.data(), e.scalars, complex);
    case type::u16: return value_from<std::uint16_t>(bytes.data(), e.scalars, complex);
    case type::i32: return value_from<std::int32_t>(bytes.data(), e.scalars, complex);
    case type::u32: return value_from<std::uint32_t>(bytes.data(), e.scalars, complex);
    case type::i64: return value_from<std::int64_t>(bytes.data(), e.scalars, complex);
    case type::u64: return value_from<std::uint64_t>(bytes.data(), e.scalars, complex);
    case type::f32: return value_from<float>(bytes.data(), e.scalars, complex);
    default: return value_from<double>(bytes.data(), e.scalars, complex);
  }
}

// Elements of a chunk. The default lies on a group border, where a state is smallest; a given one
// is taken exactly, for any border will do.
std::int64_t chunk_length(const scan_options& o, std::size_t widest, std::size_t accumulator) {
  const auto width = static_cast<std::int64_t>(widest);
  if (o.chunk) return std::max<std::int64_t>(1, *o.chunk / width);
  const std::int64_t group = order1::group(accumulator);
  return std::max(group, default_chunk / width / group * group);
}

// Textbook backends and peers keep no state between chunks.
bool has_states(const std::string& backend) {
  for (const backend_info& b : backends())
    if (b.name == backend) return b.role == role::production || b.role == role::reference;
  return false;
}

// One scan of a source into a sink, chunk after chunk.
class chunked_scan {
 public:
  chunked_scan(const spec& what, source& in, sink& out, plan& p, std::int64_t chunk, value init,
               bool with_total)
      : in_(in),
        out_(out),
        plan_(p),
        chunk_(chunk),
        init_(init),
        with_total_(with_total),
        in_size_(element_of(what.in, what.op.id).size()),
        out_size_(element_of(what.out, what.op.id).size()),
        in_bytes_(allocate(in_size_)),
        out_bytes_(in_size_ == out_size_ ? nullptr : allocate(out_size_)),
        progress_(in.length ? std::optional(*in.length * static_cast<std::int64_t>(in_size_))
                            : std::nullopt) {}

  void forward() {
    std::int64_t done = 0, got = 0;
    do {
      got = in_.read(in_bytes_.get(), chunk_);
      if (got > 0 || done == 0) step(done, got);
      done += got;
    } while (got == chunk_);
  }

  // From the last chunk to the first, each written where it belongs.
  void reverse() {
    std::int64_t end = *in_.length;
    do {
      const std::int64_t count = std::min(chunk_, end);
      end -= count;
      in_.seek(end);
      step(end, in_.read(in_bytes_.get(), count));
    } while (end > 0);
  }

  const std::byte* total() const { return total_.data(); }

 private:
  std::unique_ptr<std::byte[]> allocate(std::size_t size) const {
    return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(chunk_) * size);
  }

  void step(std::int64_t first, std::int64_t count) {
    const bool one_chunk = in_.length && *in_.length <= chunk_;
    std::byte* out = out_bytes_ ? out_bytes_.get() : in_bytes_.get();
    plan_.run({.in = in_bytes_.get(),
               .out = out,
               .length = count,
               .init = state_.empty() ? init_ : value(),
               .total = with_total_ ? total_.data() : nullptr,
               .state = one_chunk ? nullptr : &state_});
    out_.write(first, out, count);
    progress_.advance(count * static_cast<std::int64_t>(in_size_));
  }

  source& in_;
  sink& out_;
  plan& plan_;
  std::int64_t chunk_;
  value init_;
  bool with_total_;
  std::size_t in_size_, out_size_;
  std::unique_ptr<std::byte[]> in_bytes_, out_bytes_;  // no out_bytes_: in place
  progress progress_;
  state state_;
  alignas(16) std::array<std::byte, 16> total_{};
};

}  // namespace

void scan(const scan_options& o) {
  std::unique_ptr<source> in =
      open_source({.path = o.in, .as = o.in_format, .type = o.in_type, .op = o.op});
  const spec what{.in = in->type,
                  .out = o.out_type.value_or(in->type),
                  .op = {.id = o.op},
                  .kind = o.exclusive ? kind::exclusive : kind::inclusive,
                  .direction = o.reverse ? direction::reverse : direction::forward};
  const type accumulator = accumulator_of(what.out);
  const element out_element = element_of(what.out, o.op);
  const std::size_t widest = std::max(element_of(what.in, o.op).size(), out_element.size());
  std::int64_t chunk = chunk_length(o, widest, element_of(accumulator, o.op).size());
  const plan_options how{.backend = o.backend, .threads = o.threads};
  // Refuses before anything is read or made.
  const bool whole = !has_states(plan(what, {.length = in->length.value_or(0)}, how).backend());
  const value init = o.init ? parse_init(*o.init, accumulator, o.op) : value();

  sink out({.path = o.out,
            .as = format_of_output(o, *in),
            .type = what.out,
            .op = o.op,
            .zero_d = in->zero_d});
  if ((o.reverse && !in->seekable()) || ((whole || out.needs_length()) && !in->length))
    in = spool(*in, o.op);
  out.begin(in->length);

  // A reverse scan into a pipe or a text file is held in memory, for its first chunk comes last.
  if (whole || (o.reverse && !out.seekable())) chunk = *in->length;
  if (in->length)
    chunk = std::clamp<std::int64_t>(chunk, 1, std::max<std::int64_t>(*in->length, 1));

  plan p(what, {.length = chunk}, how);
  chunked_scan job(what, *in, out, p, chunk, init, o.total);
  o.reverse ? job.reverse() : job.forward();
  out.commit();

  if (o.total) {
    std::string line;
    format_element(job.total(), out_element, line);
    fmt::print(o.out == "-" ? stderr : stdout, "{}\n", line);
  }
}

}  // namespace upsweep::command
