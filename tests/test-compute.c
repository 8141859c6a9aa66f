// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What compiled code computes: every instruction of sim/ptx/instructions.def against the oracle, and against itself where
// bits are unknown.
#include <check.h>
#include <string.h>

#include "tests/compute-oracle.h"
#include "tests/compute-run.h"
#include "tests/suite.h"

enum {
  LANES = 64,
  ROUNDS = 20,
};

static void
fill(GRand *random, RunLane *run) {
  memset(run, 0, LANES * sizeof *run);
  for (guint lane = 0; lane < LANES; lane++) {
    for (guint i = 0; i < RUN_SOURCES; i++)
      run[lane].source[i] = runner_number(random);
    for (guint i = 0; i < RUN_PREDICATES; i++)
      run[lane].in[i] = g_rand_boolean(random);
    // Operands that are close, or alike.
    if (lane % 4 == 0)
      run[lane].source[1] = run[lane].source[0] + (guint64)g_rand_int_range(random, -1, 2);
    if (lane % 2 == 0) // amounts
      run[lane].source[1 + lane / 2 % 3] = (guint64)g_rand_int_range(random, 0, 70);
  }
}

static guint64
mask_bits(guint bits) {
  return bits >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << bits) - 1;
}

// What of the result is looked at: of 16 bits the whole row.
static guint64
result_mask(const char *opcode) {
  guint bits = oracle_result_bits(opcode);
  return bits == 0 ? 0 : mask_bits(MAX(bits, 32));
}

// --- known operands

static void
check_lane(const char *opcode, const RunLane *want, const RunLane *got, guint lane) {
  guint64 mask = result_mask(opcode);
  ck_assert_msg((want->d & mask) == (got->d & mask) && want->p == got->p && want->q == got->q,
                "%s, lane %u, of %" G_GINT64_MODIFIER "x, %" G_GINT64_MODIFIER
                "x, %" G_GINT64_MODIFIER "x, %" G_GINT64_MODIFIER "x: %" G_GINT64_MODIFIER
                "x %d %d, is %" G_GINT64_MODIFIER "x %d %d",
                opcode, lane, want->source[0], want->source[1], want->source[2], want->source[3],
                want->d & mask, want->p, want->q, got->d & mask, got->p, got->q);
  ck_assert_msg((got->d_unknown & mask) == 0 && !got->p_unknown && !got->q_unknown, "%s: unknown",
                opcode);
}

typedef struct {
  GRand *random;
  Runner *runner;
  guint n;
} Check;

static void
check_known(const char *opcode, gpointer user) {
  Check *check = user;
  ComputeForm form;
  ck_assert_msg(runner_find(opcode, 0, &form), "%s is not found", opcode);
  for (guint round = 0; round < ROUNDS; round++) {
    RunLane run[LANES], want[LANES];
    if (g_str_has_prefix(opcode, "lop3"))
      form.table = (guint8)g_rand_int(check->random);
    fill(check->random, run);
    memcpy(want, run, sizeof run);
    SmbLanes lanes = round % 2 ? G_MAXUINT64 : runner_number(check->random);
    runner_run(check->runner, &form, lanes, run);
    for (guint lane = 0; lane < LANES; lane++) {
      if (!(lanes >> lane & 1))
        want[lane].d = G_MAXUINT64; // as it was
      else if (!oracle_compute(opcode, form.table, &want[lane]))
        continue;
      else
        check->n++;
      check_lane(opcode, &want[lane], &run[lane], lane);
    }
  }
}

START_TEST(computes_known_values) {
  Check check = {g_rand_new_with_seed(1), runner_new(LANES), 0};
  runner_each_opcode(check_known, &check);
  ck_assert_uint_gt(check.n, 300000);
  runner_free(check.runner);
  g_rand_free(check.random);
}
END_TEST

// --- unknown bits

// All fillings of the unknown bits of one lane of operands, a lane each.
enum {
  MAX_UNKNOWN = 6 // 64 lanes
};

// Instructions that leave no bit unknown that their operands decide, if those of @amounts are known.
static const struct {
  const char *names;
  guint amounts; // operands, as bits
} exact[] = {
    {"and or xor not lop3 mov selp cvt add sub addc subc neg prmt brev setp set slct cnot", 0},
    {"shl shr szext", 2},
    {"shf", 4},
    {"bfe", 6},
    {"bfi", 12},
};

static gboolean
is_exact(const char *opcode, const RunLane *lane) {
  g_auto(GStrv) parts = g_strsplit(opcode, ".", -1);
  if (strstr(opcode, ".sat"))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(exact); i++) {
    g_auto(GStrv) names = g_strsplit(exact[i].names, " ", -1);
    if (!g_strv_contains((const char *const *)names, parts[0]))
      continue;
    for (guint j = 0; j < RUN_SOURCES; j++)
      if (exact[i].amounts >> j & 1 && lane->source_unknown[j])
        return FALSE;
    return TRUE;
  }
  return FALSE;
}

// Which operand of its kind it is.
static guint
count_before(const ComputeForm *form, guint operand) {
  guint n = 0;
  for (guint i = 0; i < operand; i++)
    n += form->operands[i].role == form->operands[operand].role;
  return n;
}

