// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What becomes of each instruction of PTX. Each line of sim/ptx/isa/instructions.def has an example (tests/ptx-examples.def) with the fate
// that the line says, no line is hidden by an earlier one, and the table of doc/compiled.md agrees.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/isa/instruction.h"
#include "tests/compute-run.h"
#include "tests/ptx-fates.h"
#include "tests/suite.h"

static const char *const examples[] = {
#include "tests/ptx-examples.def"
};

// How the table of the documentation calls them; NULL: it does not have them.
static const char *const rows[N_FATES] = {
    [FATE_EXACT] = "executed as the device does",
    [FATE_NOTHING] = "changes nothing that is counted",
    [FATE_APART] = "listed separately, since it makes no request of a warp (see below)",
    [FATE_MEASURED] = "known of sm_90, where it was measured; elsewhere the result is not known",
    [FATE_UNKNOWN] = "the result is not known",
};

// The parts of the opcode of the last instruction of a text.
static GStrv
split_opcode(const char *text) {
  g_auto(GStrv) statements = g_strsplit(text, ";", -1);
  const char *last = g_strchug(statements[g_strv_length(statements) - 2]);
  if (*last == '@')
    last = strchr(last, ' ') + 1;
  g_autofree char *opcode = g_strndup(last, strcspn(last, " "));
  return g_strsplit(opcode, ".", -1);
}

static guint
find_line(const char *example) {
  g_auto(GStrv) parts = split_opcode(example);
  return smb_ptx_find_line((const char *const *)parts);
}

START_TEST(has_its_fate) {
  const char *example = examples[_i];
  guint line = find_line(example);
  g_autofree char *message = NULL;
  ck_assert_msg(line != PTX_NO_LINE, "%s: it has no line in instructions.def", example);
  const char *expected = ptx_fate_name(smb_ptx_line(line)->fate);
  const char *fate = ptx_fate(example, &message);
  ck_assert_msg(strcmp(fate, expected) == 0, "%s: it is %s, and its line '%s' says %s (%s)",
                example, fate, smb_ptx_line(line)->words, expected, message ? message : "");
}
END_TEST

static gboolean
have_name(const PtxLine *a, const PtxLine *b) {
  gsize length = strcspn(a->words, " ");
  return strncmp(a->words, b->words, length) == 0 && strcspn(b->words, " ") == length;
}

// One example is enough for computations with the same name and fate: tests/test-compute.c runs all types.
START_TEST(has_an_example) {
  for (guint i = 0; i < smb_ptx_n_lines(); i++) {
    const PtxLine *line = smb_ptx_line(i);
    gboolean found = line->fate == FATE_REFUSED || (line->operands && line->operands[0] == '*');
    for (guint e = 0; e < G_N_ELEMENTS(examples) && !found; e++) {
      guint other = find_line(examples[e]);
      const PtxLine *its = smb_ptx_line(other);
      found = other == i ||
              (line->more && its->more && its->fate == line->fate && have_name(line, its));
    }
    ck_assert_msg(found, "tests/ptx-examples.def has no instruction of the line '%s'", line->words);
  }
}
END_TEST

typedef struct {
  guint line;
  gboolean found;
} Reached;

static void
look(const char *opcode, gpointer user) {
  Reached *reached = user;
  g_auto(GStrv) parts = g_strsplit(opcode, ".", -1);
  reached->found = reached->found || smb_ptx_find_line((const char *const *)parts) == reached->line;
}

static void
look_alone(const char *opcode, gpointer user) {
  const Reached *reached = user;
  g_auto(GStrv) parts = g_strsplit(opcode, ".", -1);
  guint found = smb_ptx_find_line((const char *const *)parts);
  ck_assert_msg(found == reached->line, "%s is of the line '%s', not of '%s'", opcode,
                smb_ptx_line(found)->words, smb_ptx_line(reached->line)->words);
}

// All opcodes of a computation are its own; an instruction with no other words than its line is.
START_TEST(is_reached) {
  for (guint i = 0; i < smb_ptx_n_lines(); i++) {
    Reached reached = {.line = i};
    runner_expand(smb_ptx_line(i)->words, smb_ptx_line(i)->more ? look_alone : look, &reached);
    ck_assert_msg(reached.found || smb_ptx_line(i)->more, "no opcode is of the line '%s'",
                  smb_ptx_line(i)->words);
  }
}
END_TEST

