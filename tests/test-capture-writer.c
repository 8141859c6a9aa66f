// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Captures: the file that is written, where it is put, and what is refused.
#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "sim/capture/writer.h"
#include "tests/capture-folder.h"
#include "tests/suite.h"

// Where the process of these tests had its memory.
#define ADDRESS  G_GUINT64_CONSTANT(0x7f3a40000000)
#define VARIABLE G_GUINT64_CONSTANT(0x7f3a60000000)

START_TEST(stored_once) {
  g_autofree char *path = capture_in_folder("once");
  g_autoptr(GBytes) image = capture_load_cubin();
  g_autofree guchar *data = g_malloc(SMB_CAPTURE_PIECE_BYTES);
  for (guint i = 0; i < SMB_CAPTURE_PIECE_BYTES; i++)
    data[i] = (guchar)g_random_int();
  SmbCaptureWriter *writer = capture_start(path);
  g_autofree char *one = capture_store_image(writer, image),
                  *first = capture_store(writer, data, SMB_CAPTURE_PIECE_BYTES);
  guint64 bytes = smb_capture_writer_bytes(writer);
  g_autofree char *same = capture_store_image(writer, image),
                  *again = capture_store(writer, data, SMB_CAPTURE_PIECE_BYTES);
  ck_assert_str_eq(one, same);
  ck_assert_str_eq(first, again);
  ck_assert_uint_eq(smb_capture_writer_bytes(writer), bytes);
  smb_capture_writer_free(writer);
}
END_TEST

static void
assert_refused(const char *path, const char *reason) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbCaptureWriter) writer = smb_capture_writer_new(path, &capture_header, &error);
  ck_assert_ptr_null(writer);
  ck_assert_msg(strstr(error->message, reason), "%s", error->message);
}

START_TEST(mode) {
  g_autofree char *path = capture_in_folder("mode"), *link = capture_in_folder("link");
  struct stat status;
  mode_t mask = umask(0);
  smb_capture_writer_free(capture_start(path));
  ck_assert_int_eq(stat(path, &status), 0);
  ck_assert_int_eq(status.st_mode & 07777, 0600);
  // What is there may have another mode; a link stays one.
  ck_assert_int_eq(chmod(path, 0644), 0);
  ck_assert_int_eq(symlink("mode", link), 0);
  // It stays until the new one has something, which leaves with its writer otherwise.
  smb_capture_writer_free(capture_start(link));
  ck_assert_int_eq(stat(path, &status), 0);
  ck_assert_int_eq(status.st_mode & 07777, 0644);
  SmbCaptureWriter *writer = capture_start(link);
  SmbCaptureEnd *end = smb_capture_end_new("");
  assert_refused(path, "is being written by another capture");
  ck_assert(!smb_capture_writer_is_in_place(writer));
  ck_assert(smb_capture_writer_finish(writer, end, NULL));
  ck_assert(smb_capture_writer_is_in_place(writer));
  smb_capture_end_free(end);
  smb_capture_writer_free(writer);
  umask(mask);
  ck_assert_int_eq(lstat(link, &status), 0);
  ck_assert(S_ISLNK(status.st_mode));
  ck_assert_int_eq(stat(path, &status), 0);
  ck_assert_int_eq(status.st_mode & 07777, 0600);
}
END_TEST

START_TEST(not_there) {
  g_autofree char *root = capture_in_folder(".");
  g_autofree char *text = capture_in_folder("text"), *link = capture_in_folder("link"),
                  *none = capture_in_folder("no/file");
  ck_assert(g_file_set_contents(text, "int main;", -1, NULL));
  assert_refused(text, "exists, and is not a capture");
  ck_assert_int_eq(symlink("nothing", link), 0);
  assert_refused(link, "is a dangling link");
  assert_refused(root, "is not a regular file");
  assert_refused("/dev/full", "is not a regular file");
  assert_refused(none, "No such file or directory");
  g_autofree char *whole = NULL;
  ck_assert(g_file_get_contents(text, &whole, NULL, NULL));
  ck_assert_str_eq(whole, "int main;");
}
END_TEST

START_TEST(two_writers) {
  g_autofree char *path = capture_in_folder("two");
  SmbCaptureWriter *writer = capture_start(path);
  assert_refused(path, "is being written by another capture");
  smb_capture_writer_free(writer);
  smb_capture_writer_free(capture_start(path));
}
END_TEST

