// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface as a C11 program uses it.
#include "c_abi.h"

#include <stdlib.h>
#include <string.h>

#include "upsweep/upsweep.h"

#define CHECK(condition)               \
  do {                                 \
    if (!(condition)) return __LINE__; \
  } while (0)

// A call that must fail with this code and this word in its message.
#define REFUSED(call, code, word) CHECK((call) == (code) && said(word))

static int said(const char* word) { return strstr(upsweep_last_error(), word) != NULL; }

static upsweep_spec spec_of(int32_t type) {
  upsweep_spec s;
  upsweep_spec_init(&s, sizeof s);
  s.in = s.out = type;
  return s;
}

static upsweep_arguments arguments_of(const void* in, void* out, int64_t length) {
  upsweep_arguments a;
  upsweep_arguments_init(&a, sizeof a);
  a.in = in;
  a.out = out;
  a.length = length;
  return a;
}

static upsweep_plan_options options_of(const char* backend) {
  upsweep_plan_options o;
  upsweep_plan_options_init(&o, sizeof o);
  o.backend = backend;
  return o;
}

static upsweep_plan* plan_of(const upsweep_spec* spec, int64_t length, const char* backend) {
  upsweep_extents e;
  upsweep_extents_init(&e, sizeof e);
  e.length = length;
  const upsweep_plan_options o = options_of(backend);
  upsweep_plan* plan = NULL;
  return upsweep_plan_create(spec, &e, &o, &plan) == UPSWEEP_OK ? plan : NULL;
}

int c_scans(const char* backend) {
  const uint8_t in[4] = {200, 100, 0, 1};
  int64_t out[4] = {0}, total = 0;
  upsweep_spec spec = spec_of(UPSWEEP_U8);
  spec.out = UPSWEEP_I64;
  spec.kind = UPSWEEP_EXCLUSIVE;
  upsweep_arguments a = arguments_of(in, out, 4);
  a.total = &total;
  upsweep_plan_options o = options_of(backend);
  o.threads = 1;
  CHECK(upsweep_scan(&spec, &a, &o) == UPSWEEP_OK);
  CHECK(out[0] == 0 && out[1] == 200 && out[2] == 300 && out[3] == 300 && total == 301);

  spec.op = UPSWEEP_MAXIMUM;
  spec.kind = UPSWEEP_INCLUSIVE;
  spec.direction = UPSWEEP_REVERSE;
  CHECK(upsweep_scan(&spec, &a, NULL) == UPSWEEP_OK);
  CHECK(out[0] == 200 && out[1] == 100 && out[2] == 1 && out[3] == 1 && total == 200);
  return 0;
}

int c_runs_plans(const char* backend) {
  float x[3] = {1, 2, 3};
  const upsweep_spec spec = spec_of(UPSWEEP_F32);
  upsweep_plan* plan = plan_of(&spec, 3, backend);
  CHECK(plan != NULL);
  CHECK(strcmp(upsweep_plan_backend(plan), backend) == 0);
  CHECK(strstr(upsweep_plan_why(plan), "named by backend") != NULL);
  CHECK(upsweep_plan_rebind(plan, NULL) == UPSWEEP_OK);
  upsweep_arguments a = arguments_of(x, x, 3);
  CHECK(upsweep_plan_run(plan, &a) == UPSWEEP_OK);
  CHECK(x[0] == 1 && x[1] == 3 && x[2] == 6);
  a.length = 2;
  CHECK(upsweep_plan_run(plan, &a) == UPSWEEP_OK);
  CHECK(x[0] == 1 && x[1] == 4 && x[2] == 6);
  a.length = 4;
  REFUSED(upsweep_plan_run(plan, &a), UPSWEEP_INVALID_ARGUMENT, "length: 4");
  upsweep_plan_destroy(plan);
  return 0;
}

