// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/advise/array-use.h"

#include "sim/base/order.h"

// Most bytes at the end of a row that are taken for padding.
enum {
  MAX_PADDING_BYTES = SMB_MAX_WIDTH
};

static void
use_free(gpointer data) {
  SmbArrayUse *use = data;
  g_array_unref(use->requests);
  g_free(use);
}

static int
compare_array_bases(gconstpointer a, gconstpointer b) {
  const SmbArrayUse *x = *(SmbArrayUse *const *)a, *y = *(SmbArrayUse *const *)b;
  return smb_order(x->array->base, y->array->base);
}

static SmbArrayUse *
use_new(const SmbAnalysis *analysis, const SmbArray *array, gsize bytes) {
  SmbArrayUse *use = g_new(SmbArrayUse, 1);
  *use = (SmbArrayUse){.analysis = analysis,
                       .array = array,
                       .bytes = bytes,
                       .requests = g_array_new(FALSE, FALSE, sizeof(SmbArrayRequest))};
  return use;
}

static void
add_array_use(SmbArrayUses *uses, const SmbAnalysis *analysis, const SmbArray *array, gsize bytes) {
  g_ptr_array_add(uses->all, use_new(analysis, array, bytes));
}

// The array that begins at or before byte @offset of shared memory and has it, or NULL.
static SmbArrayUse *
find_whole_use(const SmbArrayUses *uses, guint32 offset) {
  guint low = 0,
        high = uses->by_base->len; // the last that begins at the byte or before it: below high
  while (low < high) {
    guint middle = (low + high) / 2;
    SmbArrayUse *use = g_ptr_array_index(uses->by_base, middle);
    if (use->array->base <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  SmbArrayUse *use = low ? g_ptr_array_index(uses->by_base, low - 1) : NULL;
  return use && offset - use->array->base < use->bytes ? use : NULL;
}

// The array that a lane asks for at a byte of shared memory, or NULL.
static SmbArrayUse *
find_array_use(const SmbArrayUses *uses, guint32 offset, guint width, const char *opcode) {
  SmbArrayUse *use = find_whole_use(uses, offset);
  if (!use || !(use->member || (use->array->is_union && uses->n_members > 0)))
    return use;
  const SmbArray *array = smb_program_array_of(uses->program, offset, width, opcode);
  if (use->member)
    return smb_shape_has(use->member, array, offset) ? use : NULL;
  for (guint i = uses->all->len - uses->n_members; i < uses->all->len; i++) {
    SmbArrayUse *member = g_ptr_array_index(uses->all, i);
    if (member->array == array)
      return member;
  }
  return use;
}

// The opcode of a request, where unions need it; else NULL.
static const char *
find_request_opcode(const SmbArrayUses *uses, const SmbAnalysis *analysis,
                    const SmbAccessRequest *made) {
  return smb_program_n_views(uses->program)
             ? g_array_index(analysis->accesses, SmbAccess, made->access).site->opcode
             : NULL;
}

// Adds a request to each array that one of its lanes asks for.
static void
add_request(const SmbArrayUses *uses, const SmbAccessRequest *made, const char *opcode) {
  SmbArrayRequest entry = {made, smb_array_uses_of(uses, &made->request, opcode) != NULL};
  for (SmbLanes lanes = smb_request_lanes(&made->request); lanes; lanes &= lanes - 1) {
    SmbArrayUse *use = find_array_use(uses, made->request.offset[smb_lanes_first(lanes)],
                                      made->request.width, opcode);
    if (!use)
      continue;
    guint n = use->requests->len;
    if (n == 0 || g_array_index(use->requests, SmbArrayRequest, n - 1).made != made)
      g_array_append_val(use->requests, entry);
    if (entry.whole)
      return;
  }
}

static void
add_found(SmbArrayUses *uses, const SmbAnalysis *analysis, const SmbArray *array, gsize bytes) {
  add_array_use(uses, analysis, array, bytes);
  g_ptr_array_add(uses->by_base, g_ptr_array_index(uses->all, uses->all->len - 1));
}

// Adds the arrays that the launch says lie in an array of the program, in place of it. FALSE: it says nothing of it.
static gboolean
add_shapes(SmbArrayUses *uses, const SmbAnalysis *analysis, const SmbLaunch *launch,
           guint variable) {
  gboolean any = FALSE;
  for (guint i = 0; launch && launch->shapes && i < launch->shapes->len; i++) {
    const SmbShape *shape = &g_array_index(launch->shapes, SmbShape, i);
    if (shape->variable != variable)
      continue;
    add_found(uses, analysis, &shape->array, shape->array.bytes);
    SmbArrayUse *use = g_ptr_array_index(uses->all, uses->all->len - 1);
    use->member = shape->is_member ? shape : NULL;
    any = TRUE;
  }
  return any;
}

// Whether each lane that asks for a union says which member it means.
static gboolean
means_members(const SmbArrayUses *uses, const SmbAnalysis *analysis, const SmbArrayUse *whole) {
  for (guint i = 0; i < analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(analysis->requests, SmbAccessRequest, i);
    const char *opcode = find_request_opcode(uses, analysis, made);
    for (SmbLanes lanes = smb_request_lanes(&made->request); lanes; lanes &= lanes - 1) {
      guint32 offset = made->request.offset[smb_lanes_first(lanes)];
      if (find_whole_use(uses, offset) == whole &&
          smb_program_array_of(uses->program, offset, made->request.width, opcode)->is_union)
        return FALSE;
    }
  }
  return TRUE;
}

// Adds the members of unions, where all requests say which one is meant.
static void
add_union_members(SmbArrayUses *uses, const SmbAnalysis *analysis) {
  for (guint i = 0; i < uses->by_base->len; i++) {
    const SmbArrayUse *whole = g_ptr_array_index(uses->by_base, i);
    if (!whole->array->is_union || !means_members(uses, analysis, whole))
      continue;
    for (guint k = 0; k < smb_program_n_views(uses->program); k++) {
      const SmbArray *member = smb_program_view(uses->program, k);
      if (member->base - whole->array->base >= whole->bytes)
        continue;
      add_array_use(uses, analysis, member, member->bytes);
      uses->n_members++;
    }
  }
}

static void
free_part(gpointer data) {
  SmbArray *part = data;
  g_free((char *)part->name);
  g_free(part);
}

// Bytes @first to @end of shared memory, which lie in @whole, as an array of its own, named like an SmbShape.
static SmbArrayUse *
add_part_use(SmbArrayUses *uses, const SmbArrayUse *whole, guint32 first, guint32 end) {
  const SmbArray *array = whole->array;
  const guint32 inside = first - array->base, bytes = end - first;
  SmbArray *part = g_new(SmbArray, 1);
  *part = *array;
  part->name = inside ? g_strdup_printf("%s+%u", array->name, inside) : g_strdup(array->name);
  if (inside % array->element_bytes || bytes % array->element_bytes) {
    part->element = "unsigned char";
    part->element_bytes = 1;
  }
  part->variable = array->name;
  part->inside = inside;
  part->base = first;
  part->bytes = bytes;
  part->n_dimensions = 1;
  part->dimension[0] = bytes / part->element_bytes;
  g_ptr_array_add(uses->parts, part);
  SmbArrayUse *use = use_new(whole->analysis, part, bytes);
  g_ptr_array_add(uses->by_base, use);
  return use;
}

// Puts the tiles of an array, and what is between them, in place of it.
static void
divide_array(SmbArrayUses *uses, SmbArrayUse *whole, const GPtrArray *tiles) {
  const guint32 base = whole->array->base, end = base + (guint32)whole->bytes;
  guint at, by_base;
  guint32 reached = base;
  g_ptr_array_find(uses->all, whole, &at);
  g_ptr_array_find(uses->by_base, whole, &by_base);
  g_ptr_array_remove_index(uses->by_base, by_base);
  for (guint i = 0; i <= tiles->len; i++) {
    const SmbPlacedTile *tile = i < tiles->len ? g_ptr_array_index(tiles, i) : NULL;
    const guint32 first = tile ? MAX(tile->first, base) : end;
    if (first > reached)
      g_ptr_array_insert(uses->all, (gint)at++, add_part_use(uses, whole, reached, first));
    if (!tile)
      break;
    reached = MIN(tile->end, end);
    SmbArrayUse *use = add_part_use(uses, whole, first, reached);
    use->tile = tile;
    g_ptr_array_insert(uses->all, (gint)at++, use);
  }
  g_ptr_array_remove(uses->all, whole);
}

// Tiles go to their arrays: one that has all of an array is what this is; others divide it.
static void
place_tiles(SmbArrayUses *uses) {
  g_autoptr(GPtrArray) found = g_ptr_array_copy(uses->by_base, NULL, NULL);
  for (guint i = 0; i < found->len; i++) {
    SmbArrayUse *use = g_ptr_array_index(found, i);
    const guint32 base = use->array->base, end = base + (guint32)use->bytes;
    g_autoptr(GPtrArray) tiles = g_ptr_array_new();
    for (guint j = 0; j < uses->tiles->len; j++) {
      SmbPlacedTile *tile = g_ptr_array_index(uses->tiles, j);
      if (tile->first < end && base < tile->end)
        g_ptr_array_add(tiles, tile);
    }
    const SmbPlacedTile *first = tiles->len ? g_ptr_array_index(tiles, 0) : NULL;
    if (!first || use->array->is_union || use->member)
      continue;
    if (first->first <= base && first->end >= end)
      use->tile = first;
    else
      divide_array(uses, use, tiles);
  }
  g_ptr_array_sort(uses->by_base, compare_array_bases);
}

SmbArrayUses *
smb_array_uses_new(const SmbProgram *program, const SmbLaunch *launch,
                   const SmbAnalysis *analysis) {
  g_return_val_if_fail(analysis->requests, NULL);
  SmbArrayUses *uses = g_new0(SmbArrayUses, 1);
  gsize dynamic_bytes = analysis->shared_bytes - smb_program_static_shared(program);
  uses->program = program;
  uses->all = g_ptr_array_new_with_free_func(use_free);
  uses->by_base = g_ptr_array_new();
  uses->tiles = smb_placed_tiles_new(program, analysis);
  uses->parts = g_ptr_array_new_with_free_func(free_part);
  uses->carved = launch ? smb_program_carved_arrays(program, launch) : NULL;
  gboolean any_dynamic = FALSE;
  for (guint i = 0; i < smb_program_n_arrays(program); i++) {
    const SmbArray *array = smb_program_array(program, i);
    if ((array->is_dynamic && uses->carved) || add_shapes(uses, analysis, launch, i))
      continue;
    add_array_use(uses, analysis, array, array->is_dynamic ? dynamic_bytes : array->bytes);
    if (!array->is_dynamic || !any_dynamic)
      g_ptr_array_add(uses->by_base, g_ptr_array_index(uses->all, uses->all->len - 1));
    any_dynamic = any_dynamic || array->is_dynamic;
  }
  for (guint i = 0; uses->carved && i < uses->carved->len; i++) {
    const SmbArray *array = &g_array_index(uses->carved, SmbArray, i);
    add_found(uses, analysis, array, array->bytes);
  }
  g_ptr_array_sort(uses->by_base, compare_array_bases);
  place_tiles(uses);
  add_union_members(uses, analysis);
  for (guint i = 0; i < analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(analysis->requests, SmbAccessRequest, i);
    add_request(uses, made, find_request_opcode(uses, analysis, made));
  }
  return uses;
}

void
smb_array_uses_free(SmbArrayUses *uses) {
  if (!uses)
    return;
  g_ptr_array_unref(uses->all);
  g_ptr_array_unref(uses->by_base);
  g_ptr_array_unref(uses->tiles);
  g_ptr_array_unref(uses->parts);
  g_clear_pointer(&uses->carved, g_array_unref);
  g_free(uses);
}

SmbArrayUse *
smb_array_uses_of(const SmbArrayUses *uses, const SmbRequest *request, const char *opcode) {
  SmbArrayUse *use = NULL;
  for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
    guint32 offset = request->offset[smb_lanes_first(lanes)];
    if (use && !use->member && !use->array->least_scalar && offset - use->array->base < use->bytes)
      continue;
    SmbArrayUse *other = find_array_use(uses, offset, request->width, opcode);
    if (!other || (use && other != use))
      return NULL;
    use = other;
  }
  return use;
}

// Elements of a row that requests touch, up to the last one.
static guint64
find_used_columns(const SmbArrayUse *use, guint64 pitch) {
  const SmbArray *array = use->array;
  guint64 used = 0;
  for (guint i = 0; i < use->requests->len; i++) {
    const SmbRequest *request = &g_array_index(use->requests, SmbArrayRequest, i).made->request;
    for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
      guint32 offset = request->offset[smb_lanes_first(lanes)] - array->base;
      if (offset >= use->bytes)
        continue;
      guint64 last = (offset + request->width - 1u) / array->element_bytes;
      guint64 first = offset / array->element_bytes;
      if (first / pitch != last / pitch)
        return pitch; // it goes on in the next row: no row ends here
      used = MAX(used, last % pitch + 1);
    }
  }
  return used;
}

// The largest power of two that divides @n.
static guint64
find_power(guint64 n) {
  return n & (0 - n);
}

SmbLayout
smb_array_use_layout(const SmbArrayUse *use, guint64 row) {
  const SmbArray *array = use->array;
  guint64 pitch = array->n_dimensions > 1 ? array->dimension[array->n_dimensions - 1] : row;
  guint64 elements = use->bytes / array->element_bytes;
  if (!pitch)
    pitch = MAX(1, elements);
  SmbLayout layout = {.element_bytes = array->element_bytes, .columns = pitch};
  if (pitch >= elements)
    return layout;
  guint64 used = find_used_columns(use, pitch);
  // Rows of 33 of which 32 are accessed are padded; rows of 32 of which 31 are may be full in another launch.
  gboolean rounder = find_power(used) > find_power(pitch);
  if (used > 0 && rounder && (pitch - used) * array->element_bytes <= MAX_PADDING_BYTES) {
    layout.columns = used;
    layout.pad = pitch - used;
  }
  return layout;
}
