// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The requests of a certificate of layout --find: which elements of a tile each lane moves, and what that takes in a layout. Shares nothing
// with what wrote it.
#pragma once

#include <json-glib/json-glib.h>

#include "src/verify-proof/recount.h"

/** Most bits of an element's number. */
#define SMB_MOVED_MAX_BITS 20

/** SmbMoved: @element: (array): of each active lane the number, row by row, of the first element that it moves; @times: it is made */
typedef struct {
  SmbRecountRule rule;
  guint width;
  guint64 mask;
  guint64 times;
  guint32 element[SMB_RECOUNT_LANES];
} SmbMoved;

/** SmbMovedTile: @n: elements; @columns: of a row; @requests: (element-type SmbMoved); @steps: to count all
 * of them: elements that lanes move */
typedef struct {
  guint element_bytes;
  guint64 n;
  guint64 columns;
  GArray *requests;
  guint64 steps;
} SmbMovedTile;

/**
 * SmbMovedLayout: where element i is, in elements
 * @n_bases: if it is not 0: the XOR of those @bases whose bit is set in i
 * @pad: else elements that follow each row; @bits, @base, @shift: of Swizzle<B,M,S>, before that
 */
typedef struct {
  guint n_bases;
  guint32 bases[SMB_MOVED_MAX_BITS];
  guint64 pad;
  guint bits;
  guint base;
  gint shift;
} SmbMovedLayout;

/** smb_moved_tile_read: @certificate: (nullable). Returns: (transfer full) (nullable): %NULL: it cannot be read, or a rule is not known */
SmbMovedTile *smb_moved_tile_read(JsonObject *certificate, const char *chip);
void smb_moved_tile_free(SmbMovedTile *tile);

/** smb_moved_layout_read: Returns: whether @certificate has a layout of the tile */
gboolean smb_moved_layout_read(JsonObject *certificate, const SmbMovedTile *tile,
                               SmbMovedLayout *layout);

/** smb_moved_tile_count: @sum: (out): of all requests. Returns: whether each lane has what it moves side by side, and aligned */
gboolean smb_moved_tile_count(const SmbMovedTile *tile, const SmbMovedLayout *layout,
                              SmbRecount *sum);

/** smb_moved_tile_row_bytes: Returns: those of the longest row of the banks */
guint smb_moved_tile_row_bytes(const SmbMovedTile *tile);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbMovedTile, smb_moved_tile_free)
