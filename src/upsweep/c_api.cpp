// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface over the C++ one: it turns structs into their C++ kin and exceptions into codes.
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "upsweep/upsweep.h"
#include "upsweep/upsweep.hpp"

struct upsweep_plan {
  upsweep::plan plan;
};

struct upsweep_state {
  upsweep::state state{};
};

namespace upsweep {

namespace {

template <class C, class Cpp>
constexpr bool same(C c, Cpp cpp) {
  return static_cast<int>(c) == static_cast<int>(cpp);
}
static_assert(same(UPSWEEP_DEVICE, errc::device) && same(UPSWEEP_USER_TYPE, type::user) &&
              same(UPSWEEP_LOG_ADD_EXP, builtin::log_add_exp) &&
              same(UPSWEEP_EXCLUSIVE, kind::exclusive) &&
              same(UPSWEEP_REVERSE, direction::reverse) &&
              same(UPSWEEP_SPLIT, affine_form::split) && same(UPSWEEP_KEYS, layout::keys) &&
              same(UPSWEEP_COMPENSATED, accuracy::compensated) &&
              same(UPSWEEP_DEVICE_MEMORY, memory::device) && same(UPSWEEP_PEER, role::peer));

// A fixed buffer: reporting that memory ran out must not need memory.
thread_local std::array<char, 4096> last_message{};

upsweep_code fail(upsweep_code code, const char* message) noexcept {
  std::snprintf(last_message.data(), last_message.size(), "%s", message);
  return code;
}

// Runs one call; nothing it throws gets out.
template <class F>
upsweep_code guarded(F&& call) noexcept {
  try {
    call();
    return UPSWEEP_OK;
  } catch (const error& e) {
    return fail(static_cast<upsweep_code>(e.code()), e.what());
  } catch (const std::bad_alloc&) {
    return fail(UPSWEEP_OUT_OF_MEMORY, "upsweep: host memory ran out");
  } catch (const std::exception& e) {
    return fail(UPSWEEP_INTERNAL, e.what());
  } catch (...) {
    return fail(UPSWEEP_INTERNAL, "upsweep: an unknown exception");
  }
}

[[noreturn]] void refuse(const std::string& message) {
  throw error(errc::invalid_argument, message);
}

template <class T>
T& given(T* p, const char* argument) {
  if (p == nullptr) refuse(std::string(argument) + ": null pointer");
  return *p;
}

// Fields fill slots of 8 bytes, so that a struct of any earlier version ends between two fields.
template <class T>
void check_size(std::size_t size, const char* argument) {
  if (size < sizeof(std::size_t) || size > sizeof(T) || size % alignof(T) != 0)
    refuse(std::string(argument) + ".struct_size: " + std::to_string(size) +
           ", but this library (version " + version() + ") knows sizes up to " +
           std::to_string(sizeof(T)) +
           "; was the struct initialised, and by this version's header?");
}

// The defaults are those of the C++ structs.
upsweep_operator defaults(const upsweep_operator*) {
  upsweep_operator op{};
  op.struct_size = sizeof op;
  return op;
}

upsweep_spec defaults(const upsweep_spec*) {
  const spec s;
  return {sizeof(upsweep_spec),
          static_cast<int32_t>(s.in),
          static_cast<int32_t>(s.out),
          static_cast<int32_t>(s.op.id),
          static_cast<int32_t>(s.kind),
          static_cast<int32_t>(s.direction),
          static_cast<int32_t>(s.affine),
          static_cast<int32_t>(s.layout),
          static_cast<int32_t>(s.accuracy),
          nullptr};
}

upsweep_extents defaults(const upsweep_extents*) {
  const extents e;
  return {sizeof(upsweep_extents), e.length, e.outer, e.inner, e.segments};
}

upsweep_value defaults(const upsweep_value*) {
  return {sizeof(upsweep_value), UPSWEEP_F64, 1, nullptr, 0};
}

upsweep_arguments defaults(const upsweep_arguments*) {
  const arguments a;
  upsweep_arguments c{};
  c.struct_size = sizeof c;
  c.outer = a.outer;
  c.inner = a.inner;
  return c;
}

upsweep_plan_options defaults(const upsweep_plan_options*) {
  return {sizeof(upsweep_plan_options), nullptr, UPSWEEP_HOST, 0};
}

upsweep_backend_info defaults(const upsweep_backend_info*) {
  return {sizeof(upsweep_backend_info), "", "", UPSWEEP_PRODUCTION, 0, 0, 0};
}

template <class T>
upsweep_code init(T* to, std::size_t size, const char* argument) noexcept {
  return guarded([&] {
    given(to, argument);
    check_size<T>(size, argument);
    T whole = defaults(to);
    whole.struct_size = size;
    std::memcpy(to, &whole, size);
  });
}

// A caller's struct, which may end earlier than ours: the rest has its defaults.
template <class T>
T whole(const T* from, const char* argument) {
  const std::size_t size = given(from, argument).struct_size;
  check_size<T>(size, argument);
  T all = defaults(from);
  std::memcpy(&all, from, size);
  return all;
}

// An enumerator; validation refuses those that fit but do not exist.
template <class E>
E as(std::int32_t v, const char* argument) {
  if (v < 0 || v > std::numeric_limits<std::underlying_type_t<E>>::max())
    refuse(std::string(argument) + ": " + std::to_string(v) + " is not a value of its enumeration");
  return static_cast<E>(v);
}

std::string text(const char* s) { return s == nullptr ? "" : s; }

operator_descriptor to_cpp(const upsweep_operator& op) {
  operator_descriptor d{.id = builtin::none,
                        .name = text(op.name),
                        .size = op.size,
                        .alignment = op.alignment,
                        .commutative = op.commutative != 0,
                        .exact = op.exact != 0,
                        .combine = op.combine,
                        .context = op.context,
                        .source = text(op.source)};
  if (op.identity != nullptr) {
    const auto* bytes = static_cast<const std::byte*>(op.identity);
    d.identity.assign(bytes, bytes + op.size);
  }
  return d;
}

spec to_cpp(const upsweep_spec* from) {
  const upsweep_spec s = whole(from, "spec");
  operator_descriptor op{.id = as<builtin>(s.op, "op")};
  if (op.id == builtin::none)
    op = to_cpp(whole(s.user_operator, "user_operator"));
  else if (s.user_operator != nullptr)
    refuse("user_operator: given, but op is " + std::to_string(s.op) + ", not 0 (user)");
  return {.in = as<type>(s.in, "in"),
          .out = as<type>(s.out, "out"),
          .op = std::move(op),
          .kind = as<kind>(s.kind, "kind"),
          .direction = as<direction>(s.direction, "direction"),
          .affine = as<affine_form>(s.affine, "affine"),
          .layout = as<layout>(s.layout, "layout"),
          .accuracy = as<accuracy>(s.accuracy, "accuracy")};
}

extents to_cpp(const upsweep_extents* from) {
  const upsweep_extents e = whole(from, "extents");
  return {.length = e.length, .outer = e.outer, .inner = e.inner, .segments = e.segments};
}

value to_cpp(const upsweep_value* from) {
  const upsweep_value v = whole(from, "init");
  const type t = as<type>(v.type, "init.type");
  if (t == type::user) return value(v.data, v.size);
  return value::from_bytes(t, v.components, v.data);
}

arguments to_cpp(const upsweep_arguments* from) {
  const upsweep_arguments c = whole(from, "arguments");
  return {.in = c.in,
          .out = c.out,
          .length = c.length,
          .init = c.init == nullptr ? value() : to_cpp(c.init),
          .init_device = c.init_device,
          .total = c.total,
          .state = c.state == nullptr ? nullptr : &c.state->state,
          .coefficients = c.coefficients,
          .outer = c.outer,
          .inner = c.inner,
          .in_strides = std::to_array(c.in_strides),
          .out_strides = std::to_array(c.out_strides),
          .segments = c.segments,
          .offsets = c.offsets,
          .flags = c.flags,
          .keys = c.keys,
          .key_size = c.key_size,
          .stream = c.stream};
}

plan_options to_cpp(const upsweep_plan_options* from) {
  if (from == nullptr) return {};
  const upsweep_plan_options o = whole(from, "options");
  return {.backend = o.backend == nullptr ? "" : o.backend,
          .memory = as<memory>(o.memory, "memory"),
          .threads = o.threads};
}

// The list as the process knows it, whose strings C callers may keep.
const std::vector<backend_info>& known_backends() {
  static const std::vector<backend_info> all = backends();
  return all;
}

bool is_type(std::int32_t t) { return t >= 0 && t <= UPSWEEP_USER_TYPE; }

}  // namespace

}  // namespace upsweep

