// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_UNIT_C_ABI_H
#define UPSWEEP_TESTS_UNIT_C_ABI_H

#ifdef __cplusplus
extern "C" {
#endif

// Tests written in C11. Each returns 0, or the line of the check that failed.
int c_scans(const char* backend);
int c_runs_plans(const char* backend);
int c_resumes(const char* backend);
int c_joins_ranges(void);
int c_affine(const char* backend);
int c_reports_errors(void);
int c_init_values(void);
int c_struct_sizes(void);
int c_names(void);
int c_lists_backends(void);
int c_null_pointers(void);

#ifdef __cplusplus
}
#endif

#endif
