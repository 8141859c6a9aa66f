// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The passes of a request: as many as are counted, every lane in one of them, and no bank asked in one pass
// for what the rule makes wait.
#include "sim/count/passes.h"

#include <check.h>

#include "sim/arch/rule.h"
#include "sim/count/wavefront.h"
#include "tests/random-request.h"
#include "tests/suite.h"

enum {
  N_REQUESTS = 500, // for each architecture
};

// Whether two lanes of one pass, both in one bank, are served together by the rule.
static gboolean
may_share(const SmbPlan *plan, guint32 a, guint32 b) {
  switch ((SmbConflict)plan->conflict) {
  case SMB_CONFLICT_WORDS:
  case SMB_CONFLICT_ONE_BROADCAST:
    return a >> plan->row_shift == b >> plan->row_shift;
  case SMB_CONFLICT_LANES:
    return FALSE;
  case SMB_CONFLICT_ADDRESSES:
    return a == b;
  case SMB_CONFLICT_LOOP:
    return TRUE; // what waits is not the pass of a bank, but a swap
  }
  return FALSE;
}

// The pairs of lanes of one pass.
static void
check_pass(const SmbPlan *plan, const SmbRequest *request, SmbLanes lanes, const char *line) {
  guint32 words_shared = 0; // units in which one bank serves several lanes
  guint32 last_shared = 0;
  guint unit = plan->unit_bytes, n_units = plan->banks * plan->bank_bytes / unit;
  for (guint a = 0; a < SMB_MAX_LANES; a++) {
    for (guint b = a + 1; b < SMB_MAX_LANES; b++) {
      if (!(lanes >> a & 1) || !(lanes >> b & 1))
        continue;
      guint32 x = request->offset[a], y = request->offset[b];
      ck_assert_msg(smb_plan_group(plan, a) == smb_plan_group(plan, b),
                    "%s: lanes %u and %u of two groups in one pass", line, a, b);
      // The words of 12 bytes wait for each other one by one.
      if (unit == 12 || x / unit % n_units != y / unit % n_units)
        continue;
      ck_assert_msg(may_share(plan, x, y), "%s: lanes %u and %u in one pass", line, a, b);
      words_shared += words_shared == 0 || x / unit != last_shared;
      last_shared = x / unit;
    }
  }
  if (plan->conflict == SMB_CONFLICT_ONE_BROADCAST)
    ck_assert_msg(words_shared <= 1, "%s: two words are broadcast in one pass", line);
}

static void
check_request(const SmbArch *arch, const SmbRequest *request) {
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  SmbPasses passes = smb_request_passes(arch, request);
  SmbWavefronts counted = smb_wavefronts_count(arch, request);
  SmbLoop loop = smb_wavefronts_loop(arch, request);
  g_autofree char *line = format_request(request);
  SmbLanes served = 0;

  if (plan->conflict == SMB_CONFLICT_LOOP)
    ck_assert_uint_eq(passes.n, loop.rounds);
  else
    ck_assert_msg(passes.n * passes.wavefronts == counted.wavefronts, "%s %s: %u, counted %u",
                  smb_arch_info(arch)->name, line, passes.n * passes.wavefronts,
                  counted.wavefronts);
  for (guint p = 0; p < passes.n; p++) {
    ck_assert_msg(passes.lanes[p] != 0 || plan->counts_empty, "%s: pass %u serves no lane", line,
                  p);
    ck_assert_msg((served & passes.lanes[p]) == 0 || plan->unit_bytes == 12,
                  "%s: a lane is served twice", line);
    served |= passes.lanes[p];
    ck_assert(p == 0 || passes.group[p] >= passes.group[p - 1]);
    for (SmbLanes rest = passes.lanes[p]; rest; rest &= rest - 1) {
      guint last = passes.of_lane[smb_lanes_first(rest)];
      ck_assert(plan->unit_bytes == 12 ? last >= p : last == p);
    }
    check_pass(plan, request, passes.lanes[p], line);
  }
  ck_assert_uint_eq(served, passes.n ? smb_request_lanes(request) : 0);
}