using namespace upsweep;

const char* upsweep_last_error(void) { return last_message.data(); }

const char* upsweep_code_name(int32_t code) {
  switch (code) {
    case UPSWEEP_INTERNAL: return "internal";
    case UPSWEEP_OK: return "ok";
    case UPSWEEP_INVALID_ARGUMENT: return "invalid_argument";
    case UPSWEEP_UNSUPPORTED: return "unsupported";
    case UPSWEEP_UNKNOWN_BACKEND: return "unknown_backend";
    case UPSWEEP_UNAVAILABLE: return "unavailable";
    case UPSWEEP_BUSY: return "busy";
    case UPSWEEP_OUT_OF_MEMORY: return "out_of_memory";
    case UPSWEEP_DEVICE: return "device";
    default: return nullptr;
  }
}

const char* upsweep_version(void) { return version(); }

// The names are views of string literals, which end in a zero.
const char* upsweep_type_name(int32_t t) {
  return is_type(t) ? name_of(static_cast<type>(t)).data() : nullptr;
}

size_t upsweep_type_size(int32_t t) { return is_type(t) ? size_of(static_cast<type>(t)) : 0; }

size_t upsweep_type_alignment(int32_t t) {
  return is_type(t) ? alignment_of(static_cast<type>(t)) : 0;
}

