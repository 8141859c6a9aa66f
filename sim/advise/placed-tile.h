// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tiles: the parts of shared memory that hardware finds by tensor maps and descriptors. A product reads a matrix in several steps along k; copies bring it, or
// take it away. All that is told of one matrix is one tile: how it lies, and whose descriptions have to agree on that. Of two that have one memory one after the
// other, only that is a tile which threads write, if copies bring the other and threads load from neither.
#pragma once

#include "sim/analysis/analysis.h"

G_BEGIN_DECLS

/**
 * SmbPlacedTile:
 * @placement: of all of it
 * @parts: (element-type SmbPlacedRows): (transfer none): boxes and operands that lie in it, by their place in the text
 * @is_operand: whether a product reads one of them: @placement is that of operands then, else that of a box
 * @is_torn: whether their descriptions do not agree, so that there is no one layout: memory that is used for several things, or a mistake; then
 *   @placement says nothing
 * @is_misread: whether a warning (SMB_WARNING_DESCRIPTOR) says that one of them does not fit what was written there: then it is not known where
 *   anything is to lie
 * @first, @end: bytes of shared memory that it takes: from the first one to that behind the last one
 */
typedef struct {
  SmbPlacement placement;
  GPtrArray *parts;
  gboolean is_operand;
  gboolean is_torn;
  gboolean is_misread;
  guint32 first, end;
} SmbPlacedTile;

/** smb_placed_tiles_new: Returns: (transfer full) (element-type SmbPlacedTile): those of SmbAnalysis.tiles, in the order of memory; none overlap */
GPtrArray *smb_placed_tiles_new(const SmbProgram *program, const SmbAnalysis *analysis);

/** smb_placed_tile_has_box: Returns: whether a tensor map describes it */
gboolean smb_placed_tile_has_box(const SmbPlacedTile *tile);

/** smb_placed_tile_locate: Returns: where in a tile a part begins: @line, @x: (out). FALSE: not at one of its bytes */
gboolean smb_placed_tile_locate(const SmbPlacedTile *tile, const SmbPlacedRows *part, guint32 *line,
                                guint32 *x);

G_END_DECLS
