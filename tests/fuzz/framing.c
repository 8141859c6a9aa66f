// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a stream of messages, of both framings: the messages do not depend on how the bytes come in pieces, and one that is sent
// is the one that is received.
#include "src/serve/framing.h"

#include <string.h>

#include "tests/fuzz/targets.h"

// The messages of a stream that comes in pieces of @step bytes, as they are sent (transfer full); @failed: whether it broke off.
static GString *
read_stream(SmbFraming framing, const guint8 *data, gsize size, gsize step, gboolean *failed) {
  g_autoptr(SmbFrames) frames = smb_frames_new(framing);
  GString *sent = g_string_new(NULL);
  *failed = FALSE;
  for (gsize at = 0; at < size; at += step) {
    smb_frames_add(frames, (const char *)data + at, MIN(step, size - at));
    for (;;) {
      g_autoptr(GError) error = NULL;
      g_autoptr(GString) message = NULL;
      *failed = !smb_frames_take(frames, &message, &error);
      if (*failed != (error != NULL) || (*failed && message))
        g_error("a stream is read on or refused with a reason");
      if (*failed)
        return sent;
      if (!message)
        break;
      g_autoptr(GString) wrapped = smb_framing_wrap(framing, message->str, message->len);
      g_string_append_len(sent, wrapped->str, (gssize)wrapped->len);
    }
  }
  return sent;
}

static void
check_framing(SmbFraming framing, const guint8 *data, gsize size) {
  gboolean failed, failed_in_pieces, failed_again;
  g_autoptr(GString) whole = read_stream(framing, data, size, MAX(size, 1), &failed);
  g_autoptr(GString) pieces =
      read_stream(framing, data, size, size ? 1 + data[0] % 7 : 1, &failed_in_pieces);
  if (failed != failed_in_pieces || !g_string_equal(whole, pieces))
    g_error("the messages depend on how the stream comes in pieces");
  g_autoptr(GString) again = read_stream(framing, (const guint8 *)whole->str, whole->len,
                                         MAX(whole->len, 1), &failed_again);
  if (failed_again || !g_string_equal(whole, again))
    g_error("what is sent is not what is received");
}

void
fuzz_framing(const guint8 *data, gsize size) {
  check_framing(SMB_FRAMING_LINES, data, size);
  check_framing(SMB_FRAMING_HEADERS, data, size);
}
