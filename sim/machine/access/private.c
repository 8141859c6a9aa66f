// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory that each thread has its own of: local arrays. The words of the lanes of a warp lie side by side, as on the
// device, so that lanes that use the same element use one row. A byte that was never written cannot be
// read.
#include <string.h>

#include "sim/base/hash.h"
#include "sim/machine/access/access.h"

enum {
  WORD_BYTES = 4,
};

// Marks of a word all of whose bytes were written.
#define WORD_SET 0x01010101u

static gsize
count_object_words(const Object *object) {
  return (object->size + WORD_BYTES - 1) / WORD_BYTES;
}

// Words that anybody touched: of memory for deep recursion these are few.
static gsize
count_touched(const Object *object) {
  return (MIN(object->reach, object->size) + WORD_BYTES - 1) / WORD_BYTES;
}

// Where the bytes of a warp begin.
static gsize
find_warp(const SmbBlock *block, const Object *object, guint warp) {
  return warp * count_object_words(object) * WORD_BYTES * block->lanes;
}

// Where a byte of a lane lies behind there.
static gsize
find_byte(guint n_lanes, guint64 offset, guint lane) {
  gsize in_word = offset % WORD_BYTES;
  return (offset - in_word) * n_lanes + lane * WORD_BYTES + in_word;
}

static gboolean
allocate_private(SmbBlock *block, Object *object, const Move *move) {
  if (object->bytes)
    return TRUE;
  guint64 size = find_warp(block, object, block->n_warps);
  if (block->memory_used + 2 * size > block->limits.max_memory)
    return smb_block_fail(
               block, move->place,
               "'%s' takes %" G_GUINT64_FORMAT
               " bytes for all threads of a block, more than the limit of %" G_GUINT64_FORMAT,
               object->name, 2 * size, block->limits.max_memory) ||
           smb_hint(block->error, SMB_HINT_LIMIT, "max_memory", NULL);
  block->memory_used += 2 * size;
  object->bytes = g_malloc0(size);
  object->set = g_malloc0(size);
  return TRUE;
}

