// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a block has asked for, and what of it the second-level cache has lost, beside a list of all that it has asked for.
#include <check.h>

#include "sim/time/replay/block-lines.h"
#include "tests/effort.h"
#include "tests/suite.h"

enum {
  N_LINES = 400,
  REACH = 150, // pairs of sectors
};

typedef struct {
  guint64 line;
  guint8 pairs;
  gboolean stores;
  gboolean asks;  // the second-level cache, or it is the first time
  guint64 filled; // pairs that had come into the second-level cache before
} Touch;

// The last time that a line was asked for, or stored to; NULL: there was none.
static const Touch *
find_last(const GArray *touches, guint64 line, gboolean stores) {
  for (guint i = touches->len; i > 0; i--) {
    const Touch *touch = &g_array_index(touches, Touch, i - 1);
    if (touch->line == line && touch->asks && (touch->stores || !stores))
      return touch;
  }
  return NULL;
}

// Pairs of a line that were touched, or stored to.
static guint8
find_pairs(const GArray *touches, guint64 line, gboolean stores) {
  guint8 pairs = 0;
  for (guint i = 0; i < touches->len; i++) {
    const Touch *touch = &g_array_index(touches, Touch, i);
    pairs |= touch->line == line && (touch->stores || !stores) ? touch->pairs : 0;
  }
  return pairs;
}

static SmbAskedPairs
expect_pairs(const GArray *touches, const Touch *touch, guint8 missing, double reach) {
  guint8 before = find_pairs(touches, touch->line, touch->stores);
  const Touch *last = find_last(touches, touch->line, touch->stores);
  gboolean lost = last && (double)(touch->filled - last->filled) > reach;
  return (SmbAskedPairs){.news = missing & (guint8)~before, .lost = lost ? missing & before : 0};
}

// How many pairs come into the cache for a store.
static guint
count_filled(const GArray *touches, const Touch *touch, double reach) {
  const Touch *last = find_last(touches, touch->line, FALSE);
  gboolean lost = last && (double)(touch->filled - last->filled) > reach;
  guint8 there = lost ? 0 : find_pairs(touches, touch->line, FALSE);
  return (guint)__builtin_popcount(touch->pairs & (guint8)~there);
}

static void
check_lines(double reach) {
  static const guint8 pairs[] = {1, 4, 5};
  g_autoptr(GArray) touches = g_array_new(FALSE, FALSE, sizeof(Touch));
  g_autoptr(GRand) random = g_rand_new_with_seed(20261201);
  SmbBlockLines *lines = smb_block_lines_new(reach);
  guint64 filled = 0, lost = 0;
  for (guint turn = 0; turn < effort(20000); turn++) {
    Touch touch = {.line = (guint64)g_rand_int_range(random, 0, turn / 500 % 2 ? 20 : N_LINES),
                   .pairs = pairs[g_rand_int_range(random, 0, 3)],
                   .stores = g_rand_int_range(random, 0, 3) == 0,
                   .filled = filled};
    gboolean is_near = g_rand_int_range(random, 0, 4) == 0; // the first-level cache has it
    guint8 missing = is_near && !touch.stores ? 0 : touch.pairs;
    touch.asks = missing || (touch.pairs & (guint8)~find_pairs(touches, touch.line, FALSE));
    SmbAskedPairs expected = expect_pairs(touches, &touch, missing, reach);
    SmbAskedPairs found = touch.stores
                              ? smb_block_lines_store(lines, touch.line, touch.pairs)
                              : smb_block_lines_ask(lines, touch.line, touch.pairs, missing);
    ck_assert_uint_eq(found.news, expected.news);
    ck_assert_uint_eq(found.lost, expected.lost);
    lost += found.lost != 0;
    guint came = touch.stores ? count_filled(touches, &touch, reach)
                              : (guint)__builtin_popcount(expected.news | expected.lost);
    touch.filled = filled += came;
    g_array_append_val(touches, touch);
  }
  ck_assert((lost > 0) == (reach < G_MAXDOUBLE));
  smb_block_lines_free(lines);
}

START_TEST(lines_are_those_of_a_list) {
  check_lines(REACH);
  check_lines(G_MAXDOUBLE);
}
END_TEST

// Passes over a row: all of it is lost each time if it is longer than what stays, and nothing if it is not.
START_TEST(passes_lose_all_or_nothing) {
  for (guint64 n = REACH - 10; n <= REACH + 10; n += 20) {
    SmbBlockLines *lines = smb_block_lines_new(REACH);
    guint lost = 0;
    for (guint pass = 0; pass < 3; pass++)
      for (guint64 line = 0; line < n; line++)
        lost += smb_block_lines_ask(lines, line, 1, 1).lost;
    ck_assert_uint_eq(lost, n > REACH ? 2 * n : 0);
    smb_block_lines_free(lines);
  }
}
END_TEST

Suite *
suite_block_lines(void) {
  Suite *suite = suite_create("block-lines");
  TCase *tcase = tcase_create("block-lines");
  tcase_add_test(tcase, lines_are_those_of_a_list);
  tcase_add_test(tcase, passes_lose_all_or_nothing);
  suite_add_tcase(suite, tcase);
  return suite;
}
