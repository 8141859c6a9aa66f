// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches that are run for their results (smb_execute_launch()): what they leave in the memory of a process is the same for any
// number of threads, and that of blocks which run one after the other where it depends on others; what is counted is what an
// analysis counts.
#include <check.h>
#include <string.h>

#include "sim/analysis/execute.h"
#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "tests/suite.h"

#define IN  G_GUINT64_CONSTANT(0x7f3a40000000)
#define OUT G_GUINT64_CONSTANT(0x7f3a50000000)

enum {
  BLOCKS = 2100, // three waves
  WORDS = BLOCKS * 32,
};

// A kernel of (out, in): %r1 blockIdx.x, %r2 threadIdx.x, %r3 the thread's number, %rd1 and %rd2 out and in, %rd3 and %rd4 those of
// the thread.
#define KERNEL_HEAD                                                                                \
  ".version 8.0\n.target sm_90\n.address_size 64\n"                                                \
  ".visible .entry k(.param .u64 a, .param .u64 b) {\n"                                            \
  ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<16>;\n"                      \
  ".shared .align 4 .b8 s[512];\n"                                                                 \
  "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"                                              \
  "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n"                                                  \
  "mad.lo.u32 %r3, %r1, 32, %r2; mul.wide.u32 %rd5, %r3, 4;\n"                                     \
  "add.u64 %rd3, %rd1, %rd5; add.u64 %rd4, %rd2, %rd5;\n"
#define KERNEL_END   "ret;\n}\n"
#define KERNEL(body) KERNEL_HEAD body KERNEL_END

typedef struct {
  SmbArch *arch;
  SmbProgram *program;
  gint32 *in, *out;
  GArray *memory;
  SmbGlobal *global;
  SmbAnalysis *analysis;
  gboolean in_order;
  GError *error;
} Run;

