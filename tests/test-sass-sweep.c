// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions and operators of CUDA's headers as machine code of each chip, which tests/sass-sweep.py compiled, compared with the host,
// and chose for the forms of instructions that are in them: they leave what they left then. tests/data/sass/sweep has the kernels, and
// digests of their results.
#include <check.h>

#include "tests/sass-data.h"
#include "tests/suite.h"
#include "tests/sweep-run.h"

static const struct {
  const char *chip, *level;
} recorded[] = {
#define SASS_SWEEP(chip, level) {chip, level},
#include "tests/sass-sweep.def"
};

START_TEST(is_as_recorded) {
  const char *chip = recorded[_i].chip;
  g_autofree char *name = g_strdup_printf("sweep/%s.%s", chip, recorded[_i].level);
  g_autofree char *cubin_name = g_strdup_printf("%s.cubin", name);
  g_autofree char *text_name = g_strdup_printf("%s.txt", name);
  g_autoptr(GBytes) cubin = sass_data_read(cubin_name), text = sass_data_read(text_name);
  g_autofree char *manifest = g_strndup(g_bytes_get_data(text, NULL), g_bytes_get_size(text));
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_new_any(cubin_name, cubin, &error);
  ck_assert_msg(!error, "%s", error ? error->message : "");
  Sweep *sweep = sweep_new(manifest, sass_data_read("sweep/inputs"), g_bytes_new(NULL, 0));
  ck_assert_msg(sweep != NULL && sweep->cases->len > 0, "%s", text_name);
  g_autoptr(GString) wrong = g_string_new(NULL);
  for (guint i = 0; i < sweep->cases->len; i++) {
    const SweepCase *kernel = sweep->cases->pdata[i];
    SweepResult result = sweep_run(sweep, kernel, source, chip);
    if (result.refused)
      g_string_append_printf(wrong, "\n%s: %s", kernel->name, result.refused);
    else if (result.unknown > 0)
      g_string_append_printf(wrong, "\n%s: %s", kernel->name, result.example);
    else if (result.wrong > 0)
      g_string_append_printf(wrong, "\n%s: other results", kernel->name);
    sweep_result_clear(&result);
  }
  sweep_free(sweep);
  ck_assert_msg(wrong->len == 0, "%s:%s", name, wrong->str);
}
END_TEST

Suite *
suite_sass_sweep(void) {
  Suite *suite = suite_create("sass-sweep");
  TCase *tcase = tcase_create("sass-sweep");
  tcase_set_timeout(tcase, 300);
  tcase_add_loop_test(tcase, is_as_recorded, 0, G_N_ELEMENTS(recorded));
  suite_add_tcase(suite, tcase);
  return suite;
}
