// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an explanation says, on random requests of everything that an architecture has: that it agrees with
// the counter, and that its arithmetic is right.
#include "src/explain/explain.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "src/explain/words.h"
#include "src/out/describe.h"
#include "tests/random-request.h"
#include "tests/suite.h"

enum {
  N_REQUESTS = 400, // for each architecture
};

// An explanation of a request that no kernel made.
typedef struct {
  SmbSite site;
  SmbAccess access;
  SmbAnalysis analysis;
  SmbExplanation e;
} Fixture;

static void
fixture_init(Fixture *fixture, const SmbArch *arch, const SmbRequest *request) {
  memset(fixture, 0, sizeof *fixture);
  fixture->site = (SmbSite){.line = 1, .column = 1, .expression = "a[i]", .width = request->width};
  fixture->site.op_class = smb_op_class((SmbOp)request->op);
  fixture->access = (SmbAccess){.site = &fixture->site, .exact = TRUE, .worst = *request};
  fixture->analysis.accesses = g_array_new(FALSE, FALSE, sizeof(SmbAccess));
  fixture->analysis.requests = g_array_new(FALSE, FALSE, sizeof(SmbAccessRequest));
  SmbAccessRequest made = {.count = 1, .request = *request};
  g_array_append_val(fixture->analysis.requests, made);
  fixture->e = (SmbExplanation){.arch = arch,
                                .access = &fixture->access,
                                .analysis = &fixture->analysis,
                                .choice = SMB_EXPLAIN_NAMED,
                                .request = *request,
                                .count = 1};
  smb_explain_collect(&fixture->e);
  smb_tally_count(&fixture->access.total, &fixture->e.cost, 1);
  smb_tally_count(&fixture->analysis.totals[fixture->site.op_class], &fixture->e.cost, 1);
}

static void
fixture_clear(Fixture *fixture) {
  g_array_unref(fixture->analysis.accesses);
  g_array_unref(fixture->analysis.requests);
  g_array_unref(fixture->e.words);
  g_array_unref(fixture->e.banks);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, fixture_clear)

static guint
find_gcd(guint a, guint b) {
  return b ? find_gcd(b, a % b) : a;
}

// Every "gcd(A, B) = C" of a text.
static void
check_gcds(const char *text) {
  for (const char *at = strstr(text, "gcd("); at; at = strstr(at + 1, "gcd(")) {
    guint a, b, c;
    ck_assert_msg(sscanf(at, "gcd(%u, %u) = %u", &a, &b, &c) == 3, "%s", text);
    ck_assert_msg(find_gcd(a, b) == c, "%s", text);
  }
}

// Sentences end, and no number was printed that was meant to be another thing.
static void
check_text(const char *text, const char *line) {
  ck_assert_msg(*text && (g_str_has_suffix(text, ".") || g_str_has_suffix(text, ".)")), "%s: '%s'",
                line, text);
  ck_assert_msg(g_ascii_isupper(*text) || g_str_has_prefix(text, "sm_") ||
                    g_str_has_prefix(text, "gfx") || g_str_has_prefix(text, "made-up"),
                "%s: '%s'", line, text);
  static const char *const slips[] = {"  ", "\n", " . ", " ,", ",. ", "(null)"};
  for (guint i = 0; i < G_N_ELEMENTS(slips); i++)
    ck_assert_msg(!strstr(text, slips[i]), "%s: '%s'", line, text);
}

static gboolean
has_shared_word(const SmbExplanation *e) {
  for (guint i = 0; i < e->words->len; i++) {
    SmbLanes lanes = g_array_index(e->words, SmbWordUse, i).lanes;
    if (lanes & (lanes - 1))
      return TRUE;
  }
  return FALSE;
}

