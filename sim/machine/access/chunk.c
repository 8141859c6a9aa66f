// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where chunks of shared memory came from: which copy of a box brought them, and from which place of the box, or from where threads copied
// them. Whoever reads them as something else than rows of that can say so (sim/exec/memory/operand-rows.c, operand-stores.c). Any other write
// forgets it. Not noted: copies in bulk that are not of boxes, whose bytes may be in any order already, and what threads computed.
#include "sim/machine/access/chunk.h"

#include <string.h>

typedef struct {
  guint32 copy;   // 0: not known; of what threads wrote NO_COPY; OTHER_WRITE
  guint32 shape;  // its place in Chunks.shapes
  guint32 row, x; // or the high and the low word of ChunkOrigin.from
  guint32 bytes;  // those that were written so: a bit for each
} Chunk;

enum {
  ALL_BYTES = (1 << SHARED_CHUNK) - 1,
  NO_COPY = 1,               // smaller than the numbers of copies
  OTHER_WRITE = G_MAXUINT32, // larger than these: what was written is not known
};

typedef enum {
  TOLD_NOTHING,
  TOLD_DOUBT,
  TOLD_DEFECT
} Told;

struct _Chunks {
  Chunk *chunks;
  gsize n_chunks;
  GArray *shapes;   // CopyShape
  GArray *told;     // Told, of each: smb_chunk_tell()
  guint32 n_copies; // that this block made
};

static Chunks *
chunks_new(const SmbBlock *block) {
  Chunks *all = g_new0(Chunks, 1);
  all->n_chunks = (block->reserved_start + block->reserved_bytes) / SHARED_CHUNK + 1;
  all->chunks = g_new0(Chunk, all->n_chunks);
  all->shapes = g_array_new(FALSE, FALSE, sizeof(CopyShape));
  all->told = g_array_new(FALSE, TRUE, sizeof(Told));
  return all;
}

void
smb_chunks_free(Chunks *all) {
  if (!all)
    return;
  g_free(all->chunks);
  g_array_unref(all->shapes);
  g_array_unref(all->told);
  g_free(all);
}

static Chunks *
open_chunks(SmbBlock *block) {
  if (!block->chunks && (block->sink->warn || block->check))
    block->chunks = chunks_new(block);
  return block->chunks;
}

guint32
smb_chunk_begin(SmbBlock *block) {
  Chunks *all = open_chunks(block);
  return all ? ++all->n_copies * SMB_MAX_CLUSTER_BLOCKS + block->rank : 0;
}

static guint32
number_shape(Chunks *all, const CopyShape *shape) {
  for (guint i = all->shapes->len; i-- > 0;)
    if (memcmp(&g_array_index(all->shapes, CopyShape, i), shape, sizeof *shape) == 0)
      return i;
  g_array_append_val(all->shapes, *shape);
  g_array_set_size(all->told, all->shapes->len);
  return all->shapes->len - 1;
}

void
smb_chunk_note(SmbBlock *block, guint32 offset, gsize bytes, guint32 copy, const CopyShape *shape,
               guint32 at) {
  Chunks *all = copy ? open_chunks(block) : NULL;
  guint32 number = all ? number_shape(all, shape) : 0;
  for (gsize chunk = offset / SHARED_CHUNK, end = (offset + bytes - 1) / SHARED_CHUNK;
       all && chunk <= end && chunk < all->n_chunks; chunk++, at += SHARED_CHUNK)
    all->chunks[chunk] = (Chunk){.copy = copy,
                                 .shape = number,
                                 .bytes = ALL_BYTES,
                                 .row = at / shape->pitch,
                                 .x = at % shape->pitch / SHARED_CHUNK * SHARED_CHUNK};
}

static guint32
select_bytes(guint32 first, gsize n) {
  return ((1u << n) - 1) << first;
}

// @from: of the whole chunk, whose parts are written one after the other
static void
add_stored(Chunks *all, guint32 number, guint32 shape, guint32 bytes, guint64 from) {
  Chunk *chunk = &all->chunks[number];
  const Chunk stored = {NO_COPY, shape, (guint32)(from >> 32), (guint32)from, bytes};
  const gboolean is_part = chunk->copy == NO_COPY && chunk->row == stored.row &&
                           chunk->x == stored.x &&
                           g_array_index(all->shapes, CopyShape, chunk->shape).kind ==
                               g_array_index(all->shapes, CopyShape, shape).kind;
  if (is_part)
    chunk->bytes |= bytes;
  else
    *chunk = stored;
}

