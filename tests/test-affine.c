// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The structure of offsets, and what it says of banks: against requests that were made with a structure, and
// against the banks that sim/count/conflict finds word by word.
#include "sim/count/affine-offsets.h"

#include <check.h>

#include "sim/arch/rule.h"
#include "sim/count/conflict.h"
#include "sim/trace/pattern.h"
#include "sim/count/wavefront.h"
#include "tests/effort.h"
#include "tests/random-request.h"
#include "tests/suite.h"

#define ALL 0xffffffffu

// Offsets of lanes 0 to 7 of a mask, and what they are.
typedef struct {
  guint32 mask;
  guint32 offset[8];
  SmbAffine want; // kind, lanes, base, stride, run, phase, run_stride
} Case;

static const Case cases[] = {
    {0x00, {0}, {SMB_AFFINE_IRREGULAR, 0x00, 0, 0, 0, 0, 0}},
    {0x04, {0, 0, 8}, {SMB_AFFINE_IRREGULAR, 0x04, 0, 0, 0, 0, 0}},
    {0x06, {0, 4, 12}, {SMB_AFFINE_STRIDE, 0x06, -4, 8, 0, 0, 0}},
    {0x05, {4, 0, 12}, {SMB_AFFINE_IRREGULAR, 0x05, 0, 0, 0, 0, 0}},
    {0x15, {4, 0, 12, 0, 20}, {SMB_AFFINE_STRIDE, 0x15, 4, 4, 0, 0, 0}},
    {0x0f, {4, 4, 4, 4}, {SMB_AFFINE_STRIDE, 0x0f, 4, 0, 0, 0, 0}},
    {0x0f, {30, 20, 10, 0}, {SMB_AFFINE_STRIDE, 0x0f, 30, -10, 0, 0, 0}},
    {0x0f, {0, 4, 8, 16}, {SMB_AFFINE_IRREGULAR, 0x0f, 0, 0, 0, 0, 0}},
    {0x0f, {0, 4, 128, 132}, {SMB_AFFINE_RUNS, 0x0f, 0, 4, 2, 0, 128}},
    {0xff, {4, 0, 12, 8, 20, 16, 28, 24}, {SMB_AFFINE_RUNS, 0xff, 4, -4, 2, 0, 8}},
    {0xff, {0, 0, 4, 4, 8, 8, 12, 12}, {SMB_AFFINE_RUNS, 0xff, 0, 0, 2, 0, 4}},
    {0xff, {0, 1, 2, 9, 10, 11, 18, 19}, {SMB_AFFINE_RUNS, 0xff, 0, 1, 3, 0, 9}},
    {0xff, {8, 100, 104, 108, 200, 204, 208, 300}, {SMB_AFFINE_RUNS, 0xff, 0, 4, 3, 2, 100}},
    {0xff, {0, 1, 2, 3, 5, 4, 7, 6}, {SMB_AFFINE_IRREGULAR, 0xff, 0, 0, 0, 0, 0}},
};

static void
check_affine(const SmbAffine *got, const SmbAffine *want) {
  ck_assert_int_eq(got->kind, want->kind);
  ck_assert_uint_eq(got->lanes, want->lanes);
  ck_assert_int_eq(got->base, want->base);
  ck_assert_int_eq(got->stride, want->stride);
  if (want->kind != SMB_AFFINE_RUNS)
    return;
  ck_assert_uint_eq(got->run, want->run);
  ck_assert_uint_eq(got->phase, want->phase);
  ck_assert_int_eq(got->run_stride, want->run_stride);
}

START_TEST(test_find) {
  const Case *c = &cases[_i];
  SmbRequest request = {.mask = c->mask, .op = SMB_OP_LD, .width = 1};
  for (guint lane = 0; lane < G_N_ELEMENTS(c->offset); lane++)
    request.offset[lane] = c->offset[lane];
  SmbAffine affine = smb_affine_find(&request, ALL);
  check_affine(&affine, &c->want);
}
END_TEST

// A swizzled column: the row is XORed into the column. No structure is made up for it.
START_TEST(test_swizzle) {
  SmbRequest request = {.mask = ALL, .op = SMB_OP_LD, .width = 4};
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    request.offset[lane] = (lane * 32 + (5 ^ lane)) * 4;
  SmbAffine affine = smb_affine_find(&request, ALL);
  ck_assert_int_eq(affine.kind, SMB_AFFINE_IRREGULAR);
}
END_TEST

// Runs of lanes, the first cut by a phase.
START_TEST(test_runs) {
  SmbRequest request = {.mask = 0xfff0, .op = SMB_OP_LD, .width = 4};
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    request.offset[lane] = ((lane + 2) % 5 * 33 + (lane + 2) / 5) * 4;
  SmbAffine affine = smb_affine_find(&request, ALL);
  SmbLanes runs[SMB_MAX_LANES];
  ck_assert_int_eq(affine.kind, SMB_AFFINE_RUNS);
  ck_assert_uint_eq(affine.run, 5);
  ck_assert_uint_eq(affine.phase, 2);
  ck_assert_uint_eq(smb_affine_runs(&affine, runs), 3);
  ck_assert_uint_eq(runs[0], 0x00f0);
  ck_assert_uint_eq(runs[1], 0x1f00);
  ck_assert_uint_eq(runs[2], 0xe000);
}
END_TEST

