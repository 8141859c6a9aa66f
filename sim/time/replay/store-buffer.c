// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/replay/store-buffer.h"

#include <string.h>

#include "sim/time/record/line-words.h"

SmbStoreLine
smb_store_buffer_put(SmbStoreBuffer *buffer, guint n, SmbStoreLine stored) {
  SmbStoreLine sent = {0};
  guint at = 0;
  while (at < n - 1 && buffer->lines[at].tag != stored.tag)
    at++;
  if (buffer->lines[at].tag == stored.tag) {
    stored.words |= buffer->lines[at].words;
    stored.sectors |= buffer->lines[at].sectors;
  } else {
    sent = buffer->lines[at];
  }
  memmove(buffer->lines + 1, buffer->lines, at * sizeof(SmbStoreLine));
  buffer->lines[0] = stored;
  return sent;
}

guint
smb_store_line_partial(const SmbStoreLine *line) {
  return (guint)__builtin_popcount(line->sectors & ~smb_sectors_of_words(line->words, TRUE));
}