int c_resumes(const char* backend) {
  const double x[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
  double whole[5], parts[5];
  const upsweep_spec spec = spec_of(UPSWEEP_F64);
  upsweep_plan* plan = plan_of(&spec, 5, backend);
  upsweep_arguments a = arguments_of(x, whole, 5);
  CHECK(upsweep_plan_run(plan, &a) == UPSWEEP_OK);

  upsweep_state* s = NULL;
  CHECK(upsweep_state_create(&s) == UPSWEEP_OK);
  CHECK(upsweep_state_is_empty(s) == 1 && upsweep_state_position(s) == 0);
  a = arguments_of(x, parts, 2);
  a.state = s;
  CHECK(upsweep_plan_run(plan, &a) == UPSWEEP_OK);
  CHECK(upsweep_state_is_empty(s) == 0 && upsweep_state_position(s) == 2);

  size_t size = 0, room = 0;
  CHECK(upsweep_state_to_bytes(s, NULL, &size) == UPSWEEP_OK && size > 0);
  unsigned char* bytes = malloc(size);
  memset(bytes, 0xa5, size);
  room = size - 1;
  REFUSED(upsweep_state_to_bytes(s, bytes, &room), UPSWEEP_INVALID_ARGUMENT, "size: ");
  CHECK(room == size && bytes[0] == 0xa5);
  CHECK(upsweep_state_to_bytes(s, bytes, &room) == UPSWEEP_OK && room == size);

  upsweep_state *restored = NULL, *copy = NULL;
  CHECK(upsweep_state_from_bytes(bytes, size, &restored) == UPSWEEP_OK);
  CHECK(upsweep_state_clone(restored, &copy) == UPSWEEP_OK);
  upsweep_state* const untouched = copy;
  REFUSED(upsweep_state_from_bytes(bytes, size - 1, &copy), UPSWEEP_INVALID_ARGUMENT, "bytes");
  CHECK(copy == untouched);
  a = arguments_of(x + 2, parts + 2, 3);
  a.state = copy;
  CHECK(upsweep_plan_run(plan, &a) == UPSWEEP_OK);
  CHECK(memcmp(whole, parts, sizeof whole) == 0);
  CHECK(upsweep_state_position(copy) == 5 && upsweep_state_position(restored) == 2);
  a.init = NULL;
  a.state = s;
  CHECK(upsweep_plan_aggregate(plan, &a) == UPSWEEP_OK && upsweep_state_position(s) == 5);

  free(bytes);
  upsweep_state_destroy(copy);
  upsweep_state_destroy(restored);
  upsweep_state_destroy(s);
  upsweep_plan_destroy(plan);
  return 0;
}

int c_joins_ranges(void) {
  const int64_t group = upsweep_order_group(sizeof(float));
  CHECK(group > 0 && upsweep_order_group(2 * sizeof(float)) == group / 2);
  CHECK(upsweep_order_group(0) == 0 && upsweep_order_version() == 1);
  float* x = malloc((size_t)(group + 1) * sizeof *x);
  for (int64_t i = 0; i <= group; ++i) x[i] = 1.0f / (float)(i + 1);
  const upsweep_spec spec = spec_of(UPSWEEP_F32);
  upsweep_plan* plan = plan_of(&spec, group + 1, "cpu.openmp");
  upsweep_state *first = NULL, *second = NULL;
  upsweep_state_create(&first);
  upsweep_state_create(&second);

  upsweep_arguments a = arguments_of(x, NULL, group);
  a.state = first;
  CHECK(upsweep_plan_aggregate(plan, &a) == UPSWEEP_OK);
  a.in = x + group;
  a.length = 1;
  a.state = second;
  CHECK(upsweep_plan_aggregate(plan, &a) == UPSWEEP_OK);
  CHECK(upsweep_plan_append(plan, first, second) == UPSWEEP_OK);
  REFUSED(upsweep_plan_append(plan, first, second), UPSWEEP_INVALID_ARGUMENT, "before: position");

  float joined = 0, whole = 0;
  a = arguments_of(NULL, NULL, 0);
  a.state = first;
  a.total = &joined;
  CHECK(upsweep_plan_run(plan, &a) == UPSWEEP_OK);
  a = arguments_of(x, x, group + 1);
  a.total = &whole;
  CHECK(upsweep_plan_run(plan, &a) == UPSWEEP_OK);
  CHECK(memcmp(&whole, &joined, sizeof whole) == 0);

  upsweep_state_destroy(first);
  upsweep_state_destroy(second);
  upsweep_plan_destroy(plan);
  free(x);
  return 0;
}

int c_affine(const char* backend) {
  const float b[3] = {2, 3, -1}, v[3] = {1, 1, 4}, pairs[6] = {2, 1, 3, 1, -1, 4};
  float h[3], maps[6], h0 = 10;
  upsweep_spec spec = spec_of(UPSWEEP_F32);
  spec.op = UPSWEEP_AFFINE;
  upsweep_arguments a = arguments_of(pairs, maps, 3);
  const upsweep_plan_options o = options_of(backend);
  CHECK(upsweep_scan(&spec, &a, &o) == UPSWEEP_OK);
  CHECK(maps[2] == 6 && maps[3] == 4 && maps[4] == -6 && maps[5] == 0);

  spec.affine = UPSWEEP_SPLIT;
  upsweep_value init;
  upsweep_value_init(&init, sizeof init);
  init.type = UPSWEEP_F32;
  init.data = &h0;
  a = arguments_of(v, h, 3);
  a.coefficients = b;
  a.init = &init;
  CHECK(upsweep_scan(&spec, &a, &o) == UPSWEEP_OK);
  CHECK(h[0] == 21 && h[1] == 64 && h[2] == -60);
  return 0;
}

static void first(void* context, const void* left, const void* right, void* result) {
  (void)context;
  (void)right;
  memmove(result, left, 4);
}

int c_reports_errors(void) {
  const float x[2] = {1, 2};
  float y[2] = {7, 7};
  upsweep_spec spec = spec_of(UPSWEEP_F32);
  upsweep_arguments a = arguments_of(x, y, 2);
  upsweep_plan_options o = options_of("cpu.opnemp");
  REFUSED(upsweep_scan(&spec, &a, &o), UPSWEEP_UNKNOWN_BACKEND, "'cpu.openmp'");
  o.backend = "cuda";
  if (upsweep_scan(&spec, &a, &o) != UPSWEEP_OK)
    REFUSED(upsweep_scan(&spec, &a, &o), UPSWEEP_UNAVAILABLE, "'cuda.single_pass' is not ");
  y[0] = y[1] = 7;
  o.backend = NULL;
  o.memory = UPSWEEP_DEVICE_MEMORY;
  REFUSED(upsweep_scan(&spec, &a, &o), UPSWEEP_INVALID_ARGUMENT, "in: it is in no device's memory");
  o.memory = 256;
  REFUSED(upsweep_scan(&spec, &a, &o), UPSWEEP_INVALID_ARGUMENT, "memory: 256");
  o = options_of("");
  o.threads = -1;
  REFUSED(upsweep_scan(&spec, &a, &o), UPSWEEP_INVALID_ARGUMENT, "threads: -1");

  int32_t* const fields[] = {&spec.in,        &spec.out,    &spec.op,     &spec.kind,
                             &spec.direction, &spec.affine, &spec.layout, &spec.accuracy};
  const char* const names[] = {
      "in: ", "out: ", "op", "kind: ", "direction: ", "affine: ", "layout: ", "accuracy: "};
  for (int i = 0; i < 8; ++i) {
    spec = spec_of(UPSWEEP_F32);
    *fields[i] = -1;
    REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, names[i]);
    CHECK(said("-1"));
    *fields[i] = 100;
    REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, names[i]);
    CHECK(said("100"));
    *fields[i] = 256 + UPSWEEP_F32;
    REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, names[i]);
  }

  upsweep_operator op;
  upsweep_operator_init(&op, sizeof op);
  op.name = "first";
  op.size = op.alignment = 4;
  op.combine = first;
  spec = spec_of(UPSWEEP_F32);
  spec.user_operator = &op;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "user_operator: given");
  spec.op = UPSWEEP_USER_OPERATOR;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "user operator scans type user");
  spec.in = spec.out = UPSWEEP_USER_TYPE;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_UNSUPPORTED, "'first'");
  spec.kind = UPSWEEP_EXCLUSIVE;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_UNSUPPORTED, "no identity");
  op.identity = x;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_UNSUPPORTED, "not served yet");
  op.combine = NULL;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "callback");
  op.source = "text";
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_UNSUPPORTED, "not served yet");
  op.alignment = 3;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "op.alignment: 3");
  spec.user_operator = NULL;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "user_operator: null");

  // Every field of the arguments arrives.
  spec = spec_of(UPSWEEP_F32);
  const int64_t offsets[2] = {0, 2};
  const uint8_t flags[2] = {1, 0};
  for (int i = 0; i < 10; ++i) {
    static const char* const words[] = {
        "init_device",    "coefficients", "outer: 2", "inner: 3", "in_strides: 4",
        "out_strides: 5", "segments: 6",  "offsets",  "flags",    "key_size: 7"};
    a = arguments_of(x, y, 2);
    switch (i) {
      case 0: a.init_device = x; break;
      case 1: a.coefficients = x; break;
      case 2: a.outer = 2; break;
      case 3: a.inner = 3; break;
      case 4: a.in_strides[1] = 4; break;
      case 5: a.out_strides[2] = 5; break;
      case 6: a.segments = 6; break;
      case 7: a.offsets = offsets; break;
      case 8: a.flags = flags; break;
      case 9: a.key_size = 7; break;
    }
    CHECK(upsweep_scan(&spec, &a, NULL) != UPSWEEP_OK && said(words[i]));
  }
  a = arguments_of(x, y, 2);
  a.keys = x;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "keys");

  upsweep_extents e;
  upsweep_extents_init(&e, sizeof e);
  CHECK(e.length == 0 && e.outer == 1 && e.inner == 1 && e.segments == 0);
  upsweep_plan* plan = NULL;
  int64_t* const counts[] = {&e.length, &e.outer, &e.inner, &e.segments};
  const char* const count_names[] = {"length: -9", "outer: -9", "inner: -9", "segments: -9"};
  for (int i = 0; i < 4; ++i) {
    upsweep_extents_init(&e, sizeof e);
    *counts[i] = -9;
    REFUSED(upsweep_plan_create(&spec, &e, NULL, &plan), UPSWEEP_INVALID_ARGUMENT, count_names[i]);
  }
  CHECK(plan == NULL);
  CHECK(y[0] == 7 && y[1] == 7);
  return 0;
}

