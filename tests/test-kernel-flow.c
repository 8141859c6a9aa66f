// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Statements under divergence: what all threads of a block compute in lockstep is what each computes
// alone, in C.
#include <check.h>
#include <stdlib.h>

#include "tests/kernel-run.h"
#include "tests/suite.h"

enum {
  THREADS = 83, // not whole warps
  N = 13
};

#ifdef __FLT16_MAX__
typedef _Float16 half;
#endif

#define PROGRAM(name, ...)                                                                         \
  static unsigned name(unsigned t, unsigned n) {                                                   \
    (void)t;                                                                                       \
    (void)n;                                                                                       \
    __VA_ARGS__                                                                                    \
  }
#include "tests/kernel-programs.def"
#ifdef __FLT16_MAX__
#  include "tests/kernel-halves.def"
#endif
#undef PROGRAM

static const struct {
  const char *name;
  const char *text;
  unsigned (*run)(unsigned, unsigned);
} programs[] = {
#define PROGRAM(name, ...) {#name, #__VA_ARGS__, name},
#include "tests/kernel-programs.def"
#ifdef __FLT16_MAX__
#  include "tests/kernel-halves.def"
#endif
#undef PROGRAM
};

// In warps of 32 and of 64 lanes.
static const char *const archs[] = {"sm_90", "wide"};

START_TEST(test_program) {
  guint number = (guint)_i / G_N_ELEMENTS(archs);
  const char *arch = archs[(guint)_i % G_N_ELEMENTS(archs)];
  g_autofree char *text = g_strdup_printf(
      "__device__ unsigned f(unsigned t, unsigned n)\n%s\n"
      "__global__ void k(unsigned *out, unsigned n) {\n"
      "  unsigned t = threadIdx.x;\n"
      "  if (t %% 4 != 3) out[t] = f(t, n); else { n += 1; out[t] = f(t, n - 1); }\n"
      "}\n",
      programs[number].text);
  g_autofree char *argument = g_strdup_printf("n=%d", N);
  const char *arguments[] = {argument, NULL};
  KernelSetup setup = {.arch = arch, .block = {THREADS, 1, 1}, .arguments = arguments};
  g_auto(KernelRun) run;
  kernel_run(&run, programs[number].name, text, &setup);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  for (guint t = 0; t < THREADS; t++) {
    guint32 value;
    kernel_run_read(&run, "out", t, &value, 1, sizeof value);
    unsigned expected = programs[number].run(t, N);
    ck_assert_msg(value == expected, "%s on %s: thread %u gives %u, C %u", programs[number].name,
                  arch, t, value, expected);
  }
}
END_TEST

Suite *
suite_kernel_flow(void) {
  Suite *suite = suite_create("kernel-flow");
  TCase *flow = tcase_create("flow");
  tcase_add_loop_test(flow, test_program, 0, G_N_ELEMENTS(programs) * G_N_ELEMENTS(archs));
  suite_add_tcase(suite, flow);
  return suite;
}
