// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where chunks of shared memory came from (chunk.c): of which copy of a box, and of which place in it; or, of what threads wrote, from which
// place in memory, or which row of a matrix in registers. Private to the machine and to sim/exec.
#pragma once

#include "sim/machine/access/access.h"

enum {
  SHARED_CHUNK = 16, // of a chunk
};

typedef enum {
  CHUNK_OF_BOX,    // a copy of a box of a tensor brought it
  CHUNK_OF_MEMORY, // threads copied it as it is in global memory
  CHUNK_OF_MATRIX, // threads stored it as a row of a matrix of 8 x 8 (stmatrix)
} ChunkKind;

/**
 * CopyShape: how copies of boxes lie in shared memory; compared as bytes, so that padding is 0
 * @site: of the instruction
 * @swizzle: bytes of the span in which chunks are exchanged, as the address says; 0: they are not
 * @unit: bytes that this keeps together
 * @row_bytes: of a row of the box, of which @pitch is the distance in shared memory
 * @rows_of_width: if the last dimension of the box leads on along the rows: as many rows has one width, before those of the next one follow; else 0
 * @flat_rows: rows that follow each other in one dimension of the tensor; 0: none do
 * @has_slices: after these others follow, of another slice of the box
 * @is_packed: where one ends in the tensor the next one begins, so that rows need not be those of a matrix
 * Of what threads wrote there are only @kind and @site.
 */
typedef struct {
  ChunkKind kind;
  guint site;
  guint32 swizzle, unit, row_bytes, pitch, rows_of_width, flat_rows;
  gboolean has_slices, is_packed;
} CopyShape;

/**
 * ChunkOrigin: a chunk's
 * @copy: of a box: a number of its own
 * @row, @x: of a box: byte @x of row @row of it
 * @from: of memory: an address; of a matrix: a number that is one more in its next row, and CHUNK_MATRIX more in another one of the store
 */
typedef struct {
  guint32 copy;
  const CopyShape *shape;
  guint32 row, x;
  guint64 from;
} ChunkOrigin;

#define CHUNK_MATRIX 8u

void smb_chunks_free(Chunks *chunks);
void smb_chunks_start_block(SmbBlock *block);
// The number of a copy that this block makes; 0: nobody wants to know.
guint32 smb_chunk_begin(SmbBlock *block);
// A copy, of this block or of another one of its cluster, brought @bytes of a row of the box, from byte @at of the box on, which is in
// shared memory as if it were not swizzled. After it was written.
void smb_chunk_note(SmbBlock *block, guint32 offset, gsize bytes, guint32 copy,
                    const CopyShape *shape, guint32 at);
// What a lane wrote, of whole chunks or of parts. After it was written. @from: as in ChunkOrigin
void smb_chunk_note_store(SmbBlock *block, guint32 offset, gsize bytes, ChunkKind kind, guint site,
                          guint64 from);
// Something else was written.
void smb_chunk_clear(SmbBlock *block, guint32 offset, gsize bytes);
// The same of all that lanes of an access write, @bytes each.
void smb_chunk_clear_access(SmbBlock *block, const Access *access, gsize bytes);
// Whether it is the first time in this block that something is to be told of copies like this one's; of what was a doubt before, that it is certain is news.
gboolean smb_chunk_tell(SmbBlock *block, const ChunkOrigin *origin, gboolean is_doubt);
// Whether something was written there since copies are noted.
gboolean smb_chunk_is_written(const SmbBlock *block, guint32 offset);
// FALSE: it is not known.
gboolean smb_chunk_find(const SmbBlock *block, guint32 offset, ChunkOrigin *origin);