// Where the file may not grow any more, a member is taken back; a smaller one may still fit.
START_TEST(disk_full) {
  g_autofree char *path = capture_in_folder("full");
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  g_autoptr(GError) error = NULL;
  g_autofree guchar *data = g_malloc(SMB_CAPTURE_PIECE_BYTES);
  for (guint i = 0; i < SMB_CAPTURE_PIECE_BYTES; i++)
    data[i] = (guchar)g_random_int();
  SmbCaptureWriter *writer = capture_start(path);
  g_autofree char *hash = capture_store_image(writer, image);
  g_autoptr(SmbCaptureLaunch) launch = capture_make_launch(1, "plain", hash);
  capture_write_launch(writer, launch);
  guint64 bytes = smb_capture_writer_bytes(writer);
  struct rlimit old;
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes + 40000, old.rlim_max});
  char *memory = NULL;
  ck_assert(!smb_capture_writer_memory(writer, data, SMB_CAPTURE_PIECE_BYTES, &memory, &error));
  ck_assert_ptr_null(memory);
  ck_assert_msg(strstr(error->message, "cannot write"), "%s", error->message);
  struct stat status;
  ck_assert_int_eq(stat(path, &status), 0);
  ck_assert_uint_eq((guint64)status.st_size, bytes);
  launch->number = 2;
  capture_write_launch(writer, launch);
  capture_finish(writer);
  setrlimit(RLIMIT_FSIZE, &old);
  g_autoptr(SmbCapture) capture = capture_open_whole(path);
  ck_assert_uint_eq(smb_capture_n_launches(capture), 2);
  ck_assert_ptr_nonnull(smb_capture_end(capture));
}
END_TEST

// Where not a byte more fits, images, launches and the end are refused as memory is, and what is there stays whole.
START_TEST(disk_without_room) {
  g_autofree char *path = capture_in_folder("full");
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  g_autoptr(GBytes) other = g_bytes_new("another", 7);
  g_autoptr(SmbCaptureEnd) end = smb_capture_end_new("it exited with status 0");
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbCaptureWriter) writer = capture_start(path);
  g_autofree char *hash = capture_store_image(writer, image);
  g_autoptr(SmbCaptureLaunch) launch = capture_make_launch(1, "plain", hash);
  capture_write_launch(writer, launch);
  guint64 bytes = smb_capture_writer_bytes(writer);
  g_autofree char *message = g_strdup_printf("cannot write %s: File too large", path);
  struct rlimit old;
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, old.rlim_max});
  char *none = NULL;
  launch->number = 2;
  ck_assert(!smb_capture_writer_image(writer, other, &none, &error));
  ck_assert_ptr_null(none);
  ck_assert_str_eq(error->message, message);
  g_clear_error(&error);
  ck_assert(!smb_capture_writer_launch(writer, launch, &error));
  ck_assert_str_eq(error->message, message);
  ck_assert_uint_eq(smb_capture_writer_launches(writer), 1);
  g_clear_error(&error);
  ck_assert(!smb_capture_writer_finish(writer, end, &error));
  ck_assert_str_eq(error->message, message);
  setrlimit(RLIMIT_FSIZE, &old);
  ck_assert_uint_eq(smb_capture_writer_bytes(writer), bytes);
  g_autoptr(SmbCapture) capture = capture_open_whole(path);
  ck_assert_uint_eq(smb_capture_n_launches(capture), 1);
  ck_assert_ptr_null(smb_capture_end(capture));
}
END_TEST

// Something else has come to where the file belongs meanwhile: it is left, with a launch and at the end.
START_TEST(place_is_taken) {
  g_autofree char *path = capture_in_folder("taken");
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  g_autoptr(SmbCaptureEnd) end = smb_capture_end_new("");
  smb_capture_writer_free(capture_start(path));
  for (guint with_launch = 0; with_launch < 2; with_launch++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(SmbCaptureWriter) writer = capture_start(path);
    g_autofree char *hash = capture_store_image(writer, image);
    g_autoptr(SmbCaptureLaunch) launch = capture_make_launch(1, "plain", hash);
    ck_assert_int_eq(g_unlink(path), 0);
    ck_assert_int_eq(g_mkdir(path, 0700), 0);
    ck_assert(!(with_launch ? smb_capture_writer_launch(writer, launch, &error)
                            : smb_capture_writer_finish(writer, end, &error)));
    g_autofree char *message = g_strdup_printf("cannot write %s: Is a directory", path);
    ck_assert_str_eq(error->message, message);
    ck_assert(!smb_capture_writer_is_in_place(writer));
    ck_assert(g_file_test(path, G_FILE_TEST_IS_DIR));
    ck_assert_int_eq(g_rmdir(path), 0);
    smb_capture_writer_free(capture_start(path));
  }
}
END_TEST

