// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the search for a layout finds for the textbook's kernels: the textbook's answers.
#include <check.h>

#include "sim/advise/advise.h"
#include "sim/arch/arch.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

// A kernel of the textbook and the best layout of its array.
typedef struct {
  const char *what;
  const char *text; // t: the thread, of 64
  SmbAdviseKinds kinds;
  guint64 row;
  guint64 columns;
  guint64 pad;
  guint bits, base;
  int shift;
  guint64 extra_bytes;
  guint64 wavefronts, ideal;
} Classic;

// Rows are written, columns are read, by 32 threads at a time.
#define TRANSPOSE                                                                                  \
  "__shared__ float a[32][32]; for (int i = t / 32; i < 32; i += 2) a[i][t % 32] = t; "            \
  "__syncthreads(); for (int i = t / 32; i < 32; i += 2) out[t] = a[t % 32][i];"
#define FLAT                                                                                       \
  "__shared__ float a[1024]; for (int i = t / 32; i < 32; i += 2) a[i * 32 + t % 32] = t; "        \
  "__syncthreads(); for (int i = t / 32; i < 32; i += 2) out[t] = a[t % 32 * 32 + i];"
// As ldmatrix reads: eight rows of 16 bytes at a time, side by side in memory 128 bytes apart.
#define HALVES                                                                                     \
  "__shared__ short a[64][64]; float4 v; for (int i = t / 8; i < 64; i += 8) "                     \
  "*(float4 *)&a[i][t % 8 * 8] = make_float4(t, 0, 0, 0); __syncthreads(); "                       \
  "for (int i = 0; i < 8; i++) { v = *(float4 *)&a[t][i * 8]; out[t] = v.x; }"
#define COLUMN4                                                                                    \
  "__shared__ float a[64][32]; float4 v; for (int i = t / 32; i < 64; i += 2) a[i][t % 32] = t; "  \
  "__syncthreads(); for (int i = 0; i < 8; i++) { v = *(float4 *)&a[t][i * 4]; out[t] = v.x; }"
#define VECTORS                                                                                    \
  "__shared__ float4 a[64][8]; float4 v; for (int i = t / 8; i < 64; i += 8) "                     \
  "a[i][t % 8] = make_float4(t, 0, 0, 0); __syncthreads(); "                                       \
  "for (int i = 0; i < 8; i++) { v = a[t][i]; out[t] = v.x; }"
#define PADDED                                                                                     \
  "__shared__ float a[32][33]; for (int i = t / 32; i < 32; i += 2) a[i][t % 32] = t; "            \
  "__syncthreads(); for (int i = t / 32; i < 32; i += 2) out[t] = a[t % 32][i];"
#define ROWS "__shared__ float a[64]; a[t] = t; __syncthreads(); out[t] = a[t];"
#define SCAN "__shared__ int a[2048]; a[t * 32] = t; __syncthreads(); out[t] = a[t * 16];"

static const Classic classics[] = {
    {"padded transpose", TRANSPOSE, SMB_ADVISE_PAD, 0, 32, 1, 0, 0, 0, 128, 64, 64},
    {"swizzled transpose", TRANSPOSE, SMB_ADVISE_SWIZZLE, 0, 32, 0, 5, 0, 5, 0, 64, 64},
    {"transpose", TRANSPOSE, 0, 0, 32, 0, 5, 0, 5, 0, 64, 64},
    {"transpose, both", TRANSPOSE, SMB_ADVISE_BOTH, 0, 32, 1, 1, 0, 1, 128, 64, 64},
    {"flat transpose, padded", FLAT, SMB_ADVISE_PAD, 0, 32, 1, 0, 0, 0, 128, 64, 64},
    {"flat transpose, swizzled", FLAT, SMB_ADVISE_SWIZZLE, 0, 1024, 0, 5, 0, 5, 0, 64, 64},
    {"flat transpose in rows of 32", FLAT, SMB_ADVISE_PAD, 32, 32, 1, 0, 0, 0, 128, 64, 64},
    {"rows of 16 bytes, padded", HALVES, SMB_ADVISE_PAD, 0, 64, 8, 0, 0, 0, 1024, 128, 128},
    {"rows of 16 bytes", HALVES, 0, 0, 64, 0, 3, 3, 3, 0, 128, 128},
    {"columns of float4", COLUMN4, SMB_ADVISE_SWIZZLE, 0, 32, 0, 3, 2, 3, 0, 128, 128},
    {"columns of float4, padded", COLUMN4, SMB_ADVISE_PAD, 0, 32, 4, 0, 0, 0, 1024, 128, 128},
    {"array of float4", VECTORS, SMB_ADVISE_SWIZZLE, 0, 8, 0, 3, 0, 3, 0, 128, 128},
    {"array of float4, padded", VECTORS, SMB_ADVISE_PAD, 0, 8, 1, 0, 0, 0, 1024, 128, 128},
    {"padded already", PADDED, SMB_ADVISE_PAD, 0, 32, 1, 0, 0, 0, 0, 64, 64},
    {"nothing to do", ROWS, 0, 0, 64, 0, 0, 0, 0, 0, 4, 4},
    {"strides of a scan", SCAN, SMB_ADVISE_PAD, 0, 32, 1, 0, 0, 0, 256, 4, 4},
};

