// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Small kernels of PTX: what they leave in memory, what is counted of them, and what is said where they fail.
#include <check.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/exec/code.h"
#include "src/cli/hint.h"
#include "tests/effort.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

// The lines of every text, ahead of the kernel: 1 to 3; those of Case.module follow.
#define HEAD ".version 8.7\n.target sm_90\n.address_size 64\n"

// A kernel that has a body only: its threads find their number in %r0, 4 times that in %r2, their words of out[] and
// in[] at [%d1] and [%d2], of s[] at [%r3], and n in %r9. What they leave in %r1 goes to out[]. One line, and one behind.
#define BEGIN                                                                                      \
  ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) { "                           \
  ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<8>; "       \
  ".reg .b128 %q<4>; .shared .align 16 .b8 s[1024]; ld.param.u64 %d0, [out]; "                     \
  "ld.param.u64 %d9, [in]; ld.param.u32 %r9, [n]; mov.u32 %r0, %tid.x; shl.b32 %r2, %r0, 2; "      \
  "cvt.u64.u32 %d8, %r2; add.u64 %d1, %d0, %d8; add.u64 %d2, %d9, %d8; mov.u32 %r3, s; "           \
  "add.u32 %r3, %r3, %r2; mov.u32 %r1, 0;\n"
#define END "\nst.global.u32 [%d1], %r1; ret; }\n"

/**
 * Case: a kernel
 * @module: what stands ahead of it, or all of the text
 * @body: of a kernel between BEGIN and END; NULL: @module has it
 * @setup: one warp, unless it says otherwise; "n=3" if it says nothing of arguments
 * @words: of out[] that are looked at; 0: 4
 * @result: of out[], then of each access "opcode requests/wavefronts", its lanes that were not counted, of other traffic
 *   "opcode kind executions/bytes", and each warning;
 *   or the first line of the error
 */
typedef struct {
  const char *name;
  const char *module;
  const char *body;
  KernelSetup setup;
  guint words;
  const char *result;
} Case;

#define ARGUMENTS(...)                                                                             \
  (const char *const[]) {                                                                          \
    __VA_ARGS__, NULL                                                                              \
  }

static const Case cases[] = {
#include "tests/ptx-runs.def"
#include "tests/ptx-apart-runs.def"
#include "tests/ptx-pending-runs.def"
#include "tests/ptx-refused-runs.def"
};

static void
describe_memory(const KernelRun *run, guint n, GString *out) {
  guint32 words[64];
  if (!run->global || smb_program_n_parameters(run->kernel) == 0 ||
      strcmp(smb_program_parameter(run->kernel, 0).name, "out") != 0)
    return;
  kernel_run_read(run, "out", 0, words, n, sizeof *words);
  for (guint i = 0; i < n; i++)
    g_string_append_printf(out, words[i] < 65536 ? "%s%u" : "%s0x%x", i > 0 ? " " : "", words[i]);
  g_string_append_c(out, '\n');
}

static void
describe_counts(const SmbAnalysis *analysis, GString *out) {
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    g_string_append_printf(out, "%s %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT, access->site->opcode,
                           access->total.requests, access->total.wavefronts);
    if (access->uncounted)
      g_string_append_printf(out, " uncounted %" G_GUINT64_FORMAT ": %s", access->uncounted,
                             access->reason);
    g_string_append_c(out, '\n');
  }
  for (guint i = 0; i < analysis->traffic->len; i++) {
    const SmbOtherTraffic *traffic = &g_array_index(analysis->traffic, SmbOtherTraffic, i);
    g_string_append_printf(out, "%s %s %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT,
                           traffic->site->opcode, smb_traffic_name(traffic->kind),
                           traffic->executions, traffic->bytes);
    if (traffic->unsized)
      g_string_append_printf(out, " unknown %" G_GUINT64_FORMAT, traffic->unsized);
    g_string_append_c(out, '\n');
  }
  for (guint i = 0; i < analysis->warnings->len; i++)
    g_string_append_printf(out, "%s\n",
                           g_array_index(analysis->warnings, SmbAnalysisWarning, i).message);
  if (analysis->n_blocks_run < analysis->n_blocks)
    g_string_append_printf(out, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " blocks run\n",
                           analysis->n_blocks_run, analysis->n_blocks);
}