// Makes up to MAX_UNKNOWN bits of operands unknown, half of them low ones; returns how many.
static guint
forget_bits(GRand *random, const ComputeForm *form, RunLane *lane) {
  guint n = form->carries_in && g_rand_boolean(random);
  lane->in_unknown[0] = n > 0;
  for (guint i = n; i < MAX_UNKNOWN; i++) {
    guint k = (guint)g_rand_int_range(random, 0, form->n_operands);
    const FormOperand *operand = &form->operands[k];
    k = count_before(form, k);
    if (operand->role == ROLE_IN && !lane->in_unknown[k]) {
      lane->in_unknown[k] = TRUE;
      n++;
    }
    if (operand->role != ROLE_SOURCE)
      continue;
    guint bits = 8u * operand->bytes;
    guint bit = (guint)g_rand_int_range(random, 0, g_rand_boolean(random) ? 8 : (gint)bits);
    guint64 one = G_GUINT64_CONSTANT(1) << bit;
    n += (lane->source_unknown[k] & one) == 0;
    lane->source_unknown[k] |= one;
  }
  return n;
}

// One way to fill in what is unknown.
static RunLane
fill_in(const RunLane *lane, guint filling) {
  RunLane filled = *lane;
  guint k = 0;
  for (guint i = 0; i < RUN_SOURCES; i++)
    for (guint bit = 0; bit < 64; bit++) {
      guint64 one = G_GUINT64_CONSTANT(1) << bit;
      if (lane->source_unknown[i] & one)
        filled.source[i] = (filled.source[i] & ~one) | (filling >> k++ & 1 ? one : 0);
    }
  for (guint i = 0; i < RUN_PREDICATES; i++)
    if (lane->in_unknown[i])
      filled.in[i] = filling >> k++ & 1;
  memset(filled.source_unknown, 0, sizeof filled.source_unknown);
  memset(filled.in_unknown, 0, sizeof filled.in_unknown);
  return filled;
}

// Results of all fillings as if they were one: what is alike in all.
static RunLane
join_fillings(const RunLane *run, guint n) {
  RunLane joined = run[0];
  for (guint i = 1; i < n; i++) {
    joined.d_unknown |= run[i].d ^ run[0].d;
    joined.p_unknown |= run[i].p != run[0].p;
    joined.q_unknown |= run[i].q != run[0].q;
  }
  return joined;
}

static void
compare_unknown(const char *opcode, const RunLane *lane, const RunLane *want, const RunLane *got) {
  guint64 mask = result_mask(opcode);
  gboolean sound = ((want->d ^ got->d) & ~got->d_unknown & mask) == 0 &&
                   (want->d_unknown & ~got->d_unknown & mask) == 0 &&
                   (got->p_unknown || (!want->p_unknown && want->p == got->p)) &&
                   (got->q_unknown || (!want->q_unknown && want->q == got->q));
  gboolean tight = (got->d_unknown & ~want->d_unknown & mask) == 0 &&
                   got->p_unknown == want->p_unknown && got->q_unknown == want->q_unknown;
  if (sound && (tight || !is_exact(opcode, lane)))
    return;
  g_autoptr(GString) text = g_string_new(opcode);
  for (guint i = 0; i < RUN_SOURCES; i++)
    g_string_append_printf(text, " %" G_GINT64_MODIFIER "x/%" G_GINT64_MODIFIER "x",
                           lane->source[i], lane->source_unknown[i]);

  ck_abort_msg("%s %s: %" G_GINT64_MODIFIER "x/%" G_GINT64_MODIFIER
               "x %d/%d %d/%d, is %" G_GINT64_MODIFIER "x/%" G_GINT64_MODIFIER "x %d/%d %d/%d",
               sound ? "not exact:" : "wrong:", text->str, want->d & mask, want->d_unknown & mask,
               want->p, want->p_unknown, want->q, want->q_unknown, got->d & mask,
               got->d_unknown & mask, got->p, got->p_unknown, got->q, got->q_unknown);
}

static void
check_unknown(const char *opcode, gpointer user) {
  Check *check = user;
  ComputeForm form;
  ck_assert(runner_find(opcode, 0, &form));
  for (guint round = 0; round < 2 * ROUNDS; round++) {
    RunLane run[LANES], filled[LANES], lanes[LANES];
    guint n[LANES];
    fill(check->random, run);
    form.table = g_str_has_prefix(opcode, "lop3") ? (guint8)g_rand_int(check->random) : form.table;
    for (guint i = 0; i < LANES; i++) {
      n[i] = forget_bits(check->random, &form, &run[i]);
      lanes[i] = run[i];
    }
    runner_run(check->runner, &form, G_MAXUINT64, run);
    for (guint i = 0; i < LANES; i += 8) {
      for (guint j = 0; j < LANES; j++)
        filled[j] = fill_in(&lanes[i], j);
      runner_run(check->runner, &form, G_MAXUINT64, filled);
      RunLane want = join_fillings(filled, 1u << n[i]);
      compare_unknown(opcode, &lanes[i], &want, &run[i]);
      check->n++;
    }
  }
}

START_TEST(knows_what_unknown_bits_leave) {
  Check check = {g_rand_new_with_seed(2), runner_new(LANES), 0};
  runner_each_opcode(check_unknown, &check);
  ck_assert_uint_gt(check.n, 100000);
  runner_free(check.runner);
  g_rand_free(check.random);
}
END_TEST

Suite *
suite_compute(void) {
  Suite *suite = suite_create("compute");
  TCase *tcase = tcase_create("compute");
  tcase_add_test(tcase, computes_known_values);
  tcase_add_test(tcase, knows_what_unknown_bits_leave);
  suite_add_tcase(suite, tcase);
  return suite;
}