int c_init_values(void) {
  const int32_t x[2] = {1, 2};
  int32_t y[2];
  const upsweep_spec spec = spec_of(UPSWEEP_I32);
  upsweep_value init;
  upsweep_value_init(&init, sizeof init);
  upsweep_arguments a = arguments_of(x, y, 2);
  a.init = &init;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "init.data: null");

  const int8_t small = -5;
  const double real = 40, half = 0.5;
  const uint64_t large = UINT64_C(1) << 40;
  init.type = UPSWEEP_I8;
  init.data = &small;
  CHECK(upsweep_scan(&spec, &a, NULL) == UPSWEEP_OK && y[0] == -4 && y[1] == -2);
  init.type = UPSWEEP_F64;
  init.data = &real;
  CHECK(upsweep_scan(&spec, &a, NULL) == UPSWEEP_OK && y[0] == 41 && y[1] == 43);
  init.data = &half;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "init: 0.5 (f64)");
  init.type = UPSWEEP_U64;
  init.data = &large;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "init: 1099511627776 (u64)");
  init.type = UPSWEEP_USER_TYPE;
  init.size = sizeof large;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "user type");
  init.type = 99;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "init.type");
  init.type = UPSWEEP_F64;
  init.components = 3;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "init.components: 3");
  init.components = 2;
  const double pair[2] = {1, 2};
  init.data = pair;
  REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "init: an affine_pair");
  CHECK(y[0] == 41 && y[1] == 43);
  return 0;
}

