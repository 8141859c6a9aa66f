// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a launch that is checked is found to do wrong (sim/machine/check): kernels with one mistake, and the same without it. Folding of
// what is found (sim/check/defect.h).
#include <check.h>
#include <string.h>

#include "sim/analysis/execute.h"
#include "sim/arch/arch.h"
#include "sim/check/defect.h"
#include "sim/machine/device/runtime.h"
#include "tests/suite.h"

#define OUT G_GUINT64_CONSTANT(0x7f3a50000000)

enum {
  THREADS = 64,
  WORDS = 256, // of the memory at OUT; of the second half nothing was written
};

// A kernel of (out): %r1 threadIdx.x, %rd1 the thread's word of out, %r2 its word of s.
#define KERNEL(body)                                                                               \
  ".version 8.0\n.target sm_90\n.address_size 64\n"                                                \
  ".visible .entry k(.param .u64 a) {\n"                                                           \
  ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;\n"                                       \
  ".shared .align 8 .b8 s[512];\n"                                                                 \
  "ld.param.u64 %rd9, [a]; mov.u32 %r1, %tid.x;\n"                                                 \
  "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd9, %rd2;\n"                                         \
  "mov.u32 %r9, s; shl.b32 %r3, %r1, 2; add.u32 %r2, %r9, %r3;\n" body "ret;\n}\n"

typedef struct {
  const char *name; // of the kind; NULL: nothing is found
  guint64 count;    // of the first
  const char *text; // a part of what is said
  const char *kernel;
} Mistake;

#define STORE "st.shared.u32 [%r2], %r1;\n"
#define WAIT  "bar.sync 0;\n"
#define MEET  "bar.warp.sync 0xffffffff;\n"
// The word that is 4 times n bytes apart, by xor.
#define LOAD(n) "xor.b32 %r4, %r3, " #n "; add.u32 %r4, %r9, %r4; ld.shared.u32 %r5, [%r4];\n"
#define DONE    "st.global.u32 [%rd1], %r5;\n"

static const Mistake mistakes[] = {
    {"race-war", 32,
     "'s' (byte 128 of shared memory) is written by thread (32,0,0) and read by thread (0,0,0)",
     KERNEL(STORE LOAD(128) DONE)},
    {NULL, 0, NULL, KERNEL(STORE WAIT LOAD(128) DONE)},
    {"race-raw", 64, "is read by thread (0,0,0) and written by thread (1,0,0)",
     KERNEL(STORE LOAD(4) DONE)},
    {NULL, 0, NULL, KERNEL(STORE MEET LOAD(4) DONE)},
    {"race-war", 32, "no barrier between them", KERNEL(STORE MEET LOAD(128) DONE)},
    {"race-waw", 63, "is written by thread (1,0,0) and written by thread (0,0,0)",
     KERNEL("st.shared.u32 [%r9], %r1;\n" WAIT)},
    {NULL, 0, NULL, KERNEL("st.shared.u32 [%r9], 7;\n" WAIT)},
    {NULL, 0, NULL, KERNEL("st.shared.u32 [%r9], 7;\n" WAIT "red.shared.add.u32 [%r9], 1;\n")},
    {"race-raw", 1, "is read by thread (5,0,0) and written by thread (31,0,0)",
     KERNEL("st.shared.u32 [%r9], 7;\n" WAIT "red.shared.add.u32 [%r9], 1;\n"
            "setp.eq.u32 %p1, %r1, 5; @%p1 ld.shared.u32 %r5, [%r9];\n")},
    {"unset-shared", 64, "'s' (byte 256 of shared memory) is read by thread (0,0,0)",
     KERNEL(LOAD(256) DONE)},
    {"unset-global", 64, "byte 512 of an allocation of 1024 bytes",
     KERNEL("ld.global.u32 %r5, [%rd1+512];\n" DONE)},
    {NULL, 0, NULL, KERNEL("ld.global.u32 %r5, [%rd1];\n" DONE)},
    {NULL, 0, NULL, KERNEL("st.global.u32 [%rd1+512], %r1; ld.global.u32 %r5, [%rd1+512];\n" DONE)},
    {"unset-global", 64, "reads 4 bytes",
     KERNEL("st.global.u8 [%rd1+514], %r1; ld.global.u32 %r5, [%rd1+512];\n" DONE)},
    {"address", 32, "a store of 4 bytes at 0x7f3a50000400, 0 bytes behind an allocation",
     KERNEL("st.global.u32 [%rd1+1024], %r1;\n")},
    {"address", 4, "by thread (28,0,0)", KERNEL("st.global.u32 [%rd1+912], %r1;\n")},
    {"misaligned", 32, "is not a multiple of 4", KERNEL("st.global.u32 [%rd1+2], %r1;\n")},
    {"address", 32, "byte 512 of shared memory, which has 512 bytes",
     KERNEL("st.shared.u32 [%r2+512], %r1;\n")},
    // Threads that have ended before need not come; those that live then have to.
    {NULL, 0, NULL, KERNEL("setp.gt.u32 %p1, %r1, 39; @%p1 exit;\n" WAIT)},
    {"barrier", 1, "not all threads of warp 1 reach the barrier: thread (40,0,0), for one",
     KERNEL("setp.gt.u32 %p1, %r1, 39; @%p1 bra LATE;\n" WAIT "ret;\nLATE:\n")},
    {"barrier", 1, "barrier 3 waits for 96 threads, but 64 reach it", KERNEL("bar.sync 3, 96;\n")},
    {NULL, 0, NULL, KERNEL("bar.sync 3, 64;\n")},
    {"warp", 2, "thread (0,0,0), lane 0, waits for the lanes of the mask 0xfffffffe",
     KERNEL("bar.warp.sync 0xfffffffe;\n")},
    {"mbarrier", 1, "expected mbarrier.init first",
     KERNEL("mbarrier.arrive.shared.b64 %rd3, [%r9];\n")},
    {"pending", 64, "may not be complete",
     KERNEL("cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group;\n"
            "ld.shared.u32 %r5, [%r2]; cp.async.wait_group 0;\n")},
    {NULL, 0, NULL,
     KERNEL("cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group;\n"
            "cp.async.wait_group 0; ld.shared.u32 %r5, [%r2];\n")},
    {"race-raw", 32, "and written by thread (32,0,0)",
     KERNEL("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra LAST;\n"
            "bar.arrive 1, 64; st.shared.u32 [%r2], %r1; bra END;\n"
            "LAST: bar.sync 1, 64;\n" LOAD(128) "END:\n")},
    {NULL, 0, NULL,
     KERNEL("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra LAST;\n"
            "st.shared.u32 [%r2], %r1; bar.arrive 1, 64; bra END;\n"
            "LAST: bar.sync 1, 64;\n" LOAD(128) "END:\n")},
};

