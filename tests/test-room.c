// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How much memory the groups of a process leave it.
#include "sim/base/room.h"

#include <check.h>
#include <glib/gstdio.h>

#include "tests/suite.h"

static const struct {
  const char *folder, *file, *text;
} limits[] = {
    {"", "memory.max", "9000\n"},
    {"user", "memory.max", "7000\n"},
    {"user/job", "memory.max", "max\n"},
    {"user/job/step", "memory.max", "5000\n"},
    {"memory", "memory.limit_in_bytes", "4000\n"},
    {"memory/job", "memory.limit_in_bytes", "3000\n"},
    {"memory/unlimited", "memory.limit_in_bytes", "9223372036854771712\n"},
};

static const struct {
  const char *groups;
  guint64 bytes;
} processes[] = {
    {"", 9000},
    {"0::/\n", 9000},
    {"0::/user/job\n", 7000},
    {"0::/user/job/step\n", 5000},
    {"0::/outside/of/the/container\n", 9000},
    {"4:memory:/job\n1:cpu:/user\n0::/\n", 3000},
    {"4:cpu,memory:/outside\n", 4000},
    {"4:memory:/unlimited\n", 4000},
    {"4:cpu:/job\n", 9000},
    {"nothing:that\nis known", 9000},
};

START_TEST(test_groups) {
  g_autofree char *root = g_dir_make_tmp("smembank-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(limits); i++) {
    g_autofree char *folder = g_build_filename(root, limits[i].folder, NULL);
    g_autofree char *file = g_build_filename(folder, limits[i].file, NULL);
    ck_assert_int_eq(g_mkdir_with_parents(folder, 0700), 0);
    ck_assert(g_file_set_contents(file, limits[i].text, -1, NULL));
  }
  for (guint i = 0; i < G_N_ELEMENTS(processes); i++)
    ck_assert_msg(smb_room_group_limit(root, processes[i].groups) == processes[i].bytes, "%s",
                  processes[i].groups);
  for (guint i = G_N_ELEMENTS(limits); i-- > 0;) {
    g_autofree char *folder = g_build_filename(root, limits[i].folder, NULL);
    g_autofree char *file = g_build_filename(folder, limits[i].file, NULL);
    g_unlink(file);
    g_rmdir(folder);
  }
  ck_assert_uint_eq(smb_room_group_limit(root, "0::/user/job\n"), G_MAXUINT64);
}
END_TEST

START_TEST(test_available) {
  ck_assert_uint_gt(smb_room_available(), 0);
  ck_assert_uint_le(smb_room_available(), smb_room_bytes());
}
END_TEST

Suite *
suite_room(void) {
  Suite *suite = suite_create("room");
  TCase *tcase = tcase_create("room");
  tcase_add_test(tcase, test_groups);
  tcase_add_test(tcase, test_available);
  suite_add_tcase(suite, tcase);
  return suite;
}
