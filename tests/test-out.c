// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The writers: spools, tables, CSV and JSON; and the parsers of option values.
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "src/cli.h"
#include "src/out-csv.h"
#include "src/out-json.h"
#include "src/spool.h"
#include "src/table.h"

// What a spool writes (transfer full); the spool is empty afterwards.
static char *
drain(SmbSpool *spool, gsize *length) {
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp("smembank-test-XXXXXX", &path, NULL);
  ck_assert_int_ge(fd, 0);
  ck_assert(smb_spool_flush(spool, fd, NULL));
  close(fd);
  char *text = NULL;
  ck_assert(g_file_get_contents(path, &text, length, NULL));
  g_unlink(path);
  ck_assert(smb_spool_is_empty(spool));
  return text;
}

static void
assert_drained(SmbSpool *spool, const char *expected) {
  g_autofree char *text = drain(spool, NULL);
  ck_assert_str_eq(text, expected);
}

START_TEST(test_spool) {
  g_autoptr(SmbSpool) spool = smb_spool_new();
  ck_assert(smb_spool_is_empty(spool));
  smb_spool_puts(spool, "a");
  smb_spool_fill(spool, '-', 3);
  smb_spool_number(spool, 0);
  smb_spool_number(spool, G_MAXUINT64);
  smb_spool_printf(spool, "%s%d\n", "x", 5);
  ck_assert(!smb_spool_is_empty(spool));
  assert_drained(spool, "a---018446744073709551615x5\n");
  assert_drained(spool, "");
}
END_TEST

// What is larger than the memory of a spool comes out whole and in order, through another one too.
START_TEST(test_spool_large) {
  enum {
    NUMBERS = 600000
  };
  g_autoptr(SmbSpool) spool = smb_spool_new(), other = smb_spool_new();
  for (guint i = 0; i < NUMBERS; i++) {
    smb_spool_number(other, i);
    smb_spool_puts(other, "\n");
  }
  smb_spool_puts(spool, "first\n");
  smb_spool_append(spool, other);
  ck_assert(smb_spool_is_empty(other));
  smb_spool_puts(spool, "last\n");
  gsize length;
  g_autofree char *text = drain(spool, &length);
  ck_assert_uint_gt(length, 3 * SMB_SPOOL_MEMORY_BYTES);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  ck_assert_uint_eq(g_strv_length(lines), NUMBERS + 3);
  ck_assert_str_eq(lines[0], "first");
  for (guint i = 0; i < NUMBERS; i++)
    ck_assert_uint_eq(g_ascii_strtoull(lines[i + 1], NULL, 10), i);
  ck_assert_str_eq(lines[NUMBERS + 1], "last");
}
END_TEST

START_TEST(test_spool_failure) {
  g_autoptr(SmbSpool) spool = smb_spool_new();
  g_autoptr(GError) error = NULL;
  smb_spool_puts(spool, "text");
  ck_assert(!smb_spool_flush(spool, -1, &error));
  ck_assert(g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_BADF));
}
END_TEST

static SmbTable *
make_table(void) {
  SmbTable *table = smb_table_new();
  smb_table_column(table, "name", SMB_ALIGN_LEFT);
  smb_table_column(table, "n", SMB_ALIGN_RIGHT);
  smb_table_column(table, "", SMB_ALIGN_LEFT);
  smb_table_cell(table, SMB_STYLE_PLAIN, "…é漢"); // 1 + 1 + 2 columns
  smb_table_number(table, SMB_STYLE_GOOD, 7);
  smb_table_cell(table, SMB_STYLE_PLAIN, "");
  smb_table_cell(table, SMB_STYLE_PLAIN, "longer");
  smb_table_printf(table, SMB_STYLE_BAD, "%d", 1234);
  smb_table_cell(table, SMB_STYLE_PLAIN, "x");
  smb_table_rule(table);
  smb_table_cell(table, SMB_STYLE_DIM, "sum");
  smb_table_end_row(table);
  smb_table_end_row(table);
  return table;
}

START_TEST(test_table) {
  g_autoptr(SmbTable) table = make_table();
  g_autoptr(SmbSpool) spool = smb_spool_new();
  smb_table_write(table, spool, FALSE);
  assert_drained(spool, "name       n\n"
                        "---------------\n"
                        "…é漢       7\n"
                        "longer  1234  x\n"
                        "---------------\n"
                        "sum\n");
}
END_TEST

