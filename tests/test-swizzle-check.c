// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a layout does to each access of a kernel, and why conflicts remain: cases worked out by hand.
#include "sim/advise/swizzle-check.h"

#include <check.h>

#include "sim/advise/advise.h"
#include "sim/arch/arch.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

// Bits @first to @last of a byte offset.
#define BITS(first, last) ((2ull << (last)) - (1ull << (first)))
#define BIT(n)            BITS(n, n)

// An access of a kernel of 64 threads whose last array is looked at.
typedef struct {
  const char *what;
  const char *text;
  SmbLayout layout; // element bytes, columns, pad, B, M, S
  guint access;
  SmbFault fault;
  SmbLayoutFit fit;
  guint needed_base;
  guint64 wavefronts;
  guint64 bank_bits, source_bits, target_bits, lane_bits, read, unread;
} Case;

#define TRANSPOSE                                                                                  \
  "__shared__ float a[32][32]; for (int i = t / 32; i < 32; i += 2) a[i][t % 32] = t; "            \
  "__syncthreads(); for (int i = t / 32; i < 32; i += 2) out[t] = a[t % 32][i];"
#define HALVES                                                                                     \
  "__shared__ short a[64][64]; float4 v; for (int i = t / 8; i < 64; i += 8) "                     \
  "*(float4 *)&a[i][t % 8 * 8] = make_float4(t, 0, 0, 0); __syncthreads(); "                       \
  "for (int i = 0; i < 8; i++) { v = *(float4 *)&a[t][i * 8]; out[t] = v.x; }"
#define DIAGONAL "__shared__ float a[32][32]; a[t % 32][t % 32] = t;"
#define ONE_WORD "__shared__ int a[1024]; atomicAdd(&a[5], t);"
#define LATER    "__shared__ float b[5]; b[0] = t; " TRANSPOSE
#define FITS     SMB_LAYOUT_FITS

