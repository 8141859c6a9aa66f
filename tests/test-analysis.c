// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an analysis says besides its sums: which counts are exact, and how hardware counts what is not.
#include "sim/analysis.h"

#include <check.h>
#include <string.h>

#include "tests/kernel-run.h"
#include "tests/suite.h"

// One statement of a kernel of 64 threads, two warps, whose first shared access is looked at. Another
// statement leaves none.
typedef struct {
  const char *statement;
  const char *arch;
  gboolean exact;
  guint64 wavefronts;
  SmbLoopTally loops; // requests, loads, wavefronts of loads, swaps
  const char *message;
} Case;

#define ALONE  " is a loop of loads and swaps: counted is a warp alone"
#define BOUND  ", a lower bound where warps meet on a word"
#define CHANGE " that changes something in each swap"
static const Case cases[] = {
    {"f[t] = 1;", "sm_90", TRUE, 2, {0, 0, 0, 0}, NULL},
    {"atomicAdd(&i[0], t);", "sm_90", TRUE, 64, {0, 0, 0, 0}, NULL},
    {"atomicAdd(&f[t], 1.0f);",
     "sm_90",
     FALSE,
     6,
     {2, 2, 2, 2},
     "atomicAdd(&f[t], 1.0f)" ALONE BOUND},
    {"atomicAdd(&f[0], 1.0f);",
     "sm_80",
     FALSE,
     192,
     {2, 64, 64, 64},
     "atomicAdd(&f[0], 1.0f)" ALONE BOUND},
    {"if (t < 40) atomicAdd(&f[t / 2], 1.0f);",
     "sm_90",
     FALSE,
     12,
     {2, 4, 4, 4},
     "atomicAdd(&f[t / 2], 1.0f)" ALONE BOUND},
    {"atomicAdd(&d[t], 1.0);",
     "sm_90",
     FALSE,
     12,
     {2, 2, 4, 2},
     "atomicAdd(&d[t], 1.0)" ALONE CHANGE BOUND},
    {"atomicMax(&u[0], 5ull);",
     "sm_90",
     FALSE,
     2,
     {2, 2, 2, 0},
     "atomicMax(&u[0], 5ull) is a loop, which swaps as long as it has something to change: counted "
     "is "
     "its first load, a lower bound"},
    {"atomicAdd(&f[0], 1.0f);",
     "sm_30_4B",
     FALSE,
     64,
     {0, 0, 0, 0},
     "atomicAdd(&f[0], 1.0f)" ALONE BOUND},
};

START_TEST(test_loops) {
  const Case *c = &cases[_i];
  KernelRun run;
  KernelSetup setup = {.block = {64}, .arch = c->arch};
  g_autofree char *text =
      g_strdup_printf("__global__ void k(int *out) {\n"
                      "  __shared__ float f[64]; __shared__ int i[64]; __shared__ double d[64];\n"
                      "  __shared__ unsigned long long u[64]; int t = threadIdx.x;\n  %s\n}\n",
                      c->statement);
  kernel_run(&run, "k.cu", text, &setup);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  const SmbAccess *access = &g_array_index(run.analysis->accesses, SmbAccess, 0);
  ck_assert_int_eq(access->exact, c->exact);
  ck_assert_uint_eq(access->total.wavefronts, c->wavefronts);
  ck_assert_uint_eq(access->loops.requests, c->loops.requests);
  ck_assert_uint_eq(access->loops.loads, c->loops.loads);
  ck_assert_uint_eq(access->loops.load_wavefronts, c->loops.load_wavefronts);
  ck_assert_uint_eq(access->loops.swaps, c->loops.swaps);
  ck_assert_mem_eq(&run.analysis->loops, &access->loops, sizeof access->loops);
  const char *message = NULL;
  for (guint i = 0; i < run.analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning =
        &g_array_index(run.analysis->warnings, SmbAnalysisWarning, i);
    message = warning->kind == SMB_WARNING_LOOP ? warning->message : message;
  }
  ck_assert_pstr_eq(message, c->message);
  kernel_run_clear(&run);
}
END_TEST

int
main(void) {
  Suite *suite = suite_create("analysis");
  TCase *tcase = tcase_create("analysis");
  tcase_add_loop_test(tcase, test_loops, 0, G_N_ELEMENTS(cases));
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
