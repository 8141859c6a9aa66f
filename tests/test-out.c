// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The writers: spools, tables, CSV and JSON.
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/spool.h"
#include "src/out/table.h"
#include "tests/suite.h"

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
  ck_assert(g_str_has_prefix(text, "first\n0\n"));
  ck_assert(g_str_has_suffix(text, "\nlast\n"));
  char *line = text + strlen("first\n");
  guint wrong = 0; // counted, since Check's assertions are slow
  for (guint i = 0; i < NUMBERS; i++) {
    wrong += g_ascii_strtoull(line, &line, 10) != i;
    wrong += *line++ != '\n';
  }
  ck_assert_uint_eq(wrong, 0);
  ck_assert_str_eq(line, "last\n");
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
  SmbTable *table = smb_table_new("name|n>|");
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

// A table on a terminal: at first as it is, then with its texts cut, then in parts.
static const struct {
  guint columns;
  const char *written;
} fits[] = {
    {80, "                            per launch        per request\n"
         "line  shared access         requests  excess  worst of all\n"
         "----------------------------------------------------------\n"
         "  10  tile[threadIdx.y][0]      1024     992        32-way\n"
         "  11  a                            1       0         1-way\n"},
    {56, "                          per launch        per request\n"
         "line  shared access       requests  excess  worst of all\n"
         "--------------------------------------------------------\n"
         "  10  tile[threadIdx.y]…      1024     992        32-way\n"
         "  11  a                          1       0         1-way\n"},
    {40, "                     per launch\n"
         "line  shared access  requests  excess\n"
         "-------------------------------------\n"
         "  10  tile[threadI…      1024     992\n"
         "  11  a                     1       0\n"
         "\n"
         "                     per request\n"
         "line  shared access  worst of all\n"
         "---------------------------------\n"
         "  10  tile[threadI…        32-way\n"
         "  11  a                     1-way\n"},
};

START_TEST(test_table_fits) {
  g_autoptr(SmbTable) table =
      smb_table_new("line>|shared access|per launch: requests>|excess>|per request: worst of all>");
  g_autoptr(SmbSpool) spool = smb_spool_new();
  smb_table_number(table, SMB_STYLE_PLAIN, 10);
  smb_table_cell(table, SMB_STYLE_PLAIN, "tile[threadIdx.y][0]");
  smb_table_number(table, SMB_STYLE_PLAIN, 1024);
  smb_table_number(table, SMB_STYLE_PLAIN, 992);
  smb_table_cell(table, SMB_STYLE_PLAIN, "32-way");
  smb_table_number(table, SMB_STYLE_PLAIN, 11);
  smb_table_cell(table, SMB_STYLE_PLAIN, "a");
  smb_table_number(table, SMB_STYLE_PLAIN, 1);
  smb_table_number(table, SMB_STYLE_PLAIN, 0);
  smb_table_cell(table, SMB_STYLE_PLAIN, "1-way");
  smb_spool_set_columns(spool, fits[_i].columns);
  smb_table_write(table, spool, FALSE);
  assert_drained(spool, fits[_i].written);
}
END_TEST

// A column with a limit is cut where nothing else is: of an instance of a template the middle, of others the end.
START_TEST(test_table_limit) {
  g_autoptr(SmbTable) table = smb_table_new("kernel|text");
  g_autoptr(SmbSpool) spool = smb_spool_new();
  smb_table_limit(table, 0, 12);
  smb_table_cell(table, SMB_STYLE_PLAIN, "gemm<float, double, 128>(int)");
  smb_table_cell(table, SMB_STYLE_PLAIN, "as long as it is");
  smb_table_cell(table, SMB_STYLE_PLAIN, "a_name_without_arguments");
  smb_table_cell(table, SMB_STYLE_PLAIN, "");
  smb_table_cell(table, SMB_STYLE_PLAIN, "short");
  smb_table_cell(table, SMB_STYLE_PLAIN, "");
  smb_table_write(table, spool, FALSE);
  assert_drained(spool, "kernel        text\n"
                        "------------------------------\n"
                        "gemm<…>(int)  as long as it is\n"
                        "a_name_with…\n"
                        "short\n");
}
END_TEST

