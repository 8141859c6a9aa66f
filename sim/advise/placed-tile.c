// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/advise/placed-tile.h"

#include "sim/base/order.h"

static void
tile_free(gpointer data) {
  SmbPlacedTile *tile = data;
  g_ptr_array_unref(tile->parts);
  g_free(tile);
}

static gboolean
is_box(const SmbPlacedRows *part) {
  return part->name == SMB_PLACED_BOX;
}

// Operands before boxes, then by start.
static gint
compare_tile_parts(gconstpointer a, gconstpointer b) {
  const SmbPlacedRows *x = *(SmbPlacedRows *const *)a, *y = *(SmbPlacedRows *const *)b;
  return smb_order(is_box(x), is_box(y)) ?: smb_order(x->placement.start, y->placement.start);
}

static gint
compare_tiles_by_place(gconstpointer a, gconstpointer b) {
  const SmbPlacedTile *x = *(SmbPlacedTile *const *)a, *y = *(SmbPlacedTile *const *)b;
  return smb_order(x->first, y->first);
}

static gint
compare_sites(gconstpointer a, gconstpointer b) {
  const SmbPlacedRows *x = *(SmbPlacedRows *const *)a, *y = *(SmbPlacedRows *const *)b;
  return smb_order((gsize)x->site, (gsize)y->site) ?: smb_order((guchar)x->name, (guchar)y->name)
         ?: smb_order(x->placement.start, y->placement.start);
}

static gboolean
swizzles_alike(const SmbPlacement *a, const SmbPlacement *b) {
  return a->span == b->span && (!a->span || (a->unit == b->unit && a->base == b->base));
}

// Which bytes a placement takes: a swizzle moves them within rows of 128.
static void
find_range(const SmbPlacement *placement, guint32 *first, guint32 *end) {
  const guint32 row = placement->span ? 128 : 1;
  *first = placement->start / row * row;
  *end = (smb_placement_end(placement) + row - 1) / row * row;
}

// A distance that only one of two knows is that of both.
static gboolean
agree_on_distance(guint32 *distance, guint32 other) {
  if (!*distance)
    *distance = other;
  return !other || *distance == other;
}

// Where a placement begins in another one. Starts are those before the swizzle.
static gboolean
find_part_start(const SmbPlacement *whole, const SmbPlacement *other, guint32 *line, guint32 *x) {
  SmbPlacement plain = *whole;
  plain.span = 0;
  return smb_placement_find(&plain, other->start, line, x);
}

// Whether @other goes on where @tile ends along k, or lies in it: the tile has both then. Other lines than those along k are taken together only where they are
// mixed with those that are there: else they are a tile of their own, such as the next stage of a pipeline.
static gboolean
extend_by_operand(SmbPlacedTile *tile, const SmbPlacedRows *part) {
  const SmbPlacement *other = &part->placement;
  SmbPlacement whole = tile->placement;
  guint32 line, x;
  const gboolean is_within = other->start < tile->end;
  const SmbPlacedRows *first = g_ptr_array_index(tile->parts, 0);
  if (whole.width != other->width || whole.pitch != other->pitch ||
      whole.is_turned != other->is_turned || !swizzles_alike(&whole, other) ||
      !agree_on_distance(&whole.group, other->group) ||
      !agree_on_distance(&whole.next, other->next) || (first->name != part->name && !is_within))
    return FALSE;
  if (!find_part_start(&whole, other, &line, &x) || line > whole.lines || x > whole.line_bytes ||
      (!is_within && (whole.is_turned ? x : line) > 0))
    return FALSE;
  whole.lines = MAX(whole.lines, line + other->lines);
  whole.line_bytes = MAX(whole.line_bytes, x + other->line_bytes);
  if (!smb_placement_is_sound(&whole))
    return FALSE;
  tile->placement = whole;
  find_range(&whole, &tile->first, &tile->end);
  g_ptr_array_add(tile->parts, (gpointer)part);
  return TRUE;
}

// Whether a box shares memory with a tile, and lies as that does. Rows of a box that a product reads without a swizzle are chunks; with one, or without a product,
// the box may have more rows than are read.
static gboolean
extend_by_box(SmbPlacedTile *tile, const SmbPlacedRows *part) {
  const SmbPlacement *box = &part->placement;
  SmbPlacement *whole = &tile->placement;
  guint32 first, end;
  find_range(box, &first, &end);
  if (first >= tile->end || tile->first >= end || !swizzles_alike(whole, box) ||
      whole->pitch != box->pitch)
    return FALSE;
  g_ptr_array_add(tile->parts, (gpointer)part);
  if ((whole->span || !tile->is_operand) && first <= tile->first && end >= tile->end) {
    gboolean is_turned = whole->is_turned;
    *whole = *box;
    whole->is_turned = is_turned;
    tile->first = first;
    tile->end = end;
  }
  return TRUE;
}

static SmbPlacedTile *
tile_new(const SmbPlacedRows *part) {
  SmbPlacedTile *tile = g_new0(SmbPlacedTile, 1);
  tile->placement = part->placement;
  tile->parts = g_ptr_array_new();
  tile->is_operand = !is_box(part);
  tile->is_torn = !smb_placement_is_sound(&part->placement);
  find_range(&part->placement, &tile->first, &tile->end);
  g_ptr_array_add(tile->parts, (gpointer)part);
  return tile;
}

