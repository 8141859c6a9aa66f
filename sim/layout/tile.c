// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Evaluates a layout for every element, and what is asked of the table.
#include "sim/layout/tile.h"

#include "sim/layout/function.h"
#include "sim/layout/tile-parse.h"

void
smb_tile_free(SmbTile *tile) {
  if (!tile)
    return;
  g_free(tile->text);
  g_free(tile->offset);
  g_free(tile->bit);
  g_free(tile);
}

guint64
smb_tile_number(const SmbTile *tile, const guint64 *coordinate) {
  guint64 number = 0;
  for (guint i = 0; i < tile->rank; i++)
    number = number * tile->extent[i] + coordinate[i];
  return number;
}

void
smb_tile_coordinate(const SmbTile *tile, guint64 number, guint64 *coordinate) {
  for (guint i = tile->rank; i-- > 0;) {
    coordinate[i] = number % tile->extent[i];
    number /= tile->extent[i];
  }
}

char *
smb_tile_name(const SmbTile *tile, guint64 number) {
  guint64 coordinate[SMB_TUPLE_MAX_RANK];
  GString *name = g_string_new("(");
  smb_tile_coordinate(tile, number, coordinate);
  for (guint i = 0; i < tile->rank; i++)
    g_string_append_printf(name, "%s%" G_GUINT64_FORMAT, i ? "," : "", coordinate[i]);
  g_string_append_c(name, ')');
  return g_string_free(name, FALSE);
}

guint32
smb_tile_find(const SmbTile *tile, guint64 offset) {
  for (guint32 i = 0; i < tile->n; i++) {
    if (offset - tile->offset[i] < tile->element->bytes)
      return i;
  }
  return SMB_TILE_NONE;
}

gboolean
smb_tile_rows(const SmbTile *tile, SmbLayout *layout) {
  guint64 columns = tile->extent[tile->rank - 1];
  guint bytes = tile->element->bytes;
  guint64 pitch = tile->n > columns ? tile->offset[columns] / bytes : columns;
  if (pitch < columns || smb_element_is_packed(tile->element))
    return FALSE;
  *layout = (SmbLayout){.element_bytes = bytes, .columns = columns, .pad = pitch - columns};
  for (guint64 i = 0; i < tile->n; i++) {
    if (tile->offset[i] != smb_layout_place(layout, i))
      return FALSE;
  }
  return TRUE;
}

// The index of a coordinate, row by row, with the swizzle of Triton if there is one, or its division of long rows.
static gint64
index_rows(const SmbFunction *function, const guint64 *coordinate) {
  guint64 fast = coordinate[function->order[0]], index = 0;
  if (function->vec && function->rank > 1) {
    guint64 phase = coordinate[function->order[1]] / function->per_phase % function->max_phase;
    fast ^= phase * function->vec;
  }
  guint64 columns = function->extent[function->order[0]], part = columns, rows = 1;
  if (function->is_divided && function->row_bytes)
    part = MIN(columns, 8 * function->row_bytes / function->element->bits);
  for (guint i = function->rank; i-- > 1;) {
    guint dimension = function->order[i];
    index = index * function->extent[dimension] + coordinate[dimension];
    rows *= function->extent[dimension];
  }
  return (gint64)(fast / part * rows * part + index * part + fast % part);
}

static gint64
index_bases(const SmbFunction *function, const guint64 *coordinate) {
  guint64 index = 0;
  for (guint i = 0; i < function->rank; i++) {
    for (guint bit = 0; coordinate[i] >> bit; bit++)
      index ^= coordinate[i] >> bit & 1 ? function->bases[i][bit] : 0;
  }
  return (gint64)index;
}

static const char *
index_expression(const SmbFunction *function, const guint64 *coordinate, guint64 number,
                 gint64 *index) {
  gint64 variables[SMB_EXPRESSION_N_VARIABLES] = {
      [SMB_EXPRESSION_ROW] = function->rank > 1 ? (gint64)coordinate[function->rank - 2] : 0,
      [SMB_EXPRESSION_COLUMN] = (gint64)coordinate[function->rank - 1],
      [SMB_EXPRESSION_INDEX] = (gint64)number,
      [SMB_EXPRESSION_ADDRESS] = (gint64)(number * function->element->bits / 8),
  };
  return smb_expression_evaluate(function->expression, variables, index);
}

// Does the steps from *@at on, all paddings of one list at once. Places are below 2^51: an index below 2^31, times 2^20 at most. What is in
// bytes has the bits of a byte besides, of elements of less than one.
static gint64
do_step(const SmbFunction *function, guint *at, gint64 index, guint *bit) {
  const SmbFunctionStep *step = &g_array_index(function->steps, SmbFunctionStep, (*at)++);
  switch (step->kind) {
  case SMB_STEP_SWIZZLE:
    return (gint64)smb_layout_swizzle(&step->swizzle, (guint64)index);
  case SMB_STEP_ADD:
    return index + step->amount;
  case SMB_STEP_BYTES:
    *bit = (guint)(index * function->element->bits % 8);
    return index * function->element->bits / 8;
  case SMB_STEP_PAD:
    break;
  }
  gint64 padded = index;
  for (*at -= 1; *at < function->steps->len; ++*at) {
    step = &g_array_index(function->steps, SmbFunctionStep, *at);
    if (step->kind != SMB_STEP_PAD)
      break;
    padded += index / (gint64)step->interval * step->amount;
  }
  return padded;
}

