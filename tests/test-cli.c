// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Command lines: options, arguments, and the parsers of option values.
#include "src/cli/cli.h"

#include <check.h>
#include <gio/gunixinputstream.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "src/cli/input.h"
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
  static const char *const wrong[] = {"",  "0",       "1,",     ",1",  "1,2,3,4", "32x",
                                      "x", "1x2x3x4", "1,2,65", "1;2", "1 ,2",    "a,b"};
  guint values[3] = {9, 9, 9};
  ck_assert(smb_cli_triple("--block", NULL, max, values, NULL));
  ck_assert_uint_eq(values[2], 9);
  ck_assert(smb_cli_triple("--block", "32,16", max, values, NULL));
  ck_assert(values[0] == 32 && values[1] == 16 && values[2] == 1);
  ck_assert(smb_cli_triple("--block", "8x4x2", max, values, NULL));
  ck_assert(values[0] == 8 && values[1] == 4 && values[2] == 2);
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
  static const char choices[] = "row|col";
  guint value = 1;
  g_autoptr(GError) error = NULL;
  ck_assert(smb_cli_choice("--read", NULL, choices, &value, NULL));
  ck_assert_uint_eq(value, 1);
  ck_assert(smb_cli_choice("--read", "row", choices, &value, NULL));
  ck_assert_uint_eq(value, 0);
  ck_assert(!smb_cli_choice("--read", "rows", choices, &value, &error));
  ck_assert_str_eq(error->message, "--read 'rows': expected row or col");
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
    {"x a --defin N=1", "N=1", FALSE, "a", NULL}, // as long as no other option begins so
    {"x a --def=N=1 --fl", "N=1", TRUE, "a", NULL},
    {"x a --defne N=1", NULL, FALSE, NULL, "unknown option --defne; did you mean '--define'?"},
    {"x a --colour never", NULL, FALSE, NULL, "unknown option --colour; did you mean '--color'?"},
    {"x a --nothing", NULL, FALSE, NULL, "unknown option --nothing"},
    {"x a --f", NULL, FALSE, NULL, "ambiguous option --f: expected --flag or --format"},
    {"x a --fl=1", NULL, FALSE, NULL, "unexpected value: '--fl=1'"},
    {"x a --define --flag b", NULL, FALSE, NULL,
     "--define needs a value, but the next word is the option '--flag': write --define='--flag' if "
     "that is meant"},
    {"x a --define --flags", "--flags", FALSE, "a", NULL}, // no option, so a value
    {"x a --define=--flag", "--flag", FALSE, "a", NULL},
    {"x a --format TEXT", NULL, FALSE, NULL, "--format 'TEXT': expected text or yaml"},
    {"x a --color sometimes", NULL, FALSE, NULL,
     "--color 'sometimes': expected auto, always or never"},
    {"x a --format yaml --color always", "", FALSE, "a", NULL},
    {"x a --arch 86", "", FALSE, "a", NULL},
    {"x a --arch sm_90a --arch compute_80", "", FALSE, "a", NULL},
};

START_TEST(test_parse) {
  const Line *line = &lines[_i];
  static const SmbFormat formats[] = {
      {"text", NULL, NULL}, {"yaml", NULL, NULL}, {NULL, NULL, NULL}};
  static const SmbCliUsage usage = {.arguments = "FILE",
                                    .description = "Does x.",
                                    .min_arguments = 1,
                                    .max_arguments = 1,
                                    .has_arch = TRUE,
                                    .formats = formats};
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
    ck_assert_ptr_eq(cli.format, &formats[strstr(line->words, "yaml") != NULL]);
    ck_assert_int_eq(cli.colour, strstr(line->words, "always") != NULL);
    ck_assert_str_eq(smb_arch_info(cli.arch)->name, strstr(line->words, "compute_80") ? "sm_80"
                                                    : strstr(line->words, "86")       ? "sm_86"
                                                                                : SMB_DEFAULT_ARCH);
  }
  g_clear_pointer(&cli.arch, smb_arch_unref);
  g_clear_pointer(&cli.arguments, g_strfreev);
}
END_TEST

// A view has formats of its own: that which the user named must be among them.
START_TEST(test_view) {
  static const SmbFormat formats[] = {
      {"text", NULL, NULL}, {"csv", NULL, NULL}, {NULL, NULL, NULL}};
  static const SmbFormat one[] = {{"text", NULL, NULL}, {NULL, NULL, NULL}};
  SmbCli cli = {.format = &formats[0]};
  ck_assert(smb_cli_view(&cli, "--few", one, NULL));
  ck_assert_ptr_eq(cli.format, &one[0]);
  cli.format = &formats[1];
  g_autoptr(GError) error = NULL;
  ck_assert(!smb_cli_view(&cli, "--few", one, &error));
  ck_assert_str_eq(error->message, "--few is for --format text");
  ck_assert_ptr_eq(cli.format, &formats[1]);
}
END_TEST