static char *
describe(const KernelRun *run, guint n) {
  GString *out = g_string_new(NULL);
  if (run->error) {
    g_autofree char *text = smb_cli_error_text(run->error);
    g_string_append_len(out, text, (gssize)strcspn(text, "\n"));
  } else {
    describe_memory(run, n, out);
    describe_counts(run->analysis, out);
  }
  return g_string_free(out, FALSE);
}

START_TEST(test_case) {
  const Case *test = &cases[_i];
  // Loops that are found to be endless when all has recurred take most of the time.
  if (g_str_has_prefix(test->name, "recurs") && is_left_out(_i + 1, 3))
    return;
  g_auto(KernelRun) run = {0};
  static const char *const defaults[] = {"n=3", NULL};
  KernelSetup setup = test->setup;
  g_autofree char *text =
      g_strconcat(HEAD, test->module ? test->module : "", test->body ? BEGIN : "",
                  test->body ? test->body : "", test->body ? END : "", NULL);
  if (setup.block[0] == 0)
    setup.block[0] = 32;
  if (!setup.arguments && test->body)
    setup.arguments = defaults;
  kernel_run(&run, "t.ptx", text, &setup);
  g_autofree char *result = describe(&run, test->words ? test->words : 4);
  const char *dump = g_getenv("RUNS_DUMP");
  if (dump) {
    g_autofree char *path = g_build_filename(dump, test->name, NULL);
    g_file_set_contents(path, result, -1, NULL);
    return;
  }
  ck_assert_msg(strcmp(result, test->result) == 0, "%s: expected:\n%s\nfound:\n%s", test->name,
                test->result, result);
}
END_TEST

// A variable takes memory for what its initialiser gives, not for its size.
START_TEST(test_contents) {
  g_auto(KernelRun) run = {0};
  const KernelSetup setup = {.block = {1}, .arguments = ARGUMENTS("n=1")};
  kernel_run(&run, "t.ptx",
             HEAD ".global .align 4 .u32 t[250000000] = {7, 8};\n" BEGIN
                  "ld.global.u32 %r1, [t+900000000];" END,
             &setup);
  ck_assert_ptr_nonnull(run.kernel);
  const Code *code = (const Code *)run.kernel;
  ck_assert_uint_eq(code->bytes->len, 1);
  ck_assert_uint_eq(((const GByteArray *)g_ptr_array_index(code->bytes, 0))->len, 8);
}
END_TEST

// What a kernel leaves, and whether it is known: the contents of "in" are not, of "out" those that nobody writes.
START_TEST(test_known_memory) {
  const struct {
    const char *body;
    const char *const *buffers;
    const char *known; // of the words of out[], and whether all of them are
  } stores[] = {
      {"st.global.u32 [%d0+4], 7; ld.global.u32 %r1, [%d9];", NULL, "01000"},
      {"st.global.u32 [%d0+4], 7; st.global.u8 [%d0+8], 7;", NULL, "11000"},
      {"ld.global.u32 %r1, [%d9];", ARGUMENTS("in=zeros", "out=zeros"), "11111"},
      {"ld.global.u32 %r4, [%d9]; cvt.u64.u32 %d4, %r4; add.u64 %d4, %d0, %d4; "
       "st.global.u32 [%d4], 7;",
       ARGUMENTS("out=zeros"), "00000"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(stores); i++) {
    g_autofree char *text = g_strconcat(HEAD, BEGIN, stores[i].body, END, NULL);
    KernelSetup setup = {.arguments = ARGUMENTS("n=3"), .buffers = stores[i].buffers};
    g_auto(KernelRun) run = {0};
    kernel_run(&run, "t.ptx", text, &setup);
    ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
    guchar bytes[1000];
    for (guint word = 0; word < 4; word++)
      ck_assert_int_eq(smb_global_mask(run.global, 0, 4 * word, bytes, 4) == 4,
                       stores[i].known[word] == '1');
    ck_assert_int_eq(smb_global_mask(run.global, 0, 0, bytes, sizeof bytes) == sizeof bytes,
                     stores[i].known[4] == '1');
  }
}
END_TEST

Suite *
suite_ptx_run(void) {
  Suite *suite = suite_create("ptx-run");
  TCase *tests = tcase_create("ptx-run");
  tcase_add_loop_test(tests, test_case, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tests, test_contents);
  tcase_add_test(tests, test_known_memory);
  suite_add_tcase(suite, tests);
  return suite;
}