// The byte at which an element lies, or why it has none.
static const char *
place_element(const SmbFunction *function, const guint64 *coordinate, guint64 number,
              guint32 *offset, guint *bit) {
  const char *problem = NULL;
  gboolean in_bytes = FALSE;
  gint64 index = 0;
  switch (function->kind) {
  case SMB_FUNCTION_ROWS:
    index = index_rows(function, coordinate);
    break;
  case SMB_FUNCTION_TUPLE:
    index = smb_tuple_offset(function->tuple, coordinate);
    break;
  case SMB_FUNCTION_BASES:
    index = index_bases(function, coordinate);
    break;
  case SMB_FUNCTION_EXPRESSION:
    problem = index_expression(function, coordinate, number, &index);
    in_bytes = function->expression->uses[SMB_EXPRESSION_ADDRESS];
    *bit = (guint)(number * function->element->bits % 8);
    break;
  }
  for (guint i = 0; !problem && i < function->steps->len;) {
    if (index < 0 || index > G_MAXINT32)
      break;
    in_bytes |= g_array_index(function->steps, SmbFunctionStep, i).kind == SMB_STEP_BYTES;
    index = do_step(function, &i, index, bit);
  }
  guint bits = function->element->bits;
  if (problem)
    return problem;
  if (index < 0)
    return "a negative place";
  if (index > (in_bytes ? G_MAXINT32 - 16 : (gint64)(G_MAXINT32 - 16) * 8 / bits))
    return "a place beyond 2 GiB";
  *offset = (guint32)(in_bytes ? index : index * bits / 8);
  *bit = in_bytes ? *bit : (guint)(index * bits % 8);
  return *offset % function->element->bytes ? "a misaligned place" : NULL;
}

static int
compare_offsets(gconstpointer a, gconstpointer b) {
  guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;
  return (x > y) - (x < y);
}

// How many elements lie where another one does. Elements that overlap partly are misaligned, and were refused.
static guint64
count_shared_places(const SmbTile *tile) {
  g_autofree guint64 *sorted = g_new(guint64, tile->n);
  for (guint64 i = 0; i < tile->n; i++)
    sorted[i] = smb_tile_place(tile, i);
  qsort(sorted, tile->n, sizeof *sorted, compare_offsets);
  guint64 n = 0;
  for (guint64 i = 1; i < tile->n; i++)
    n += sorted[i] == sorted[i - 1];
  return n;
}

static SmbTile *
begin_tile(const SmbElement *element, guint rank, const guint64 *extent, gboolean is_open) {
  SmbTile *tile = g_new0(SmbTile, 1);
  tile->element = element;
  tile->rank = rank;
  tile->n = 1;
  for (guint i = 0; i < rank; i++)
    tile->n *= tile->extent[i] = extent[i];
  tile->is_open = is_open;
  tile->offset = is_open ? NULL : g_new(guint32, tile->n);
  tile->bit = is_open || !smb_element_is_packed(element) ? NULL : g_new0(guint8, tile->n);
  return tile;
}

SmbTile *
smb_tile_parse(SmbNotation *notation, const SmbTileDefaults *defaults, GError **error) {
  g_autoptr(SmbFunction) function = smb_function_parse(notation, defaults, error);
  if (!function)
    return NULL;
  g_autoptr(SmbTile) tile =
      begin_tile(function->element, function->rank, function->extent, function->is_open);
  tile->text = smb_source_slice(notation->source, function->at, notation->at);
  g_strstrip(tile->text);
  tile->is_assumed = function->is_assumed;
  if (tile->is_open)
    return g_steal_pointer(&tile);
  for (guint64 i = 0; i < tile->n; i++) {
    guint64 coordinate[SMB_TUPLE_MAX_RANK];
    smb_tile_coordinate(tile, i, coordinate);
    guint bit = 0;
    const char *problem = place_element(function, coordinate, i, &tile->offset[i], &bit);
    if (problem) {
      g_autofree char *name = smb_tile_name(tile, i);
      smb_notation_fail(notation, function->at, error, "element %s has %s", name, problem);
      return NULL;
    }
    if (tile->bit)
      tile->bit[i] = (guint8)bit;
    tile->bytes = MAX(tile->bytes, (smb_tile_place(tile, i) + tile->element->bits + 7) / 8);
  }
  tile->n_shared = count_shared_places(tile);
  return g_steal_pointer(&tile);
}
