// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that become several operations (sim/ptx/decode/packed.c): run in kernels, against the oracle.
#include <check.h>
#include <string.h>

#include "tests/compute-oracle.h"
#include "tests/compute-run.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

enum {
  THREADS = 64,
  WORDS = 3, // of a thread's results: a number of 64 bits, two predicates
};

/**
 * Packed: opcodes, and their operands
 * @operands: registers r, d, h are the low bits of operand 1, 2, 3; the result is 0, or in p1 and p2; p3 is any predicate
 * @name: of the oracle, if it is another one
 */
typedef struct {
  const char *pattern, *operands, *name;
} Packed;

static const Packed packed[] = {
    {"add|sub|mul rn f32x2", "d0, d1, d2", NULL},
    {"add|sub|mul rz|rm|rp f32x2", "d0, d1, d2", NULL},
    {"add|mul rn ftz f32x2", "d0, d1, d2", NULL},
    {"fma rn|rp f32x2", "d0, d1, d2, d3", NULL},
    {"setp eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan f16x2|bf16x2", "p1|p2, r1, r2", NULL},
    {"setp lt ftz f16x2", "p1|p2, r1, r2", NULL},
    {"setp eq|geu and|or|xor f16x2|bf16x2", "p1|p2, r1, r2, p3", NULL},
    {"set eq|gt|ltu f16x2|u32|s32 f16x2", "r0, r1, r2", NULL},
    {"set eq|gt|ltu bf16x2|u32|s32 bf16x2", "r0, r1, r2", NULL},
    {"set le|neu and|xor u32 bf16x2", "r0, r1, r2, p3", NULL},
    {"min|max f32", "r0, r1, r2, r3", "3"},
    {"min|max ftz|NaN|abs f32", "r0, r1, r2, r3", "3"},
    {"min|max ftz NaN abs f32", "r0, r1, r2, r3", "3"},
    {"add|sub rn|rz f32 f16|bf16", "r0, h1, r2", NULL},
    {"fma rn|rm f32 f16|bf16", "r0, h1, h2, r3", NULL},
};

typedef struct {
  const Packed *packed;
  GRand *random;
  guint n;
} Check;

static char *
make_text(const char *opcode, const char *operands, const RunLane *run) {
  GString *text = g_string_new(
      ".version 9.0\n.target sm_100\n.address_size 64\n.global .align 8 .b64 in[256] = {");
  for (guint i = 0; i < THREADS; i++)
    for (guint j = 0; j < RUN_SOURCES; j++)
      g_string_append_printf(text, "%s0x%" G_GINT64_MODIFIER "x", i + j ? ", " : "",
                             j == 3 ? (guint64)run[i].in[0] : run[i].source[j]);
  g_string_append_printf(
      text,
      "};\n.visible .entry k(.param .u64 out) {\n.reg .pred p<4>; .reg .b16 h<4>; .reg .b32 r<6>; "
      ".reg .b64 d<10>;\nld.param.u64 d8, [out]; mov.u32 r4, %%tid.x; mul.wide.u32 d9, r4, 32;\n"
      "mov.u64 d7, in; add.u64 d7, d7, d9; ld.global.u64 d1, [d7]; ld.global.u64 d2, [d7+8]; "
      "ld.global.u64 d3, [d7+16]; ld.global.u64 d4, [d7+24];\n"
      "cvt.u32.u64 r1, d1; cvt.u32.u64 r2, d2; cvt.u32.u64 r3, d3; cvt.u16.u64 h1, d1; "
      "cvt.u16.u64 h2, d2; cvt.u16.u64 h3, d3;\nsetp.ne.u64 p3, d4, 0; setp.ne.u32 p1|p2, r4, r4;\n"
      "mov.u64 d0, 0; setp.ne.u32 p2, r4, r4;\n%s %s;\n%s"
      "mul.wide.u32 d9, r4, 24; add.u64 d8, d8, d9; st.global.u64 [d8], d0;\n"
      "selp.u64 d0, 1, 0, p1; st.global.u64 [d8+8], d0; selp.u64 d0, 1, 0, p2; st.global.u64 "
      "[d8+16], d0;\n"
      "ret; }\n",
      opcode, operands, operands[0] == 'r' ? "cvt.u64.u32 d0, r0;\n" : "");
  return g_string_free(text, FALSE);
}

static void
fill(GRand *random, const char *opcode, RunLane *run) {
  memset(run, 0, THREADS * sizeof *run);
  for (guint i = 0; i < THREADS; i++) {
    for (guint j = 0; j < 3; j++) {
      run[i].source[j] = i % 4 ? runner_real(random, opcode) : runner_number(random);
      run[i].source[j] |= i % 4 && strstr(opcode, "f32x2") ? runner_real(random, opcode) << 32 : 0;
    }
    run[i].in[0] = g_rand_boolean(random);
    if (i % 5 == 0)
      run[i].source[1] = run[i].source[0];
    if (i % 7 == 0) // NaN
      run[i].source[i % 3] |= G_GUINT64_CONSTANT(0x7fffffff7fff7fff);
  }
}

static void
check_opcode(const char *opcode, gpointer user) {
  Check *check = user;
  RunLane run[THREADS];
  guint64 got[THREADS][WORDS];
  g_auto(KernelRun) kernel = {0};
  fill(check->random, opcode, run);
  g_autofree char *text = make_text(opcode, check->packed->operands, run);
  const KernelSetup setup = {.block = {THREADS}};
  kernel_run(&kernel, "k.ptx", text, &setup);
  ck_assert_msg(kernel.analysis != NULL, "%s: %s", opcode,
                kernel.error ? kernel.error->message : "");
  kernel_run_read(&kernel, "out", 0, got, THREADS * WORDS, sizeof(guint64));
  g_autofree char *name = check->packed->name
                              ? g_strdup_printf("%.3s%s%s", opcode, check->packed->name, opcode + 3)
                              : g_strdup(opcode);
  for (guint i = 0; i < THREADS; i++) {
    if (!oracle_compute_real(name, &run[i]))
      continue;
    ck_assert_msg(got[i][0] == run[i].d && got[i][1] == (guint64)run[i].p &&
                      got[i][2] == (guint64)run[i].q,
                  "%s %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER
                  "x %d: want %" G_GINT64_MODIFIER "x %d %d, got %" G_GINT64_MODIFIER "x %d %d",
                  opcode, run[i].source[0], run[i].source[1], run[i].source[2], run[i].in[0],
                  run[i].d, run[i].p, run[i].q, got[i][0], (int)got[i][1], (int)got[i][2]);
    check->n++;
  }
}

START_TEST(computes_parts) {
  Check check = {&packed[_i], g_rand_new_with_seed((guint)_i), 0};
  runner_expand(packed[_i].pattern, check_opcode, &check);
  ck_assert_uint_gt(check.n, THREADS / 2);
  g_rand_free(check.random);
}
END_TEST

Suite *
suite_ptx_packed(void) {
  Suite *suite = suite_create("ptx-packed");
  TCase *tests = tcase_create("ptx-packed");
  tcase_add_loop_test(tests, computes_parts, 0, G_N_ELEMENTS(packed));
  suite_add_tcase(suite, tests);
  return suite;
}