// Whether all bytes were written, but for those of @padding.
static gboolean
is_fully_written(const guchar *set, gsize length, guint padding) {
  for (gsize i = 0; i < length; i++) {
    if (!set[i] && !(padding >> i & 1))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_private_find(SmbBlock *block, const Move *move, const Access *access, guint lane, gsize at,
                 guchar **bytes, guchar **marks) {
  Object *object = access_object(block, access, lane);
  if (!allocate_private(block, object, move))
    return FALSE;
  gsize offset = (gsize)access->offset[lane] + at;
  gsize place = find_warp(block, object, access->warp) + find_byte(block->lanes, offset, lane);
  object->reach = MAX(object->reach, offset + WORD_BYTES);
  *bytes = object->bytes + place;
  *marks = object->set + place;
  return TRUE;
}

gboolean
smb_private_peek(const SmbBlock *block, const Object *object, guint warp, guint lane,
                 guint64 offset, guchar *byte, guchar *mark) {
  if (!object->bytes)
    return FALSE;
  gsize place = find_warp(block, object, warp) + find_byte(block->lanes, offset, lane);
  *byte = object->bytes[place];
  *mark = object->set[place];
  return TRUE;
}

gboolean
smb_private_poke(SmbBlock *block, Object *object, guint warp, guint lane, guint64 offset,
                 guchar byte, guchar mark) {
  const Move move = {.place = 0};
  if (!allocate_private(block, object, &move))
    return FALSE;
  gsize place = find_warp(block, object, warp) + find_byte(block->lanes, offset, lane);
  object->reach = MAX(object->reach, (gsize)offset + 1);
  object->bytes[place] = byte;
  object->set[place] = mark;
  return TRUE;
}

gboolean
smb_private_read_lane(SmbBlock *block, const Move *move, const Access *access, guint lane,
                      guchar *bytes) {
  guchar *from, *set;
  gsize width = move->width, piece = MIN(width, WORD_BYTES);
  for (gsize i = 0; i < width; i += piece) {
    if (!smb_private_find(block, move, access, lane, i, &from, &set))
      return FALSE;
    if (!is_fully_written(set, piece, move->padding >> i))
      return smb_access_fail(block, move, access->warp, lane, "read before it was set");
    memcpy(bytes + i, from, piece);
  }
  return TRUE;
}

gboolean
smb_private_write_lane(SmbBlock *block, const Move *move, const Access *access, guint lane,
                       const guchar *bytes) {
  guchar *to, *set;
  gsize width = move->width, piece = MIN(width, WORD_BYTES);
  for (gsize i = 0; i < width; i += piece) {
    if (!smb_private_find(block, move, access, lane, i, &to, &set))
      return FALSE;
    memcpy(to, bytes + i, piece);
    memset(set, MARK_KNOWN, piece);
  }
  return TRUE;
}

gboolean
smb_private_load_words(SmbBlock *block, const Move *move, const Access *access, SmbLanes mask,
                       guint32 *words) {
  Object *object = access->common;
  if (!allocate_private(block, object, move))
    return FALSE;
  gsize start = find_warp(block, object, access->warp);
  const guchar *bytes = object->bytes + start, *marks = object->set + start;
  guint n = block->lanes;
  FOR_LANES(mask, lane) {
    gsize at = find_byte(n, (guint64)access->offset[lane], lane);
    object->reach = MAX(object->reach, (gsize)access->offset[lane] + WORD_BYTES);
    guint32 set;
    memcpy(&set, marks + at, sizeof set);
    if (set != WORD_SET)
      return smb_access_fail(block, move, access->warp, lane, "read before it was set");
    memcpy(&words[lane], bytes + at, sizeof *words);
  }
  return TRUE;
}

gboolean
smb_private_store_words(SmbBlock *block, const Move *move, const Access *access, SmbLanes mask,
                        const guint32 *words) {
  Object *object = access->common;
  if (!allocate_private(block, object, move))
    return FALSE;
  gsize start = find_warp(block, object, access->warp);
  guchar *bytes = object->bytes + start, *marks = object->set + start;
  guint n = block->lanes;
  FOR_LANES(mask, lane) {
    gsize at = find_byte(n, (guint64)access->offset[lane], lane);
    object->reach = MAX(object->reach, (gsize)access->offset[lane] + WORD_BYTES);
    static const guint32 set = WORD_SET;
    memcpy(marks + at, &set, sizeof set);
    memcpy(bytes + at, &words[lane], sizeof *words);
  }
  return TRUE;
}

// Where the first word of each lane lies behind the start of the warp, of lanes that all access whole words of one object.
static void
find_word_places(const SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
                 gsize *places) {
  guint64 reach = 0;
  FOR_LANES(lanes, lane) {
    guint64 offset = (guint64)access->offset[lane];
    places[lane] = offset * block->lanes + lane * WORD_BYTES;
    reach = MAX(reach, offset + move->width);
  }
  access->common->reach = MAX(access->common->reach, (gsize)reach);
}

gboolean
smb_private_read_words(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
                       MarkedWords *words) {
  Object *object = access->common;
  gsize places[SMB_MAX_LANES], row = (gsize)block->lanes * WORD_BYTES;
  if (!allocate_private(block, object, move))
    return FALSE;
  const guchar *bytes = object->bytes + find_warp(block, object, access->warp);
  const guchar *marks = object->set + find_warp(block, object, access->warp);
  find_word_places(block, move, access, lanes, places);
  for (guint word = 0; word < move->width / WORD_BYTES; word++, bytes += row, marks += row) {
    if (access->pattern == PATTERN_SAME && lanes == block->all_lanes) {
      memcpy(words->values[word], bytes + places[0], row);
      memcpy(words->marks[word], marks + places[0], row);
      continue;
    }
    FOR_LANES(lanes, lane) {
      memcpy(&words->values[word][lane], bytes + places[lane], WORD_BYTES);
      memcpy(&words->marks[word][lane], marks + places[lane], WORD_BYTES);
    }
  }
  return TRUE;
}

gboolean
smb_private_write_words(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
                        const MarkedWords *words) {
  Object *object = access->common;
  gsize places[SMB_MAX_LANES], row = (gsize)block->lanes * WORD_BYTES;
  if (!allocate_private(block, object, move))
    return FALSE;
  guchar *bytes = object->bytes + find_warp(block, object, access->warp);
  guchar *marks = object->set + find_warp(block, object, access->warp);
  find_word_places(block, move, access, lanes, places);
  for (guint word = 0; word < move->width / WORD_BYTES; word++, bytes += row, marks += row) {
    if (access->pattern == PATTERN_SAME && lanes == block->all_lanes) {
      memcpy(bytes + places[0], words->values[word], row);
      memcpy(marks + places[0], words->marks[word], row);
      continue;
    }
    FOR_LANES(lanes, lane) {
      memcpy(bytes + places[lane], &words->values[word][lane], WORD_BYTES);
      memcpy(marks + places[lane], &words->marks[word][lane], WORD_BYTES);
    }
  }
  return TRUE;
}

void
smb_private_forget(const SmbBlock *block, guint object_index, const Mask *mask) {
  const Object *object = &block->objects[object_index];
  if (!object->set)
    return;
  FOR_WARPS(block, mask, w) {
    guchar *start = object->set + find_warp(block, object, w);
    if (mask->warp[w] == block->all_lanes) {
      memset(start, 0, count_touched(object) * WORD_BYTES * block->lanes);
      continue;
    }
    FOR_LANES(mask->warp[w], lane) {
      smb_private_forget_bytes(block, object_index, w, lane, 0, object->size);
    }
  }
}

void
smb_private_forget_bytes(const SmbBlock *block, guint object_index, guint warp, guint lane,
                         gsize from, gsize bytes) {
  const Object *object = &block->objects[object_index];
  gsize end = MIN(from + bytes, count_touched(object) * WORD_BYTES);
  if (!object->set)
    return;
  guchar *start = object->set + find_warp(block, object, warp);
  for (gsize at = from; at < end; at++)
    start[find_byte(block->lanes, at, lane)] = 0;
}

guint64
smb_private_hash(const SmbBlock *block) {
  guint64 hash = 0;
  for (guint i = 0; i < block->n_objects; i++) {
    const Object *object = &block->objects[i];
    gsize length = count_touched(object) * WORD_BYTES * block->lanes;
    for (guint w = 0; object->bytes && w < block->n_warps; w++) {
      smb_hash_bytes(&hash, object->bytes + find_warp(block, object, w), length);
      smb_hash_bytes(&hash, object->set + find_warp(block, object, w), length);
    }
  }
  return hash;
}