START_TEST(writer_checks) {
  g_autofree char *path = capture_in_folder("checks");
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbCaptureWriter) writer = capture_start(path);
  g_autofree char *hash = capture_store_image(writer, image);
  g_autoptr(SmbCaptureLaunch) launch = capture_make_launch(1, "plain", hash);
  smb_capture_launch_add_memory(launch, SMB_MEMORY_DEVICE, ADDRESS, 100);
  SmbCaptureMemory *memory =
      smb_capture_launch_add_memory(launch, SMB_MEMORY_DEVICE, ADDRESS + 99, 100);
  ck_assert(!smb_capture_writer_launch(writer, launch, &error));
  ck_assert_str_eq(
      error->message,
      "launches/000001.json: memory at 0x7f3a40000063 overlaps memory at 0x7f3a40000000");
  g_clear_error(&error);
  memory->address++;
  smb_capture_memory_add(memory, 0, 100, hash); // of an image, not of memory
  ck_assert(!smb_capture_writer_launch(writer, launch, &error));
  ck_assert_msg(strstr(error->message, "is not in"), "%s", error->message);
  ck_assert_uint_eq(smb_capture_writer_launches(writer), 0);
}
END_TEST

#define ABSENT "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// An image without a byte; a launch whose image, or a piece of whose variable, was not stored.
START_TEST(not_stored) {
  g_autofree char *path = capture_in_folder("absent");
  g_autoptr(GBytes) nothing = g_bytes_new("", 0);
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbCaptureWriter) writer = capture_start(path);
  char *none = NULL;
  ck_assert(!smb_capture_writer_image(writer, nothing, &none, &error));
  ck_assert_str_eq(error->message, "an image of 0 bytes: expected at most 512 MiB");
  ck_assert_ptr_null(none);
  g_clear_error(&error);
  g_autoptr(SmbCaptureLaunch) launch = capture_make_launch(1, "plain", ABSENT);
  ck_assert(!smb_capture_writer_launch(writer, launch, &error));
  g_autofree char *of_image = g_strdup_printf("images/" ABSENT ".cubin.zst is not in %s", path);
  ck_assert_str_eq(error->message, of_image);
  g_clear_error(&error);
  g_free(launch->image);
  launch->image = capture_store_image(writer, image);
  SmbCaptureVariable *variable = smb_capture_launch_add_variable(launch, "v", VARIABLE, 4);
  variable->hashes = smb_capture_variable_new_hashes();
  g_ptr_array_add(variable->hashes, g_strdup(ABSENT));
  ck_assert(!smb_capture_writer_launch(writer, launch, &error));
  g_autofree char *of_variable = g_strdup_printf("memory/" ABSENT ".zst is not in %s", path);
  ck_assert_str_eq(error->message, of_variable);
  ck_assert_uint_eq(smb_capture_writer_launches(writer), 0);
}
END_TEST

Suite *
suite_capture_writer(void) {
  Suite *suite = suite_create("capture-writer");
  TCase *tcase = tcase_create("capture-writer");
  tcase_add_checked_fixture(tcase, capture_folder_make, capture_folder_remove);
  tcase_add_test(tcase, stored_once);
  tcase_add_test(tcase, mode);
  tcase_add_test(tcase, not_there);
  tcase_add_test(tcase, two_writers);
  tcase_add_test(tcase, disk_full);
  tcase_add_test(tcase, disk_without_room);
  tcase_add_test(tcase, place_is_taken);
  tcase_add_test(tcase, writer_checks);
  tcase_add_test(tcase, not_stored);
  suite_add_tcase(suite, tcase);
  return suite;
}