// The last column of a listing is broken beside the others, or stands below them.
START_TEST(test_table_wrap) {
  static const char *const written[] = {
      "name           text\n"
      "------------------------------------------------------------\n"
      "a longer name  one two three four five six seven eight nine\n"
      "               ten\n",
      "name\n"
      "-------------\n"
      "a longer name\n"
      "    one two three four five six seven eight\n"
      "    nine ten\n"};
  g_autoptr(SmbTable) table = smb_table_new("name|text");
  g_autoptr(SmbSpool) spool = smb_spool_new();
  smb_table_cell(table, SMB_STYLE_PLAIN, "a longer name");
  smb_table_cell(table, SMB_STYLE_PLAIN, "one two three four five six seven eight nine ten");
  smb_table_wrap(table);
  smb_spool_set_columns(spool, _i ? 42 : 60);
  smb_table_write(table, spool, FALSE);
  assert_drained(spool, written[_i]);
}
END_TEST

START_TEST(test_csv) {
  g_autoptr(SmbSpool) spool = smb_spool_new();
  SmbCsv csv = smb_csv_begin(spool, "a,b");
  smb_csv_text(&csv, "b,c");
  SMB_CSV_NUMBERS(&csv, 1, 2);
  smb_csv_number_if(&csv, TRUE, 3);
  smb_csv_number_if(&csv, FALSE, 4);
  smb_csv_end_row(&csv);
  smb_csv_text(&csv, "say \"no\"");
  smb_csv_number(&csv, 12);
  smb_csv_end_row(&csv);
  smb_csv_text(&csv, NULL);
  smb_csv_text(&csv, "two\nlines");
  smb_csv_end_row(&csv);
  smb_csv_text(&csv, "");
  smb_csv_text(&csv, " plain ");
  smb_csv_end_row(&csv);
  static const char *const formulas[] = {"=1",  "+cmd|'/C calc'!A0", "-1+2", "@SUM(1)", "-12",
                                         "+1.5"};
  for (guint i = 0; i < G_N_ELEMENTS(formulas); i++)
    smb_csv_text(&csv, formulas[i]);
  smb_csv_end_row(&csv);
  assert_drained(spool, "a,b\n\"b,c\",1,2,3,\n\"say \"\"no\"\"\",12\n,two\\nlines\n, plain \n"
                        "'=1,'+cmd|'/C calc'!A0,'-1+2,'@SUM(1),-12,+1.5\n");
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
                        "  \"list\" : [-1, null]\n}\n");
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
  guint wrong = 0;
  for (guint i = 0; i < lengths[_i]; i++)
    wrong += json_object_get_int_member(json_array_get_object_element(rows, i), "line") != i;
  ck_assert_uint_eq(wrong, 0);
}
END_TEST

Suite *
suite_out(void) {
  Suite *suite = suite_create("out");
  TCase *tcase = tcase_create("out");
  tcase_add_test(tcase, test_spool);
  tcase_add_test(tcase, test_spool_large);
  tcase_add_test(tcase, test_spool_failure);
  tcase_add_test(tcase, test_table);
  tcase_add_test(tcase, test_table_colour);
  tcase_add_loop_test(tcase, test_table_fits, 0, G_N_ELEMENTS(fits));
  tcase_add_test(tcase, test_table_limit);
  tcase_add_loop_test(tcase, test_table_wrap, 0, 2);
  tcase_add_test(tcase, test_csv);
  tcase_add_test(tcase, test_json);
  tcase_add_loop_test(tcase, test_json_streamed, 0, 3);
  suite_add_tcase(suite, tcase);
  return suite;
}
