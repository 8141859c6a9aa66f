// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How blocks of different lengths share multiprocessors, beside a model that takes small steps of time.
#include <check.h>
#include <math.h>

#include "sim/time/grid/balance.h"
#include "tests/effort.h"
#include "tests/suite.h"

enum {
  MOST_BLOCKS = 60,
  MOST_PROCESSORS = 5,
  MOST_RESIDENT = 4,
};

// What is left of each block that a multiprocessor has; 0: room for one.
typedef struct {
  double left[MOST_RESIDENT];
} Room;

// The same by steps of time, of which each is @step: a block begins where the fewest are resident.
static double
walk_through_time(const SmbBalance *balance, const double *lengths, guint n, guint processors,
                  double step) {
  Room rooms[MOST_PROCESSORS] = {0};
  guint begun = 0, running = 0;
  double now = 0;
  for (; begun < n || running > 0; now += step) {
    for (guint k = 0; k < balance->resident; k++) {
      for (guint p = 0; p < processors && begun < n; p++) {
        if (rooms[p].left[k] > 0)
          continue;
        rooms[p].left[k] = lengths[begun++] + balance->begin;
        running++;
      }
    }
    for (guint p = 0; p < processors; p++) {
      guint resident = 0;
      for (guint k = 0; k < balance->resident; k++)
        resident += rooms[p].left[k] > 0;
      for (guint k = 0; k < balance->resident; k++) {
        if (rooms[p].left[k] <= 0)
          continue;
        rooms[p].left[k] -= step * fmin(balance->alone, balance->together / resident);
        running -= rooms[p].left[k] <= 0;
      }
    }
  }
  return now;
}

START_TEST(blocks_end_when_they_do_step_by_step) {
  g_autoptr(GRand) random = g_rand_new_with_seed(17);
  for (guint round = 0; round < effort(500); round++) {
    guint n = (guint)g_rand_int_range(random, 1, MOST_BLOCKS + 1);
    guint processors = (guint)g_rand_int_range(random, 1, MOST_PROCESSORS + 1);
    SmbBalance balance = {.resident = (guint)g_rand_int_range(random, 1, MOST_RESIDENT + 1),
                          .begin = g_rand_double_range(random, 0, 50),
                          .alone = g_rand_double_range(random, 0.2, 2)};
    balance.together = balance.alone * g_rand_double_range(random, 1, balance.resident + 0.5);
    double lengths[MOST_BLOCKS];
    for (guint i = 0; i < n; i++)
      lengths[i] = g_rand_int_range(random, 0, 8) ? g_rand_double_range(random, 100, 300) : 3000;
    const double step = 0.25;
    double expected = walk_through_time(&balance, lengths, n, processors, step);
    double cycles = smb_balance_cycles(&balance, lengths, n, processors);
    // Each block may end a step later there, so that another one begins elsewhere.
    double slack = (n + 1) * step;
    if (processors == 1 || n <= processors * balance.resident)
      ck_assert_msg(fabs(cycles - expected) <= slack, "round %u: %g cycles, step by step %g", round,
                    cycles, expected);
    // Nobody is faster than the longest block by itself, nor than all together.
    double sum = 0, longest = 0;
    for (guint i = 0; i < n; i++) {
      sum += lengths[i] + balance.begin;
      longest = fmax(longest, lengths[i] + balance.begin);
    }
    double least = fmax(longest / balance.alone, sum / (balance.together * processors));
    ck_assert_msg(cycles >= least * 0.999999, "round %u: %g cycles of %g", round, cycles, least);
    ck_assert_msg(cycles <= longest / balance.alone * n + 1, "round %u: %g", round, cycles);
  }
}
END_TEST

START_TEST(equal_blocks_take_their_turns) {
  const SmbBalance balance = {.resident = 2, .begin = 0, .alone = 1, .together = 1};
  const double lengths[] = {100, 100, 100, 100, 100};
  // Two at a time share what one of them could execute by itself.
  ck_assert_double_eq_tol(smb_balance_cycles(&balance, lengths, 5, 1), 500, 1e-9);
  // Three on one multiprocessor: two together, then the last one alone.
  ck_assert_double_eq_tol(smb_balance_cycles(&balance, lengths, 5, 2), 300, 1e-9);
}
END_TEST

START_TEST(a_long_block_at_the_end_runs_alone) {
  const SmbBalance balance = {.resident = 4, .begin = 0, .alone = 1, .together = 2};
  const double lengths[] = {100, 100, 100, 1000};
  // Four at 0.5 a cycle for 200 cycles; the rest of the last one at 1.
  ck_assert_double_eq_tol(smb_balance_cycles(&balance, lengths, 4, 1), 200 + 900, 1e-9);
}
END_TEST

START_TEST(what_blocks_take_is_fitted) {
  g_autoptr(GRand) random = g_rand_new_with_seed(18);
  for (guint round = 0; round < effort(200); round++) {
    SmbBalance balance = {.resident = 4,
                          .begin = g_rand_double_range(random, 1, 500),
                          .alone = 1,
                          .together = g_rand_double_range(random, 1, 4)};
    double lengths[16];
    for (guint i = 0; i < G_N_ELEMENTS(lengths); i++)
      lengths[i] = g_rand_double_range(random, 10, 1000);
    double cycles = smb_balance_cycles(&balance, lengths, G_N_ELEMENTS(lengths), 1);
    SmbBalance fitted = {.resident = 4, .alone = 1, .together = balance.together};
    smb_balance_fit(&fitted, lengths, G_N_ELEMENTS(lengths), cycles);
    ck_assert_double_eq_tol(fitted.begin, balance.begin, 1e-3 * balance.begin);
    // Blocks that take less than their lengths say: what they do is as much faster, and what a longer one does beyond that is not.
    smb_balance_fit(&fitted, lengths, G_N_ELEMENTS(lengths), 10);
    ck_assert_double_eq_tol(smb_balance_cycles(&fitted, lengths, G_N_ELEMENTS(lengths), 1), 10,
                            1e-6);
    double longest = 0;
    for (guint i = 0; i < G_N_ELEMENTS(lengths); i++)
      longest = fmax(longest, lengths[i]);
    double beyond = 5 * longest;
    ck_assert_double_ge(smb_balance_cycles(&fitted, &beyond, 1, 1), 4 * longest);
    ck_assert_double_lt(smb_balance_cycles(&fitted, &beyond, 1, 1), 4 * longest + 10);
  }
}
END_TEST

Suite *
suite_balance(void) {
  Suite *suite = suite_create("balance");
  TCase *cases = tcase_create("blocks");
  tcase_add_test(cases, blocks_end_when_they_do_step_by_step);
  tcase_add_test(cases, equal_blocks_take_their_turns);
  tcase_add_test(cases, a_long_block_at_the_end_runs_alone);
  tcase_add_test(cases, what_blocks_take_is_fitted);
  suite_add_tcase(suite, cases);
  return suite;
}