static void
check_request(const SmbArch *arch, const SmbRequest *request) {
  g_auto(Fixture) fixture;
  fixture_init(&fixture, arch, request);
  const SmbExplanation *e = &fixture.e;
  g_autofree char *line = format_request(request);
  g_autofree char *choice = smb_explain_choice(e), *rule = smb_explain_rule(e);
  g_autofree char *meeting = smb_explain_meeting(e), *sharing = smb_explain_sharing(e);
  g_autofree char *reason = smb_explain_reason(e), *cost = smb_explain_describe_cost(e);
  ck_assert_msg((strstr(meeting, " conflict in bank ") != NULL) == (e->cost.excess > 0), "%s: %s",
                line, meeting);
  ck_assert_int_eq(sharing != NULL, has_shared_word(e));
  ck_assert_int_eq(strstr(choice, "instead of") != NULL, e->cost.excess > 0);
  check_text(choice, line);
  check_text(rule, line);
  check_text(meeting, line);
  if (sharing)
    check_text(sharing, line);
  check_text(reason, line);
  check_text(cost, line);
  check_gcds(reason);
  SmbLanes lanes = 0;
  for (guint i = 0; i < e->banks->len; i++) {
    const SmbExplainBank *bank = &g_array_index(e->banks, SmbExplainBank, i);
    lanes |= bank->lanes;
    ck_assert_uint_le(bank->passes, e->passes.n);
  }
  ck_assert_uint_eq(lanes, smb_request_lanes(request));
  ck_assert_uint_eq(e->group_lanes & ~smb_request_lanes(request), 0);
}

START_TEST(test_random) {
  check_random_requests(9, N_REQUESTS, check_request);
}
END_TEST

// Lane i accesses @width bytes at i % run * stride + i / run * run_stride; what is said of the reason.
typedef struct {
  const char *arch;
  SmbOp op;
  guint width, run;
  guint32 stride, run_stride;
  const char *says;
  guint32 mask; // 0: all lanes
} Reason;

static const Reason reasons[] = {
    {"sm_90", SMB_OP_LD, 4, 32, 128, 0,
     "all lanes fall into the same bank. Lanes 0-31 access 32 "
     "different words of bank 0."},
    {"sm_90", SMB_OP_LD, 4, 32, 8, 0,
     "gcd(2, 32) = 2: two lanes fall into the same bank if they are "
     "a multiple of 32 / 2 = 16 apart"},
    {"sm_90", SMB_OP_LD, 4, 32, 0, 0,
     "From lane to lane the offset stays the same. Lanes 0-31 access "
     "1 word of bank 0."},
    {"sm_90", SMB_OP_LD, 1, 32, 1, 0,
     "So a word of 4 bytes holds what 4 neighbouring lanes access. Lanes 0-31 access 8 different "
     "words of banks 0-7."},
    {"sm_90", SMB_OP_LD, 1, 32, 33, 0, "neighbouring lanes are 8 or 9 words apart"},
    {"sm_90", SMB_OP_LD, 4, 16, 132, 4,
     "They have 15 banks in common (banks 1-15), and access "
     "different words there."},
    {"sm_90", SMB_OP_LD, 4, 16, 136, 4,
     "Lanes 0-15 take the 16 even banks and lanes 16-31 the 16 "
     "odd banks. They have no bank in common."},
    {"sm_90", SMB_OP_LD, 1, 16, 64, 1, "and access the same words there"},
    {"sm_90", SMB_OP_ST, 16, 32, 32, 0,
     "Lanes 0-7 are served together. From "
     "lane to lane the offset grows by 32 bytes (2 times 16 "
     "bytes). gcd(2, 8) = 2"},
    {"sm_90", SMB_OP_LD, 16, 2, 0, 16,
     "The lanes go in runs of 2: within a run, the offset stays the "
     "same"},
    {"sm_30_8B", SMB_OP_LD, 8, 32, 256, 0, "gcd(32, 32) = 32"},
    {"sm_10", SMB_OP_LD, 4, 32, 8, 0, "gcd(2, 16) = 2"},
    // A mask leaves every other run out: eight of them, from run 0 to run 14.
    {"sm_90", SMB_OP_LD, 4, 2, 4, 16,
     "gcd(4, 32) = 4: two runs fall into the same bank if they are "
     "a multiple of 32 / 4 = 8 apart, and only then.",
     0x33333333u},
    {"sm_90", SMB_OP_LD, 4, 32, 12, 0,
     "lanes fall into the same bank only if they are a multiple of "
     "32 / 1 = 32 apart, and no two of these are.",
     0x0000ff0fu},
    {"sm_30_8B", SMB_OP_LD, 1, 4, 5, 16, "The step within a run is less than a word of 8 bytes"},
    // The first devices: parts of a word have addresses of their own; a wide access has several words.
    {"sm_10", SMB_OP_ST, 1, 2, 0, 1, "Lanes 0-15 access 8 different addresses in banks 0-1."},
    {"sm_10", SMB_OP_LD, 8, 32, 264, 0, "Lanes 0-15 access 32 different words of all 16 banks."},
};