static const struct {
  const char *word, *meant;
} misspelt[] = {
    {"analyse", "; did you mean 'analyze'?"},
    {"anlayze", "; did you mean 'analyze'?"},
    {"EXPLAIN", "; did you mean 'explain'?"},
    {"exp", "; did you mean 'explain'?"},
    {"lsit", "; did you mean 'list'?"},
    {"lint", "; did you mean 'list' or 'line'?"},
    {"li", ""},
    {"", ""},
    {"nothing", ""},
};

START_TEST(test_suggest) {
  static const char *const names[] = {"analyze", "explain", "list", "line", NULL};
  g_autofree char *meant = smb_suggest(misspelt[_i].word, names);
  ck_assert_str_eq(meant, misspelt[_i].meant);
  g_autofree char *longest = g_strnfill(100000, 'x');
  g_autofree char *none = smb_suggest(longest, names);
  ck_assert_str_eq(none, "");
}
END_TEST

static const struct {
  SmbProgress progress;
  double seconds;
  const char *text;
} tasks[] = {
    {{"blocks", 25, 100}, 10, "25 of 100 blocks, 25%, about 30 s left"},
    {{"blocks", 0, 100}, 3, "0 of 100 blocks, 0%, 3 s"},
    {{"requests", 123456, 0}, 99, "123456 requests, 99 s"},
    {{"layouts", 1, 61}, 60, "1 of 61 layouts, 2%, about 60 min left"},
    {{"blocks", 1, 1000}, 60, "1 of 1000 blocks, 0%, about 17 h left"},
    {{"compiling", 0, SMB_PROGRESS_UNCOUNTED}, 5, "compiling, 5 s"},
};

START_TEST(test_progress) {
  g_autofree char *text = smb_watch_describe(&tasks[_i].progress, tasks[_i].seconds);
  ck_assert_str_eq(text, tasks[_i].text);
}
END_TEST

// Reading a file, the progress is of its bytes; of anything else, of what was read.
START_TEST(test_input) {
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp(NULL, &path, NULL);
  ck_assert_int_ge(fd, 0);
  close(fd);
  ck_assert(g_file_set_contents(path, "0123456789", 10, NULL));
  g_autoptr(GInputStream) file = smb_input_open(path, NULL);
  SmbProgress progress = {0};
  char bytes[7];
  smb_input_begin(file, &progress, "requests");
  ck_assert_str_eq(progress.what, "bytes");
  ck_assert_uint_eq(progress.total, 10);
  ck_assert_int_eq(g_input_stream_read(file, bytes, 7, NULL, NULL), 7);
  smb_input_advance(file, &progress, 2);
  ck_assert_uint_eq(progress.done, 7);
  smb_input_advance(file, &progress, 2);
  ck_assert_uint_eq(progress.done, 7);
  // It was cut off meanwhile.
  ck_assert_int_eq(truncate(path, 0), 0);
  smb_input_advance(file, &progress, 2);
  ck_assert_uint_eq(progress.done, 10);
  g_unlink(path);

  int ends[2];
  ck_assert(g_unix_open_pipe(ends, FD_CLOEXEC, NULL));
  g_autoptr(GInputStream) pipe = g_unix_input_stream_new(ends[0], TRUE);
  close(ends[1]);
  smb_input_begin(pipe, &progress, "requests");
  smb_input_advance(pipe, &progress, 2);
  ck_assert_str_eq(progress.what, "requests");
  ck_assert_uint_eq(progress.total, 0);
  ck_assert_uint_eq(progress.done, 2);
  smb_input_begin(pipe, NULL, "requests");
  smb_input_advance(pipe, NULL, 1);
}
END_TEST

// The help needs no arguments, says no error and ends the command.
START_TEST(test_help) {
  static const SmbCliUsage usage = {
      .arguments = "FILE", .description = "Does x.", .min_arguments = 1, .max_arguments = 1};
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
  tcase_add_test(tcase, test_view);
  tcase_add_loop_test(tcase, test_suggest, 0, G_N_ELEMENTS(misspelt));
  tcase_add_loop_test(tcase, test_progress, 0, G_N_ELEMENTS(tasks));
  tcase_add_test(tcase, test_input);
  tcase_add_test(tcase, test_help);
  suite_add_tcase(suite, tcase);
  return suite;
}
