// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Things that are made once, and how long they are kept.
#include <check.h>

#include "sim/capture/once.h"
#include "tests/suite.h"

static gpointer
make_number(gpointer user, GError **error) {
  guint *n_made = user;
  (void)error;
  ++*n_made;
  return g_rc_box_dup(sizeof *n_made, n_made);
}

static gsize
ten(gconstpointer thing) {
  (void)thing;
  return 10;
}

static guint
ask(SmbOnce *once, const char *key, guint *n_made) {
  guint *thing = smb_once_get(once, key, make_number, n_made, NULL);
  guint number = *thing;
  g_rc_box_release(thing);
  return number;
}

// What was asked for the longest time ago is made again.
START_TEST(kept_as_long_as_there_is_room) {
  static const SmbOnceKind kind = {g_rc_box_acquire, g_rc_box_release, ten};
  static const struct {
    gsize room;
    guint made[6]; // which one is had of a, b, a, c, a, b
  } cases[] = {{30, {1, 2, 1, 3, 1, 2}}, {20, {1, 2, 1, 3, 1, 4}}, {5, {1, 2, 3, 4, 5, 6}}};
  static const char *const keys[] = {"a", "b", "a", "c", "a", "b"};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint n_made = 0;
    SmbOnce *once = smb_once_new(&kind, cases[i].room);
    for (guint k = 0; k < G_N_ELEMENTS(keys); k++)
      ck_assert_uint_eq(ask(once, keys[k], &n_made), cases[i].made[k]);
    ck_assert_uint_eq(ask(once, "b", &n_made), cases[i].made[5]); // the last one, in any room
    smb_once_free(once);
  }
}
END_TEST

Suite *
suite_once(void) {
  Suite *suite = suite_create("once");
  TCase *tcase = tcase_create("once");
  tcase_add_test(tcase, kept_as_long_as_there_is_room);
  suite_add_tcase(suite, tcase);
  return suite;
}