static void
run_clear(Run *run) {
  smb_analysis_free(run->analysis);
  smb_global_free(run->global);
  smb_program_free(run->program);
  g_clear_pointer(&run->arch, smb_arch_unref);
  g_clear_pointer(&run->memory, g_array_unref);
  g_free(run->in);
  g_free(run->out);
  g_clear_error(&run->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

static void
add_home(Run *run, guint64 address, gpointer bytes) {
  const gsize length = WORDS * sizeof(gint32);
  const SmbMemoryPiece piece = {
      .address = address,
      .bytes = length,
      .begins = TRUE,
      .contents = {.fill = SMB_FILL_BYTES, .bytes = bytes, .length = length},
      .home = bytes};
  g_array_append_val(run->memory, piece);
}

static void
execute_with(Run *run, const char *text, const SmbAnalysisOptions *options, gsize dynamic_bytes) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.ptx", bytes, &error);
  const SmbProgramOptions reading = {.cuda_arch = 900, .lanes = 32};
  const guint64 values[] = {OUT, IN};
  g_autoptr(GBytes) parameters = g_bytes_new(values, sizeof values);
  *run = (Run){.arch = smb_arch_load("sm_90", &error),
               .in = g_new0(gint32, WORDS),
               .out = g_new0(gint32, WORDS),
               .memory = g_array_new(FALSE, FALSE, sizeof(SmbMemoryPiece))};
  run->program = source ? smb_program_read(source, &reading, &error) : NULL;
  ck_assert_msg(run->program != NULL, "%s", error ? error->message : "");
  for (guint i = 0; i < WORDS; i++)
    run->in[i] = (gint32)(i * 2654435761u >> 8);
  add_home(run, IN, run->in);
  add_home(run, OUT, run->out);
  const SmbLaunch launch = {.block = {32, 1, 1},
                            .grid = {BLOCKS, 1, 1},
                            .dynamic_bytes = dynamic_bytes,
                            .parameters = parameters,
                            .memory = run->memory};
  run->global = smb_global_new(run->program, &launch);
  smb_execute_launch(run->program, run->arch, &launch, options, run->global, &run->in_order,
                     options->only_runs ? NULL : &run->analysis, &run->error);
}

static void
execute(Run *run, const char *text, const SmbAnalysisOptions *options) {
  execute_with(run, text, options, 0);
}

static const guint thread_counts[] = {1, 2, 5};

// Runs a kernel that does not fail, by so many threads as @case says.
static void
execute_well(Run *run, const char *text, int number, gboolean in_order) {
  const SmbAnalysisOptions options = {.threads = thread_counts[number]};
  execute(run, text, &options);
  ck_assert_msg(run->error == NULL, "%s", run->error ? run->error->message : "");
  ck_assert_int_eq(run->in_order, in_order);
  ck_assert(smb_global_is_settled(run->global));
}

START_TEST(test_apart) {
  g_auto(Run) run = {0};
  execute_well(&run,
               KERNEL("ld.global.u32 %r4, [%rd4];\n"
                      "mul.lo.u32 %r5, %r2, 8; mov.u32 %r6, s; add.u32 %r5, %r5, %r6;\n"
                      "st.shared.u32 [%r5], %r4; ld.shared.u32 %r7, [%r5];\n"
                      "add.u32 %r7, %r7, %r1; st.global.u32 [%rd3], %r7;\n"),
               _i, FALSE);
  for (gint i = 0; i < WORDS; i++)
    ck_assert_int_eq(run.out[i], run.in[i] + i / 32);
  SmbTally total = smb_analysis_total(run.analysis);
  ck_assert_uint_eq(total.requests, 2 * BLOCKS);
  ck_assert_uint_eq(total.wavefronts, 4 * BLOCKS);
  ck_assert_uint_eq(run.analysis->n_blocks_run, BLOCKS);
}
END_TEST

// What a block left is seen by the next one.
START_TEST(test_tickets) {
  g_auto(Run) run = {0};
  execute_well(&run,
               KERNEL("atom.global.add.u32 %r4, [%rd2], 1;\n"
                      "st.global.u32 [%rd3], %r4;\n"),
               _i, TRUE);
  for (gint i = 0; i < WORDS; i++)
    ck_assert_int_eq(run.out[i], i);
  ck_assert_int_eq(run.in[0], WORDS);
}
END_TEST

// Sums of real numbers depend on their order, which is that of blocks one after the other.
START_TEST(test_sums) {
  static const char text[] = KERNEL("ld.global.u32 %r4, [%rd4]; cvt.rn.f32.s32 %f1, %r4;\n"
                                    "red.global.add.f32 [%rd1], %f1;\n"
                                    "red.global.max.s32 [%rd1+4], %r4;\n"
                                    "red.global.add.u64 [%rd1+8], 3;\n");
  g_auto(Run) run = {0};
  execute_well(&run, text, _i, FALSE);
  float sum = 0, found;
  gint32 largest = 0;
  guint64 count;
  for (gint i = 0; i < WORDS; i++) {
    sum += (float)run.in[i];
    largest = MAX(largest, run.in[i]);
  }
  memcpy(&found, &run.out[0], sizeof found);
  memcpy(&count, &run.out[2], sizeof count);
  ck_assert(found == sum);
  ck_assert_int_eq(run.out[1], largest);
  ck_assert_uint_eq(count, (guint64)3 * WORDS);
}
END_TEST

// A block that looks at what it has added needs to know what others have.
START_TEST(test_sum_and_look) {
  g_auto(Run) run = {0};
  execute_well(&run,
               KERNEL("red.global.add.u32 [%rd2], 1;\n"
                      "ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd3], %r4;\n"),
               _i, TRUE);
  for (gint i = 0; i < WORDS; i++)
    ck_assert_int_eq(run.out[i], 32 * (i / 32 + 1));
}
END_TEST

// A block that fails: those before it have done what they do, and those after it nothing.
START_TEST(test_failure) {
  g_auto(Run) run = {0};
  const SmbAnalysisOptions options = {.threads = thread_counts[_i], .only_runs = TRUE};
  execute(&run,
          KERNEL("st.global.u32 [%rd3], 7;\n"
                 "setp.ne.u32 %p1, %r1, 1500; @%p1 bra END;\n"
                 "ld.shared.u32 %r4, [%r1+65536]; st.global.u32 [%rd3], %r4;\nEND:\n"),
          &options);
  ck_assert(run.error != NULL);
  ck_assert(run.analysis == NULL);
  for (gint i = 0; i < WORDS; i++)
    ck_assert_int_eq(run.out[i], i < 1501 * 32 ? 7 : 0);
}
END_TEST

// What has no home, and what is not known, is kept.
START_TEST(test_strays) {
  g_auto(Run) run = {0};
  const SmbAnalysisOptions options = {.threads = thread_counts[_i], .only_runs = TRUE};
  execute(&run,
          KERNEL("ld.shared.u32 %r4, [s+64]; setp.eq.u32 %p1, %r3, 5;\n"
                 "@%p1 st.global.u32 [%rd3], %r4;\n"
                 "setp.eq.u32 %p2, %r3, 6; add.u64 %rd6, %rd1, 0x1000000;\n"
                 "@%p2 st.global.u32 [%rd6], 9;\n"),
          &options);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  ck_assert(!smb_global_is_settled(run.global));
  gint32 word = 0;
  smb_global_read_memory(run.global, OUT + 0x1000000, &word, sizeof word);
  ck_assert_int_eq(word, 9);
  ck_assert_uint_eq(smb_global_mask_memory(run.global, OUT + 5 * 4, &word, sizeof word), 0);
  ck_assert_uint_eq(smb_global_mask_memory(run.global, OUT + 6 * 4, &word, sizeof word), 4);
}
END_TEST

static gboolean
count_down(gpointer user) {
  return g_atomic_int_dec_and_test((gint *)user);
}

START_TEST(test_cancelled) {
  g_auto(Run) run = {0};
  gint left = 100;
  const SmbAnalysisOptions options = {
      .threads = 1, .only_runs = TRUE, .is_cancelled = count_down, .cancel_user = &left};
  execute(&run, KERNEL("st.global.u32 [%rd3], 7;\n"), &options);
  ck_assert(run.error && strstr(run.error->message, "interrupted"));
}
END_TEST

// In order, while blocks start, and while all of them wait for what none of them does.
START_TEST(test_cancelled_in_order) {
  static const char *const bodies[] = {
      "st.global.u32 [%rd3], 7;\n",
      "st.global.u32 [%rd3], 7; WAIT: ld.volatile.global.u32 %r4, [%rd2];\n"
      "setp.ne.u32 %p1, %r4, 1; @%p1 bra WAIT;\n"};
  g_auto(Run) run = {0};
  gint left = _i == 0 ? 100 : BLOCKS + 1;
  const SmbAnalysisOptions options = {.threads = 1,
                                      .in_order = TRUE,
                                      .only_runs = TRUE,
                                      .is_cancelled = count_down,
                                      .cancel_user = &left};
  g_autofree char *text = g_strconcat(KERNEL_HEAD, bodies[_i], KERNEL_END, NULL);
  execute(&run, text, &options);
  ck_assert(run.error != NULL);
  ck_assert_msg(strstr(run.error->message, "interrupted"), "%s", run.error->message);
  gint started = 0;
  for (gint i = 0; i < WORDS; i += 32)
    started += run.out[i] == 7;
  if (_i == 0)
    ck_assert_int_lt(started, 100);
  else
    ck_assert_int_eq(started, BLOCKS);
}
END_TEST

// A block fails when all have come: those before it have done what they do, as the last one to come, and those after it nothing more.
START_TEST(test_failure_of_those_that_wait) {
  g_auto(Run) run = {0};
  const SmbAnalysisOptions options = {.threads = 1, .only_runs = TRUE};
  execute(&run,
          KERNEL("atom.global.add.u32 %r5, [%rd2], 1; WAIT: ld.volatile.global.u32 %r4, [%rd2];\n"
                 "setp.lt.u32 %p1, %r4, 67200; @%p1 bra WAIT;\n"
                 "setp.ne.u32 %p1, %r1, 1500; @%p1 bra END;\n"
                 "ld.shared.u32 %r4, [%r1+65536];\nEND: st.global.u32 [%rd3], 7;\n"),
          &options);
  ck_assert(run.error != NULL);
  ck_assert_msg(strstr(run.error->message, "block (1500,0,0)"), "%s", run.error->message);
  ck_assert_int_eq(run.in[0], WORDS);
  for (gint i = 0; i < WORDS; i++)
    ck_assert_int_eq(run.out[i], i < 1500 * 32 || i >= (BLOCKS - 1) * 32 ? 7 : 0);
}
END_TEST

// A launch that no device takes.
START_TEST(test_refused) {
  g_auto(Run) run = {0};
  const SmbAnalysisOptions options = {.threads = thread_counts[_i], .in_order = _i == 0};
  execute_with(&run, KERNEL("st.global.u32 [%rd3], 7;\n"), &options, 1 << 20);
  ck_assert(run.error != NULL);
  ck_assert_str_eq(run.error->message,
                   "k.ptx: 'k' takes 512 bytes of static and 1048576 of dynamic shared memory: a "
                   "block on sm_90 has at most 232448");
  ck_assert_ptr_null(run.analysis);
  for (gint i = 0; i < WORDS; i++)
    ck_assert_int_eq(run.out[i], 0);
}
END_TEST

Suite *
suite_execute(void) {
  Suite *suite = suite_create("execute");
  TCase *tcase = tcase_create("execute");
  tcase_set_timeout(tcase, 120);
  tcase_add_loop_test(tcase, test_apart, 0, G_N_ELEMENTS(thread_counts));
  tcase_add_loop_test(tcase, test_tickets, 0, G_N_ELEMENTS(thread_counts));
  tcase_add_loop_test(tcase, test_sums, 0, G_N_ELEMENTS(thread_counts));
  tcase_add_loop_test(tcase, test_sum_and_look, 0, G_N_ELEMENTS(thread_counts));
  tcase_add_loop_test(tcase, test_failure, 0, G_N_ELEMENTS(thread_counts));
  tcase_add_loop_test(tcase, test_strays, 0, G_N_ELEMENTS(thread_counts));
  tcase_add_test(tcase, test_cancelled);
  tcase_add_loop_test(tcase, test_cancelled_in_order, 0, 2);
  tcase_add_test(tcase, test_failure_of_those_that_wait);
  tcase_add_loop_test(tcase, test_refused, 0, G_N_ELEMENTS(thread_counts));
  suite_add_tcase(suite, tcase);
  return suite;
}