int upsweep_represents(int32_t to, int32_t from) {
  return is_type(to) && is_type(from) && represents(static_cast<type>(to), static_cast<type>(from));
}

int32_t upsweep_accumulator_of(int32_t out) {
  return is_type(out) ? static_cast<int32_t>(accumulator_of(static_cast<type>(out))) : -1;
}

const char* upsweep_builtin_name(int32_t op) {
  const bool known = op >= 0 && op <= UPSWEEP_LOG_ADD_EXP;
  return known ? name_of(static_cast<builtin>(op)).data() : nullptr;
}

const char* upsweep_role_name(int32_t r) {
  return r >= 0 && r <= UPSWEEP_PEER ? name_of(static_cast<role>(r)) : nullptr;
}

int32_t upsweep_order_version(void) { return order1::version; }

int64_t upsweep_order_group(size_t accumulator_size) {
  return accumulator_size == 0 ? 0 : order1::group(accumulator_size);
}

upsweep_code upsweep_operator_init(upsweep_operator* op, size_t size) {
  return init(op, size, "op");
}
upsweep_code upsweep_spec_init(upsweep_spec* s, size_t size) { return init(s, size, "spec"); }
upsweep_code upsweep_extents_init(upsweep_extents* e, size_t size) {
  return init(e, size, "extents");
}
upsweep_code upsweep_value_init(upsweep_value* v, size_t size) { return init(v, size, "value"); }
upsweep_code upsweep_arguments_init(upsweep_arguments* a, size_t size) {
  return init(a, size, "arguments");
}
upsweep_code upsweep_plan_options_init(upsweep_plan_options* o, size_t size) {
  return init(o, size, "options");
}
upsweep_code upsweep_backend_info_init(upsweep_backend_info* info, size_t size) {
  return init(info, size, "info");
}

size_t upsweep_backend_count(void) {
  std::size_t count = 0;
  guarded([&] { count = known_backends().size(); });
  return count;
}

