// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Files that are read: terminals, other devices, and what the system refuses.
#define _GNU_SOURCE
#include "sim/base/file.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "tests/suite.h"

// A terminal is read, as long as its user types; other devices are not opened.
START_TEST(terminal) {
  int user = posix_openpt(O_RDWR | O_NOCTTY);
  if (user < 0 || grantpt(user) != 0 || unlockpt(user) != 0)
    return; // a system without pseudo-terminals
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbFile) file = smb_file_open(ptsname(user), &error);
  ck_assert_msg(file, "%s", error ? error->message : "");
  ck_assert_int_eq(write(user, "typed\n", 6), 6);
  char bytes[16] = "";
  ck_assert_int_eq(smb_file_read(file, bytes, sizeof bytes, NULL), 6);
  ck_assert_str_eq(bytes, "typed\n");
  ck_assert_uint_eq(smb_file_size(file), 0);
  ck_assert_ptr_null(smb_file_read_regular(ptsname(user), 100, &(gsize){0}));
  close(user);
  ck_assert_ptr_null(smb_file_open("/dev/zero", &error));
  ck_assert_str_eq(error->message, "/dev/zero: a device: expected a file or a pipe");
}
END_TEST

// No descriptor is left to open a file with.
START_TEST(no_descriptor) {
  struct rlimit old;
  ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
  int next = dup(0);
  close(next);
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)next, old.rlim_max}), 0);
  g_autoptr(GError) error = NULL;
  SmbFile *file = smb_file_open("/dev/null", &error);
  setrlimit(RLIMIT_NOFILE, &old);
  ck_assert_ptr_null(file);
  ck_assert(g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_MFILE));
  ck_assert_str_eq(error->message, "/dev/null: Too many open files");
}
END_TEST

// What is behind the descriptor cannot be read any more.
START_TEST(read_fails) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbFile) file = smb_file_open("/dev/null", NULL);
  char bytes[16];
  ck_assert_int_eq(smb_file_read(file, bytes, sizeof bytes, NULL), 0);
  int folder = open("/", O_RDONLY | O_CLOEXEC);
  ck_assert_int_ge(dup2(folder, smb_file_descriptor(file)), 0);
  close(folder);
  ck_assert_int_eq(smb_file_read(file, bytes, sizeof bytes, &error), -1);
  ck_assert(g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_ISDIR));
}
END_TEST

Suite *
suite_file(void) {
  Suite *suite = suite_create("file");
  TCase *tests = tcase_create("file");
  tcase_add_test(tests, terminal);
  tcase_add_test(tests, no_descriptor);
  tcase_add_test(tests, read_fails);
  suite_add_tcase(suite, tests);
  return suite;
}