static const Case cases[] = {
    {"rows",
     TRANSPOSE,
     {4, 32, 0, 5, 0, 5},
     0,
     SMB_FAULT_NONE,
     FITS,
     0,
     32,
     0,
     BITS(7, 11),
     BITS(2, 6),
     0,
     0,
     0},
    {"columns",
     TRANSPOSE,
     {4, 32, 0, 5, 0, 5},
     1,
     SMB_FAULT_NONE,
     FITS,
     0,
     32,
     0,
     BITS(7, 11),
     BITS(2, 6),
     0,
     0,
     0},
    {"no swizzle",
     TRANSPOSE,
     {4, 32, 0, 0, 0, 0},
     1,
     SMB_FAULT_UNSWIZZLED,
     FITS,
     0,
     1024,
     BITS(2, 6),
     0,
     0,
     BITS(7, 11),
     0,
     BITS(7, 11)},
    {"padding", TRANSPOSE, {4, 32, 1, 0, 0, 0}, 1, SMB_FAULT_NONE, FITS, 0, 32, 0, 0, 0, 0, 0, 0},
    {"that of halves, on floats",
     TRANSPOSE,
     {4, 32, 0, 3, 3, 3},
     1,
     SMB_FAULT_TOO_FEW,
     FITS,
     0,
     256,
     BITS(2, 6),
     BITS(8, 10),
     BITS(5, 7),
     BIT(7) | BITS(10, 11),
     BIT(10),
     BIT(7) | BIT(11)},
    {"beyond the banks",
     TRANSPOSE,
     {4, 32, 0, 2, 5, 2},
     1,
     SMB_FAULT_TARGET,
     FITS,
     0,
     1024,
     BITS(2, 6),
     BITS(9, 10),
     BITS(7, 8),
     BITS(7, 11),
     BITS(9, 10),
     BITS(7, 8) | BIT(11)},
    {"other rows",
     TRANSPOSE,
     {4, 32, 0, 2, 0, 7},
     1,
     SMB_FAULT_SOURCE,
     FITS,
     0,
     256,
     BITS(2, 6),
     BITS(9, 10),
     BITS(2, 3),
     BITS(7, 8) | BIT(11),
     0,
     BITS(7, 8) | BIT(11)},
    {"a bit too few",
     TRANSPOSE,
     {4, 32, 0, 4, 0, 5},
     1,
     SMB_FAULT_SOURCE,
     FITS,
     0,
     64,
     BITS(2, 6),
     BITS(7, 10),
     BITS(2, 5),
     BIT(11),
     0,
     BIT(11)},
    {"downwards",
     TRANSPOSE,
     {4, 32, 0, 5, 0, -5},
     1,
     SMB_FAULT_TARGET,
     FITS,
     0,
     1024,
     BITS(2, 6),
     BITS(2, 6),
     BITS(7, 11),
     BITS(7, 11),
     0,
     BITS(7, 11)},
    {"diagonal",
     DIAGONAL,
     {4, 32, 0, 5, 0, 5},
     0,
     SMB_FAULT_CANCELS,
     FITS,
     0,
     64,
     BITS(2, 6),
     BITS(7, 11),
     BITS(2, 6),
     BITS(2, 11),
     BITS(7, 11),
     0},
    {"one word",
     ONE_WORD,
     {4, 1024, 0, 5, 0, 5},
     0,
     SMB_FAULT_SAME,
     FITS,
     0,
     64,
     BITS(2, 6),
     BITS(7, 11),
     BITS(2, 6),
     0,
     0,
     0},
    {"one word, no swizzle",
     ONE_WORD,
     {4, 1024, 0, 0, 0, 0},
     0,
     SMB_FAULT_SAME,
     FITS,
     0,
     64,
     BITS(2, 6),
     0,
     0,
     0,
     0,
     0},
    {"padded rows",
     TRANSPOSE,
     {4, 32, 32, 1, 0, 5},
     1,
     SMB_FAULT_NO_BITS,
     FITS,
     0,
     512,
     0,
     BIT(7),
     BIT(2),
     BITS(8, 11),
     0,
     BITS(8, 11)},
    {"not at the first bank",
     LATER,
     {4, 32, 0, 4, 0, 5},
     2,
     SMB_FAULT_NO_BITS,
     FITS,
     0,
     64,
     0,
     BITS(7, 10),
     BITS(2, 5),
     BIT(11),
     0,
     BIT(11)},
    {"halves",
     HALVES,
     {2, 64, 0, 3, 3, 3},
     1,
     SMB_FAULT_NONE,
     FITS,
     3,
     64,
     0,
     BITS(7, 9),
     BITS(4, 6),
     0,
     0,
     0},
    {"halves, a bit too few",
     HALVES,
     {2, 64, 0, 2, 3, 3},
     1,
     SMB_FAULT_SOURCE,
     FITS,
     3,
     128,
     BITS(4, 6),
     BITS(7, 8),
     BITS(4, 5),
     BIT(9),
     0,
     BIT(9)},
    {"halves torn",
     HALVES,
     {2, 64, 0, 3, 2, 3},
     1,
     SMB_FAULT_MISFIT,
     SMB_LAYOUT_TORN,
     3,
     0,
     0,
     BITS(6, 8),
     BITS(3, 5),
     0,
     0,
     0},
    {"halves misaligned",
     HALVES,
     {2, 64, 4, 0, 0, 0},
     0,
     SMB_FAULT_MISFIT,
     SMB_LAYOUT_MISALIGNED,
     3,
     0,
     0,
     0,
     0,
     0,
     0,
     0},
};