START_TEST(test_table_colour) {
  g_autoptr(SmbTable) table = make_table();
  g_autoptr(SmbSpool) spool = smb_spool_new();
  smb_table_write(table, spool, TRUE);
  assert_drained(spool, "\033[1mname\033[0m       \033[1mn\033[0m\n"
                        "\033[2m---------------\033[0m\n"
                        "…é漢       \033[32m7\033[0m\n"
                        "longer  \033[31m1234\033[0m  x\n"
                        "\033[2m---------------\033[0m\n"
                        "\033[2msum\033[0m\n");
}
END_TEST

START_TEST(test_csv) {
  static const char *const names[] = {"a", "b,c", NULL};
  g_autoptr(SmbSpool) spool = smb_spool_new();
  SmbCsv csv = smb_csv_begin(spool, names);
  smb_csv_text(&csv, "say \"no\"");
  smb_csv_number(&csv, 12);
  smb_csv_end_row(&csv);
  smb_csv_text(&csv, NULL);
  smb_csv_text(&csv, "two\nlines");
  smb_csv_end_row(&csv);
  smb_csv_text(&csv, "");
  smb_csv_text(&csv, " plain ");
  smb_csv_end_row(&csv);
  assert_drained(spool, "a,\"b,c\"\n\"say \"\"no\"\"\",12\n,\"two\nlines\"\n, plain \n");
}
END_TEST

START_TEST(test_json) {
  g_autoptr(SmbSpool) spool = smb_spool_new();
  JsonBuilder *json = smb_json_begin("trace");
  smb_json_text(json, "quoted", "\"\n\xff");
  smb_json_text(json, "absent", NULL);
  smb_json_number(json, "large", G_GINT64_CONSTANT(9007199254740993));
  smb_json_double(json, "half", 0.5);
  smb_json_boolean(json, "yes", TRUE);
  smb_json_array(json, "list");
  smb_json_number(json, NULL, -1);
  smb_json_null(json, NULL);
  json_builder_end_array(json);
  smb_json_end(json, spool);
  assert_drained(spool, "{\n  \"schema_version\" : 1,\n  \"command\" : \"trace\",\n"
                        "  \"quoted\" : \"\\\"\\n\xef\xbf\xbd\",\n  \"absent\" : null,\n"
                        "  \"large\" : 9007199254740993,\n  \"half\" : 0.5,\n  \"yes\" : true,\n"
                        "  \"list\" : [\n    -1,\n    null\n  ]\n}\n");
}
END_TEST

// An array that is streamed reads as any other, whatever its length.
START_TEST(test_json_streamed) {
  static const guint lengths[] = {0, 1, 100000};
  g_autoptr(SmbSpool) spool = smb_spool_new();
  g_autoptr(SmbSpool) elements = smb_spool_new();
  for (guint i = 0; i < lengths[_i]; i++) {
    JsonBuilder *element = smb_json_begin_element();
    smb_json_number(element, "line", i);
    smb_json_end_element(element, elements);
  }
  smb_json_end_streamed(smb_json_begin("trace"), "rows", elements, spool);
  g_autofree char *text = drain(spool, NULL);
  g_autoptr(JsonParser) parser = json_parser_new();
  ck_assert(json_parser_load_from_data(parser, text, -1, NULL));
  JsonObject *root = json_node_get_object(json_parser_get_root(parser));
  ck_assert_int_eq(json_object_get_int_member(root, "schema_version"), 1);
  JsonArray *rows = json_object_get_array_member(root, "rows");
  ck_assert_uint_eq(json_array_get_length(rows), lengths[_i]);
  for (guint i = 0; i < lengths[_i]; i++)
    ck_assert_int_eq(json_object_get_int_member(json_array_get_object_element(rows, i), "line"), i);
}
END_TEST

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

int
main(void) {
  Suite *suite = suite_create("out");
  TCase *tcase = tcase_create("out");
  tcase_add_test(tcase, test_spool);
  tcase_add_test(tcase, test_spool_large);
  tcase_add_test(tcase, test_spool_failure);
  tcase_add_test(tcase, test_table);
  tcase_add_test(tcase, test_table_colour);
  tcase_add_test(tcase, test_csv);
  tcase_add_test(tcase, test_json);
  tcase_add_loop_test(tcase, test_json_streamed, 0, 3);
  tcase_add_test(tcase, test_number);
  tcase_add_test(tcase, test_triple);
  tcase_add_test(tcase, test_choice);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
