// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Texts and object files: which bytes are which, and what is said of those that are neither.
#include <check.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "tests/suite.h"

static const struct {
  const char *bytes;
  gsize n;
  const char *any;  // what smb_source_new_any() says; NULL: it is read
  const char *text; // smb_source_new()
  gboolean is_object;
} cases[] = {
    {"int a;\n", 7, NULL, NULL, FALSE},
    {"", 0, NULL, NULL, FALSE},
    {"\177ELF", 4, NULL, NULL, TRUE},
    {"\177ELF\2\1\1", 7, NULL, "f: byte 0x02 at offset 4: not a text file", TRUE},
    {"\177EL", 3, NULL, NULL, FALSE},
    {"!<arch>\n\1", 9, NULL, "f: byte 0x01 at offset 8: not a text file", TRUE},
    {"\x50\xed\x55\xba\1", 5, NULL, "f: byte 0x01 at offset 4: not a text file", TRUE},
    {"\x50\xed\x55\0", 4, "f: byte 0x00 at offset 3: not a text file",
     "f: byte 0x00 at offset 3: not a text file", FALSE},
};

static void
check_source(SmbSource *source, GError *error, const char *message, GBytes *bytes,
             gboolean object) {
  ck_assert_ptr_eq(source ? NULL : error, error);
  if (message) {
    ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
    ck_assert_str_eq(error->message, message);
    g_error_free(error);
    return;
  }
  ck_assert_msg(source, "%s", error ? error->message : "");
  ck_assert_uint_eq(smb_source_length(source), object ? 0 : g_bytes_get_size(bytes));
  ck_assert_uint_eq(smb_source_n_lines(source), 1);
  if (object)
    ck_assert(g_bytes_equal(smb_source_bytes(source), bytes));
  else
    ck_assert_ptr_null(smb_source_bytes(source));
  smb_source_unref(source);
}

START_TEST(what_bytes_are) {
  g_autoptr(GBytes) bytes = g_bytes_new_static(cases[_i].bytes, cases[_i].n);
  GError *error = NULL;
  ck_assert_int_eq(smb_source_is_object(cases[_i].bytes, cases[_i].n), cases[_i].is_object);
  SmbSource *source = smb_source_new_any("f", bytes, &error);
  check_source(source, error, cases[_i].any, bytes, cases[_i].is_object);
  error = NULL;
  source = smb_source_new("f", bytes, &error);
  check_source(source, error, cases[_i].text, bytes, FALSE);
}
END_TEST

// A text and an object file of the same size, which is more than a text may have.
START_TEST(sizes) {
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp("smembank-XXXXXX", &path, NULL);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(ftruncate(fd, (off_t)SMB_SOURCE_MAX_BYTES + 1), 0);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_source_load_any(path, &error));
  g_autofree char *message =
      g_strdup_printf("%s: the file is larger than %u bytes", path, SMB_SOURCE_MAX_BYTES);
  ck_assert_str_eq(error->message, message);
  ck_assert_int_eq(pwrite(fd, "\177ELF", 4, 0), 4);
  g_autoptr(SmbSource) object = smb_source_load_any(path, NULL);
  ck_assert_uint_eq(g_bytes_get_size(smb_source_bytes(object)), SMB_SOURCE_MAX_BYTES + 1);
  ck_assert_ptr_null(smb_source_load(path, NULL));
  close(fd);
  g_unlink(path);
  ck_assert_ptr_null(smb_source_load_any(path, NULL));
}
END_TEST

// An object file that has more bytes than those may have.
START_TEST(large_object) {
  const gsize n = (gsize)SMB_SOURCE_MAX_OBJECT_BYTES + 1;
  g_autofree char *room = g_malloc0(n); // of which one page is used
  memcpy(room, "\177ELF", 4);
  g_autoptr(GBytes) bytes = g_bytes_new_static(room, n);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_source_new_any("f", bytes, &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_str_eq(error->message, "f: an object file is at most 1073741824 bytes");
}
END_TEST

Suite *
suite_source(void) {
  Suite *suite = suite_create("source");
  TCase *tests = tcase_create("source");
  tcase_add_loop_test(tests, what_bytes_are, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tests, sizes);
  tcase_add_test(tests, large_object);
  suite_add_tcase(suite, tests);
  return suite;
}
