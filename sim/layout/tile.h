// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A tile of shared memory and its layout: where each element lies. A layout is an integer function of coordinates; whatever
// notation it is written in, it becomes a table of byte offsets here. Elements of less than a byte lie next to each other: several may begin
// in one byte.
#pragma once

#include "sim/layout/element.h"
#include "sim/layout/notation.h"
#include "sim/layout/tuple.h"
#include "sim/program/layout.h"

/** In place of the number of an element: none. */
#define SMB_TILE_NONE G_MAXUINT32

/**
 * SmbTileDefaults: what a layout does not say itself
 * @element: (nullable): %NULL: @assumed
 * @assumed: (nullable): what is taken if nothing says the type; %NULL: f32
 * @rank: 0: no shape
 * @extent: (array length=rank)
 * @may_be_open: a formula in r and c needs no shape
 */
typedef struct {
  const SmbElement *element, *assumed;
  guint rank;
  guint64 extent[SMB_TUPLE_MAX_RANK];
  gboolean may_be_open;
} SmbTileDefaults;

/** Rows, and columns, of a tile whose shape is open: more than any that is read. Numbers of its elements are below 2^30. */
#define SMB_TILE_OPEN_EXTENT 32768

/**
 * SmbTile:
 * @text: the layout as it was written
 * @element: type of an element
 * @rank: of a coordinate: 1 to SMB_TUPLE_MAX_RANK
 * @extent: (array length=rank): elements of each dimension, the outermost first
 * @n: elements in all
 * @offset: (array length=n): byte offset of each element; elements are numbered row by row: the last coordinate runs fastest
 * @bit: (nullable) (array length=n): of elements of less than a byte: the bit of its byte at which each begins
 * @bytes: from byte 0 to the end of the last element
 * @n_shared: elements that lie where an element of a lower number does, as strides of 0 make them
 * @is_open: its shape was not said. It is SMB_TILE_OPEN_EXTENT each way, and @offset is %NULL
 * @is_measured: its shape is what the accesses ask for
 * @is_assumed: its type is SmbTileDefaults.assumed
 */
typedef struct _SmbTile {
  char *text;
  const SmbElement *element;
  guint rank;
  guint64 extent[SMB_TUPLE_MAX_RANK];
  guint64 n;
  guint32 *offset;
  guint8 *bit;
  guint64 bytes;
  guint64 n_shared;
  gboolean is_open;
  gboolean is_measured;
  gboolean is_assumed;
} SmbTile;

/**
 * smb_tile_parse:
 * @notation: reads on from a layout, to its end
 * @error: SMB_ERROR_INPUT at the place: what is not understood, or an element without a place
 *
 * The notations (doc/layout.md): CuTe's; Triton's swizzled_shared, padded_shared and shared_linear; tma:MODE; expressions in r, c, i and
 * addr; a shape alone, which lies row by row.
 *
 * Returns: (transfer full): the tile
 */
SmbTile *smb_tile_parse(SmbNotation *notation, const SmbTileDefaults *defaults, GError **error);

void smb_tile_free(SmbTile *tile);

/** smb_tile_parse_shape: reads a text like "64x64xf16", "64x64" or "f16" into @defaults; %FALSE: it is none, or too large */
gboolean smb_tile_parse_shape(const char *text, SmbTileDefaults *defaults);

/** smb_tile_number: Returns: number of the element at a coordinate */
guint64 smb_tile_number(const SmbTile *tile, const guint64 *coordinate);

/** smb_tile_place: Returns: the bit at which an element begins, from byte 0 on */
static inline guint64
smb_tile_place(const SmbTile *tile, guint64 number) {
  return 8 * (guint64)tile->offset[number] + (tile->bit ? tile->bit[number] : 0);
}

/** smb_tile_coordinate: @coordinate: (out) (array length=rank): that of an element */
void smb_tile_coordinate(const SmbTile *tile, guint64 number, guint64 *coordinate);

/** smb_tile_name: Returns: (transfer full): an element as messages name it: "(3,0)" */
char *smb_tile_name(const SmbTile *tile, guint64 number);

/** smb_tile_find: Returns: number of the lowest element that has the byte at @offset; SMB_TILE_NONE: padding, or beyond */
guint32 smb_tile_find(const SmbTile *tile, guint64 offset);

/** smb_tile_rows: @layout: (out): rows, padded or not, of the last dimension. Returns: whether that is all that there is to the layout */
gboolean smb_tile_rows(const SmbTile *tile, SmbLayout *layout);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTile, smb_tile_free)
