// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which other layouts of a tile hardware can find: those that tensor maps and descriptors express, and no others.
#pragma once

#include "sim/advise/placed-tile.h"

G_BEGIN_DECLS

/** What changes in the description of a tile. */
typedef enum {
  SMB_TILE_SWIZZLES = 1 << 0, /* the swizzle of the tensor map and of the descriptor */
  SMB_TILE_SPREADS =
      1 << 1, /* a byte offset of a descriptor without a swizzle, so that there is padding */
} SmbTileChange;

/**
 * smb_tile_modes:
 * @changes: which are wanted
 *
 * Of a swizzle the rows fit into its span, or are several whole ones: a row of a box that is longer than 128 bytes is copied in several boxes. No product reads
 * across the end of a span from elsewhere than its beginning. Offsets are free where no tensor map brings an operand, or takes it away.
 *
 * Returns: (transfer full) (element-type SmbPlacement): other layouts of the tile than the present one; none if its descriptions do not agree or fit, or it has a
 *   swizzle of units that are not of 16 bytes
 */
GArray *smb_tile_modes(const SmbPlacedTile *tile, SmbTileChange changes);

/**
 * SmbTileMove: a tile that is to lie otherwise; @from, @to: (transfer none)
 */
typedef struct {
  const SmbPlacement *from, *to;
} SmbTileMove;

/**
 * smb_tile_moves_apply:
 * @moves: (element-type SmbTileMove)
 * @moved: (out): room for the result
 *
 * Returns: the request for the same bytes as they lie then: @moved; or @request, if not all of its lanes ask for one of these tiles
 */
const SmbRequest *smb_tile_moves_apply(gconstpointer moves, const SmbRequest *request,
                                       SmbRequest *moved);

G_END_DECLS