// For one struct type: init refuses NULL and sizes that no version has, writes only the size that
// it is told, and a shorter struct gets the defaults for the rest.
#define CHECK_SIZES(type)                                                              \
  do {                                                                                 \
    union {                                                                            \
      upsweep_##type value;                                                            \
      unsigned char bytes[sizeof(upsweep_##type) + 8];                                 \
    } u;                                                                               \
    memset(&u, 0xa5, sizeof u);                                                        \
    REFUSED(upsweep_##type##_init(NULL, 8), UPSWEEP_INVALID_ARGUMENT, "null pointer"); \
    const size_t wrong[] = {0, 4, 7, 12, sizeof u.value - 4, sizeof u.value + 8};      \
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)                          \
      REFUSED(upsweep_##type##_init(&u.value, wrong[i]), UPSWEEP_INVALID_ARGUMENT,     \
              "struct_size: ");                                                        \
    CHECK(u.bytes[0] == 0xa5);                                                         \
    for (size_t size = 8; size <= sizeof u.value; size += 8) {                         \
      memset(&u, 0xa5, sizeof u);                                                      \
      CHECK(upsweep_##type##_init(&u.value, size) == UPSWEEP_OK);                      \
      CHECK(u.value.struct_size == size && u.bytes[size] == 0xa5);                     \
    }                                                                                  \
  } while (0)

int c_struct_sizes(void) {
  CHECK_SIZES(operator);
  CHECK_SIZES(spec);
  CHECK_SIZES(extents);
  CHECK_SIZES(value);
  CHECK_SIZES(arguments);
  CHECK_SIZES(plan_options);
  CHECK_SIZES(backend_info);

  // A struct of an earlier version ends earlier; what lies behind it is not read.
  const int32_t x[2] = {1, 2};
  int32_t y[2] = {0};
  upsweep_spec spec = spec_of(UPSWEEP_I32);
  spec.struct_size = offsetof(upsweep_spec, op);
  spec.op = spec.kind = spec.direction = spec.affine = spec.layout = spec.accuracy = 77;
  spec.user_operator = (const upsweep_operator*)&spec;
  upsweep_arguments a;
  memset(&a, 0xa5, sizeof a);
  CHECK(upsweep_arguments_init(&a, offsetof(upsweep_arguments, init)) == UPSWEEP_OK);
  a.in = x;
  a.out = y;
  a.length = 2;
  CHECK(upsweep_scan(&spec, &a, NULL) == UPSWEEP_OK && y[0] == 1 && y[1] == 3);

  // A size of 0 (never initialised) or of a later version is refused in every place.
  const size_t wrong[] = {0, 4096};
  for (int i = 0; i < 2; ++i) {
    upsweep_extents e;
    upsweep_value v;
    upsweep_operator op;
    upsweep_backend_info info;
    upsweep_plan* plan = NULL;
    upsweep_plan_options o = options_of(NULL);
    spec = spec_of(UPSWEEP_I32);
    a = arguments_of(x, y, 2);
    upsweep_extents_init(&e, sizeof e);
    upsweep_value_init(&v, sizeof v);
    upsweep_operator_init(&op, sizeof op);
    spec.struct_size = wrong[i];
    REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "spec.struct_size: ");
    CHECK(said(i == 0 ? ": 0," : ": 4096,"));
    spec = spec_of(UPSWEEP_I32);
    a.struct_size = wrong[i];
    REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "arguments.struct_size: ");
    a = arguments_of(x, y, 2);
    o.struct_size = wrong[i];
    REFUSED(upsweep_scan(&spec, &a, &o), UPSWEEP_INVALID_ARGUMENT, "options.struct_size: ");
    e.struct_size = wrong[i];
    REFUSED(upsweep_plan_create(&spec, &e, NULL, &plan), UPSWEEP_INVALID_ARGUMENT,
            "extents.struct_size: ");
    v.struct_size = wrong[i];
    a.init = &v;
    REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "init.struct_size: ");
    op.struct_size = wrong[i];
    spec.op = UPSWEEP_USER_OPERATOR;
    spec.user_operator = &op;
    REFUSED(upsweep_scan(&spec, &a, NULL), UPSWEEP_INVALID_ARGUMENT, "user_operator.struct_size: ");
    info.struct_size = wrong[i];
    REFUSED(upsweep_backend_at(0, &info), UPSWEEP_INVALID_ARGUMENT, "info.struct_size: ");
  }
  return 0;
}