START_TEST(test_case) {
  const Case *c = &cases[_i];
  KernelSetup setup = {.block = {64}, .keeps_requests = TRUE};
  g_autofree char *text = g_strdup_printf(
      "__global__ void k(float *out) {\n  int t = threadIdx.x;\n  %s\n}\n", c->text);
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", text, &setup);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autoptr(SmbArrayUses) uses = smb_array_uses_new(run.kernel, NULL, run.analysis);
  const SmbArrayUse *use = g_ptr_array_index(uses->all, uses->all->len - 1);
  SmbLayout original = smb_array_use_layout(use, 0);
  g_autoptr(GArray) checks = smb_layout_check(arch, use, &original, &c->layout);
  const SmbLayoutCheck *check = NULL;
  for (guint i = 0; i < checks->len; i++) {
    const SmbLayoutCheck *candidate = &g_array_index(checks, SmbLayoutCheck, i);
    check = candidate->access == c->access ? candidate : check;
  }
  ck_assert_ptr_nonnull(check);
  const SmbAccess *access = &g_array_index(run.analysis->accesses, SmbAccess, c->access);
  ck_assert_mem_eq(&check->original, &access->total, sizeof check->original);
  ck_assert_int_eq(check->fault, c->fault);
  ck_assert_int_eq(check->fit, c->fit);
  ck_assert_uint_eq(check->width, access->worst.width);
  ck_assert_uint_eq(check->needed_base, c->needed_base);
  ck_assert_uint_eq(check->cost.wavefronts, c->wavefronts);
  ck_assert_uint_eq(check->bank_bits, c->bank_bits);
  ck_assert_uint_eq(check->source_bits, c->source_bits);
  ck_assert_uint_eq(check->target_bits, c->target_bits);
  ck_assert_uint_eq(check->lane_bits, c->lane_bits);
  ck_assert_uint_eq(check->read, c->read);
  ck_assert_uint_eq(check->unread, c->unread);
  gboolean bad = c->fault != SMB_FAULT_NONE && c->fault != SMB_FAULT_MISFIT;
  ck_assert_int_eq(check->worst.mask != 0, bad);
  ck_assert_int_eq(check->worst_cost.excess > 0, bad);
  ck_assert_int_eq(check->collision.lanes != 0, bad);
}
END_TEST

// Every access costs what the layout costs as a whole, for all swizzles of the tile.
START_TEST(test_sums) {
  KernelSetup setup = {.block = {64}, .keeps_requests = TRUE};
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu",
             "__global__ void k(float *out) {\n  int t = threadIdx.x;\n  " TRANSPOSE "\n}\n",
             &setup);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autoptr(SmbArrayUses) uses = smb_array_uses_new(run.kernel, NULL, run.analysis);
  const SmbArrayUse *use = g_ptr_array_index(uses->all, 0);
  SmbLayout original = {4, 32, 0, 0, 0, 0}, layout = original;
  guint faults[SMB_FAULT_CANCELS + 1] = {0};
  for (layout.shift = -9; layout.shift <= 9; layout.shift++) {
    for (layout.bits = 0; layout.bits <= (guint)ABS(layout.shift); layout.bits++) {
      for (layout.base = 0; layout.base + layout.bits + (guint)ABS(layout.shift) <= 10;
           layout.base++) {
        g_autoptr(GArray) checks = smb_layout_check(arch, use, &original, &layout);
        g_autoptr(SmbCandidate) candidate = smb_advise_try(arch, use, &original, &layout);
        ck_assert_uint_eq(checks->len, 2);
        for (guint i = 0; i < checks->len; i++) {
          const SmbLayoutCheck *check = &g_array_index(checks, SmbLayoutCheck, i);
          const SmbTally *want = &g_array_index(candidate->accesses, SmbTally, check->access);
          ck_assert_mem_eq(&check->cost, want, sizeof *want);
          ck_assert_int_eq(check->fault == SMB_FAULT_NONE, want->excess == 0);
          ck_assert_uint_eq(check->read & ~check->lane_bits, 0);
          ck_assert_uint_eq(check->unread & (check->source_bits | check->bank_bits), 0);
          faults[check->fault]++;
        }
      }
    }
  }
  ck_assert_uint_gt(faults[SMB_FAULT_NONE], 0);
  ck_assert_uint_gt(faults[SMB_FAULT_TARGET], 0);
  ck_assert_uint_gt(faults[SMB_FAULT_SOURCE], 0);
  ck_assert_uint_gt(faults[SMB_FAULT_TOO_FEW], 0);
}
END_TEST

Suite *
suite_swizzle_check(void) {
  Suite *suite = suite_create("swizzle-check");
  TCase *tcase = tcase_create("swizzle-check");
  tcase_add_loop_test(tcase, test_case, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_sums);
  suite_add_tcase(suite, tcase);
  return suite;
}
