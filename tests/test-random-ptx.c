// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Straight-line kernels of PTX at random, of all opcodes that the decoder has, more than PTX has: all are decoded, run,
// and leave known values. What the values are is compared with a device (tests/gpu/random-ptx.sh).
#include <check.h>
#include <string.h>

#include "tests/random-ptx.h"
#include "tests/suite.h"

enum {
  KERNELS = 40,
};

static void
run(const RandomOpcodes *opcodes, guint32 seed, gboolean *lines) {
  g_autoptr(RandomPtx) ptx = random_ptx_new(opcodes, "sm_90", seed, RANDOM_THREADS);
  g_autoptr(GBytes) inputs = random_ptx_inputs(ptx, seed, RANDOM_THREADS);
  g_auto(RandomOutcome) outcome = {0};
  g_autoptr(GError) error = NULL;
  gboolean good = random_ptx_run(ptx, NULL, "sm_90", inputs, RANDOM_THREADS, &outcome, &error);
  ck_assert_msg(good, "%s", error ? error->message : "");
  ck_assert_uint_ge(ptx->results->len, RANDOM_INSTRUCTIONS / 2);
  for (guint i = 0; i < ptx->results->len; i++) {
    const RandomResult *result = &g_array_index(ptx->results, RandomResult, i);
    lines[g_array_index(opcodes->lines, guint, result->opcode)] = TRUE;
    ck_assert(strstr(ptx->text, result->text) != NULL);
    for (guint thread = 0; thread < RANDOM_THREADS; thread++)
      ck_assert_msg(result->is_approximate || outcome.known[i * RANDOM_THREADS + thread],
                    "%s is not known", result->text);
  }
}

// Those of lanes of which not all may take part have no kernel for a device, either.
START_TEST(runs_and_knows) {
  g_autoptr(RandomOpcodes) opcodes = random_opcodes_new();
  g_autofree gboolean *lines = g_new0(gboolean, opcodes->n_lines);
  guint n = 0;
  ck_assert_uint_gt(opcodes->names->len, 10000);
  for (guint32 seed = 1; seed <= KERNELS; seed++)
    run(opcodes, seed, lines);
  for (guint i = 0; i < opcodes->n_lines; i++)
    n += lines[i];
  ck_assert_uint_gt(n, opcodes->n_lines * 8 / 10);
}
END_TEST

// A line each, so that an assembler says which of them it has.
START_TEST(probes_opcodes) {
  g_autoptr(RandomOpcodes) opcodes = random_opcodes_new();
  g_autofree char *probe = random_opcodes_probe(opcodes, "sm_90");
  g_auto(GStrv) lines = g_strsplit(probe, "\n", -1);
  ck_assert_uint_gt(g_strv_length(lines), RANDOM_PROBE_LINE + opcodes->names->len);
  for (guint i = 0; i < opcodes->names->len; i++)
    ck_assert(strstr(lines[RANDOM_PROBE_LINE - 1 + i], g_ptr_array_index(opcodes->names, i)));
}
END_TEST

START_TEST(keeps_what_is_listed) {
  g_autoptr(RandomOpcodes) opcodes = random_opcodes_new();
  ck_assert(random_opcodes_keep(opcodes, "add.rn.f32\nadd.foo\nsetp.lt.and.ftz.f32\n"));
  ck_assert_uint_eq(opcodes->names->len, 2);
  ck_assert_str_eq(g_ptr_array_index(opcodes->names, 0), "add.rn.f32");
  ck_assert_str_eq(random_opcodes_line(g_array_index(opcodes->lines, guint, 0)), "add f32");
  ck_assert(!random_opcodes_keep(opcodes, "add.foo"));
}
END_TEST

// The same seed makes the same kernel and the same inputs, another one others.
START_TEST(repeats) {
  g_autoptr(RandomOpcodes) opcodes = random_opcodes_new();
  g_autoptr(RandomPtx) one = random_ptx_new(opcodes, "sm_90", 1, RANDOM_THREADS);
  g_autoptr(RandomPtx) again = random_ptx_new(opcodes, "sm_90", 1, RANDOM_THREADS);
  g_autoptr(RandomPtx) other = random_ptx_new(opcodes, "sm_90", 2, RANDOM_THREADS);
  g_autoptr(GBytes) inputs = random_ptx_inputs(one, 1, RANDOM_THREADS);
  g_autoptr(GBytes) inputs_again = random_ptx_inputs(one, 1, RANDOM_THREADS);
  g_autoptr(GBytes) inputs_other = random_ptx_inputs(one, 2, RANDOM_THREADS);
  ck_assert_str_eq(one->text, again->text);
  ck_assert_str_ne(one->text, other->text);
  ck_assert(g_bytes_equal(inputs, inputs_again));
  ck_assert(!g_bytes_equal(inputs, inputs_other));
}
END_TEST

Suite *
suite_random_ptx(void) {
  Suite *suite = suite_create("random-ptx");
  TCase *tests = tcase_create("random-ptx");
  tcase_add_test(tests, runs_and_knows);
  tcase_add_test(tests, probes_opcodes);
  tcase_add_test(tests, keeps_what_is_listed);
  tcase_add_test(tests, repeats);
  suite_add_tcase(suite, tests);
  return suite;
}
