// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Words of global memory that all lanes of an access read or write in one object: at once where they lie side by side,
// or where the object still holds what it did before the launch. Whatever else there is goes lane by lane (words.c).
#include <string.h>

#include "sim/machine/access/access.h"
#include "sim/machine/access/lanes.h"

enum {
  WORD_BYTES = 4,
  LINE_BYTES = 64, // what is written of them is noted in one word
};

// The bytes of all lanes, side by side, and their marks.
typedef struct {
  guchar bytes[SMB_MAX_LANES * MAX_MOVE_BYTES];
  guchar marks[SMB_MAX_LANES * MAX_MOVE_BYTES];
} Run;

// A load does not see what other blocks have added.
void
smb_outside_hide_changed(guchar *marks, gsize length) {
  for (gsize i = 0; i < length; i++)
    marks[i] = marks[i] & MARK_SHARED ? 0 : marks[i];
}

// --- side by side

// The next bytes of a run, from @done on: as many as lie in one line.
static gsize
find_run_piece(const Access *access, gsize length, gsize done) {
  guint64 offset = (guint64)access->offset[0] + done;
  return MIN(LINE_BYTES - offset % LINE_BYTES, length - done);
}

// What was there before the launch.
static void
read_initial_run(const SmbBlock *block, const Access *access, guchar *bytes, guchar *marks,
                 gsize length) {
  const Object *object = access->common;
  guint64 offset = (guint64)access->offset[0];
  if (object->map) {
    smb_map_read(block->map, object->address + offset, FALSE, bytes, marks, length);
    return;
  }
  smb_contents_read(&object->contents, offset, bytes, length);
  memset(marks, object->contents.fill == SMB_FILL_UNKNOWN ? 0 : MARK_KNOWN, length);
}

static void
read_side_by_side(const SmbBlock *block, const Move *move, const Access *access, guchar *bytes,
                  guchar *marks) {
  gsize length = (gsize)block->lanes * move->width;
  gboolean is_atomic = move->op_class == SMB_OP_CLASS_ATOMIC;
  if (!is_atomic && smb_overlay_is_bare(block->overlay, access->common)) {
    read_initial_run(block, access, bytes, marks, length);
    return;
  }
  for (gsize done = 0, n; done < length; done += n) {
    n = find_run_piece(access, length, done);
    smb_overlay_read(block->overlay, access->common, (guint64)access->offset[0] + done, is_atomic,
                     bytes + done, marks + done, n);
  }
  if (move->op_class == SMB_OP_CLASS_LOAD)
    smb_outside_hide_changed(marks, length);
}

static void
write_run(const SmbBlock *block, const Move *move, const Access *access, const guchar *bytes,
          const guchar *marks) {
  gsize length = (gsize)block->lanes * move->width;
  for (gsize done = 0, n; done < length; done += n) {
    n = find_run_piece(access, length, done);
    smb_overlay_write(block->overlay, access->common, (guint64)access->offset[0] + done,
                      bytes + done, marks + done, n);
  }
}

// Between the elements of a run and words, for a width and a number of lanes: @n bytes of each word, those of lane 0
// @stride before those of lane 1.
static inline void
part_run(guint lanes, gsize stride, gsize n, const guchar *restrict from, guint32 *restrict to) {
  for (guint lane = 0; lane < lanes; lane++)
    memcpy(&to[lane], from + lane * stride, n);
}

static inline void
join_run(guint lanes, gsize stride, gsize n, const guint32 *restrict from, guchar *restrict to) {
  for (guint lane = 0; lane < lanes; lane++)
    memcpy(to + lane * stride, &from[lane], n);
}

static void
part_words(guint lanes, gsize width, const Run *run, MarkedWords *words) {
  for (gsize at = 0; at < width; at += WORD_BYTES) {
    guint32 *values = words->values[at / WORD_BYTES], *marks = words->marks[at / WORD_BYTES];
    if (width < WORD_BYTES) {
      EACH_LANE(lanes, {
        values[lane] = 0;
        marks[lane] = MARKS_KNOWN;
      })
    }
    switch (width) {
    case 1:
      part_run(lanes, 1, 1, run->bytes, values);
      part_run(lanes, 1, 1, run->marks, marks);
      break;
    case 2:
      part_run(lanes, 2, 2, run->bytes, values);
      part_run(lanes, 2, 2, run->marks, marks);
      break;
    default:
      part_run(lanes, width, WORD_BYTES, run->bytes + at, values);
      part_run(lanes, width, WORD_BYTES, run->marks + at, marks);
      break;
    }
  }
}

static void
join_words(guint lanes, gsize width, const MarkedWords *words, Run *run) {
  for (gsize at = 0; at < width; at += WORD_BYTES) {
    const guint32 *values = words->values[at / WORD_BYTES], *marks = words->marks[at / WORD_BYTES];
    join_run(lanes, width, MIN(width, WORD_BYTES), values, run->bytes + at);
    join_run(lanes, width, MIN(width, WORD_BYTES), marks, run->marks + at);
  }
}

