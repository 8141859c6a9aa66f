// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include <check.h>
#include <string.h>

#include "sim/base/data.h"
#include "sim/base/error.h"
#include "sim/open/catalog.h"
#include "tests/suite.h"

static GPtrArray *
load(void) {
  g_autoptr(GError) error = NULL;
  GPtrArray *catalog = smb_catalog_load(&error);
  ck_assert_msg(catalog != NULL, "%s", error ? error->message : "");
  return catalog;
}

START_TEST(test_every_entry_has_its_text) {
  g_autoptr(GPtrArray) catalog = load();
  ck_assert_uint_ge(catalog->len, 40);
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = catalog->pdata[i];
    g_autoptr(GError) error = NULL;
    g_autoptr(SmbSource) source = smb_catalog_file(entry->file, &error);
    ck_assert_msg(source != NULL, "%s", error ? error->message : "");
    g_autofree char *name = g_strdup_printf("data/kernels/%s.cu", entry->name);
    ck_assert_str_eq(smb_source_name(source), name);
    ck_assert_str_eq(entry->entry, entry->name);
    g_autofree char *head = g_strdup_printf("__global__ void %s(", entry->entry);
    ck_assert_msg(strstr(smb_source_text(source), head) != NULL, "%s: no '%s'", name, head);
    gboolean is_dynamic = strstr(smb_source_text(source), "extern __shared__") != NULL;
    ck_assert_msg(is_dynamic == (entry->dynamic_bytes != NULL), "%s: dynamic-bytes", name);
  }
}
END_TEST

START_TEST(test_every_text_has_its_entry) {
  g_autoptr(GPtrArray) catalog = load();
  g_auto(GStrv) files = smb_data_list("kernels", ".cu");
  ck_assert_uint_gt(g_strv_length(files), 0);
  for (guint i = 0; files[i]; i++) {
    if (strcmp(files[i], "tile") != 0)
      ck_assert_ptr_nonnull(smb_catalog_find(catalog, files[i], NULL, NULL, NULL));
  }
  g_autoptr(SmbSource) tile = smb_catalog_file("tile.cu", NULL);
  ck_assert_ptr_nonnull(tile);
}
END_TEST

START_TEST(test_shapes_are_told_once) {
  g_autoptr(GPtrArray) catalog = load();
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = catalog->pdata[i];
    ck_assert_ptr_eq(smb_catalog_find(catalog, entry->name, entry->shape, NULL, NULL), entry);
  }
}
END_TEST

START_TEST(test_a_layout_kernel) {
  g_autoptr(GPtrArray) catalog = load();
  const SmbCatalogEntry *entry =
      smb_catalog_find(catalog, "setRowReadColDynPad", "rect", NULL, NULL);
  ck_assert_ptr_nonnull(entry);
  ck_assert_uint_eq(entry->block[0], 32);
  ck_assert_uint_eq(entry->block[1], 16);
  ck_assert_uint_eq(entry->block[2], 1);
  ck_assert_uint_eq(entry->grid[0], 1);
  ck_assert_str_eq(entry->defines[0], "BDIMX=32");
  ck_assert_str_eq(entry->defines[1], "BDIMY=16");
  ck_assert_str_eq(entry->defines[2], "IPAD=2");
  ck_assert_ptr_null(entry->defines[3]);
  ck_assert_ptr_null(entry->args[0]);
  ck_assert_str_eq(entry->dynamic_bytes, "(BDIMX+IPAD)*BDIMY*4");
}
END_TEST

typedef struct {
  const char *name;
  const char *shape;
  guint block[3]; // { 0 }: none given
  const char *found;
} Find;

static const Find finds[] = {
    {"setRowReadCol", NULL, {0}, "square"},
    {"setRowReadCol", "rect", {0}, "rect"},
    {"setRowReadCol", NULL, {32, 16, 1}, "rect"},
    {"setRowReadCol", NULL, {8, 8, 1}, "square"},
    {"setRowReadCol", "square", {32, 16, 1}, "square"},
    {"setRowReadRow2", NULL, {0}, "rect"},
    {"reduceSmem", NULL, {1024, 1, 1}, "1024"},
    {"transposeSmemPad", NULL, {32, 16, 1}, "32x16"},
};

START_TEST(test_find) {
  g_autoptr(GPtrArray) catalog = load();
  const Find *find = &finds[_i];
  g_autoptr(GError) error = NULL;
  const SmbCatalogEntry *entry = smb_catalog_find(catalog, find->name, find->shape,
                                                  find->block[0] ? find->block : NULL, &error);
  ck_assert_msg(entry != NULL, "%s", error ? error->message : "");
  ck_assert_str_eq(entry->name, find->name);
  ck_assert_str_eq(entry->shape, find->found);
}
END_TEST