// A random structure, placed so that no offset is negative.
static SmbAffine
make_affine(SmbRandom *random, guint width) {
  SmbAffine affine = {.kind = SMB_AFFINE_STRIDE};
  affine.stride = ((gint64)smb_random_below(random, 161) - 80) * width;
  if (smb_random_below(random, 2)) {
    affine.kind = SMB_AFFINE_RUNS;
    affine.run = 2 + smb_random_below(random, 15);
    affine.phase = smb_random_below(random, affine.run);
    affine.run_stride = ((gint64)smb_random_below(random, 161) - 80) * width;
  }
  affine.base = (gint64)(80 * 64 + smb_random_below(random, 64)) * width;
  return affine;
}

// The units of banks that @lanes ask, word by word, as bits.
static SmbBanks
collect_banks(const SmbArch *arch, const SmbPlan *plan, const GArray *words, SmbLanes lanes) {
  guint bank_bytes = smb_arch_info(arch)->bank_bytes;
  SmbBanks banks = 0;
  for (guint i = 0; i < words->len; i++) {
    const SmbWordUse *use = &g_array_index(words, SmbWordUse, i);
    if (use->lanes & lanes)
      banks |= (SmbBanks)1 << use->bank * bank_bytes / plan->unit_bytes;
  }
  return banks;
}

// What a stride says of the lanes of a run, against their banks.
static void
check_stride(const SmbArch *arch, const SmbPlan *plan, const GArray *words, gint64 bytes,
             SmbLanes lanes) {
  SmbStride stride;
  gboolean whole = smb_affine_stride(plan, bytes, &stride);
  ck_assert_int_eq(whole, bytes % plan->unit_bytes == 0);
  if (!whole)
    return;
  guint64 places = 0;
  for (SmbLanes a = lanes; a; a &= a - 1) {
    guint lane = smb_lanes_first(a);
    places |= G_GUINT64_CONSTANT(1) << lane % stride.reach;
    for (SmbLanes b = a & (a - 1); b; b &= b - 1) {
      guint other = smb_lanes_first(b);
      SmbBanks one = collect_banks(arch, plan, words, a & -a);
      gboolean meet = one == collect_banks(arch, plan, words, b & -b);
      ck_assert(meet == ((other - lane) % stride.reach == 0));
    }
  }
  SmbBanks banks = collect_banks(arch, plan, words, lanes);
  ck_assert_uint_eq(smb_lanes_count(banks), smb_lanes_count(places));
}

static void
check_request(const SmbArch *arch, const SmbRequest *request, const SmbAffine *made) {
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  SmbAffine found = smb_affine_find(request, ALL);
  g_autofree char *line = format_request(request);
  gboolean enough = __builtin_popcount(request->mask) >= 3;
  ck_assert_msg(made->kind != SMB_AFFINE_STRIDE || !enough || found.kind == SMB_AFFINE_STRIDE, "%s",
                line);
  ck_assert_msg(request->mask != ALL || found.kind != SMB_AFFINE_IRREGULAR, "%s", line);
  if (found.kind == SMB_AFFINE_IRREGULAR)
    return;
  for (guint32 lanes = request->mask; lanes; lanes &= lanes - 1) {
    guint lane = (guint)__builtin_ctz(lanes);
    ck_assert(smb_affine_offset(&found, lane) == request->offset[lane]);
  }
  g_autoptr(GArray) words = smb_request_words(arch, request);
  SmbLanes runs[SMB_MAX_LANES], all = 0;
  guint n = smb_affine_runs(&found, runs);
  for (guint i = 0; i < n; i++) {
    all |= runs[i];
    for (guint group = 0; group < plan->n_groups; group++)
      check_stride(arch, plan, words, found.stride, runs[i] & plan->groups[group]);
  }
  ck_assert_uint_eq(all, request->mask);
  ck_assert_uint_ge(smb_affine_run_span(&found), n);
  if (request->mask == ALL)
    ck_assert_uint_eq(smb_affine_run_span(&found), n);
}

static const char *const archs[] = {"sm_90", "sm_20", "sm_30_4B", "sm_30_8B"};

START_TEST(test_random) {
  g_autoptr(SmbArch) arch = smb_arch_load(archs[_i], NULL);
  SmbRandom random = smb_random_new_stream(7, (guint64)_i);
  for (guint i = 0; i < effort(5000); i++) {
    guint width = 1u << smb_random_below(&random, 5);
    SmbAffine made = make_affine(&random, width);
    SmbRequest request = {.mask = ALL, .op = SMB_OP_LD, .width = (guint8)width};
    if (smb_random_below(&random, 2))
      request.mask = smb_random_below(&random, ALL);
    for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
      request.offset[lane] = (guint32)(smb_affine_offset(&made, lane) + (gint64)40960 * width);
    // The lanes of a word may belong to several runs: each run is looked at alone.
    SmbLanes runs[SMB_MAX_LANES];
    made.lanes = request.mask;
    guint n = smb_affine_runs(&made, runs);
    request.mask = smb_random_below(&random, 4) ? request.mask : n ? runs[n / 2] : 0;
    check_request(arch, &request, &made);
  }
}
END_TEST

Suite *
suite_affine(void) {
  Suite *suite = suite_create("affine");
  TCase *tcase = tcase_create("affine");
  tcase_add_loop_test(tcase, test_find, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_swizzle);
  tcase_add_test(tcase, test_runs);
  tcase_add_loop_test(tcase, test_random, 0, G_N_ELEMENTS(archs));
  suite_add_tcase(suite, tcase);
  return suite;
}
