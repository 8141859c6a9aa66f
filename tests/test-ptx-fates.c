// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What becomes of each instruction of PTX: forms of all of them (tests/ptx-fates.def), and the table of doc/compiled.md, which
// has those and no others.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ptx-fates.h"
#include "tests/suite.h"

typedef struct {
  const char *name, *instruction, *fate;
} Form;

static const Form forms[] = {
#include "tests/ptx-fates.def"
};

// How the table of the documentation calls them.
static const struct {
  const char *fate, *row;
} rows[] = {
    {"exact", "executed as the device does"},
    {"requests", "the requests are counted, the values are not known"},
    {"nothing", "changes nothing that is counted"},
    {"measured", "known of sm_90, where it was measured; elsewhere the result is not known"},
    {"unknown", "the result is not known"},
};

START_TEST(has_its_fate) {
  const Form *form = &forms[_i];
  g_autofree char *message = NULL;
  const char *fate = ptx_fate(form->instruction, &message);
  ck_assert_msg(strcmp(fate, form->fate) == 0, "%s: %s (%s)", form->instruction, fate,
                message ? message : "");
}
END_TEST

// The names of a row of the table, between blanks.
static char *
read_row(const char *text, const char *row) {
  g_autofree char *start = g_strdup_printf("\n| %s | ", row);
  const char *at = strstr(text, start);
  GString *names = g_string_new(" ");
  ck_assert_msg(at != NULL, "there is no row '%s'", row);
  for (at += strlen(start); *at != '\n'; at++) {
    if (*at == '`')
      g_string_append_c(names, ' ');
    else if (*at != '|')
      g_string_append_c(names, *at);
  }
  return g_string_free(names, FALSE);
}

START_TEST(is_documented) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path = g_build_filename(folder ? folder : ".", "doc", "compiled.md", NULL);
  g_autofree char *text = NULL;
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  for (guint r = 0; r < G_N_ELEMENTS(rows); r++) {
    g_autofree char *row = read_row(text, rows[r].row);
    g_autoptr(GString) rest = g_string_new(row);
    for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
      if (strcmp(forms[i].fate, rows[r].fate) != 0)
        continue;
      g_autofree char *name = g_strdup_printf(" %s ", forms[i].name);
      ck_assert_msg(strstr(row, name) != NULL, "%s: not in the row '%s'", name, rows[r].row);
      g_string_replace(rest, name, " ", 0);
    }
    g_strstrip(rest->str);
    ck_assert_msg(rest->str[0] == '\0', "'%s': no test of %s", rows[r].row, rest->str);
  }
}
END_TEST

Suite *
suite_ptx_fates(void) {
  Suite *suite = suite_create("ptx-fates");
  TCase *tests = tcase_create("ptx-fates");
  tcase_add_loop_test(tests, has_its_fate, 0, G_N_ELEMENTS(forms));
  tcase_add_test(tests, is_documented);
  suite_add_tcase(suite, tests);
  return suite;
}
