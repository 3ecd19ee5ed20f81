// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_UPSWEEP_H
#define UPSWEEP_UPSWEEP_H

// The C interface: every feature of upsweep.hpp, under the same names, for C11 and for languages
// that call C. docs/c-abi.md has examples and the rules in prose; docs/semantics.md says what a
// scan computes.
//
// Calls. A function that can fail returns its upsweep_code; upsweep_last_error() then gives the
// message, which names the argument and the value. An error found before work began leaves outputs
// untouched. No function prints, aborts or throws. Everything may be used from any threads at once,
// but one plan or one state by one thread at a time.
//
// Structs. Each begins with struct_size, the bytes it has in the caller's build, and is filled with
// defaults by its init function: upsweep_spec_init(&spec, sizeof spec). Later versions add fields
// at the end only, so a program keeps running with a newer library: the fields that it does not
// know have their defaults. A struct from a newer header than the library's is refused.
//
// Enumerations are stored as int32_t, so that a value that the library does not know is refused.

#include <stddef.h>
#include <stdint.h>

#include "upsweep/export.hpp"  // plain macros

#ifdef __cplusplus
extern "C" {
#endif

// Why a call failed.
typedef enum upsweep_code {
  UPSWEEP_INTERNAL = -1,         // a fault of the library itself
  UPSWEEP_OK = 0,                // it did not
  UPSWEEP_INVALID_ARGUMENT = 1,  // an argument breaks a rule of docs/semantics.md
  UPSWEEP_UNSUPPORTED = 2,       // a valid scan that the chosen backend does not serve
  UPSWEEP_UNKNOWN_BACKEND = 3,   // no backend has that name
  UPSWEEP_UNAVAILABLE = 4,       // a known backend, but not in this build or not on this machine
  UPSWEEP_BUSY = 5,              // the plan is running on another thread
  UPSWEEP_OUT_OF_MEMORY = 6,     // host or device memory ran out
  UPSWEEP_DEVICE = 7             // the device or its driver reported a failure
} upsweep_code;

// Element types. f16 is IEEE 754 binary16, bf16 the upper half of a binary32, c64 and c128 are two
// f32 or two f64 (real, imaginary). Flags (bool) are u8. UPSWEEP_USER_TYPE: values of a user
// operator.
typedef enum upsweep_type {
  UPSWEEP_I8 = 0,
  UPSWEEP_U8 = 1,
  UPSWEEP_I16 = 2,
  UPSWEEP_U16 = 3,
  UPSWEEP_I32 = 4,
  UPSWEEP_U32 = 5,
  UPSWEEP_I64 = 6,
  UPSWEEP_U64 = 7,
  UPSWEEP_F16 = 8,
  UPSWEEP_BF16 = 9,
  UPSWEEP_F32 = 10,
  UPSWEEP_F64 = 11,
  UPSWEEP_C64 = 12,
  UPSWEEP_C128 = 13,
  UPSWEEP_USER_TYPE = 14
} upsweep_type;

// Operators. UPSWEEP_USER_OPERATOR: the one that spec.user_operator describes.
typedef enum upsweep_builtin {
  UPSWEEP_USER_OPERATOR = 0,
  UPSWEEP_SUM = 1,          // numbers; complex by component
  UPSWEEP_PRODUCT = 2,      // numbers; complex (ac - bd, ad + bc)
  UPSWEEP_MINIMUM = 3,      // real; NaN wins, -0.0 below +0.0
  UPSWEEP_MAXIMUM = 4,      // real; NaN wins, -0.0 below +0.0
  UPSWEEP_BIT_AND = 5,      // integers
  UPSWEEP_BIT_OR = 6,       // integers
  UPSWEEP_BIT_XOR = 7,      // integers
  UPSWEEP_LOGICAL_AND = 8,  // integers; results are 0 or 1
  UPSWEEP_LOGICAL_OR = 9,   // integers; results are 0 or 1
  UPSWEEP_AFFINE = 10,      // u32, f32, f64: (a, u) op (b, v) = (a * b, b * u + v)
  UPSWEEP_LOG_ADD_EXP = 11  // f32, f64: log(exp a + exp b)
} upsweep_builtin;

typedef enum upsweep_kind { UPSWEEP_INCLUSIVE = 0, UPSWEEP_EXCLUSIVE = 1 } upsweep_kind;

// Reverse means flip(scan(flip(x))): the accumulated value is the left operand, init joins first.
typedef enum upsweep_direction { UPSWEEP_FORWARD = 0, UPSWEEP_REVERSE = 1 } upsweep_direction;

// Pair: `in` and `out` hold (coefficient, offset) pairs. Split: `coefficients` and `in` (the
// offsets) are two arrays, and `out` is h[i] = coefficients[i] * h[i-1] + in[i] alone.
typedef enum upsweep_affine_form { UPSWEEP_PAIR = 0, UPSWEEP_SPLIT = 1 } upsweep_affine_form;

// Flat: one sequence. Axis: every row of an outer x length x inner array. The others are segments
// of one sequence, given by offsets, by head flags, or by runs of equal keys.
typedef enum upsweep_layout {
  UPSWEEP_FLAT = 0,
  UPSWEEP_AXIS = 1,
  UPSWEEP_OFFSETS = 2,
  UPSWEEP_HEAD_FLAGS = 3,
  UPSWEEP_KEYS = 4
} upsweep_layout;

// Ordered: order 1 of docs/numerics.md. Compensated: sums with error compensation.
typedef enum upsweep_accuracy { UPSWEEP_ORDERED = 0, UPSWEEP_COMPENSATED = 1 } upsweep_accuracy;

// Where the arrays of a plan's runs live.
typedef enum upsweep_memory { UPSWEEP_HOST = 0, UPSWEEP_DEVICE_MEMORY = 1 } upsweep_memory;

// Production: fast, order 1, what auto chooses. Textbook: an algorithm to read and to measure.
// Reference: the loop that the others are compared with. Peer: another library behind ours.
typedef enum upsweep_role {
  UPSWEEP_PRODUCTION = 0,
  UPSWEEP_TEXTBOOK = 1,
  UPSWEEP_REFERENCE = 2,
  UPSWEEP_PEER = 3
} upsweep_role;

// A scan made ready: validated, bound to a backend, with its workspace. One thread at a time.
typedef struct upsweep_plan upsweep_plan;

// What a range of elements leaves behind: enough to go on after it with the bits of one whole scan.
typedef struct upsweep_state upsweep_state;

// Combines two values of a user type: *result = *left op *right; `result` may alias an argument. It
// must return, and throw nothing.
typedef void (*upsweep_combine)(void* context, const void* left, const void* right, void* result);

// A user operator: associative, need not be commutative. Give `combine` (CPU), `source` (GPU) or
// both.
typedef struct upsweep_operator {
  size_t struct_size;
  const char* name;         // for messages; may be NULL
  size_t size;              // bytes of a value
  size_t alignment;         // of a value: a power of two that divides size
  const void* identity;     // `size` bytes: a two-sided identity; NULL: it has none
  int32_t commutative;      // non-zero: it is
  int32_t exact;            // non-zero: any association gives the same bits
  upsweep_combine combine;  // callback, called with `context`
  void* context;
  const char* source;  // CUDA C++ text
} upsweep_operator;

// What is computed. Defaults: an inclusive, forward, flat sum of f32.
typedef struct upsweep_spec {
  size_t struct_size;
  int32_t in;         // upsweep_type
  int32_t out;        // upsweep_type; must represent every value of `in`; values combine in it
  int32_t op;         // upsweep_builtin
  int32_t kind;       // upsweep_kind
  int32_t direction;  // upsweep_direction
  int32_t affine;     // upsweep_affine_form
  int32_t layout;     // upsweep_layout
  int32_t accuracy;   // upsweep_accuracy
  const upsweep_operator* user_operator;  // with op UPSWEEP_USER_OPERATOR; else NULL
} upsweep_spec;

// How much at most: a plan's runs may be shorter, never longer. Defaults: 0, 1, 1, 0.
typedef struct upsweep_extents {
  size_t struct_size;
  int64_t length;    // elements (pairs, for affine) of the sequence or of a row
  int64_t outer;     // axis: rows before ...
  int64_t inner;     // ... and inside the scanned axis
  int64_t segments;  // segments by offsets
} upsweep_extents;

// A value with its type. It is converted to the accumulator type, and refused if that loses
// anything.
typedef struct upsweep_value {
  size_t struct_size;
  int32_t type;        // upsweep_type of `data`
  int32_t components;  // 1: a scalar; 2: an affine pair (coefficient, offset)
  const void* data;    // read when the scan runs
  size_t size;         // bytes of `data`; only for UPSWEEP_USER_TYPE
} upsweep_value;

// One run. Pointers need the element's own alignment. `in` and `out` may be the same pointer if
// elements have the same size; any other overlap of an output is refused.
typedef struct upsweep_arguments {
  size_t struct_size;
  const void* in;
  void* out;
  int64_t length;             // elements
  const upsweep_value* init;  // the prefix before element 0, for inclusive scans too; NULL: none
  const void* init_device;    // or: the init in device memory, of the accumulator type
  void* total;                // one output element: init combined with all elements; or NULL
  upsweep_state* state;       // resume here, and leave there the state after this run; or NULL
  const void* coefficients;   // split affine: the multipliers, as long as `in`

  // Layouts other than flat.
  int64_t outer;
  int64_t inner;
  int64_t in_strides[3];   // elements, of (outer, length, inner); all 0: dense
  int64_t out_strides[3];  // likewise
  int64_t segments;
  const int64_t* offsets;  // segments + 1 values
  const uint8_t* flags;    // non-zero where a segment starts
  const void* keys;
  size_t key_size;  // bytes of a key

  void* stream;  // cudaStream_t, for device memory
} upsweep_arguments;

// How a plan is made. Defaults: UPSWEEP_BACKEND or auto, host memory, threads as OpenMP would
// choose.
typedef struct upsweep_plan_options {
  size_t struct_size;
  const char* backend;  // a name, a family ("cpu"), "auto"; NULL or "": UPSWEEP_BACKEND, else auto
  int32_t memory;       // upsweep_memory
  // CPU threads at most, and no more than a CPU quota allows; 0: as OpenMP would choose at each
  // run, one inside a parallel region.
  int32_t threads;
} upsweep_plan_options;

// A backend that the library knows. Its strings stay valid until the process ends.
typedef struct upsweep_backend_info {
  size_t struct_size;
  const char* name;       // "cpu.openmp"
  const char* reason;     // why it is not compiled in or not available; else ""
  int32_t role;           // upsweep_role
  int32_t deterministic;  // 1: the same bits in every run, float sums included
  int32_t compiled;       // 1: in this build
  int32_t available;      // 1: on this machine, now
} upsweep_backend_info;

// The message of this thread's last failed call; "" before any. It stays valid until this thread's
// next failure. Never NULL.
UPSWEEP_API const char* upsweep_last_error(void);

// "ok", "invalid_argument", ...; NULL for a value that is no code.
UPSWEEP_API const char* upsweep_code_name(int32_t code);

// The version of the library: "0.1.0".
UPSWEEP_API const char* upsweep_version(void);

// "i8" ... "c128", "user"; NULL for a value that is no type.
UPSWEEP_API const char* upsweep_type_name(int32_t type);

// Bytes of one element, and the alignment that a pointer to elements must have. 0 for a value that
// is no type; the size of UPSWEEP_USER_TYPE is 0 too, its operator gives it.
UPSWEEP_API size_t upsweep_type_size(int32_t type);
UPSWEEP_API size_t upsweep_type_alignment(int32_t type);

// 1 if `to` represents every value of `from` exactly, the condition for a mixed scan; else 0.
UPSWEEP_API int upsweep_represents(int32_t to, int32_t from);

// The type that values of an output type are combined in: f32 for f16 and bf16, else itself; -1 for
// a value that is no type.
UPSWEEP_API int32_t upsweep_accumulator_of(int32_t out);

// "sum" ... "log_add_exp", "user"; NULL for a value that is no operator.
UPSWEEP_API const char* upsweep_builtin_name(int32_t op);

// "production", "textbook", "reference" or "peer"; NULL for a value that is no role.
UPSWEEP_API const char* upsweep_role_name(int32_t role);

// The version of the numerical order of the production backends, and the elements of its group for
// an accumulator of that many bytes (twice the scalar's, for affine): ranges that are appended
// start at multiples of it. 0 for an accumulator of 0 bytes.
UPSWEEP_API int32_t upsweep_order_version(void);
UPSWEEP_API int64_t upsweep_order_group(size_t accumulator_size);

// Fill a struct with its defaults; struct_size is its sizeof. UPSWEEP_INVALID_ARGUMENT for NULL, or
// for a size that no version up to the library's has.
UPSWEEP_API upsweep_code upsweep_operator_init(upsweep_operator* op, size_t struct_size);
UPSWEEP_API upsweep_code upsweep_spec_init(upsweep_spec* spec, size_t struct_size);
UPSWEEP_API upsweep_code upsweep_extents_init(upsweep_extents* extents, size_t struct_size);
UPSWEEP_API upsweep_code upsweep_value_init(upsweep_value* value, size_t struct_size);
UPSWEEP_API upsweep_code upsweep_arguments_init(upsweep_arguments* arguments, size_t struct_size);
UPSWEEP_API upsweep_code upsweep_plan_options_init(upsweep_plan_options* options,
                                                   size_t struct_size);
UPSWEEP_API upsweep_code upsweep_backend_info_init(upsweep_backend_info* info, size_t struct_size);

// How many backends the library knows, compiled in or not.
UPSWEEP_API size_t upsweep_backend_count(void);

// Backend number `index` (from 0), in order of preference. `info` must have been initialised.
// Errors: UPSWEEP_INVALID_ARGUMENT.
UPSWEEP_API upsweep_code upsweep_backend_at(size_t index, upsweep_backend_info* info);

// Validates the spec, chooses the backend and allocates all that runs need. `options` may be NULL.
// The caller destroys *plan. Errors: UPSWEEP_INVALID_ARGUMENT, UPSWEEP_UNSUPPORTED,
// UPSWEEP_UNKNOWN_BACKEND, UPSWEEP_UNAVAILABLE, UPSWEEP_OUT_OF_MEMORY; *plan is then untouched.
UPSWEEP_API upsweep_code upsweep_plan_create(const upsweep_spec* spec,
                                             const upsweep_extents* at_most,
                                             const upsweep_plan_options* options,
                                             upsweep_plan** plan);

// Frees a plan that is not running. NULL is allowed.
UPSWEEP_API void upsweep_plan_destroy(upsweep_plan* plan);

// Scans. O(length) work. With arguments->state, goes on from it (init must then be NULL, except
// from the empty state) and leaves the state after this run in it; a reverse scan goes through its
// ranges from the last to the first. On a GPU a run with a state waits for its stream, and cannot
// be captured; init_device must then be NULL, and products of complex numbers go on from group
// borders only. Errors: UPSWEEP_INVALID_ARGUMENT, UPSWEEP_UNSUPPORTED, UPSWEEP_BUSY,
// UPSWEEP_OUT_OF_MEMORY, UPSWEEP_DEVICE.
UPSWEEP_API upsweep_code upsweep_plan_run(upsweep_plan* plan, const upsweep_arguments* arguments);

// Advances arguments->state over arguments->in without writing an output: the aggregate of a range.
// A range that starts at an empty state keeps the list of its group totals, for
// upsweep_plan_append. Errors: as upsweep_plan_run.
UPSWEEP_API upsweep_code upsweep_plan_aggregate(upsweep_plan* plan,
                                                const upsweep_arguments* arguments);

// Puts the range that `next` passed after the one that `before` passed, which must end on a group
// border: its position a multiple of upsweep_order_group. Errors: UPSWEEP_INVALID_ARGUMENT.
UPSWEEP_API upsweep_code upsweep_plan_append(const upsweep_plan* plan, upsweep_state* before,
                                             const upsweep_state* next);

// Lets the next run use another stream than the last; on the CPU it has no effect.
// Errors: UPSWEEP_INVALID_ARGUMENT.
UPSWEEP_API upsweep_code upsweep_plan_rebind(upsweep_plan* plan, void* stream);

// The chosen backend ("cpu.openmp"); how it was chosen, and the policy of its runs. Valid as long
// as the plan; NULL for a NULL plan.
UPSWEEP_API const char* upsweep_plan_backend(const upsweep_plan* plan);
UPSWEEP_API const char* upsweep_plan_why(const upsweep_plan* plan);

// The empty state: before any element. The caller destroys *state.
// Errors: UPSWEEP_INVALID_ARGUMENT, UPSWEEP_OUT_OF_MEMORY.
UPSWEEP_API upsweep_code upsweep_state_create(upsweep_state** state);

// A copy. The caller destroys *copy. Errors: UPSWEEP_INVALID_ARGUMENT, UPSWEEP_OUT_OF_MEMORY.
UPSWEEP_API upsweep_code upsweep_state_clone(const upsweep_state* state, upsweep_state** copy);

// NULL is allowed.
UPSWEEP_API void upsweep_state_destroy(upsweep_state* state);

// Elements passed since the state was empty; -1 for NULL.
UPSWEEP_API int64_t upsweep_state_position(const upsweep_state* state);

// 1 if no scan has used the state yet, 0 if one has; -1 for NULL.
UPSWEEP_API int upsweep_state_is_empty(const upsweep_state* state);

// Writes the state's portable image (little-endian, for files and messages) to `bytes`. *size is
// the room there; it becomes the size of the image, also when the room was too small (which is
// UPSWEEP_INVALID_ARGUMENT, and `bytes` untouched). With `bytes` NULL only *size is set.
// Errors: UPSWEEP_INVALID_ARGUMENT, UPSWEEP_OUT_OF_MEMORY.
UPSWEEP_API upsweep_code upsweep_state_to_bytes(const upsweep_state* state, void* bytes,
                                                size_t* size);

// The state of an image. The caller destroys *state. Errors: UPSWEEP_INVALID_ARGUMENT for bytes
// that no state has, UPSWEEP_OUT_OF_MEMORY; *state is then untouched.
UPSWEEP_API upsweep_code upsweep_state_from_bytes(const void* bytes, size_t size,
                                                  upsweep_state** state);

// One scan through a cached plan; complete when it returns. It looks where the arrays are: in host
// memory (page-locked, too), or in that of the current device (managed, too). A total may be in
// host memory in any case. `memory` UPSWEEP_DEVICE_MEMORY refuses arrays in host memory. `options`
// may be NULL. Errors: those of upsweep_plan_create and upsweep_plan_run, and
// UPSWEEP_INVALID_ARGUMENT for arrays in several places, for a device that is not current, and for
// a stream that is being captured.
UPSWEEP_API upsweep_code upsweep_scan(const upsweep_spec* spec, const upsweep_arguments* arguments,
                                      const upsweep_plan_options* options);

#ifdef __cplusplus
}
#endif

#endif
