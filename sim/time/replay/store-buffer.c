// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/replay/store-buffer.h"

#include <string.h>

#include "sim/time/record/line-words.h"

// Takes a line out: those behind it move up.
static SmbStoreLine
take_out(SmbStoreBuffer *buffer, guint at) {
  SmbStoreLine line = buffer->lines[at];
  memmove(buffer->lines + at, buffer->lines + at + 1,
          (SMB_MAX_STORE_LINES - 1 - at) * sizeof(SmbStoreLine));
  buffer->lines[SMB_MAX_STORE_LINES - 1] = (SmbStoreLine){0};
  return line;
}

SmbStoreLine
smb_store_buffer_put(SmbStoreBuffer *buffer, guint n, SmbStoreLine stored) {
  guint at = 0;
  while (at < n - 1 && buffer->lines[at].tag != stored.tag)
    at++;
  SmbStoreLine sent = buffer->lines[at];
  if (sent.tag == stored.tag) {
    stored.warps |= sent.warps;
    stored.words |= sent.words;
    stored.sectors |= sent.sectors;
    sent = (SmbStoreLine){0};
  }
  memmove(buffer->lines + 1, buffer->lines, at * sizeof(SmbStoreLine));
  buffer->lines[0] = stored;
  return sent;
}

SmbStoreLine
smb_store_buffer_take_whole(SmbStoreBuffer *buffer) {
  for (guint at = SMB_MAX_STORE_LINES; at > 0; at--) {
    if (buffer->lines[at - 1].words == G_MAXUINT32)
      return take_out(buffer, at - 1);
  }
  return (SmbStoreLine){0};
}

SmbStoreLine
smb_store_buffer_end(SmbStoreBuffer *buffer, guint place) {
  guint at = 0;
  while (at < SMB_MAX_STORE_LINES - 1 && !(buffer->lines[at].warps >> place & 1))
    at++;
  return buffer->lines[at].warps >> place & 1 ? take_out(buffer, at) : (SmbStoreLine){0};
}

guint
smb_store_line_partial(const SmbStoreLine *line) {
  return (guint)__builtin_popcount(line->sectors & ~smb_sectors_of_words(line->words, TRUE));
}