START_TEST(test_agrees) {
  check_random_requests(5, N_REQUESTS, check_request);
}
END_TEST

// Lane i asks for i / div * stride bytes; expected: the passes, and the lanes of the first and the last.
typedef struct {
  const char *arch;
  SmbOp op;
  guint width;
  guint32 mask;
  guint div;
  guint32 stride;
  guint n, wavefronts;
  guint32 first, last;
} Case;

#define ALL 0xffffffffu
static const Case cases[] = {
    {"sm_90", SMB_OP_LD, 4, ALL, 1, 4, 1, 1, ALL, ALL},
    {"sm_90", SMB_OP_LD, 4, ALL, 32, 4, 1, 1, ALL, ALL},
    {"sm_90", SMB_OP_LD, 4, ALL, 1, 8, 2, 1, 0xffffu, 0xffff0000u},
    {"sm_90", SMB_OP_LD, 4, ALL, 1, 128, 32, 1, 1, 1u << 31},
    {"sm_90", SMB_OP_LD, 4, 0, 1, 4, 0, 1, 0, 0},
    {"sm_90", SMB_OP_ST, 16, ALL, 1, 16, 4, 1, 0xff, 0xff000000u},
    {"sm_90", SMB_OP_ST, 16, ALL, 1, 32, 8, 1, 0x0f, 0xf0000000u},
    {"sm_90", SMB_OP_ATOM, 4, 0xf, 4, 4, 4, 1, 1, 8},
    {"sm_90", SMB_OP_CAS, 4, 0xf, 1, 4, 1, 2, 0xf, 0xf},
    {"sm_90", SMB_OP_ATOM_LOOP, 4, 0xf, 2, 4, 2, 0, 5, 0xa},
    {"sm_90", SMB_OP_CP_ASYNC_CG, 16, ALL, 1, 16, 0, 0, 0, 0},
    {"sm_90", SMB_OP_LDMATRIX_X4, 16, ALL, 1, 16, 4, 1, 0xff, 0xff000000u},
    {"sm_30_4B", SMB_OP_LD, 4, ALL, 1, 8, 1, 1, ALL, ALL},
    {"sm_30_8B", SMB_OP_LD, 4, ALL, 1, 8, 1, 1, ALL, ALL},
    {"sm_10", SMB_OP_LD, 4, ALL, 32, 4, 2, 1, 0xffffu, 0xffff0000u},
    {"sm_10", SMB_OP_LD, 8, 0xffff, 1, 8, 2, 2, 0xff, 0xff00},
    // Two words of three and two lanes, in two banks: one broadcast each.
    {"sm_10", SMB_OP_LD, 4, 0x3f, 3, 4, 2, 1, 0x07, 0x38},
    {"sm_10", SMB_OP_ST, 1, 0xf, 1, 1, 4, 1, 1, 8},
};

START_TEST(test_passes) {
  const Case *c = &cases[_i];
  g_autoptr(SmbArch) arch = smb_arch_load(c->arch, NULL);
  SmbRequest request = {.op = (guint8)c->op, .width = (guint8)c->width, .mask = c->mask};
  for (guint32 lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    request.offset[lane] = lane / c->div * c->stride;
  SmbPasses passes = smb_request_passes(arch, &request);
  ck_assert_uint_eq(passes.n, c->n);
  ck_assert_uint_eq(passes.wavefronts, c->wavefronts);
  ck_assert_uint_eq(passes.lanes[0], c->first);
  ck_assert_uint_eq(c->n ? passes.lanes[c->n - 1] : 0, c->last);
}
END_TEST

Suite *
suite_passes(void) {
  Suite *suite = suite_create("passes");
  TCase *tcase = tcase_create("passes");
  tcase_add_test(tcase, test_agrees);
  tcase_add_loop_test(tcase, test_passes, 0, G_N_ELEMENTS(cases));
  suite_add_tcase(suite, tcase);
  return suite;
}
