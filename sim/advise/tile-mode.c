// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/advise/tile-mode.h"

enum {
  MIN_SPAN = 32,
  MAX_SPAN = 128,
};

// Whether each product reads whole spans, or a part of one.
static gboolean
products_fit(const SmbPlacedTile *tile, guint32 span) {
  for (guint i = 0; i < tile->parts->len; i++) {
    const SmbPlacedRows *part = g_ptr_array_index(tile->parts, i);
    guint32 line, x;
    if (part->name == SMB_PLACED_BOX)
      continue;
    if (!smb_placed_tile_locate(tile, part, &line, &x) || line % SMB_PLACED_GROUP ||
        (x % span && x % span + part->placement.line_bytes > span))
      return FALSE;
  }
  return TRUE;
}

static gboolean
swizzle_fits(const SmbPlacedTile *tile, guint32 span) {
  const SmbPlacement *now = &tile->placement;
  gboolean is_divided = now->line_bytes % span == 0;
  return span != now->span && products_fit(tile, span) &&
         (now->line_bytes <= span ||
          (is_divided && (span == MAX_SPAN || !smb_placed_tile_has_box(tile))));
}

GArray *
smb_tile_modes(const SmbPlacedTile *tile, SmbTileChange changes) {
  const SmbPlacement *now = &tile->placement;
  GArray *modes = g_array_new(FALSE, FALSE, sizeof(SmbPlacement));
  if (tile->is_torn || tile->is_misread || (now->span && now->unit != SMB_PLACED_CHUNK))
    return modes;
  for (guint32 span = MIN_SPAN; changes & SMB_TILE_SWIZZLES && span <= MAX_SPAN; span *= 2) {
    const SmbPlacement then = smb_placement_swizzle(now, span);
    if (swizzle_fits(tile, span))
      g_array_append_val(modes, then);
  }
  gboolean spreads = changes & SMB_TILE_SPREADS && tile->is_operand && !now->span &&
                     !smb_placed_tile_has_box(tile);
  for (guint is_group = 0; is_group <= 1; is_group++) {
    const SmbPlacement then = smb_placement_spread(now, SMB_PLACED_CHUNK, is_group != 0);
    if (spreads && (is_group ? now->group : now->next))
      g_array_append_val(modes, then);
  }
  return modes;
}

const SmbRequest *
smb_tile_moves_apply(gconstpointer moves, const SmbRequest *request, SmbRequest *moved) {
  const GArray *all = moves;
  for (guint i = 0; i < all->len; i++) {
    const SmbTileMove *move = &g_array_index(all, SmbTileMove, i);
    if (smb_placement_move(move->from, move->to, request, moved) == SMB_LAYOUT_FITS)
      return moved;
  }
  return request;
}