static SmbDefects *
inspect(const char *text) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.ptx", bytes, &error);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", &error);
  const SmbProgramOptions reading = {.cuda_arch = 900, .lanes = 32};
  const guint64 values[] = {OUT};
  g_autoptr(GBytes) parameters = g_bytes_new(values, sizeof values);
  SmbProgram *program = smb_program_read(source, &reading, &error);
  ck_assert_msg(program != NULL, "%s: %s", text, error ? error->message : "");
  guint32 out[WORDS] = {0};
  guchar written[sizeof out / 8] = {0};
  memset(written, 0xff, sizeof written / 2);
  const SmbMemoryPiece piece = {
      .address = OUT,
      .bytes = sizeof out,
      .begins = TRUE,
      .contents = {.fill = SMB_FILL_BYTES, .bytes = (guchar *)out, .length = sizeof out},
      .home = (guchar *)out,
      .written = written};
  g_autoptr(GArray) memory = g_array_new(FALSE, FALSE, sizeof piece);
  g_array_append_val(memory, piece);
  g_autoptr(SmbRuntime) runtime = smb_runtime_new(NULL);
  SmbDefects *defects = smb_defects_new();
  const SmbLaunch launch = {.block = {THREADS, 1, 1},
                            .grid = {1, 1, 1},
                            .parameters = parameters,
                            .memory = memory,
                            .runtime = runtime,
                            .defects = defects};
  const SmbAnalysisOptions options = {.threads = 1, .only_runs = TRUE};
  gboolean in_order;
  g_autoptr(SmbGlobal) global = smb_global_new(program, &launch);
  smb_execute_launch(program, arch, &launch, &options, global, &in_order, NULL, &error);
  smb_program_free(program);
  return defects;
}

START_TEST(test_mistake) {
  const Mistake *mistake = &mistakes[_i];
  g_autoptr(SmbDefects) defects = inspect(mistake->kernel);
  guint n = smb_defects_n(defects);
  if (!mistake->name) {
    ck_assert_msg(n == 0, "%s: %s", mistake->kernel, n ? smb_defects_get(defects, 0)->text : "");
    return;
  }
  ck_assert_msg(n > 0, "%s: nothing found", mistake->kernel);
  const SmbDefect *first = smb_defects_get(defects, 0);
  ck_assert_str_eq(smb_defect_name(first->kind), mistake->name);
  ck_assert_msg(strstr(first->text, mistake->text) != NULL, "%s: '%s', not '%s'", mistake->kernel,
                first->text, mistake->text);
  ck_assert_msg(first->count == mistake->count, "%s: %" G_GUINT64_FORMAT " times: %s",
                mistake->kernel, first->count, first->text);
}
END_TEST

static SmbDefect *
make_defect(SmbDefectKind kind, const char *place, guint64 count) {
  SmbDefect *defect = g_new0(SmbDefect, 1);
  defect->kind = kind;
  defect->kernel = g_strdup("k");
  defect->place.text = g_strdup(place);
  defect->text = g_strdup(place);
  defect->count = count;
  defect->launches = 1;
  return defect;
}

// Of one launch, and then the same of another.
START_TEST(test_folding) {
  g_autoptr(SmbDefects) all = smb_defects_new();
  for (guint i = 0; i < 2; i++) {
    SmbDefects *one = smb_defects_new();
    smb_defects_put(one, make_defect(SMB_DEFECT_BARRIER, "a.cu:1", 3));
    smb_defects_put(one, make_defect(SMB_DEFECT_BARRIER, "a.cu:1", 4));
    smb_defects_put(one, make_defect(SMB_DEFECT_BARRIER, "a.cu:2", 5));
    g_autoptr(SmbDefects) folded = smb_defects_new();
    smb_defects_merge(folded, one, FALSE);
    ck_assert_uint_eq(smb_defects_n(folded), 2);
    smb_defects_merge(all, g_steal_pointer(&folded), TRUE);
  }
  ck_assert_uint_eq(smb_defects_n(all), 2);
  ck_assert_uint_eq(smb_defects_get(all, 0)->count, 14);
  ck_assert_uint_eq(smb_defects_get(all, 0)->launches, 2);
  ck_assert_uint_eq(smb_defects_get(all, 1)->count, 10);
}
END_TEST

Suite *
suite_inspect(void) {
  Suite *suite = suite_create("inspect");
  TCase *tcase = tcase_create("inspect");
  tcase_add_loop_test(tcase, test_mistake, 0, G_N_ELEMENTS(mistakes));
  tcase_add_test(tcase, test_folding);
  suite_add_tcase(suite, tcase);
  return suite;
}