START_TEST(test_reasons) {
  const Reason *c = &reasons[_i];
  g_autoptr(SmbArch) arch = smb_arch_load(c->arch, NULL);
  SmbRequest request = {
      .mask = c->mask ? c->mask : 0xffffffffu, .op = (guint8)c->op, .width = (guint8)c->width};
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    request.offset[lane] = lane % c->run * c->stride + lane / c->run * c->run_stride;
  g_auto(Fixture) fixture;
  fixture_init(&fixture, arch, &request);
  g_autofree char *reason = smb_explain_reason(&fixture.e);
  ck_assert_msg(strstr(reason, c->says) != NULL, "'%s' does not say '%s'", reason, c->says);
}
END_TEST

START_TEST(test_sets) {
  static const struct {
    SmbLanes set;
    guint n_banks;
    const char *lanes, *banks;
  } sets[] = {
      {0x00000001u, 32, "lane 0", "bank 0"},
      {0x80000000u, 32, "lane 31", "bank 31"},
      {0x00010002u, 32, "lanes 1 and 16", "banks 1 and 16"},
      {0x0000fffeu, 32, "lanes 1-15", "banks 1-15"},
      {0x00000155u, 32, "lanes 0, 2, 4, ..., 8", "banks 0, 2, 4, ..., 8"},
      {0x55555555u, 32, "lanes 0, 2, 4, ..., 30", "the 16 even banks"},
      {0xaaaaaaaau, 32, "lanes 1, 3, 5, ..., 31", "the 16 odd banks"},
      {0x0000aaaau, 16, "lanes 1, 3, 5, ..., 15", "the 8 odd banks"},
      {0x11111111u, 32, "lanes 0, 4, 8, ..., 28", "banks 0, 4, 8, ..., 28"},
      {0x00000111u, 32, "lanes 0, 4 and 8", "banks 0, 4 and 8"},
      {0xffffffffu, 32, "lanes 0-31", "all 32 banks"},
      {0x0000ffffu, 16, "lanes 0-15", "all 16 banks"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(sets); i++) {
    g_autoptr(GString) lanes = g_string_new(NULL);
    g_autoptr(GString) banks = g_string_new(NULL);
    smb_describe_lanes(lanes, sets[i].set);
    smb_describe_banks(banks, sets[i].set, sets[i].n_banks);
    ck_assert_str_eq(lanes->str, sets[i].lanes);
    ck_assert_str_eq(banks->str, sets[i].banks);
  }
}
END_TEST

Suite *
suite_explain(void) {
  Suite *suite = suite_create("explain");
  TCase *tcase = tcase_create("explain");
  tcase_add_test(tcase, test_random);
  tcase_add_loop_test(tcase, test_reasons, 0, G_N_ELEMENTS(reasons));
  tcase_add_test(tcase, test_sets);
  suite_add_tcase(suite, tcase);
  return suite;
}