upsweep_code upsweep_backend_at(size_t index, upsweep_backend_info* info) {
  return guarded([&] {
    const std::size_t size = given(info, "info").struct_size;
    check_size<upsweep_backend_info>(size, "info");
    if (index >= known_backends().size())
      refuse("index: " + std::to_string(index) + ", but there are " +
             std::to_string(known_backends().size()) + " backends");
    const backend_info& b = known_backends()[index];
    const upsweep_backend_info all{
        size,       b.name.c_str(), b.reason.c_str(), static_cast<int32_t>(b.role), b.deterministic,
        b.compiled, b.available};
    std::memcpy(info, &all, size);
  });
}

upsweep_code upsweep_plan_create(const upsweep_spec* what, const upsweep_extents* at_most,
                                 const upsweep_plan_options* options, upsweep_plan** result) {
  return guarded([&] {
    given(result, "plan");
    const spec s = to_cpp(what);
    const extents e = to_cpp(at_most);
    *result = new upsweep_plan{plan(s, e, to_cpp(options))};
  });
}

void upsweep_plan_destroy(upsweep_plan* p) { delete p; }

upsweep_code upsweep_plan_run(upsweep_plan* p, const upsweep_arguments* a) {
  return guarded([&] { given(p, "plan").plan.run(to_cpp(a)); });
}

upsweep_code upsweep_plan_aggregate(upsweep_plan* p, const upsweep_arguments* a) {
  return guarded([&] { given(p, "plan").plan.aggregate(to_cpp(a)); });
}

upsweep_code upsweep_plan_append(const upsweep_plan* p, upsweep_state* before,
                                 const upsweep_state* next) {
  return guarded([&] {
    const plan& joiner = given(p, "plan").plan;
    state& first = given(before, "before").state;
    joiner.append(first, given(next, "next").state);
  });
}

upsweep_code upsweep_plan_rebind(upsweep_plan* p, void* stream) {
  return guarded([&] { given(p, "plan").plan.rebind(stream); });
}

const char* upsweep_plan_backend(const upsweep_plan* p) {
  return p == nullptr ? nullptr : p->plan.backend().c_str();
}

const char* upsweep_plan_why(const upsweep_plan* p) {
  return p == nullptr ? nullptr : p->plan.why().c_str();
}

upsweep_code upsweep_state_create(upsweep_state** result) {
  return guarded([&] {
    given(result, "state");
    *result = new upsweep_state;
  });
}

upsweep_code upsweep_state_clone(const upsweep_state* from, upsweep_state** copy) {
  return guarded([&] {
    given(copy, "copy");
    *copy = new upsweep_state(given(from, "state"));
  });
}

void upsweep_state_destroy(upsweep_state* s) { delete s; }

int64_t upsweep_state_position(const upsweep_state* s) {
  return s == nullptr ? -1 : s->state.position();
}

int upsweep_state_is_empty(const upsweep_state* s) { return s == nullptr ? -1 : s->state.empty(); }

upsweep_code upsweep_state_to_bytes(const upsweep_state* s, void* bytes, size_t* size) {
  return guarded([&] {
    const auto image = given(s, "state").state.to_bytes();
    const std::size_t room = std::exchange(given(size, "size"), image.size());
    if (bytes == nullptr) return;
    if (room < image.size())
      refuse("size: " + std::to_string(room) + " bytes, but the image of the state has " +
             std::to_string(image.size()));
    std::memcpy(bytes, image.data(), image.size());
  });
}

upsweep_code upsweep_state_from_bytes(const void* bytes, size_t size, upsweep_state** result) {
  return guarded([&] {
    given(result, "state");
    if (bytes == nullptr) refuse("bytes: null pointer");
    *result = new upsweep_state{state::from_bytes({static_cast<const std::byte*>(bytes), size})};
  });
}

upsweep_code upsweep_scan(const upsweep_spec* what, const upsweep_arguments* a,
                          const upsweep_plan_options* options) {
  return guarded([&] {
    const spec s = to_cpp(what);
    const arguments run = to_cpp(a);
    scan(s, run, to_cpp(options));
  });
}
