// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The explanation of a request must agree with the counter: the passes that it deals words to are the
// wavefronts, and it names a bank exactly when there is an excess.
#include "sim/count/conflict.h"

#include <check.h>

#include "sim/arch/rule.h"
#include "sim/count/wavefront.h"
#include "tests/random-request.h"
#include "tests/suite.h"

enum {
  N_REQUESTS = 500, // for each architecture
};

// The last pass of a word, from 1: lanes of an atomic take one each; of a loop, the first one's round.
static guint
last_pass(const SmbWordUse *use, const SmbPlan *plan) {
  gboolean queues = plan->conflict == SMB_CONFLICT_LANES;
  return use->pass + (queues ? smb_lanes_count(use->lanes) : 1);
}

static void
check_words(const SmbArch *arch, const SmbRequest *request) {
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  const SmbArchInfo *info = smb_arch_info(arch);
  SmbWavefronts counted = smb_wavefronts_count(arch, request);
  g_autoptr(GArray) uses = smb_request_words(arch, request);
  g_autofree char *line = format_request(request);
  SmbLoop loop = smb_wavefronts_loop(arch, request);
  guint passes[SMB_MAX_GROUPS] = {0};
  SmbLanes lanes = 0;

  for (guint i = 0; i < uses->len; i++) {
    const SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    ck_assert_msg(use->group < plan->n_groups, "%s %s", info->name, line);
    ck_assert_uint_eq(use->bank, use->offset / info->bank_bytes % plan->banks);
    ck_assert_uint_eq(use->row, use->offset >> plan->row_shift);
    ck_assert_uint_lt(use->pass, loop.rounds ? loop.rounds : SMB_MAX_LANES);
    passes[use->group] = MAX(passes[use->group], last_pass(use, plan));
    lanes |= use->lanes;
  }
  ck_assert_uint_eq(lanes, smb_request_lanes(request));
  if (plan->conflict == SMB_CONFLICT_LOOP) {
    ck_assert_uint_eq(loop.load_wavefronts + loop.swap_wavefronts, counted.wavefronts);
  } else if (plan->conflict != SMB_CONFLICT_ONE_BROADCAST) {
    guint sum = 0;
    for (guint group = 0; group < plan->n_groups && lanes; group++)
      sum += plan->counts_empty ? MAX(passes[group], 1) : passes[group];
    ck_assert_msg(sum * plan->passes == counted.wavefronts, "%s %s: %u passes, %u wavefronts",
                  info->name, line, sum * plan->passes, counted.wavefronts);
  }

  SmbCollision collision;
  gboolean collides = smb_request_worst_bank(arch, request, &collision);
  ck_assert_msg(collides == (counted.excess != 0), "%s %s: excess %u", info->name, line,
                counted.excess);
  if (collides) {
    ck_assert_uint_ge(collision.words, 1);
    ck_assert_uint_ge(smb_lanes_count(collision.lanes), 2);
    ck_assert_uint_eq(collision.lanes & ~smb_request_lanes(request), 0);
    if (plan->conflict == SMB_CONFLICT_WORDS)
      ck_assert_uint_ge(collision.words, counted.degree);
  }
}

START_TEST(test_agrees) {
  check_random_requests(4, N_REQUESTS, check_words);
}
END_TEST

// Lane i asks for i / div * stride bytes; expected: the worst bank.
typedef struct {
  const char *arch;
  SmbOp op;
  guint width;
  guint32 mask;
  guint div;
  guint32 stride;
  gboolean collides;
  SmbCollision want; // group, bank, lanes, words
} Case;

