// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the multi-function unit of a device made (tests/data/multifunction.txt) is what ours makes.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/compute/multifunction.h"
#include "tests/suite.h"

static const struct {
  const char *name;
  guint32 (*function)(guint32 a);
} functions[] = {{"rcp", smb_mufu_rcp}, {"rsq", smb_mufu_rsq},       {"sqrt", smb_mufu_sqrt},
                 {"ex2", smb_mufu_ex2}, {"lg2", smb_mufu_lg2},       {"sin", smb_mufu_sin},
                 {"cos", smb_mufu_cos}, {"rcp64h", smb_mufu_rcp64h}, {"rsq64h", smb_mufu_rsq64h}};

START_TEST(makes_what_a_device_made) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path =
      g_build_filename(folder ? folder : ".", "tests", "data", "multifunction.txt", NULL);
  g_autofree char *text = NULL;
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  guint compared = 0;
  for (guint i = 0; lines[i]; i++) {
    g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);
    if (!g_str_equal(functions[_i].name, words[0] ? words[0] : ""))
      continue;
    guint32 operand = (guint32)strtoul(words[1], NULL, 16);
    guint32 result = functions[_i].function(operand);
    ck_assert_msg(result == strtoul(words[2], NULL, 16), "%s: we make %08x", lines[i], result);
    compared++;
  }
  ck_assert_uint_eq(compared, 512);
}
END_TEST

Suite *
suite_multifunction(void) {
  Suite *suite = suite_create("multifunction");
  TCase *tests = tcase_create("multifunction");
  tcase_add_loop_test(tests, makes_what_a_device_made, 0, G_N_ELEMENTS(functions));
  suite_add_tcase(suite, tests);
  return suite;
}
