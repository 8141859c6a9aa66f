// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An operand of a matrix product as chunks of shared memory, and where these came from. Private to operand-rows.c, which looks at what copies
// of boxes brought, and operand-stores.c, which looks at what threads wrote.
#pragma once

#include "sim/exec/memory/memory.h"
#include "sim/machine/access/chunk.h"

enum {
  OPERAND_GROUP = 8,        // rows that lie together
  OPERAND_MAX_CELLS = 1024, // of an operand: 256 rows of 64 bytes, beside a sparse one
};

// A chunk of an operand: of a row, or, if it is turned, of all rows at one k.
typedef struct {
  guint line, chunk;
} Cell;

// Where all chunks of an operand came from, line by line.
typedef struct {
  guint lines, chunks;
  guint32 places[OPERAND_MAX_CELLS]; // in shared memory, in chunks
  ChunkOrigin origins[OPERAND_MAX_CELLS];
} Grid;

// Where the descriptor has a chunk: a byte offset in shared memory.
guint32 smb_operand_locate(const SharedMatrix *matrix, Cell cell);
// "with a 128-byte swizzle", or, of one that keeps other than 16 bytes together, "with a 128-byte swizzle of 32-byte units"
char *smb_operand_describe_swizzle(guint bytes, guint unit);
// "bytes 16 to 31 of row 3"
char *smb_operand_describe_cell(const SharedMatrix *matrix, Cell cell);

// Whether it is the stride byte offset, else the leading one, that leads from eight rows to the next (@is_of_groups), or from one width of a row to the next.
// Of a turned matrix that is not swizzled the two have changed their places.
static inline gboolean
smb_operand_is_stride(const SharedMatrix *matrix, gboolean is_of_groups) {
  return is_of_groups != (matrix->is_turned && !matrix->place.mask);
}

static inline guint32
smb_operand_offset(const SharedMatrix *matrix, gboolean is_of_groups) {
  return smb_operand_is_stride(matrix, is_of_groups) ? matrix->place.stride : matrix->place.leading;
}

// "the stride byte offset of operand A is 512"
char *smb_operand_describe_offset(const SharedMatrix *matrix, gboolean is_of_groups);

/**
 * smb_operand_find_base:
 * @origin: (out): of its first chunk
 * @base: (out): the base offset with which a row of a swizzle's span is in order
 *
 * Returns: whether that is known; not of an operand that is turned
 */
gboolean smb_operand_find_base(const SharedMatrix *matrix, ChunkOrigin *origin, guint32 *base);
// That it is another one than the descriptor's. @where: what wrote it
char *smb_operand_describe_base(const SharedMatrix *matrix, guint32 base, const char *where);

/**
 * OperandMistake: what is wrong with an operand
 * @origin: of a chunk that is out of place
 * @is_doubt: a right program may do the same: @message says when
 */
typedef struct {
  ChunkOrigin origin;
  gboolean is_doubt;
  char *message;
} OperandMistake;

// What ends the message of rows that were copied as they are, for a descriptor with a swizzle.
#define OPERAND_UNLESS_SWIZZLED                                                                    \
  ", which is wrong unless the data is swizzled in global memory already"
// The same of a box that is stored.
#define OPERAND_UNLESS_STORED_SWIZZLED                                                             \
  ", which is wrong unless the data is to lie swizzled in global memory"

// FALSE: nothing is wrong with an operand, or a box, that threads wrote.
gboolean smb_operand_find_stores(const SmbBlock *block, const SharedMatrix *matrix,
                                 const Grid *grid, OperandMistake *mistake);