static void
add_to_tiles(GPtrArray *tiles, const SmbPlacedRows *part) {
  for (guint i = 0; i < tiles->len; i++) {
    SmbPlacedTile *tile = g_ptr_array_index(tiles, i);
    if ((is_box(part) ? extend_by_box : extend_by_operand)(tile, part))
      return;
  }
  g_ptr_array_add(tiles, tile_new(part));
}

// Whether copies bring a tile: so threads do not.
static gboolean
is_brought(const SmbPlacedTile *tile) {
  for (guint i = 0; i < tile->parts->len; i++) {
    const SmbPlacedRows *part = g_ptr_array_index(tile->parts, i);
    if (is_box(part) && part->site->op_class == SMB_OP_CLASS_STORE)
      return TRUE;
  }
  return FALSE;
}

// Whether threads do nothing but store there.
static gboolean
is_only_stored(const SmbAnalysis *analysis, guint32 first, guint32 end) {
  for (guint i = 0; i < analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(analysis->requests, SmbAccessRequest, i);
    const SmbSite *site = g_array_index(analysis->accesses, SmbAccess, made->access).site;
    SmbLanes lanes = site->op_class == SMB_OP_CLASS_STORE ? 0 : smb_request_lanes(&made->request);
    for (; lanes; lanes &= lanes - 1) {
      guint32 offset = made->request.offset[smb_lanes_first(lanes)];
      if (offset >= first && offset < end)
        return FALSE;
    }
  }
  return TRUE;
}

// Of two tiles that have one memory, one after the other: that which threads write, if copies bring the other one, a product is what reads that, and threads read neither;
// else NULL.
static const SmbPlacedTile *
find_stored_tile(const SmbAnalysis *analysis, const SmbPlacedTile *a, const SmbPlacedTile *b) {
  const SmbPlacedTile *brought = is_brought(a) ? a : b, *other = brought == a ? b : a;
  gboolean is_used_twice = is_brought(brought) && brought->is_operand && !is_brought(other) &&
                           !a->is_torn && !b->is_torn;
  return is_used_twice && is_only_stored(analysis, MIN(a->first, b->first), MAX(a->end, b->end))
             ? other
             : NULL;
}

// Tiles that share memory, and are not one matrix.
static void
join_overlapping(const SmbAnalysis *analysis, GPtrArray *tiles) {
  g_ptr_array_sort(tiles, compare_tiles_by_place);
  for (guint i = 1; i < tiles->len;) {
    SmbPlacedTile *before = g_ptr_array_index(tiles, i - 1), *tile = g_ptr_array_index(tiles, i);
    if (tile->first >= before->end) {
      i++;
      continue;
    }
    const SmbPlacedTile *written = find_stored_tile(analysis, before, tile);
    if (!written) {
      before->is_torn = TRUE;
      before->is_operand |= tile->is_operand;
      before->end = MAX(before->end, tile->end);
      g_ptr_array_extend(before->parts, tile->parts, NULL, NULL);
    }
    g_ptr_array_remove_index(tiles, written == tile ? i - 1 : i);
  }
}

static gboolean
is_warned_of(const SmbProgram *program, const SmbAnalysis *analysis, const SmbPlacedTile *tile) {
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    for (guint j = 0; j < tile->parts->len && warning->kind == SMB_WARNING_DESCRIPTOR; j++) {
      const SmbPlacedRows *part = g_ptr_array_index(tile->parts, j);
      if (part->site == smb_program_site(program, warning->site))
        return TRUE;
    }
  }
  return FALSE;
}

GPtrArray *
smb_placed_tiles_new(const SmbProgram *program, const SmbAnalysis *analysis) {
  GPtrArray *tiles = g_ptr_array_new_with_free_func(tile_free);
  g_autoptr(GPtrArray) parts = g_ptr_array_new();
  for (guint i = 0; analysis->tiles && i < analysis->tiles->len; i++)
    g_ptr_array_add(parts, &g_array_index(analysis->tiles, SmbPlacedRows, i));
  g_ptr_array_sort(parts, compare_tile_parts);
  for (guint i = 0; i < parts->len; i++)
    add_to_tiles(tiles, g_ptr_array_index(parts, i));
  join_overlapping(analysis, tiles);
  for (guint i = 0; i < tiles->len; i++) {
    SmbPlacedTile *tile = g_ptr_array_index(tiles, i);
    g_ptr_array_sort(tile->parts, compare_sites);
    tile->is_misread = is_warned_of(program, analysis, tile);
  }
  return tiles;
}

gboolean
smb_placed_tile_has_box(const SmbPlacedTile *tile) {
  for (guint i = 0; i < tile->parts->len; i++)
    if (is_box(g_ptr_array_index(tile->parts, i)))
      return TRUE;
  return FALSE;
}

gboolean
smb_placed_tile_locate(const SmbPlacedTile *tile, const SmbPlacedRows *part, guint32 *line,
                       guint32 *x) {
  return find_part_start(&tile->placement, &part->placement, line, x);
}
