// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Spools that outgrow memory, and what happens where they cannot be kept or written.
#include "src/out/spool.h"

#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/suite.h"

// More than a spool keeps in memory, and more than a pipe takes at once.
enum {
  LARGE = 4 * SMB_SPOOL_MEMORY_BYTES
};

static void
fill(SmbSpool *spool) {
  g_autofree char *text = g_malloc(LARGE);
  for (gsize i = 0; i < LARGE; i++)
    text[i] = (char)('a' + i % 23);
  smb_spool_write(spool, text, LARGE);
}

static void
assert_filled(const char *text, gsize length) {
  ck_assert_uint_eq(length, LARGE);
  for (gsize i = 0; i < length; i++)
    ck_assert(text[i] == (char)('a' + i % 23));
}

START_TEST(test_large) {
  g_autoptr(SmbSpool) first = smb_spool_new();
  g_autoptr(SmbSpool) second = smb_spool_new();
  fill(first);
  ck_assert(!smb_spool_is_empty(first));
  smb_spool_append(second, first);
  ck_assert(smb_spool_is_empty(first));
  g_autoptr(GError) error = NULL;
  GString *text = smb_spool_take(second, &error);
  ck_assert_ptr_nonnull(text);
  assert_filled(text->str, text->len);
  g_string_free(text, TRUE);
  ck_assert(smb_spool_is_empty(second));
}
END_TEST

static gpointer
read_slowly(gpointer data) {
  int fd = GPOINTER_TO_INT(data);
  GString *text = g_string_new(NULL);
  char chunk[5000];
  gssize got;
  while ((got = read(fd, chunk, sizeof chunk)) > 0) {
    g_string_append_len(text, chunk, got);
    g_usleep(50);
  }
  return text;
}

// A pipe that takes no more for now is waited for.
START_TEST(test_pipe) {
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  ck_assert_int_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  GThread *reader = g_thread_new("reader", read_slowly, GINT_TO_POINTER(ends[0]));
  g_autoptr(SmbSpool) spool = smb_spool_new();
  fill(spool);
  ck_assert(smb_spool_flush(spool, ends[1], NULL));
  close(ends[1]);
  GString *text = g_thread_join(reader);
  assert_filled(text->str, text->len);
  g_string_free(text, TRUE);
  close(ends[0]);
  // cppcheck-suppress memleak ; the thread is released by g_thread_join()
}
END_TEST

START_TEST(test_full) {
  g_autoptr(SmbSpool) spool = smb_spool_new();
  g_autoptr(GError) error = NULL;
  int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ck_assert_int_ge(fd, 0);
  smb_spool_puts(spool, "text");
  ck_assert(!smb_spool_flush(spool, fd, &error));
  ck_assert(g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC));
  g_clear_error(&error);
  fill(spool);
  ck_assert(!smb_spool_flush(spool, fd, &error));
  ck_assert(g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC));
  close(fd);
}
END_TEST

// Where there is no room for a temporary file, the error is kept until someone asks, and nothing is written. GLib remembers where temporary files go,
// so this is another process.
START_TEST(test_no_temporary) {
  int status;
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child > 0) {
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return;
  }
  g_setenv("TMPDIR", "/nonexistent", TRUE);
  SmbSpool *spool = smb_spool_new(), *other = smb_spool_new();
  g_autoptr(GError) error = NULL;
  fill(spool);
  smb_spool_puts(spool, "more");
  smb_spool_write(spool, "more", 4);
  gboolean is_right = !smb_spool_is_empty(spool);
  smb_spool_append(other, spool);
  is_right &= smb_spool_take(other, &error) == NULL &&
              g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  smb_spool_free(spool);
  smb_spool_free(other);
  _exit(is_right ? EXIT_SUCCESS : EXIT_FAILURE);
}
END_TEST

Suite *
suite_spool(void) {
  Suite *suite = suite_create("spool");
  TCase *tcase = tcase_create("spool");
  tcase_add_test(tcase, test_no_temporary); // before another has asked GLib
  tcase_add_test(tcase, test_large);
  tcase_add_test(tcase, test_pipe);
  tcase_add_test(tcase, test_full);
  suite_add_tcase(suite, tcase);
  return suite;
}