int c_names(void) {
  CHECK(strcmp(upsweep_type_name(UPSWEEP_BF16), "bf16") == 0);
  CHECK(strcmp(upsweep_type_name(UPSWEEP_USER_TYPE), "user") == 0);
  CHECK(upsweep_type_name(-1) == NULL && upsweep_type_name(15) == NULL);
  CHECK(upsweep_type_size(UPSWEEP_C128) == 16 && upsweep_type_alignment(UPSWEEP_C128) == 8);
  CHECK(upsweep_type_size(15) == 0 && upsweep_type_alignment(-1) == 0);
  CHECK(upsweep_represents(UPSWEEP_I64, UPSWEEP_U8) == 1);
  CHECK(upsweep_represents(UPSWEEP_I32, UPSWEEP_F64) == 0);
  CHECK(upsweep_represents(99, UPSWEEP_I8) == 0 && upsweep_represents(UPSWEEP_I8, -1) == 0);
  CHECK(upsweep_accumulator_of(UPSWEEP_F16) == UPSWEEP_F32);
  CHECK(upsweep_accumulator_of(UPSWEEP_I8) == UPSWEEP_I8 && upsweep_accumulator_of(99) == -1);
  CHECK(strcmp(upsweep_builtin_name(UPSWEEP_BIT_XOR), "bit_xor") == 0);
  CHECK(strcmp(upsweep_builtin_name(UPSWEEP_USER_OPERATOR), "user") == 0);
  CHECK(upsweep_builtin_name(12) == NULL && upsweep_builtin_name(-1) == NULL);
  CHECK(strcmp(upsweep_role_name(UPSWEEP_REFERENCE), "reference") == 0);
  CHECK(upsweep_role_name(4) == NULL && upsweep_role_name(-1) == NULL);
  CHECK(strcmp(upsweep_code_name(UPSWEEP_OK), "ok") == 0);
  CHECK(upsweep_code_name(8) == NULL && upsweep_code_name(-2) == NULL);
  for (int code = UPSWEEP_INTERNAL; code <= UPSWEEP_DEVICE; ++code)
    for (int other = UPSWEEP_INTERNAL; other < code; ++other)
      CHECK(strcmp(upsweep_code_name(code), upsweep_code_name(other)) != 0);
  CHECK(strchr(upsweep_version(), '.') != NULL);
  return 0;
}

