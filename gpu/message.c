// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Messages over pipes: a length, then a serialised GVariant; reads have a deadline.
#include "gpu/message.h"

#include <errno.h>
#include <unistd.h>

static gboolean
write_message_bytes(int fd, const guchar *bytes, gsize n) {
  while (n > 0) {
    gssize written = write(fd, bytes, n);
    if (written < 0 && errno != EINTR)
      return FALSE;
    bytes += MAX(written, 0);
    n -= (gsize)MAX(written, 0);
  }
  return TRUE;
}

gboolean
smb_message_write(int fd, GVariant *message) {
  g_autoptr(GVariant) held = g_variant_ref_sink(message);
  guint64 size = g_variant_get_size(held);
  return write_message_bytes(fd, (const guchar *)&size, sizeof size) &&
         write_message_bytes(fd, g_variant_get_data(held), size);
}

// Waits until there is something to read, or until @deadline (monotonic time; negative: none).
static SmbMessageStatus
wait_for_input(int fd, gint64 deadline) {
  for (;;) {
    gint64 left = deadline - g_get_monotonic_time();
    if (deadline >= 0 && left <= 0)
      return SMB_MESSAGE_LATE;
    GPollFD poll = {fd, G_IO_IN, 0};
    gint ready = g_poll(&poll, 1, deadline < 0 ? -1 : (gint)MIN(left / 1000 + 1, G_MAXINT));
    if (ready > 0)
      return SMB_MESSAGE_READ;
    if (ready < 0 && errno != EINTR)
      return SMB_MESSAGE_CLOSED;
  }
}

static SmbMessageStatus
read_message_bytes(int fd, gint64 deadline, guchar *bytes, gsize n) {
  while (n > 0) {
    SmbMessageStatus status = wait_for_input(fd, deadline);
    if (status != SMB_MESSAGE_READ)
      return status;
    gssize got = read(fd, bytes, n);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
      return SMB_MESSAGE_CLOSED;
    bytes += MAX(got, 0);
    n -= (gsize)MAX(got, 0);
  }
  return SMB_MESSAGE_READ;
}

SmbMessageStatus
smb_message_read(int fd, gint64 timeout_ms, GVariant **message) {
  gint64 deadline = timeout_ms < 0 ? -1 : g_get_monotonic_time() + timeout_ms * 1000;
  guint64 size;
  SmbMessageStatus status = read_message_bytes(fd, deadline, (guchar *)&size, sizeof size);
  if (status != SMB_MESSAGE_READ)
    return status;
  guchar *bytes = size <= SMB_MESSAGE_MAX_BYTES ? g_try_malloc(MAX(size, 1)) : NULL;
  if (!bytes)
    return SMB_MESSAGE_CLOSED;
  status = read_message_bytes(fd, deadline, bytes, size);
  if (status != SMB_MESSAGE_READ) {
    g_free(bytes);
    return status;
  }
  GVariant *read =
      g_variant_new_from_data(G_VARIANT_TYPE_VARDICT, bytes, size, FALSE, g_free, bytes);
  *message = g_variant_ref_sink(read);
  return SMB_MESSAGE_READ;
}

GVariant *
smb_message_bytes(GBytes *bytes) {
  return g_variant_new_from_bytes(G_VARIANT_TYPE_BYTESTRING, bytes, TRUE);
}

GBytes *
smb_message_get_bytes(GVariant *message, const char *key) {
  g_autoptr(GVariant) value = g_variant_lookup_value(message, key, G_VARIANT_TYPE_BYTESTRING);
  return value ? g_variant_get_data_as_bytes(value) : g_bytes_new(NULL, 0);
}

GVariant *
smb_message_numbers(const double *numbers, gsize n) {
  return g_variant_new_fixed_array(G_VARIANT_TYPE_DOUBLE, numbers, n, sizeof *numbers);
}

GArray *
smb_message_get_numbers(GVariant *message, const char *key) {
  g_autoptr(GVariant) value = g_variant_lookup_value(message, key, G_VARIANT_TYPE("ad"));
  GArray *taken = g_array_new(FALSE, FALSE, sizeof(double));
  gsize n = 0;
  const double *numbers = value ? g_variant_get_fixed_array(value, &n, sizeof *numbers) : NULL;
  if (n)
    g_array_append_vals(taken, numbers, (guint)n);
  return taken;
}