START_TEST(test_classic) {
  const Classic *c = &classics[_i];
  KernelSetup setup = {.block = {64}, .keeps_requests = TRUE};
  g_autofree char *text = g_strdup_printf(
      "__global__ void k(float *out) {\n  int t = threadIdx.x;\n  %s\n}\n", c->text);
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", text, &setup);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autoptr(SmbArrayUses) uses = smb_array_uses_new(run.kernel, NULL, run.analysis);
  const SmbArrayUse *use = g_ptr_array_index(uses->all, 0);
  const SmbArray *array = use->array;
  SmbAdviseOptions options = {.kinds = c->kinds, .row = c->row, .keep = 1};
  g_autoptr(SmbAdvice) advice = smb_advise_array(arch, use, &options);
  ck_assert_uint_ge(advice->best->len, 1);
  const SmbCandidate *best = g_ptr_array_index(advice->best, 0);
  ck_assert_msg(best->layout.columns == c->columns && best->layout.pad == c->pad &&
                    best->layout.bits == c->bits && best->layout.base == c->base &&
                    best->layout.shift == c->shift,
                "%s: columns %u pad %u Swizzle<%u,%u,%d>", c->what, (guint)best->layout.columns,
                (guint)best->layout.pad, best->layout.bits, best->layout.base, best->layout.shift);
  ck_assert_uint_eq(best->bytes - array->bytes, c->extra_bytes);
  ck_assert_uint_eq(best->total.wavefronts, c->wavefronts);
  ck_assert_uint_eq(best->total.ideal, c->ideal);
  ck_assert_uint_ge(advice->ties, 1);
  ck_assert_ptr_eq(advice->use, use);
  ck_assert_uint_eq(use->bytes, array->bytes);

  // As it lies now, it costs what the analysis says.
  const SmbCandidate *now = advice->original;
  ck_assert_uint_eq(now->bytes, array->bytes);
  for (guint i = 0; i < run.analysis->accesses->len; i++) {
    const SmbTally *tally = &g_array_index(run.analysis->accesses, SmbAccess, i).total;
    ck_assert_mem_eq(&g_array_index(now->accesses, SmbTally, i), tally, sizeof *tally);
  }
}
END_TEST

// One padding tears nothing, but the rows no longer begin where a float4 may.
START_TEST(test_misfit) {
  KernelSetup setup = {.block = {64}, .keeps_requests = TRUE};
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu",
             "__global__ void k(float *out) {\n  int t = threadIdx.x;\n  " COLUMN4 "\n}\n", &setup);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autoptr(SmbArrayUses) uses = smb_array_uses_new(run.kernel, NULL, run.analysis);
  const SmbArrayUse *use = g_ptr_array_index(uses->all, 0);
  SmbLayout now = {4, 32, 0, 0, 0, 0}, padded = {4, 32, 1, 0, 0, 0}, torn = {4, 32, 0, 5, 0, 5};
  g_autoptr(SmbCandidate) misaligned = smb_advise_try(arch, use, &now, &padded);
  ck_assert_int_eq(misaligned->fit, SMB_LAYOUT_MISALIGNED);
  ck_assert_uint_eq(misaligned->misfit_access, 1);
  ck_assert_uint_eq(misaligned->bytes, 64 * 33 * 4);
  ck_assert_uint_eq(misaligned->total.requests, 0);
  ck_assert_uint_eq(g_array_index(misaligned->accesses, SmbTally, 0).requests, 0);
  g_autoptr(SmbCandidate) split = smb_advise_try(arch, use, &now, &torn);
  ck_assert_int_eq(split->fit, SMB_LAYOUT_TORN);
  ck_assert_uint_eq(split->misfit_access, 1);
}
END_TEST

// Thousands of requests of a triangular solve differ by a shift alone, and are counted once.
START_TEST(test_repeated) {
  KernelSetup setup = {.block = {64}, .keeps_requests = TRUE};
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu",
             "__global__ void k(float *out) {\n  int t = threadIdx.x;\n"
             "  __shared__ float a[64][64];\n"
             "  for (int k = 0; k < 64; k++)\n"
             "    for (int i = k + 1; i < 64; i++)\n"
             "      if (t > k)\n"
             "        a[t][i] -= a[t][k] * a[k][i];\n}\n",
             &setup);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autoptr(SmbArrayUses) uses = smb_array_uses_new(run.kernel, NULL, run.analysis);
  const SmbArrayUse *use = g_ptr_array_index(uses->all, 0);
  SmbAdviseOptions options = {.kinds = SMB_ADVISE_PAD | SMB_ADVISE_SWIZZLE, .keep = 1};
  g_autoptr(SmbAdvice) advice = smb_advise_array(arch, use, &options);
  const SmbCandidate *best = g_ptr_array_index(advice->best, 0);
  ck_assert_uint_eq(best->total.excess, 0);
  ck_assert_uint_gt(advice->original->total.excess, 0);
  ck_assert_uint_gt(use->requests->len, 5000);
  ck_assert_uint_gt(advice->searched, 300);
  // One by one, the layouts would be searched * len counts.
  ck_assert_uint_lt(advice->counts, advice->searched * use->requests->len / 20);
}
END_TEST

Suite *
suite_advise_kernels(void) {
  Suite *suite = suite_create("advise-kernels");
  TCase *tcase = tcase_create("advise-kernels");
  tcase_add_loop_test(tcase, test_classic, 0, G_N_ELEMENTS(classics));
  tcase_add_test(tcase, test_misfit);
  tcase_add_test(tcase, test_repeated);
  suite_add_tcase(suite, tcase);
  return suite;
}