void
smb_outside_read_dense(const SmbBlock *block, const Move *move, const Access *access,
                       MarkedWords *words) {
  if (move->width == WORD_BYTES) {
    read_side_by_side(block, move, access, (guchar *)words->values[0], (guchar *)words->marks[0]);
    return;
  }
  Run run;
  read_side_by_side(block, move, access, run.bytes, run.marks);
  part_words(block->lanes, move->width, &run, words);
}

void
smb_outside_write_dense(const SmbBlock *block, const Move *move, const Access *access,
                        const MarkedWords *words) {
  if (move->width == WORD_BYTES) {
    write_run(block, move, access, (const guchar *)words->values[0],
              (const guchar *)words->marks[0]);
    return;
  }
  Run run;
  join_words(block->lanes, move->width, words, &run);
  write_run(block, move, access, run.bytes, run.marks);
}

// --- wherever they are

static void
put_lane_word(MarkedWords *words, guint lane, const guchar *bytes, const guchar *marks,
              gsize width) {
  for (gsize at = 0; at < width; at += WORD_BYTES) {
    guint32 value = 0, mark = MARKS_KNOWN;
    memcpy(&value, bytes + at, MIN(width, WORD_BYTES));
    if (marks)
      memcpy(&mark, marks + at, MIN(width, WORD_BYTES));
    words->values[at / WORD_BYTES][lane] = value;
    words->marks[at / WORD_BYTES][lane] = mark;
  }
}

// @n bytes of each lane, from @offsets behind byte @start on.
static inline void
take_lane_bytes(guint lanes, gsize n, const guchar *bytes, guint64 start, const gint64 *offsets,
                guint32 *restrict values) {
  EACH_LANE(lanes, {
    guint32 value = 0;
    memcpy(&value, bytes + (start + (guint64)offsets[lane]), n);
    values[lane] = value;
  })
}

// Of memory at addresses, where all lanes ask for what lies in one piece, as most do; else FALSE.
static gboolean
read_piece_lanes(const SmbBlock *block, gsize width, const Access *access, MarkedWords *words) {
  const gint64 *offsets = access->offset;
  guint64 start = access->common->address, first = 0, end = 0, low = G_MAXUINT64, high = 0;
  const guchar *piece = smb_map_bytes(block->map, start + (guint64)offsets[0], &first, &end);
  EACH_LANE(block->lanes, {
    low = MIN(low, (guint64)offsets[lane]);
    high = MAX(high, (guint64)offsets[lane]);
  })
  if (!piece || start + low < first || start + high >= end || end - (start + high) < width)
    return FALSE;
  for (guint word = 0; word * WORD_BYTES < width; word++) {
    guint64 from = start - first + word * WORD_BYTES;
    if (width == 1)
      take_lane_bytes(block->lanes, 1, piece, from, offsets, words->values[word]);
    else if (width == 2)
      take_lane_bytes(block->lanes, 2, piece, from, offsets, words->values[word]);
    else
      take_lane_bytes(block->lanes, WORD_BYTES, piece, from, offsets, words->values[word]);
    EACH_LANE(block->lanes, words->marks[word][lane] = MARKS_KNOWN;)
  }
  return TRUE;
}

static void
read_map_lanes(const SmbBlock *block, gsize width, const Access *access, MarkedWords *words) {
  if (read_piece_lanes(block, width, access, words))
    return;
  for (guint lane = 0; lane < block->lanes; lane++) {
    guint64 address = access->common->address + (guint64)access->offset[lane];
    guchar bytes[MAX_MOVE_BYTES], marks[MAX_MOVE_BYTES];
    smb_map_read(block->map, address, FALSE, bytes, marks, width);
    put_lane_word(words, lane, bytes, marks, width);
  }
}

static void
read_contents_lanes(const SmbBlock *block, gsize width, const Access *access, MarkedWords *words) {
  const SmbContents *contents = &access->common->contents;
  gboolean is_known = contents->fill != SMB_FILL_UNKNOWN;
  if (width == WORD_BYTES) {
    EACH_LANE(block->lanes, words->marks[0][lane] = is_known ? MARKS_KNOWN : 0;)
    smb_contents_read_words(contents, block->lanes, access->offset, words->values[0]);
    return;
  }
  guchar bytes[MAX_MOVE_BYTES], marks[MAX_MOVE_BYTES] = {0};
  for (guint lane = 0; lane < block->lanes; lane++) {
    smb_contents_read(contents, (guint64)access->offset[lane], bytes, width);
    put_lane_word(words, lane, bytes, is_known ? NULL : marks, width);
  }
}

gboolean
smb_outside_read(const SmbBlock *block, const Move *move, const Access *access,
                 MarkedWords *words) {
  const Object *object = access->common;
  if (!object || object->space != SPACE_GLOBAL)
    return FALSE;
  if (access->pattern == PATTERN_DENSE) {
    smb_outside_read_dense(block, move, access, words);
    return TRUE;
  }
  if (move->op_class == SMB_OP_CLASS_ATOMIC || !smb_overlay_is_bare(block->overlay, object))
    return FALSE;
  if (object->map)
    read_map_lanes(block, move->width, access, words);
  else
    read_contents_lanes(block, move->width, access, words);
  return TRUE;
}