// --- the documentation

// The names of a row of the table.
static GStrv
read_row(const char *text, const char *row) {
  g_autofree char *start = g_strdup_printf("\n| %s | `", row);
  const char *at = strstr(text, start);
  ck_assert_msg(at != NULL, "doc/compiled.md has no row '%s'", row);
  at += strlen(start);
  g_autofree char *names = g_strndup(at, strcspn(at, "|") - 2);
  return g_strsplit(names, "` `", -1);
}

// The number of words of a documented name, if it matches a line: "bar.red" matches "bar|barrier red popc". Else 0.
static guint
count_words(const char *documented, const char *name, const PtxLine *line) {
  g_auto(GStrv) asked = g_strsplit(documented, ".", -1);
  g_auto(GStrv) words = g_strsplit(line->words, " ", -1);
  if (strcmp(asked[0], name) != 0)
    return 0;
  for (guint i = 1; asked[i]; i++) {
    gboolean found = FALSE;
    for (guint w = 1; words[w] && !found; w++)
      found = smb_ptx_is_among(asked[i], words[w], '|');
    if (!found)
      return 0;
  }
  return g_strv_length(asked);
}

typedef struct {
  GStrv names[N_FATES];
  GHashTable *used; // names
} Documentation;

// The longest matching names say what becomes of a line.
static void
check_line(const Documentation *documentation, const char *name, const PtxLine *line) {
  guint most = 0;
  gboolean says[N_FATES] = {FALSE};
  for (guint fate = 0; fate < N_FATES; fate++) {
    for (guint i = 0; documentation->names[fate] && documentation->names[fate][i]; i++) {
      guint n = count_words(documentation->names[fate][i], name, line);
      if (n > most)
        memset(says, 0, sizeof says);
      most = MAX(most, n);
      if (n > 0 && n == most)
        says[fate] = TRUE;
      if (n > 0 && fate == line->fate)
        g_hash_table_add(documentation->used, documentation->names[fate][i]);
    }
  }
  for (guint fate = 0; fate < N_FATES; fate++)
    ck_assert_msg(says[fate] == (fate == line->fate),
                  "doc/compiled.md: `%s` ('%s' in instructions.def) should%s be in the row '%s'",
                  name, line->words, fate == line->fate ? "" : " not", rows[fate]);
}

START_TEST(is_documented) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path = g_build_filename(folder ? folder : ".", "doc", "compiled.md", NULL);
  g_autofree char *text = NULL;
  Documentation documentation = {.used = g_hash_table_new(g_str_hash, g_str_equal)};
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  for (guint fate = 0; fate < N_FATES; fate++)
    documentation.names[fate] = rows[fate] ? read_row(text, rows[fate]) : NULL;
  for (guint i = 0; i < smb_ptx_n_lines(); i++) {
    const PtxLine *line = smb_ptx_line(i);
    g_autofree char *first = g_strndup(line->words, strcspn(line->words, " "));
    g_auto(GStrv) names = g_strsplit(first, "|", -1);
    for (guint n = 0; names[n] && line->fate != FATE_REFUSED; n++)
      check_line(&documentation, names[n], line);
  }
  for (guint fate = 0; fate < N_FATES; fate++) {
    for (guint i = 0; documentation.names[fate] && documentation.names[fate][i]; i++)
      ck_assert_msg(g_hash_table_contains(documentation.used, documentation.names[fate][i]),
                    "doc/compiled.md: instructions.def has no line of `%s` in the row '%s'",
                    documentation.names[fate][i], rows[fate]);
    g_strfreev(documentation.names[fate]);
  }
  g_hash_table_unref(documentation.used);
}
END_TEST

Suite *
suite_ptx_fates(void) {
  Suite *suite = suite_create("ptx-fates");
  TCase *tests = tcase_create("ptx-fates");
  tcase_add_loop_test(tests, has_its_fate, 0, G_N_ELEMENTS(examples));
  tcase_add_test(tests, has_an_example);
  tcase_add_test(tests, is_reached);
  tcase_add_test(tests, is_documented);
  suite_add_tcase(suite, tests);
  return suite;
}
