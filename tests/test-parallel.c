// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Work in several threads: each item is done once, in whatever threads there are; where none can be had, by who asks.
#include "config.h"

#include "sim/base/parallel.h"

#include <pthread.h>

#include "tests/suite.h"

enum {
  MAX_ITEMS = 1000,
};

typedef struct {
  gint done[MAX_ITEMS]; // atomic: how often
  GThread *asked;
  gint elsewhere; // atomic: items that were done in another thread
  gint barrier;   // atomic: items that wait until as many others have begun
} Work;

static void
do_item(gpointer user, guint item) {
  Work *work = user;
  g_atomic_int_inc(&work->done[item]);
  if (g_thread_self() != work->asked)
    g_atomic_int_inc(&work->elsewhere);
}

static void
check_done(const Work *work, guint n_items) {
  for (guint i = 0; i < MAX_ITEMS; i++)
    ck_assert_int_eq(work->done[i], i < n_items);
}

static const struct {
  guint n_items;
  guint n_threads;
} sizes[] = {{0, 0}, {0, 4}, {1, 0},         {1, 1},        {1, 8},
             {2, 2}, {7, 3}, {MAX_ITEMS, 1}, {MAX_ITEMS, 8}};

START_TEST(each_item_once) {
  Work work = {.asked = g_thread_self()};
  smb_parallel_run(sizes[_i].n_items, sizes[_i].n_threads, do_item, &work);
  check_done(&work, sizes[_i].n_items);
  if (sizes[_i].n_threads < 2)
    ck_assert_int_eq(work.elsewhere, 0);
}
END_TEST

START_TEST(each_item_once_in_the_background) {
  Work work = {.asked = g_thread_self()};
  smb_parallel_finish(smb_parallel_start(sizes[_i].n_items, sizes[_i].n_threads, do_item, &work));
  check_done(&work, sizes[_i].n_items);
}
END_TEST

// Waits for all others: with fewer threads than items it would not end.
static void
meet(gpointer user, guint item) {
  Work *work = user;
  g_atomic_int_inc(&work->done[item]);
  g_atomic_int_inc(&work->barrier);
  while (g_atomic_int_get(&work->barrier) < 3)
    g_thread_yield();
}

START_TEST(as_many_threads_as_asked_for) {
  Work work = {.asked = g_thread_self()};
  smb_parallel_run(3, 3, meet, &work);
  check_done(&work, 3);
}
END_TEST

// Threads whose stacks are larger than any address space cannot be had.
static gpointer
do_nothing(gpointer data) {
  return data;
}

static pthread_attr_t usual;

static void
forbid_threads(void) {
  pthread_attr_t attributes;
  ck_assert_int_eq(pthread_getattr_default_np(&usual), 0);
  pthread_attr_init(&attributes);
  ck_assert_int_eq(pthread_attr_setstacksize(&attributes, (size_t)1 << 60), 0);
  ck_assert_int_eq(pthread_setattr_default_np(&attributes), 0);
  pthread_attr_destroy(&attributes);
  ck_assert_ptr_null(g_thread_try_new("none", do_nothing, NULL, NULL));
}

static void
allow_threads(void) {
  ck_assert_int_eq(pthread_setattr_default_np(&usual), 0);
}

START_TEST(without_threads) {
  Work work = {.asked = g_thread_self()};
  smb_parallel_run(sizes[_i].n_items, sizes[_i].n_threads, do_item, &work);
  check_done(&work, sizes[_i].n_items);
  ck_assert_int_eq(work.elsewhere, 0);
}
END_TEST

START_TEST(without_threads_in_the_background) {
  Work work = {.asked = g_thread_self()};
  SmbParallel *parallel =
      smb_parallel_start(sizes[_i].n_items, sizes[_i].n_threads, do_item, &work);
  check_done(&work, 0);
  smb_parallel_finish(parallel);
  check_done(&work, sizes[_i].n_items);
  ck_assert_int_eq(work.elsewhere, 0);
}
END_TEST

Suite *
suite_parallel(void) {
  Suite *suite = suite_create("parallel");
  TCase *tcase = tcase_create("parallel");
  tcase_add_loop_test(tcase, each_item_once, 0, G_N_ELEMENTS(sizes));
  tcase_add_loop_test(tcase, each_item_once_in_the_background, 0, G_N_ELEMENTS(sizes));
  tcase_add_test(tcase, as_many_threads_as_asked_for);
  suite_add_tcase(suite, tcase);
  TCase *alone = tcase_create("alone");
  tcase_add_checked_fixture(alone, forbid_threads, allow_threads);
  tcase_add_loop_test(alone, without_threads, 0, G_N_ELEMENTS(sizes));
  tcase_add_loop_test(alone, without_threads_in_the_background, 0, G_N_ELEMENTS(sizes));
  suite_add_tcase(suite, alone);
  return suite;
}
