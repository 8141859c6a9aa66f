// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Command lines: options, arguments, and the parsers of option values.
#include "src/cli.h"

#include <check.h>
#include <string.h>

#include "sim/error.h"
#include "tests/suite.h"

START_TEST(test_number) {
  static const char *const wrong[] = {"",     "-1",   "+1",  " 1",  "1 ",
                                      "0x10", "4097", "1.0", "one", "99999999999999999999999"};
  guint value = 3;
  ck_assert(smb_cli_number("--pad", NULL, 0, 4096, &value, NULL));
  ck_assert_uint_eq(value, 3);
  ck_assert(smb_cli_number("--pad", "4096", 0, 4096, &value, NULL));
  ck_assert_uint_eq(value, 4096);
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *message =
        g_strdup_printf("--pad '%s': expected a whole number from 0 to 4096", wrong[i]);
    ck_assert(!smb_cli_number("--pad", wrong[i], 0, 4096, &value, &error));
    ck_assert_str_eq(error->message, message);
    ck_assert_uint_eq(value, 4096);
  }
}
END_TEST

START_TEST(test_triple) {
  static const guint max[3] = {1024, 1024, 64};
  static const char *const wrong[] = {"",       "0",   "1,",   ",1", "1,2,3,4",
                                      "1,2,65", "1;2", "1 ,2", "a,b"};
  guint values[3] = {9, 9, 9};
  ck_assert(smb_cli_triple("--block", NULL, max, values, NULL));
  ck_assert_uint_eq(values[2], 9);
  ck_assert(smb_cli_triple("--block", "32,16", max, values, NULL));
  ck_assert(values[0] == 32 && values[1] == 16 && values[2] == 1);
  ck_assert(smb_cli_triple("--block", "1024,1,64", max, values, NULL));
  ck_assert(values[0] == 1024 && values[1] == 1 && values[2] == 64);
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    ck_assert_msg(!smb_cli_triple("--block", wrong[i], max, values, &error), "'%s'", wrong[i]);
    ck_assert_ptr_nonnull(strstr(error->message, "expected X, X,Y or X,Y,Z"));
  }
}
END_TEST

START_TEST(test_choice) {
  static const char *const choices[] = {"row", "col", NULL};
  guint value = 1;
  g_autoptr(GError) error = NULL;
  ck_assert(smb_cli_choice("--read", NULL, choices, &value, NULL));
  ck_assert_uint_eq(value, 1);
  ck_assert(smb_cli_choice("--read", "row", choices, &value, NULL));
  ck_assert_uint_eq(value, 0);
  ck_assert(!smb_cli_choice("--read", "rows", choices, &value, &error));
  ck_assert_str_eq(error->message, "--read 'rows': expected one of row, col");
}
END_TEST

// A command line, and either its definitions, flag and first argument or its message.
typedef struct {
  const char *words;
  const char *defines;
  gboolean flag;
  const char *argument;
  const char *message;
} Line;

static const Line lines[] = {
    {"x a", "", FALSE, "a", NULL},
    {"x -", "", FALSE, "-", NULL},
    {"x -D N=4 a", "N=4", FALSE, "a", NULL},
    {"x -DN=4 a", "N=4", FALSE, "a", NULL},
    {"x -DN=4 -D M=-5 --define=K=6 a --define L=7", "N=4 M=-5 K=6 L=7", FALSE, "a", NULL},
    {"x -D -DN=4 a", "-DN=4", FALSE, "a", NULL}, // it is the value
    {"x --define -DN=4 a", "-DN=4", FALSE, "a", NULL},
    {"x -f -DN=4 a", "N=4", TRUE, "a", NULL},
    {"x -f -- -DN=4", "", TRUE, "-DN=4", NULL},
    {"x", NULL, FALSE, NULL, "missing argument: expected FILE"},
    {"x a b c", NULL, FALSE, NULL, "unexpected argument 'b'"},
    {"x a -D", NULL, FALSE, NULL, "missing argument for -D"},
    {"x a --define", NULL, FALSE, NULL, "missing argument for --define"},
    {"x a --flag=1", NULL, FALSE, NULL, "unexpected value: '--flag=1'"},
    {"x a --defin N=1", NULL, FALSE, NULL, "unknown option --defin"},
    {"x a --format TEXT", NULL, FALSE, NULL, "--format 'TEXT': expected one of text, json, csv"},
};

START_TEST(test_parse) {
  const Line *line = &lines[_i];
  static const SmbCliUsage usage = {"FILE", "Does x.", 1, 1, SMB_CLI_FORMAT | SMB_CLI_ARCH};
  g_auto(GStrv) defines = NULL;
  gboolean flag = FALSE;
  const GOptionEntry options[] = {
      {"define", 'D', 0, G_OPTION_ARG_STRING_ARRAY, &defines, "define a macro", "NAME=VALUE"},
      {"flag", 'f', 0, G_OPTION_ARG_NONE, &flag, "a flag", NULL},
      G_OPTION_ENTRY_NULL};
  g_auto(GStrv) words = g_strsplit(line->words, " ", -1);
  g_autoptr(SmbSpool) out = smb_spool_new();
  SmbCli cli = {.command = "x", .out = out, .argc = (int)g_strv_length(words), .argv = words};
  g_autoptr(GError) error = NULL;
  gboolean good = smb_cli_parse(&cli, &usage, options, &error);
  ck_assert(smb_spool_is_empty(out));
  if (line->message) {
    ck_assert(!good);
    ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE));
    ck_assert_str_eq(error->message, line->message);
  } else {
    g_autofree char *joined = defines ? g_strjoinv(" ", defines) : g_strdup("");
    ck_assert_msg(good, "%s", error ? error->message : "");
    ck_assert_str_eq(joined, line->defines);
    ck_assert_str_eq(cli.arguments[0], line->argument);
    ck_assert_uint_eq(cli.n_arguments, 1);
    ck_assert_int_eq(flag, line->flag);
    ck_assert_str_eq(smb_arch_info(cli.arch)->name, SMB_DEFAULT_ARCH);
  }
  g_clear_pointer(&cli.arch, smb_arch_unref);
  g_clear_pointer(&cli.arguments, g_strfreev);
}
END_TEST

// The help needs no arguments, says no error and ends the command.
START_TEST(test_help) {
  static const SmbCliUsage usage = {"FILE", "Does x.", 1, 1, SMB_CLI_FORMAT};
  static char name[] = "x", help[] = "--help";
  char *words[] = {name, help, NULL};
  g_autoptr(SmbSpool) out = smb_spool_new();
  SmbCli cli = {.command = "x", .out = out, .argc = 2, .argv = words};
  g_autoptr(GError) error = NULL;
  ck_assert(!smb_cli_parse(&cli, &usage, NULL, &error));
  ck_assert_ptr_null(error);
  ck_assert(!smb_spool_is_empty(out));
  g_clear_pointer(&cli.arguments, g_strfreev);
}
END_TEST

Suite *
suite_cli(void) {
  Suite *suite = suite_create("cli");
  TCase *tcase = tcase_create("cli");
  tcase_add_test(tcase, test_number);
  tcase_add_test(tcase, test_triple);
  tcase_add_test(tcase, test_choice);
  tcase_add_loop_test(tcase, test_parse, 0, G_N_ELEMENTS(lines));
  tcase_add_test(tcase, test_help);
  suite_add_tcase(suite, tcase);
  return suite;
}
