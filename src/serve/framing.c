// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/serve/framing.h"

#include <string.h>

#include "sim/base/error.h"

#define LENGTH_HEADER "Content-Length:"

struct _SmbFrames {
  SmbFraming framing;
  GString *bytes; // that were read and not taken
  gsize at;       // where the next message begins in them
  gsize seen;     // up to where no line ends
};

SmbFrames *
smb_frames_new(SmbFraming framing) {
  SmbFrames *frames = g_new0(SmbFrames, 1);
  frames->framing = framing;
  frames->bytes = g_string_new(NULL);
  return frames;
}

void
smb_frames_free(SmbFrames *frames) {
  g_string_free(frames->bytes, TRUE);
  g_free(frames);
}

void
smb_frames_add(SmbFrames *frames, const char *bytes, gsize n) {
  g_string_erase(frames->bytes, 0, (gssize)frames->at);
  frames->seen -= frames->at;
  frames->at = 0;
  g_string_append_len(frames->bytes, bytes, (gssize)n);
}

// The bytes from @at, and the next message begins behind them and @skipped more (transfer full).
static GString *
take_message_bytes(SmbFrames *frames, gsize n, gsize skipped) {
  GString *message = g_string_new_len(frames->bytes->str + frames->at, (gssize)n);
  frames->at += n + skipped;
  frames->seen = frames->at;
  return message;
}

// Where the line that begins at @from ends; NULL: it has not ended yet.
static const char *
find_feed(const SmbFrames *frames, gsize from) {
  return memchr(frames->bytes->str + from, '\n', frames->bytes->len - from);
}

static gboolean
take_line(SmbFrames *frames, GString **message, GError **error) {
  while (!*message) {
    const char *end = find_feed(frames, frames->seen);
    gsize length = (end ? (gsize)(end - frames->bytes->str) : frames->bytes->len) - frames->at;
    if (length > SMB_FRAMING_MOST_BYTES)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "a message has more than %u bytes",
                      SMB_FRAMING_MOST_BYTES);
    frames->seen = frames->bytes->len;
    if (!end)
      return TRUE;
    g_autoptr(GString) line = take_message_bytes(frames, length, 1);
    if (strspn(line->str, " \t\r") < line->len)
      *message = g_steal_pointer(&line);
  }
  return TRUE;
}

// Reads a header. FALSE with an error: it is none.
static gboolean
read_header(const char *line, guint64 *length, gboolean *has_length, GError **error) {
  if (!strchr(line, ':'))
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "'%s' is not a header: expected " LENGTH_HEADER " N", line);
  if (g_ascii_strncasecmp(line, LENGTH_HEADER, strlen(LENGTH_HEADER)) != 0)
    return TRUE;
  g_autofree char *number = g_strstrip(g_strdup(line + strlen(LENGTH_HEADER)));
  *has_length = g_ascii_string_to_unsigned(number, 10, 0, SMB_FRAMING_MOST_BYTES, length, NULL);
  return *has_length ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  LENGTH_HEADER " %s: expected a number up to %u", number, SMB_FRAMING_MOST_BYTES);
}

static gboolean
take_counted(SmbFrames *frames, GString **message, GError **error) {
  guint64 length = 0;
  gboolean has_length = FALSE;
  for (gsize at = frames->at;;) {
    const char *end = find_feed(frames, at);
    if ((end ? (gsize)(end - frames->bytes->str) : frames->bytes->len) - frames->at >
        SMB_FRAMING_MOST_HEADER_BYTES)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "the headers have more than %u bytes",
                      SMB_FRAMING_MOST_HEADER_BYTES);
    if (!end)
      return TRUE;
    const char *begin = frames->bytes->str + at;
    g_autofree char *line = g_strchomp(g_strndup(begin, (gsize)(end - begin)));
    at = (gsize)(end - frames->bytes->str) + 1;
    if (*line && !read_header(line, &length, &has_length, error))
      return FALSE;
    if (*line)
      continue;
    if (!has_length)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "a message without " LENGTH_HEADER " N");
    if (frames->bytes->len - at < length)
      return TRUE;
    frames->at = at;
    *message = take_message_bytes(frames, (gsize)length, 0);
    return TRUE;
  }
}

gboolean
smb_frames_take(SmbFrames *frames, GString **message, GError **error) {
  *message = NULL;
  return frames->framing == SMB_FRAMING_LINES ? take_line(frames, message, error)
                                              : take_counted(frames, message, error);
}

GString *
smb_framing_wrap(SmbFraming framing, const char *message, gsize length) {
  GString *sent = g_string_new(NULL);
  if (framing == SMB_FRAMING_HEADERS)
    g_string_printf(sent, LENGTH_HEADER " %" G_GSIZE_FORMAT "\r\n\r\n", length);
  g_string_append_len(sent, message, (gssize)length);
  if (framing == SMB_FRAMING_LINES)
    g_string_append_c(sent, '\n');
  return sent;
}
