// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Messages over a pipe: what is written is read, and what is no message is told as such.
#include "gpu/message.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/suite.h"

enum {
  SHORT_MS = 30,
  LONG_MS = 20000,
};

// A pipe whose ends are closed when it goes.
typedef struct {
  int out; // to read from
  int in;  // to write to
} Pipe;

static Pipe
open_pipe(void) {
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  return (Pipe){ends[0], ends[1]};
}

static void
close_end(int *end) {
  if (*end >= 0)
    close(*end);
  *end = -1;
}

static GVariant *
make_message(gsize bytes) {
  g_autofree guchar *data = g_malloc(bytes + 1);
  for (gsize i = 0; i < bytes; i++)
    data[i] = (guchar)(i * 7 + i / 256);
  g_autoptr(GBytes) taken = g_bytes_new(data, bytes);
  GVariantDict message;
  g_variant_dict_init(&message, NULL);
  g_variant_dict_insert(&message, "job", "s", "kernel");
  g_variant_dict_insert(&message, "number", "d", 0.25);
  g_variant_dict_insert_value(&message, "bytes", smb_message_bytes(taken));
  return g_variant_ref_sink(g_variant_dict_end(&message));
}

typedef struct {
  int in;
  GVariant *message;
} Writer;

static gpointer
write_messages(gpointer data) {
  const Writer *writer = data;
  gboolean ok = smb_message_write(writer->in, writer->message) &&
                smb_message_write(writer->in, writer->message);
  return GINT_TO_POINTER(ok);
}

// Two in a row, also longer than a pipe holds.
START_TEST(test_round_trip) {
  static const gsize sizes[] = {0, 1, 4096, 65536, 3000001};
  Pipe ends = open_pipe();
  g_autoptr(GVariant) message = make_message(sizes[_i]);
  Writer writer = {ends.in, message};
  GThread *thread = g_thread_new("writer", write_messages, &writer);
  for (guint i = 0; i < 2; i++) {
    g_autoptr(GVariant) got = NULL;
    ck_assert_int_eq(smb_message_read(ends.out, i ? -1 : LONG_MS, &got), SMB_MESSAGE_READ);
    ck_assert_uint_eq(g_variant_get_size(got), g_variant_get_size(message));
    ck_assert_mem_eq(g_variant_get_data(got), g_variant_get_data(message),
                     g_variant_get_size(message));
    g_autoptr(GBytes) bytes = smb_message_get_bytes(got, "bytes");
    ck_assert_uint_eq(g_bytes_get_size(bytes), sizes[_i]);
  }
  ck_assert_int_eq(GPOINTER_TO_INT(g_thread_join(thread)), TRUE);
  close_end(&ends.in);
  close_end(&ends.out);
}
END_TEST

START_TEST(test_no_bytes) {
  g_autoptr(GVariant) message = make_message(8);
  g_autoptr(GBytes) missing = smb_message_get_bytes(message, "other");
  g_autoptr(GBytes) text = smb_message_get_bytes(message, "job");
  ck_assert_uint_eq(g_bytes_get_size(missing), 0);
  ck_assert_uint_eq(g_bytes_get_size(text), 0);
}
END_TEST

// What is written before the pipe is closed, or not: a length, and bytes that may be fewer.
typedef struct {
  guint64 length;
  gsize length_bytes; // how much of the length is written
  gsize bytes;
  gboolean stays_open;
  SmbMessageStatus status;
} Case;

static const Case cases[] = {
    {0, 0, 0, FALSE, SMB_MESSAGE_CLOSED},
    {16, 3, 0, FALSE, SMB_MESSAGE_CLOSED},
    {16, 8, 0, FALSE, SMB_MESSAGE_CLOSED},
    {16, 8, 15, FALSE, SMB_MESSAGE_CLOSED},
    {SMB_MESSAGE_MAX_BYTES + 1, 8, 100, TRUE, SMB_MESSAGE_CLOSED},
    {G_MAXUINT64, 8, 100, TRUE, SMB_MESSAGE_CLOSED},
    {0, 0, 0, TRUE, SMB_MESSAGE_LATE},
    {16, 3, 0, TRUE, SMB_MESSAGE_LATE},
    {16, 8, 15, TRUE, SMB_MESSAGE_LATE},
    {0, 8, 0, TRUE, SMB_MESSAGE_READ},
    {16, 8, 16, TRUE, SMB_MESSAGE_READ},
    {100, 8, 100, TRUE, SMB_MESSAGE_READ},
};

// Garbage of the right length is a message that says nothing of use.
START_TEST(test_garbage) {
  const Case *test = &cases[_i];
  Pipe ends = open_pipe();
  guchar garbage[100];
  for (guint i = 0; i < sizeof garbage; i++)
    garbage[i] = (guchar)(i * 151 + 17);
  ck_assert_int_eq(write(ends.in, &test->length, test->length_bytes), (gssize)test->length_bytes);
  ck_assert_int_eq(write(ends.in, garbage, test->bytes), (gssize)test->bytes);
  if (!test->stays_open)
    close_end(&ends.in);
  gint64 start = g_get_monotonic_time();
  g_autoptr(GVariant) got = NULL;
  ck_assert_int_eq(smb_message_read(ends.out, SHORT_MS, &got), test->status);
  if (test->status == SMB_MESSAGE_LATE)
    ck_assert_int_ge(g_get_monotonic_time() - start, SHORT_MS * 1000);
  if (test->status == SMB_MESSAGE_READ) {
    const char *job = NULL;
    ck_assert(g_variant_is_of_type(got, G_VARIANT_TYPE_VARDICT));
    ck_assert(!g_variant_lookup(got, "job", "&s", &job));
  } else {
    ck_assert_ptr_null(got);
  }
  close_end(&ends.in);
  close_end(&ends.out);
}
END_TEST

START_TEST(test_closed) {
  Pipe ends = open_pipe();
  int in = ends.in, out = ends.out;
  g_autoptr(GVariant) message = make_message(10);
  g_autoptr(GVariant) got = NULL;
  signal(SIGPIPE, SIG_IGN);
  close_end(&ends.out);
  ck_assert(!smb_message_write(in, message));
  close_end(&ends.in);
  ck_assert(!smb_message_write(in, message));
  ck_assert_int_eq(smb_message_read(out, SHORT_MS, &got), SMB_MESSAGE_CLOSED);
}
END_TEST

Suite *
suite_gpu_message(void) {
  Suite *suite = suite_create("gpu-message");
  TCase *group = tcase_create("message");
  tcase_add_loop_test(group, test_round_trip, 0, 5);
  tcase_add_test(group, test_no_bytes);
  tcase_add_loop_test(group, test_garbage, 0, G_N_ELEMENTS(cases));
  tcase_add_test(group, test_closed);
  suite_add_tcase(suite, group);
  return suite;
}
