// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/measured/reference.h"
#include "sim/open/catalog.h"
#include "tests/suite.h"

START_TEST(test_published) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) rows = smb_reference_load(&error);
  ck_assert_msg(rows != NULL, "%s", error ? error->message : "");
  g_autoptr(GPtrArray) catalog = smb_catalog_load(NULL);
  g_auto(GStrv) archs = smb_arch_list();
  ck_assert_uint_gt(rows->len, 0);
  for (guint i = 0; i < rows->len; i++) {
    const SmbReference *row = rows->pdata[i];
    ck_assert_msg(smb_catalog_find(catalog, row->kernel, row->shape, NULL, NULL) != NULL,
                  "line %u: no %s %s", row->line, row->kernel, row->shape);
    ck_assert_msg(g_strv_contains((const char *const *)archs, row->arch), "line %u: no %s",
                  row->line, row->arch);
  }
}
END_TEST

// A reader is told what a source is, not what its file was called.
START_TEST(test_published_says_its_source) {
  g_autoptr(GPtrArray) rows = smb_reference_load(NULL);
  ck_assert_ptr_nonnull(rows);
  for (guint i = 0; i < rows->len; i++) {
    const SmbReference *row = rows->pdata[i];
    ck_assert_msg(!g_regex_match_simple("\\.[a-z]{2,4}$|[0-9a-f]{16}|/", row->source, 0, 0),
                  "line %u: '%s' is the name of a file", row->line, row->source);
    ck_assert_msg(strchr(row->source, ' ') != NULL, "line %u: '%s' says nothing of the source",
                  row->line, row->source);
    ck_assert_msg(!g_regex_match_simple("^unnamed$|device$", row->gpu, G_REGEX_CASELESS, 0),
                  "line %u: '%s' is not a GPU", row->line, row->gpu);
  }
}
END_TEST

static GPtrArray *
parse(const char *text, GError **error) {
  return smb_reference_new_from_data("t.csv", text, strlen(text), error);
}

#define COLUMNS "source,gpu,compute_capability,bank_mode_bytes,shape,kernel,ipad,metric,value"

START_TEST(test_rows) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) rows = parse("# what it is\r\n" COLUMNS ",arch\r\n\r\n"
                                    "a.txt,RTX 3080,8.6,4,rect,k,2,ways_ld,16,sm_86\r\n"
                                    "b.txt,unnamed,,8,square,k,,time_us,1.5,sm_30_8B",
                                    &error);
  ck_assert_msg(rows != NULL, "%s", error ? error->message : "");
  ck_assert_uint_eq(rows->len, 2);
  const SmbReference *row = rows->pdata[0];
  ck_assert_uint_eq(row->line, 4);
  ck_assert_str_eq(row->source, "a.txt");
  ck_assert_str_eq(row->gpu, "RTX 3080");
  ck_assert_str_eq(row->capability, "8.6");
  ck_assert_uint_eq(row->bank_mode, 4);
  ck_assert_str_eq(row->shape, "rect");
  ck_assert_str_eq(row->kernel, "k");
  ck_assert_int_eq(row->ipad, 2);
  ck_assert_str_eq(smb_metric_name(row->metric), "ways_ld");
  ck_assert_double_eq(row->value, 16);
  ck_assert_str_eq(row->arch, "sm_86");
  row = rows->pdata[1];
  ck_assert_str_eq(row->capability, "");
  ck_assert_uint_eq(row->bank_mode, 8);
  ck_assert_int_eq(row->ipad, -1);
  ck_assert_uint_eq(row->metric, SMB_METRIC_TIME_US);
  ck_assert_double_eq(row->value, 1.5);
}
END_TEST

START_TEST(test_without_an_arch) {
  g_autoptr(GPtrArray) rows = parse(COLUMNS "\na,g,,4,rect,k,0,ways_st,1\n", NULL);
  ck_assert_ptr_nonnull(rows);
  ck_assert_ptr_null(((SmbReference *)rows->pdata[0])->arch);
}
END_TEST

// A table that breaks a rule, and the message.
static const char *const broken[][2] = {
    {"", "t.csv: no line names the columns"},
    {"# only this\n", "t.csv: no line names the columns"},
    {"source,gpu\n", "t.csv:1:1: 2 columns: expected 9 or 10"},
    {"source,card\n", "t.csv:1:1: column 2 is 'card': expected 'gpu'"},
    {COLUMNS "\na,g\n", "t.csv:2:1: 2 fields: expected 9"},
    {COLUMNS "\n,g,,4,rect,k,0,ways_ld,1\n", "t.csv:2:1: source: missing"},
    {COLUMNS "\n\na,g,,4,rect,,0,ways_ld,1\n", "t.csv:3:1: kernel: missing"},
    {COLUMNS "\na,g,,16,rect,k,0,ways_ld,1\n", "t.csv:2:1: bank_mode_bytes: '16': expected 4 or 8"},
    {COLUMNS "\na,g,,4,rect,k,-1,ways_ld,1\n",
     "t.csv:2:1: ipad: '-1' is not a number of words, or nothing"},
    {COLUMNS "\na,g,,4,rect,k,0,ways,1\n", "t.csv:2:1: metric: 'ways' is none of: wavefronts_ld, "
                                           "wavefronts_st, ways_ld, ways_st, time_us"},
    {COLUMNS "\na,g,,4,rect,k,0,ways_ld,two\n",
     "t.csv:2:1: value: 'two' is not a number of at least 0"},
    {COLUMNS "\na,g,,4,rect,k,0,ways_ld,nan\n",
     "t.csv:2:1: value: 'nan' is not a number of at least 0"},
    {COLUMNS "\na,g,,4,rect,k,0,ways_ld,-1\n",
     "t.csv:2:1: value: '-1' is not a number of at least 0"},
    {COLUMNS "\n\"a,b\",g,,4,rect,k,0,ways_ld,1\n", "t.csv:2:1: quoted fields are not understood"},
};

START_TEST(test_broken) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(parse(broken[_i][0], &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_str_eq(error->message, broken[_i][1]);
}
END_TEST

START_TEST(test_binary) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_reference_new_from_data("t.csv", "#\na\0b\n", 6, &error));
  ck_assert_str_eq(error->message, "t.csv:2:1: a zero byte: not a text file");
}
END_TEST

Suite *
suite_reference(void) {
  TCase *cases = tcase_create("reference");
  tcase_add_test(cases, test_published);
  tcase_add_test(cases, test_published_says_its_source);
  tcase_add_test(cases, test_rows);
  tcase_add_test(cases, test_without_an_arch);
  tcase_add_loop_test(cases, test_broken, 0, G_N_ELEMENTS(broken));
  tcase_add_test(cases, test_binary);
  Suite *suite = suite_create("reference");
  suite_add_tcase(suite, cases);
  return suite;
}
