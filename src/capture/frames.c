// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/capture/frames.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "gpu/inject/protocol.h"

enum {
  READ_BYTES = 1 << 20,
};

GBytes *
smb_frames_bytes(SmbPayload *payload) {
  gsize length;
  const guchar *bytes = smb_payload_bytes(payload, &length);
  return g_bytes_new(bytes, length);
}

char *
smb_frames_text(SmbPayload *payload) {
  gsize length;
  const guchar *bytes = smb_payload_bytes(payload, &length);
  return g_utf8_make_valid((const char *)bytes, (gssize)length);
}

void
smb_frames_configuration(SmbPayload *payload, SmbCaptureLaunch *launch) {
  guint *const extents[] = {launch->grid, launch->block, launch->cluster};
  for (guint i = 0; i < 3 * G_N_ELEMENTS(extents); i++)
    extents[i / 3][i % 3] = (guint)smb_payload_number(payload);
  launch->dynamic_bytes = smb_payload_number(payload);
  launch->is_cooperative = smb_payload_number(payload) != 0;
  guint64 stream = smb_payload_number(payload);
  launch->stream = stream ? g_strdup_printf("0x%" G_GINT64_MODIFIER "x", stream) : g_strdup("0");
}

gboolean
smb_frames_send(int fd, guint64 kind, const SmbPayload *payload) {
  const InjectFrame frame = {kind, payload->length};
  g_autoptr(GByteArray) all = g_byte_array_new();
  if (payload->failed)
    return FALSE;
  g_byte_array_append(all, (const guint8 *)&frame, sizeof frame);
  g_byte_array_append(all, payload->bytes, (guint)payload->length);
  for (guint done = 0; done < all->len;) {
    ssize_t n = send(fd, all->data + done, all->len - done, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR)
      return FALSE;
    done += n > 0 ? (guint)n : 0;
  }
  return TRUE;
}

// All frames that are there whole.
static gboolean
take_whole_frames(GByteArray *in, SmbFrameTaker take, gpointer user) {
  gsize at = 0;
  InjectFrame frame;
  gboolean makes_sense = TRUE;
  while (makes_sense && in->len - at >= sizeof frame) {
    memcpy(&frame, in->data + at, sizeof frame);
    makes_sense = frame.bytes <= INJECT_MAX_FRAME;
    if (!makes_sense || in->len - at - sizeof frame < frame.bytes)
      break;
    SmbPayload payload = {.bytes = in->data + at + sizeof frame, .length = frame.bytes};
    makes_sense = take(user, frame.kind, &payload);
    at += sizeof frame + frame.bytes;
  }
  g_byte_array_remove_range(in, 0, (guint)at);
  return makes_sense;
}

gboolean
smb_frames_read(int fd, GByteArray *in, SmbFrameTaker take, gpointer user) {
  guint before = in->len;
  g_byte_array_set_size(in, before + READ_BYTES);
  ssize_t n = recv(fd, in->data + before, READ_BYTES, MSG_DONTWAIT);
  g_byte_array_set_size(in, before + (n > 0 ? (guint)n : 0));
  if (n < 0)
    return errno == EINTR || errno == EAGAIN;
  return n > 0 && take_whole_frames(in, take, user);
}