#define ALL 0xffffffffu
static const Case cases[] = {
    {"sm_90", SMB_OP_LD, 4, ALL, 1, 4, FALSE, {0}},
    {"sm_90", SMB_OP_LD, 4, ALL, 32, 4, FALSE, {0}},
    {"sm_90", SMB_OP_LD, 4, 0, 1, 128, FALSE, {0}},
    {"sm_90", SMB_OP_LD, 4, ALL, 1, 128, TRUE, {0, 0, ALL, 32}},
    {"sm_90", SMB_OP_LD, 4, ALL, 1, 8, TRUE, {0, 0, 0x00010001u, 2}},
    {"sm_90", SMB_OP_ST, 16, 0xffff0000u, 1, 32, TRUE, {2, 0, 0x00110000u, 2}},
    {"sm_90", SMB_OP_ATOM, 4, ALL, 2, 4, TRUE, {0, 0, 3, 1}},
    {"sm_90", SMB_OP_ATOM, 4, ALL, 1, 4, FALSE, {0}},
    {"sm_90", SMB_OP_ATOM_LOOP, 4, ALL, 2, 4, TRUE, {0, 0, 3, 1}},
    {"sm_90", SMB_OP_ATOM_LOOP, 4, ALL, 1, 8, TRUE, {0, 0, 0x00010001u, 2}},
    {"sm_90", SMB_OP_ATOM_LOOP, 4, ALL, 1, 4, FALSE, {0}},
    {"sm_90", SMB_OP_ATOM_LOOP, 8, ALL, 1, 8, FALSE, {0}},
    {"sm_90", SMB_OP_ATOM_LOOP, 8, 0x00010001u, 32, 8, TRUE, {0, 0, 0x00010001u, 1}},
    {"sm_90", SMB_OP_ATOM_LOOP, 8, 0x00010001u, 1, 8, TRUE, {0, 0, 0x00010001u, 2}},
    {"sm_90", SMB_OP_CP_ASYNC_CA, 16, ALL, 2, 16, TRUE, {0, 0, 3, 1}},
    {"sm_90", SMB_OP_CP_ASYNC_CG, 16, ALL, 32, 16, FALSE, {0}},
    {"sm_10", SMB_OP_LD, 4, ALL, 32, 4, FALSE, {0}},
    {"sm_10", SMB_OP_ST, 4, ALL, 32, 4, FALSE, {0}},
    {"sm_10", SMB_OP_ST, 1, 0xff, 1, 1, TRUE, {0, 0, 0xf, 4}},
    {"sm_10", SMB_OP_LD, 1, 0xff, 1, 1, TRUE, {0, 0, 0xf, 1}},
    {"sm_30_4B", SMB_OP_LD, 4, ALL, 1, 8, FALSE, {0}},
    {"sm_30_4B", SMB_OP_LD, 4, 7, 1, 128, TRUE, {0, 0, 7, 3}},
};

START_TEST(test_worst_bank) {
  const Case *c = &cases[_i];
  g_autoptr(SmbArch) arch = smb_arch_load(c->arch, NULL);
  SmbRequest request = {.op = (guint8)c->op, .width = (guint8)c->width, .mask = c->mask};
  SmbCollision got = {0};
  for (guint32 lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    request.offset[lane] = lane / c->div * c->stride;
  ck_assert_int_eq(smb_request_worst_bank(arch, &request, &got), c->collides);
  if (c->collides) {
    ck_assert_uint_eq(got.group, c->want.group);
    ck_assert_uint_eq(got.bank, c->want.bank);
    ck_assert_uint_eq(got.lanes, c->want.lanes);
    ck_assert_uint_eq(got.words, c->want.words);
  }
}
END_TEST

// Broadcast and a wide access, word by word.
START_TEST(test_words) {
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  SmbRequest request = {.op = SMB_OP_ST, .width = 8, .mask = 0x10007};
  request.offset[0] = request.offset[1] = 8;
  request.offset[2] = 136;
  request.offset[16] = 8;
  static const SmbWordUse want[] = {
      {0, 2, 8, 0, 0, 3},   {0, 2, 136, 1, 1, 4},     {0, 3, 12, 0, 0, 3},
      {0, 3, 140, 1, 1, 4}, {1, 2, 8, 0, 0, 0x10000}, {1, 3, 12, 0, 0, 0x10000},
  };
  g_autoptr(GArray) uses = smb_request_words(arch, &request);
  ck_assert_uint_eq(uses->len, G_N_ELEMENTS(want));
  for (guint i = 0; i < uses->len; i++) {
    const SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    ck_assert_uint_eq(use->group, want[i].group);
    ck_assert_uint_eq(use->bank, want[i].bank);
    ck_assert_uint_eq(use->offset, want[i].offset);
    ck_assert_uint_eq(use->row, want[i].row);
    ck_assert_uint_eq(use->pass, want[i].pass);
    ck_assert_uint_eq(use->lanes, want[i].lanes);
  }
}
END_TEST

Suite *
suite_conflict(void) {
  Suite *suite = suite_create("conflict");
  TCase *tcase = tcase_create("conflict");
  tcase_add_test(tcase, test_agrees);
  tcase_add_loop_test(tcase, test_worst_bank, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_words);
  suite_add_tcase(suite, tcase);
  return suite;
}
