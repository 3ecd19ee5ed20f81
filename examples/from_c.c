// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface: what a C program, or a binding for another language, calls.
#include <inttypes.h>
#include <stdio.h>

#include <upsweep/upsweep.h>

int main(void) {
  const uint8_t keep[] = {1, 0, 1, 1, 0, 1};
  enum { n = sizeof keep };
  int64_t slot[n], kept = 0;

  upsweep_spec spec;
  upsweep_spec_init(&spec, sizeof spec);
  spec.in = UPSWEEP_U8;
  spec.out = UPSWEEP_I64;
  spec.kind = UPSWEEP_EXCLUSIVE;

  upsweep_arguments arguments;
  upsweep_arguments_init(&arguments, sizeof arguments);
  arguments.in = keep;
  arguments.out = slot;
  arguments.length = n;
  arguments.total = &kept;

  if (upsweep_scan(&spec, &arguments, NULL) != UPSWEEP_OK) {
    fprintf(stderr, "%s\n", upsweep_last_error());
    return 1;
  }
  for (int i = 0; i < n; ++i) printf("%" PRId64 " ", slot[i]);
  printf("kept %" PRId64 "\n", kept);
  return 0;
}
