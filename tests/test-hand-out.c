// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which multiprocessor gets how many of the blocks that are left after a wave, beside a list of all ends.
#include <check.h>
#include <stdlib.h>

#include "sim/time/grid/hand-out.h"
#include "tests/suite.h"

static gint
compare_doubles(gconstpointer a, gconstpointer b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// How many of the rest the first of two multiprocessors gets, of which the other one is so much slower: by a list of all ends.
static guint
count_first_in_list(const double *ends, guint resident, guint rest, double slower) {
  double all[2 * 8] = {0};
  for (guint i = 0; i < resident; i++) {
    all[i] = ends[i];
    all[resident + i] = ends[i] * slower;
  }
  qsort(all, 2 * resident, sizeof(double), compare_doubles);
  guint n = 0;
  while (n < resident && ends[n] <= all[rest - 1])
    n++;
  return n;
}

START_TEST(the_rest_goes_to_who_is_ahead) {
  const double together[] = {100, 100, 100, 100}, apart[] = {100, 200, 300, 400};
  // Of 132 that end at the same time the first one gets a block for each of its places, else one after the other.
  ck_assert_uint_eq(smb_hand_out_most(together, 4, 100, 132, 0.02), 4);
  ck_assert_uint_eq(smb_hand_out_most(apart, 4, 100, 132, 0.02), 1);
  ck_assert_uint_eq(smb_hand_out_most(apart, 4, 132, 132, 0.02), 1);
  ck_assert_uint_eq(smb_hand_out_most(apart, 4, 133, 132, 0.02), 2);
  ck_assert_uint_eq(smb_hand_out_most(apart, 4, 3 * 132, 132, 0.02), 3);
  // Two are as far apart as the quartiles of a normal distribution.
  const double spread = 0.05, quartile = 0.6744897501960817;
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  for (guint i = 0; i < 200; i++) {
    double ends[8];
    for (guint b = 0; b < 8; b++)
      ends[b] = g_rand_double_range(random, 100, 120);
    qsort(ends, 8, sizeof(double), compare_doubles);
    double slower = (1 + spread * quartile) / (1 - spread * quartile);
    guint rest = (guint)g_rand_int_range(random, 1, 16);
    ck_assert_uint_eq(smb_hand_out_most(ends, 8, rest, 2, spread),
                      count_first_in_list(ends, 8, rest, slower));
  }
}
END_TEST

Suite *
suite_hand_out(void) {
  Suite *suite = suite_create("hand-out");
  TCase *tcase = tcase_create("hand-out");
  tcase_add_test(tcase, the_rest_goes_to_who_is_ahead);
  suite_add_tcase(suite, tcase);
  return suite;
}