int c_lists_backends(void) {
  int available = 0;
  upsweep_backend_info info;
  CHECK(upsweep_backend_info_init(&info, sizeof info) == UPSWEEP_OK);
  for (size_t i = 0; i < upsweep_backend_count(); ++i) {
    CHECK(upsweep_backend_at(i, &info) == UPSWEEP_OK);
    CHECK(strchr(info.name, '.') != NULL && upsweep_role_name(info.role) != NULL);
    CHECK((info.reason[0] == '\0') == (info.available == 1));
    CHECK(info.compiled == 1 || info.available == 0);
    if (strcmp(info.name, "cpu.serial") == 0)
      CHECK(info.available == 1 && info.role == UPSWEEP_REFERENCE && info.deterministic == 1);
    available += info.available;
  }
  CHECK(available >= 2);
  const char* name = info.name;
  REFUSED(upsweep_backend_at(upsweep_backend_count(), &info), UPSWEEP_INVALID_ARGUMENT, "index: ");
  CHECK(info.name == name);
  upsweep_backend_info shorter;
  memset(&shorter, 0xa5, sizeof shorter);
  shorter.struct_size = offsetof(upsweep_backend_info, reason);
  CHECK(upsweep_backend_at(0, &shorter) == UPSWEEP_OK);
  CHECK(shorter.name[0] != '\0' && ((unsigned char*)&shorter.reason)[0] == 0xa5);
  return 0;
}

