// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The lines of tests/data/sass/inlined.cu in its cubins, and line tables that are damaged.
#include <check.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "sim/image/source-line.h"
#include "tests/suite.h"

static SmbCubin *
load(const char *chip) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path =
      g_strdup_printf("%s/tests/data/sass/inlined.%s.cubin", folder ? folder : ".", chip);
  g_autoptr(GBytes) bytes = smb_source_read_bytes(path, SMB_SOURCE_MAX_BYTES, NULL);
  ck_assert_ptr_nonnull(bytes);
  SmbCubin *cubin = smb_cubin_read(bytes, "x.cubin", NULL);
  ck_assert_ptr_nonnull(cubin);
  return cubin;
}

// "6<10<16 ", for an instruction of line 6, in what is inlined at line 10, in what is inlined at line 16.
static void
add_frames(const SmbLines *lines, guint section, guint offset, GString *out) {
  SmbLineFrame frames[SMB_LINES_MAX_FRAMES];
  guint n = smb_lines_find(lines, section, offset, frames);
  for (guint i = 0; i < n; i++) {
    ck_assert(strcmp(frames[i].file, "/src/inlined.cu") == 0);
    g_string_append_printf(out, "%s%u", i > 0 ? "<" : "", frames[i].line);
  }
  g_string_append_c(out, n > 0 ? ' ' : '-');
}

// Those of each instruction of a kernel that differ from the one before (transfer full).
static char *
list(const SmbCubin *cubin, const SmbLines *lines, const char *kernel) {
  const SmbCubinFunction *function = smb_cubin_function(cubin, kernel);
  g_autoptr(GString) last = g_string_new(NULL);
  GString *out = g_string_new(NULL);
  for (guint at = 0; at < function->bytes; at += 16) {
    g_autoptr(GString) now = g_string_new(NULL);
    add_frames(lines, function->section, at, now);
    if (strcmp(now->str, last->str) != 0)
      g_string_append(out, now->str);
    g_string_assign(last, now->str);
  }
  add_frames(lines, function->section, function->bytes, out);
  return g_string_free(out, FALSE);
}

static const struct {
  const char *chip;
  const char *kernel;
  const char *lines;
} found[] = {
    {"sm_75", "_Z7inlinedPf", "14 16 6<10<16 6<11<16 18 6<10<16 17 18 19 -"},
    {"sm_75", "_Z5plainPf", "21 23 6<23 25 6<23 25 24 25 26 -"},
    {"sm_90", "_Z7inlinedPf", "14 16 6<10<16 18 6<10<16 6<11<16 17 18 19 -"},
    {"sm_90", "_Z5plainPf", "21 23 6<23 25 6<23 25 24 25 26 -"},
};

START_TEST(lines_and_calls) {
  g_autoptr(SmbCubin) cubin = load(found[_i].chip);
  g_autoptr(SmbLines) lines = smb_lines_read(cubin, NULL);
  g_autofree char *text = list(cubin, lines, found[_i].kernel);
  ck_assert_str_eq(text, found[_i].lines);
}
END_TEST

// A line table in place of that of the cubin.
static SmbLines *
read_table(SmbCubin *cubin, const guint8 *data, gsize n, GError **error) {
  SmbCubinSection *section = (SmbCubinSection *)smb_cubin_section(cubin, ".debug_line");
  section->data = data;
  section->bytes = n;
  return smb_lines_read(cubin, error);
}

