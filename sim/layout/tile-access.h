// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What threads do to a tile: which elements each of them loads or stores, and the requests that this makes in a layout. Values in
// registers are not part of it, only where they lie.
#pragma once

#include "sim/base/request.h"
#include "sim/layout/tile.h"

/** Most warps of a block. */
#define SMB_TILE_MAX_WARPS 32

/**
 * SmbTileAccess:
 * @text: as it was written
 * @at: byte offset of it in the source
 * @op: what each instruction does
 * @n_warps, @n_lanes: who does it
 * @n_values: elements of one thread, in the order of its registers
 * @vector: elements of one thread that one instruction moves; of ldmatrix and stmatrix those of a row of 16 bytes
 * @is_given: whether @vector was given; else it is the widest that the layout allows
 * @first_chip, @last_chip: those that have the instruction, as __CUDA_ARCH__; 0: all, all later ones
 * @element: (array): by warp, by lane, by value: the number of the element; SMB_TILE_NONE of a lane that does nothing
 */
typedef struct {
  char *text;
  guint32 at;
  SmbOp op;
  guint n_warps;
  guint n_lanes;
  guint n_values;
  guint vector;
  gboolean is_given;
  guint first_chip, last_chip;
  guint32 *element;
} SmbTileAccess;

/**
 * smb_tile_access_parse:
 * @notation: reads on from an access, to its end
 * @lanes: of a warp
 * @error: SMB_ERROR_INPUT at the place: what is not understood, or an element outside of the tile
 *
 * ["load" | "store" | "atomic"] WHAT ["@(" ROW "," COLUMN ")"] ["vec=" ELEMENTS] ["of" ROWS "x" COLUMNS], where WHAT is row, column,
 * ldmatrix.xN, stmatrix.xN, mma.mMnNkK.A|B|C, wgmma.mMnNkK.C, CuTe's thread-value layout, or Triton's blocked, nvidia_mma,
 * dot_op or linear encoding (doc/layout.md).
 *
 * Returns: (transfer full): the access to @tile
 */
SmbTileAccess *smb_tile_access_parse(SmbNotation *notation, const SmbTile *tile, guint lanes,
                                     GError **error);
void smb_tile_access_free(SmbTileAccess *access);

/** smb_tile_access_element: Returns: the element of a value of a thread, or SMB_TILE_NONE */
static inline guint32
smb_tile_access_element(const SmbTileAccess *access, guint warp, guint lane, guint value) {
  return access->element[((gsize)warp * access->n_lanes + lane) * access->n_values + value];
}

/** A request of a warp. */
typedef struct {
  guint warp;
  SmbRequest request;
} SmbTileRequest;

/**
 * smb_tile_access_requests:
 * @tile: in any layout, of the shape that @access was read for
 * @source: what messages quote
 * @error: SMB_ERROR_INPUT: elements that one instruction is to move are not adjacent, or not aligned
 *
 * Returns: (transfer full) (element-type SmbTileRequest): value by value, and warp by warp
 */
GArray *smb_tile_access_requests(const SmbTileAccess *access, const SmbTile *tile,
                                 const SmbSource *source, GError **error);

/**
 * SmbTileCoverage: who asks for what
 * @elements: distinct ones that are asked for
 * @most_threads: the most threads that ask for the same one
 * @shared: the first such element
 */
typedef struct {
  guint64 elements;
  guint most_threads;
  guint32 shared;
} SmbTileCoverage;

SmbTileCoverage smb_tile_access_coverage(const SmbTileAccess *access, const SmbTile *tile);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTileAccess, smb_tile_access_free)
