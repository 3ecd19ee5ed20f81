// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C program of somebody else's: a plan, an error with its message, a recovery.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <upsweep/upsweep.h>

static int failed(const char* step) {
  fprintf(stderr, "%s: %s\n", step, upsweep_last_error());
  return 1;
}

int main(void) {
  const uint32_t counts[5] = {3, 1, 4, 1, 5};
  const uint64_t expected[5] = {0, 3, 4, 8, 9};
  uint64_t offsets[5];
  uint64_t total = 0;

  upsweep_spec spec;
  upsweep_extents extents;
  upsweep_arguments run;
  upsweep_plan* plan = NULL;
  if (upsweep_spec_init(&spec, sizeof spec) || upsweep_extents_init(&extents, sizeof extents) ||
      upsweep_arguments_init(&run, sizeof run))
    return failed("init");
  spec.in = UPSWEEP_U32;
  spec.out = UPSWEEP_I32;
  spec.kind = UPSWEEP_EXCLUSIVE;
  extents.length = 5;
  if (upsweep_plan_create(&spec, &extents, NULL, &plan) != UPSWEEP_INVALID_ARGUMENT ||
      plan != NULL || strstr(upsweep_last_error(), "i32") == NULL)
    return failed("a narrower output is refused by name");

  spec.out = UPSWEEP_U64;
  if (upsweep_plan_create(&spec, &extents, NULL, &plan)) return failed("plan");
  run.in = counts;
  run.out = offsets;
  run.length = 5;
  run.total = &total;
  if (upsweep_plan_run(plan, &run)) return failed("run");
  printf("upsweep %s on %s\n", upsweep_version(), upsweep_plan_backend(plan));
  upsweep_plan_destroy(plan);
  return total == 14 && memcmp(offsets, expected, sizeof offsets) == 0 ? 0 : 1;
}
