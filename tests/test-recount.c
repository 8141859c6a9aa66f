// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The counter of verify-proof, which shares no code with the one of requests: both agree on random requests of all chips, and with what an
// H200 was measured to do.
#include "src/verify-proof/recount.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/data.h"
#include "sim/count/wavefront.h"
#include "tests/random-request.h"
#include "tests/suite.h"

enum {
  N_REQUESTS = 40000, // of each chip
};

static SmbRecount
recount(const SmbRecountRule *rule, const SmbRequest *request) {
  guint64 address[SMB_RECOUNT_LANES] = {0};
  for (guint lane = 0; lane < SMB_RECOUNT_LANES; lane++)
    address[lane] = request->offset[lane];
  SmbLanes givers = smb_lanes_below(rule->givers);
  return smb_recount(rule, request->width, request->mask & givers, address);
}

// What it has no rule for: copies, loops, loads of constants, and chips before compute capability 5.0.
static gboolean
may_be_unknown(const SmbArch *arch, SmbOp op) {
  static const char *const old[] = {"made-up", "sm_10", "sm_20", "sm_30_4B", "sm_30_8B", NULL};
  return op == SMB_OP_CP_ASYNC_CA || op == SMB_OP_CP_ASYNC_CG || op == SMB_OP_ATOM_LOOP ||
         op == SMB_OP_LD_CONST || g_strv_contains(old, smb_arch_info(arch)->name);
}

static void
compare_request(const SmbArch *arch, const SmbRequest *request) {
  SmbOp op = (SmbOp)request->op;
  SmbRecountRule rule =
      smb_recount_rule(smb_arch_info(arch)->name, smb_op_name(op), request->width);
  SmbWavefronts want = smb_wavefronts_count(arch, request);
  if (!rule.access) {
    ck_assert_msg(may_be_unknown(arch, op), "%s: %s", smb_arch_info(arch)->name, smb_op_name(op));
    return;
  }
  ck_assert(!may_be_unknown(arch, op));
  ck_assert_str_eq(rule.access, smb_op_class_name(smb_op_class(op)));
  SmbRecount got = recount(&rule, request);
  if (got.wavefronts == want.wavefronts && got.ideal == want.ideal && got.degree == want.degree)
    return;
  g_autofree char *line = format_request(request);
  ck_abort_msg("%s: %s: %u of %u, %u ways; expected %u of %u, %u ways", smb_arch_info(arch)->name,
               line, got.wavefronts, got.ideal, got.degree, want.wavefronts, want.ideal,
               want.degree);
}

START_TEST(test_random_requests) {
  check_random_requests(20261129, N_REQUESTS, compare_request);
}
END_TEST

// A line of data/measured/h200-requests.txt: OP WIDTH MASK OFF0 … OFF31 = WAVEFRONTS
START_TEST(test_recorded_requests) {
  g_autoptr(GBytes) bytes = smb_data_load("measured/h200-requests.txt", NULL);
  ck_assert(bytes != NULL);
  g_auto(GStrv) lines = g_strsplit(g_bytes_get_data(bytes, NULL), "\n", -1);
  guint n = 0;
  for (guint i = 0; lines[i]; i++) {
    g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);
    guint64 address[SMB_RECOUNT_LANES] = {0};
    if (g_strv_length(words) != 37)
      continue;
    guint width = (guint)strtoul(words[1], NULL, 10);
    SmbRecountRule rule = smb_recount_rule("sm_90", words[0], width);
    if (!rule.access)
      continue;
    for (guint lane = 0; lane < 32; lane++)
      address[lane] = strtoul(words[3 + lane], NULL, 0);
    guint64 mask = strtoul(words[2], NULL, 16) & smb_lanes_below(rule.givers);
    ck_assert_uint_eq(smb_recount(&rule, width, mask, address).wavefronts,
                      strtoul(words[36], NULL, 10));
    n++;
  }
  ck_assert_uint_gt(n, 100);
}
END_TEST

START_TEST(test_unknown_rules) {
  ck_assert(smb_recount_knows("sm_90") && smb_recount_knows("gfx1201_wave64"));
  ck_assert(!smb_recount_knows("sm_35") && !smb_recount_knows("gfx803") &&
            !smb_recount_knows(NULL));
  ck_assert(!smb_recount_rule("sm_90", "ld", 12).access);
  ck_assert(!smb_recount_rule("sm_90", "ld", 17).access);
  ck_assert(!smb_recount_rule("sm_90", "", 4).access);
  ck_assert(!smb_recount_rule("sm_90", NULL, 4).access);
  ck_assert(!smb_recount_rule("gfx942", "ldmatrix.x4", 16).access);
  ck_assert(!smb_recount_rule(NULL, "ld", 4).access);
}
END_TEST

Suite *
suite_recount(void) {
  Suite *suite = suite_create("recount");
  TCase *tcase = tcase_create("core");
  tcase_add_test(tcase, test_random_requests);
  tcase_add_test(tcase, test_recorded_requests);
  tcase_add_test(tcase, test_unknown_rules);
  suite_add_tcase(suite, tcase);
  return suite;
}
