// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The seeds of the fuzzers (tests/fuzz), among them what was once found: each is read here as well, without a fuzzer.
#include <check.h>

#include "tests/fuzz/targets.h"
#include "tests/suite.h"

static const struct {
  const char *name;
  void (*run)(const guint8 *data, gsize size);
} targets[] = {
#define TARGET(name) {#name, fuzz_##name},
#include "tests/fuzz/targets.def"
#undef TARGET
};

START_TEST(test_seeds) {
  const char *source = g_getenv("srcdir");
  g_autofree char *folder =
      g_build_filename(source ? source : ".", "tests/fuzz/seeds", targets[_i].name, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GDir) seeds = g_dir_open(folder, 0, &error);
  ck_assert_msg(seeds != NULL, "%s", error ? error->message : "");
  const char *name;
  guint n = 0;
  while ((name = g_dir_read_name(seeds))) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *text = NULL;
    gsize length;
    ck_assert(g_file_get_contents(path, &text, &length, NULL));
    targets[_i].run((const guint8 *)text, length);
    n++;
  }
  ck_assert_uint_gt(n, 0);
}
END_TEST

Suite *
suite_fuzz(void) {
  Suite *suite = suite_create("fuzz");
  TCase *tcase = tcase_create("fuzz");
  tcase_add_loop_test(tcase, test_seeds, 0, G_N_ELEMENTS(targets));
  suite_add_tcase(suite, tcase);
  return suite;
}