int c_null_pointers(void) {
  const upsweep_spec spec = spec_of(UPSWEEP_F32);
  upsweep_extents e;
  upsweep_extents_init(&e, sizeof e);
  const upsweep_arguments a = arguments_of(NULL, NULL, 0);
  upsweep_plan* plan = plan_of(&spec, 0, "");
  upsweep_state* s = NULL;
  size_t size = 0;
  const upsweep_code bad = UPSWEEP_INVALID_ARGUMENT;
  REFUSED(upsweep_scan(NULL, &a, NULL), bad, "spec: null");
  REFUSED(upsweep_scan(&spec, NULL, NULL), bad, "arguments: null");
  REFUSED(upsweep_plan_create(NULL, &e, NULL, &plan), bad, "spec: null");
  REFUSED(upsweep_plan_create(&spec, NULL, NULL, &plan), bad, "extents: null");
  REFUSED(upsweep_plan_create(&spec, &e, NULL, NULL), bad, "plan: null");
  REFUSED(upsweep_plan_run(NULL, &a), bad, "plan: null");
  REFUSED(upsweep_plan_run(plan, NULL), bad, "arguments: null");
  REFUSED(upsweep_plan_aggregate(NULL, &a), bad, "plan: null");
  REFUSED(upsweep_plan_append(NULL, s, s), bad, "plan: null");
  REFUSED(upsweep_plan_append(plan, NULL, s), bad, "before: null");
  REFUSED(upsweep_plan_rebind(NULL, NULL), bad, "plan: null");
  REFUSED(upsweep_state_create(NULL), bad, "state: null");
  REFUSED(upsweep_state_clone(NULL, &s), bad, "state: null");
  REFUSED(upsweep_state_to_bytes(NULL, NULL, &size), bad, "state: null");
  REFUSED(upsweep_state_from_bytes(NULL, 0, &s), bad, "bytes: null");
  REFUSED(upsweep_state_from_bytes("", 0, NULL), bad, "state: null");
  REFUSED(upsweep_backend_at(0, NULL), bad, "info: null");
  CHECK(upsweep_state_create(&s) == UPSWEEP_OK);
  REFUSED(upsweep_plan_append(plan, s, NULL), bad, "next: null");
  REFUSED(upsweep_state_clone(s, NULL), bad, "copy: null");
  REFUSED(upsweep_state_to_bytes(s, NULL, NULL), bad, "size: null");
  CHECK(upsweep_plan_backend(NULL) == NULL && upsweep_plan_why(NULL) == NULL);
  CHECK(upsweep_state_position(NULL) == -1 && upsweep_state_is_empty(NULL) == -1);
  upsweep_plan_destroy(NULL);
  upsweep_state_destroy(NULL);
  upsweep_state_destroy(s);
  upsweep_plan_destroy(plan);
  return 0;
}
