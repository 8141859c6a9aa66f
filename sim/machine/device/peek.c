// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a thread finds in memory, and leaves there, for functions of the device's run-time system: no access of the program, so nothing
// is counted, and nothing races.
#include <string.h>

#include "sim/base/range.h"
#include "sim/machine/access/access.h"
#include "sim/machine/device/runtime.h"

enum {
  PEEK_BYTES = 16, // that are read at once: a divisor of what global memory is kept in
};

// The object that a pointer points into, and the part of what is there that is in one piece of PEEK_BYTES. Returns how many bytes; 0:
// nothing is there.
static gsize
find_peeked(const SmbBlock *block, guint64 pointer, gsize length, Object **found,
            guint64 *in_object) {
  guint number = smb_block_find(block, pointer);
  gboolean has_number = pointer >> POINTER_OFFSET_BITS != 0;
  if (number >= (has_number ? block->n_numbered : block->n_objects) || !block->objects[number].name)
    return 0;
  Object *object = &block->objects[number];
  guint64 offset = pointer - (has_number ? make_pointer(number, 0) : object->address);
  gsize size = object->space == SPACE_SHARED ? block->shared_bytes : object->size;
  if (offset >= size)
    return 0;
  *found = object;
  *in_object = offset;
  return MIN(MIN(length, size - offset), PEEK_BYTES - offset % PEEK_BYTES);
}

// A part of it. Returns how many bytes; 0: nothing is there.
static gsize
peek_part(const SmbBlock *block, guint warp, guint lane, guint64 pointer, guchar *bytes,
          guchar *marks, gsize length) {
  Object *object = NULL;
  guint64 offset = 0;
  gsize n = find_peeked(block, pointer, length, &object, &offset);
  if (n == 0)
    return 0;
  switch (object->space) {
  case SPACE_SHARED:
    memcpy(bytes, block->shared + offset, n);
    memcpy(marks, block->shared_marks + offset, n);
    return n;
  case SPACE_PRIVATE:
    return smb_private_peek(block, object, warp, lane, offset, bytes, marks) ? 1 : 0;
  case SPACE_GLOBAL:
    smb_overlay_read(block->overlay, object, offset, FALSE, bytes, marks, n);
    return n;
  case SPACE_CONSTANT:
    smb_contents_read(&object->contents, offset, bytes, n);
    if (object->marks)
      memcpy(marks, object->marks + offset, n);
    else
      memset(marks, object->contents.fill != SMB_FILL_UNKNOWN ? MARK_KNOWN : 0, n);
    return n;
  }
  g_assert_not_reached();
}

gboolean
smb_block_has(const SmbBlock *block, guint64 pointer) {
  guchar byte, mark;
  return peek_part(block, 0, 0, pointer, &byte, &mark, 1) > 0;
}

gboolean
smb_block_peek(const SmbBlock *block, guint warp, guint lane, guint64 pointer, gpointer bytes,
               gsize length) {
  guchar marks[PEEK_BYTES];
  gboolean is_known = TRUE;
  for (gsize done = 0, n; done < length; done += n) {
    n = peek_part(block, warp, lane, pointer + done, (guchar *)bytes + done, marks, length - done);
    if (n == 0) {
      memset((guchar *)bytes + done, 0, length - done);
      return FALSE;
    }
    for (gsize i = 0; i < n; i++)
      is_known = is_known && marks[i] & MARK_KNOWN;
  }
  return is_known;
}

gboolean
smb_block_peek_text(const SmbBlock *block, guint warp, guint lane, guint64 pointer, GString *text) {
  guchar bytes[PEEK_BYTES], marks[PEEK_BYTES];
  gboolean is_known = TRUE;
  for (gsize n;; pointer += n) {
    n = peek_part(block, warp, lane, pointer, bytes, marks, sizeof bytes);
    if (n == 0)
      return FALSE;
    for (gsize i = 0; i < n; i++) {
      is_known = is_known && marks[i] & MARK_KNOWN;
      if (bytes[i] == '\0')
        return is_known;
      g_string_append_c(text, (char)bytes[i]);
    }
  }
}

// Writes a part of it. Returns how many bytes; 0: nothing is there, or it cannot be written.
static gsize
poke_part(SmbBlock *block, guint warp, guint lane, guint64 pointer, const guchar *bytes,
          const guchar *marks, gsize length) {
  Object *object = NULL;
  guint64 offset = 0;
  gsize n = find_peeked(block, pointer, length, &object, &offset);
  if (n == 0)
    return 0;
  switch (object->space) {
  case SPACE_SHARED:
    memcpy(block->shared + offset, bytes, n);
    memcpy(block->shared_marks + offset, marks, n);
    return n;
  case SPACE_PRIVATE:
    return smb_private_poke(block, object, warp, lane, offset, *bytes, *marks) ? 1 : 0;
  case SPACE_GLOBAL:
    smb_overlay_write(block->overlay, object, offset, bytes, marks, n);
    return n;
  case SPACE_CONSTANT:
    return 0;
  }
  g_assert_not_reached();
}

gboolean
smb_block_poke(SmbBlock *block, guint warp, guint lane, guint64 pointer, gconstpointer bytes,
               gsize length) {
  guchar marks[PEEK_BYTES], nothing[PEEK_BYTES] = {0};
  memset(marks, bytes ? MARK_KNOWN : 0, sizeof marks);
  for (gsize done = 0, n; done < length; done += n) {
    const guchar *from = bytes ? (const guchar *)bytes + done : nothing;
    n = poke_part(block, warp, lane, pointer + done, from, marks, length - done);
    if (n == 0)
      return FALSE;
  }
  return TRUE;
}