static const struct {
  const char *what;
  guint n;
  guint8 bytes[64];
  const char *message; // NULL: it is read
} tables[] = {
    {"nothing", 0, {0}, NULL},
    {"a unit that is cut", 3, {9, 0, 0}, "byte 0x3: a unit is larger than its section"},
    {"a unit beyond the end", 6, {9, 0, 0, 0, 2, 0}, "byte 0x4: a unit is larger than its section"},
    {"DWARF 5", 6, {2, 0, 0, 0, 5, 0}, NULL},
    {"a header beyond its unit",
     10,
     {6, 0, 0, 0, 2, 0, 1, 0, 0, 0},
     "byte 0xa: a header is larger than its unit"},
    {"no range of lines",
     15,
     {11, 0, 0, 0, 2, 0, 5, 0, 0, 0, 1, 1, 251, 0, 1},
     "byte 0xf: an invalid header"},
    {"more lengths than bytes",
     15,
     {11, 0, 0, 0, 2, 0, 5, 0, 0, 0, 1, 1, 251, 14, 3},
     "byte 0xf: an invalid header"},
    {"a header and no program", 15, {11, 0, 0, 0, 2, 0, 5, 0, 0, 0, 1, 1, 251, 14, 1}, NULL},
    {"files without an end",
     17,
     {13, 0, 0, 0, 2, 0, 7, 0, 0, 0, 1, 1, 251, 14, 1, 0, 'a'},
     "byte 0x11: a list of files is truncated"},
    {"a version with a byte more",
     18,
     {14, 0, 0, 0, 4, 0, 8, 0, 0, 0, 1, 1, 1, 251, 14, 1, 0, 0},
     NULL},
    {"an opcode of no length",
     17,
     {13, 0, 0, 0, 2, 0, 5, 0, 0, 0, 1, 1, 251, 14, 10, 0, 0},
     "byte 0xf: an invalid header"},
    {"an extended opcode beyond the end",
     18,
     {14, 0, 0, 0, 2, 0, 5, 0, 0, 0, 1, 1, 251, 14, 1, 0, 9, 9},
     "byte 0x11: an opcode is larger than its unit"},
    {"rows that go back",
     31,
     {27, 0, 0, 0, 2, 0, 5, 0, 0, 0, 1, 1, 251, 14, 1, 43,
      0,  9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,   1,  1},
     "byte 0x1f: the addresses of lines go backwards"},
    {"an address that is too long",
     28,
     {24, 0, 0, 0, 2, 0, 5, 0, 0, 0, 1, 1, 251, 14, 1, 0, 10, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 43},
     "byte 0x12: an address is larger than 8 bytes"},
    {"an operand that is cut",
     25,
     {21, 0, 0, 0, 2, 0, 14, 0, 0, 0, 1, 1, 251, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 2},
     "byte 0x19: a line program is truncated"},
    {"standard opcodes that are skipped",
     27,
     {23, 0, 0, 0, 2, 0, 14, 0, 0, 0, 1, 1, 251, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 5, 3, 6},
     NULL},
};

START_TEST(tables_by_hand) {
  g_autoptr(SmbCubin) cubin = load("sm_90");
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbLines) lines = read_table(cubin, tables[_i].bytes, tables[_i].n, &error);
  const char *prefix = "x.cubin: section '.debug_line', ";
  ck_assert_msg(!lines == !!tables[_i].message, "%s: %s", tables[_i].what,
                error ? error->message : "is read");
  if (!error)
    return;
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_msg(g_str_has_prefix(error->message, prefix) &&
                    strcmp(error->message + strlen(prefix), tables[_i].message) == 0,
                "%s: %s", tables[_i].what, error->message);
}
END_TEST

START_TEST(cut_and_changed) {
  g_autoptr(SmbCubin) cubin = load("sm_90");
  g_autoptr(GRand) random = g_rand_new_with_seed(11);
  const SmbCubinSection whole = *smb_cubin_section(cubin, ".debug_line");
  guint n_read = 0;
  for (guint i = 0; i < whole.bytes + 4000; i++) {
    g_autofree guint8 *copy = g_memdup2(whole.data, whole.bytes);
    if (i >= whole.bytes)
      copy[g_rand_int_range(random, 0, (gint32)whole.bytes)] = (guint8)g_rand_int(random);
    g_autoptr(GError) error = NULL;
    g_autoptr(SmbLines) lines = read_table(cubin, copy, MIN(i, whole.bytes), &error);
    ck_assert(!lines == !!error);
    SmbLineFrame frames[SMB_LINES_MAX_FRAMES];
    const SmbCubinFunction *function = smb_cubin_function(cubin, "_Z7inlinedPf");
    for (guint at = 0; lines && at < function->bytes; at += 16) {
      guint n = smb_lines_find(lines, function->section, at, frames);
      for (guint f = 0; f < n; f++)
        ck_assert(strlen(frames[f].file) < 1000);
    }
    n_read += lines != NULL;
  }
  ck_assert_uint_gt(n_read, 1000);
  ck_assert_uint_lt(n_read, 4000);
}
END_TEST

START_TEST(no_table) {
  g_autoptr(SmbCubin) cubin = load("sm_90");
  SmbCubinSection *section = (SmbCubinSection *)smb_cubin_section(cubin, ".debug_line");
  section->name = ".other";
  g_autoptr(SmbLines) lines = smb_lines_read(cubin, NULL);
  SmbLineFrame frames[SMB_LINES_MAX_FRAMES];
  ck_assert_uint_eq(
      smb_lines_find(lines, smb_cubin_function(cubin, "_Z5plainPf")->section, 0, frames), 0);
}
END_TEST

Suite *
suite_line(void) {
  Suite *suite = suite_create("line");
  TCase *tests = tcase_create("line");
  tcase_add_loop_test(tests, lines_and_calls, 0, G_N_ELEMENTS(found));
  tcase_add_loop_test(tests, tables_by_hand, 0, G_N_ELEMENTS(tables));
  tcase_add_test(tests, cut_and_changed);
  tcase_add_test(tests, no_table);
  suite_add_tcase(suite, tests);
  return suite;
}