void
smb_chunk_note_store(SmbBlock *block, guint32 offset, gsize bytes, ChunkKind kind, guint site,
                     guint64 from) {
  CopyShape shape;
  Chunks *all = open_chunks(block);
  if (!all)
    return;
  memset(&shape, 0, sizeof shape);
  shape.kind = kind;
  shape.site = site;
  guint32 number = number_shape(all, &shape);
  for (gsize done = 0, n; done < bytes; done += n) {
    guint32 at = (guint32)(offset + done), in_chunk = at % SHARED_CHUNK;
    n = MIN(bytes - done, SHARED_CHUNK - in_chunk);
    if (at / SHARED_CHUNK < all->n_chunks)
      add_stored(all, at / SHARED_CHUNK, number, select_bytes(in_chunk, n), from + done - in_chunk);
  }
}

void
smb_chunk_clear(SmbBlock *block, guint32 offset, gsize bytes) {
  Chunks *all = block->chunks;
  gsize first = offset / SHARED_CHUNK;
  if (!all || bytes == 0 || first >= all->n_chunks)
    return;
  gsize end = MIN((offset + bytes - 1) / SHARED_CHUNK + 1, all->n_chunks);
  for (gsize i = first; i < end; i++) {
    Chunk *chunk = &all->chunks[i];
    gsize start = MAX(offset, i * SHARED_CHUNK), left = offset + bytes - start;
    guint32 rest = chunk->bytes & ~select_bytes(start % SHARED_CHUNK,
                                                MIN(left, SHARED_CHUNK - start % SHARED_CHUNK));
    if (chunk->copy == NO_COPY && rest)
      chunk->bytes = rest;
    else
      *chunk = (Chunk){.copy = OTHER_WRITE};
  }
}

void
smb_chunk_clear_access(SmbBlock *block, const Access *access, gsize bytes) {
  FOR_LANES(access->request.mask, lane) {
    smb_chunk_clear(block, access->request.offset[lane], bytes);
  }
}

gboolean
smb_chunk_is_written(const SmbBlock *block, guint32 offset) {
  const Chunks *all = block->chunks;
  gsize chunk = offset / SHARED_CHUNK;
  return all && chunk < all->n_chunks && all->chunks[chunk].copy != 0;
}

gboolean
smb_chunk_find(const SmbBlock *block, guint32 offset, ChunkOrigin *origin) {
  const Chunks *all = block->chunks;
  gsize chunk = offset / SHARED_CHUNK;
  if (!all || chunk >= all->n_chunks || !all->chunks[chunk].copy ||
      all->chunks[chunk].copy == OTHER_WRITE || all->chunks[chunk].bytes != ALL_BYTES)
    return FALSE;
  const Chunk *found = &all->chunks[chunk];
  *origin = (ChunkOrigin){.copy = found->copy,
                          .shape = &g_array_index(all->shapes, CopyShape, found->shape),
                          .row = found->row,
                          .x = found->x,
                          .from = (guint64)found->row << 32 | found->x};
  return TRUE;
}

gboolean
smb_chunk_tell(SmbBlock *block, const ChunkOrigin *origin, gboolean is_doubt) {
  Chunks *all = block->chunks;
  Told *told =
      &g_array_index(all->told, Told, origin->shape - &g_array_index(all->shapes, CopyShape, 0));
  Told now = is_doubt ? TOLD_DOUBT : TOLD_DEFECT;
  gboolean is_news = now > *told;
  *told = MAX(*told, now);
  return is_news;
}

void
smb_chunks_start_block(SmbBlock *block) {
  Chunks *all = block->chunks;
  if (!all)
    return;
  memset(all->chunks, 0, all->n_chunks * sizeof *all->chunks);
  memset(all->told->data, 0, all->told->len * sizeof(Told));
  all->n_copies = 0;
}