// What is asked for and not there, and a part of the message.
static const char *const misses[][3] = {
    {"setRowReadColl", NULL, "did you mean 'setRowReadCol'?"},
    {"setrowreadcol", NULL, "did you mean 'setRowReadCol'?"},
    {"transpose", NULL, "did you mean 'transpose"},
    {"reduceSmen", NULL, "did you mean 'reduceSmem'?"},
    {"x", NULL, "no built-in kernel 'x'"},
    {"", NULL, "no built-in kernel ''"},
    {"setRowReadCol", "round", "has no shape 'round': expected one of square, rect"},
};

START_TEST(test_find_nothing) {
  g_autoptr(GPtrArray) catalog = load();
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_catalog_find(catalog, misses[_i][0], misses[_i][1], NULL, &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE));
  ck_assert_msg(strstr(error->message, misses[_i][2]) != NULL, "%s", error->message);
}
END_TEST

START_TEST(test_find_a_very_long_name) {
  g_autoptr(GPtrArray) catalog = load();
  g_autoptr(GError) error = NULL;
  g_autofree char *name = g_strnfill(100000, 's');
  ck_assert_ptr_null(smb_catalog_find(catalog, name, NULL, NULL, &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE));
}
END_TEST

#define GOOD "file=k.cu\nentry=k\nblock=8\nshows=it\n"

// A catalogue that breaks a rule, and the message after the name of the file.
static const char *const broken[][2] = {
    {"[k]\n" GOOD, "[k]: expected [NAME SHAPE]"},
    {"[k a b]\n" GOOD, "[k a b]: expected [NAME SHAPE]"},
    {"[7 a]\n" GOOD, "[7 a]: expected [NAME SHAPE]"},
    {"[k s]\nentry=k\nblock=8\nshows=it\n", "[k s] file: missing"},
    {"[k s]\n" GOOD "file=../k.cu\n",
     "[k s] file: '../k.cu' is not the name of a .cu file in that folder"},
    {"[k s]\n" GOOD "file=k.c\n", "[k s] file: 'k.c' is not the name of a .cu file in that folder"},
    {"[k s]\nfile=k.cu\nblock=8\nshows=it\n", "[k s] entry: missing"},
    {"[k s]\n" GOOD "entry=a-b\n", "[k s] entry: 'a-b' is not a name"},
    {"[k s]\nfile=k.cu\nentry=k\nblock=8\n", "[k s] shows: missing"},
    {"[k s]\nfile=k.cu\nentry=k\nshows=it\n", "[k s] block: missing"},
    {"[k s]\n" GOOD "block=\n", "[k s] block: '': expected X, X,Y or X,Y,Z"},
    {"[k s]\n" GOOD "block=1,2,3,4\n", "[k s] block: '1,2,3,4': expected X, X,Y or X,Y,Z"},
    {"[k s]\n" GOOD "block=8,0\n", "[k s] block: '0' is not a number from 1"},
    {"[k s]\n" GOOD "block=33,32\n",
     "[k s] block: a block of 33 x 32 x 1 = 1056 threads: a GPU has at most 1024"},
    {"[k s]\n" GOOD "block=2147483647,2147483647,2147483647\n",
     "[k s] block: a block of 2147483647 threads in x: expected 1 to 1024"},
    {"[k s]\n" GOOD "grid=-1\n", "[k s] grid: '-1' is not a number from 1"},
    {"[k s]\n" GOOD "defines=A\n", "[k s] defines: 'A': expected NAME=VALUE"},
    {"[k s]\n" GOOD "defines=A=1;2=3\n", "[k s] defines: '2=3': expected NAME=VALUE"},
    {"[k s]\n" GOOD "args=n=\n", "[k s] args: 'n=': expected NAME=VALUE"},
    {"[k s]\n" GOOD "dynamic-bytes=A;B\n",
     "[k s] dynamic-bytes: 'A;B': expected an integer expression over the macros"},
    {"[k s]\n" GOOD "colour=red\n", "[k s] colour: no such key"},
};

START_TEST(test_broken) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_catalog_new_from_data(broken[_i][0], &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  g_autofree char *message = g_strdup_printf("data/kernels/catalog.ini: %s", broken[_i][1]);
  ck_assert_str_eq(error->message, message);
}
END_TEST

START_TEST(test_not_a_key_file) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_catalog_new_from_data("kernel\n", &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
}
END_TEST

Suite *
suite_catalog(void) {
  TCase *cases = tcase_create("catalog");
  tcase_add_test(cases, test_every_entry_has_its_text);
  tcase_add_test(cases, test_every_text_has_its_entry);
  tcase_add_test(cases, test_shapes_are_told_once);
  tcase_add_test(cases, test_a_layout_kernel);
  tcase_add_loop_test(cases, test_find, 0, G_N_ELEMENTS(finds));
  tcase_add_loop_test(cases, test_find_nothing, 0, G_N_ELEMENTS(misses));
  tcase_add_test(cases, test_find_a_very_long_name);
  tcase_add_loop_test(cases, test_broken, 0, G_N_ELEMENTS(broken));
  tcase_add_test(cases, test_not_a_key_file);
  Suite *suite = suite_create("catalog");
  suite_add_tcase(suite, cases);
  return suite;
}
