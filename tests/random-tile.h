// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Random layouts and accesses in all notations of doc/layout.md, each also as C that was written down from its definition: where an
// element (r, c) is, and which element a thread has. Nothing of sim/layout is used.
#pragma once

#include "sim/trace/pattern.h"

/**
 * RandomTile: a layout of @rows x @columns elements of @bytes
 * @text: in its notation, with shape and type
 * @place: statements of C that set the int p to the byte at which the element of the ints r and c is
 * @kept: so many elements, from a column on that is a multiple of it, are adjacent and aligned
 */
typedef struct {
  GString *text;
  GString *place;
  guint rows, columns, bytes;
  guint kept;
} RandomTile;

/**
 * RandomTouch: an access to such a tile
 * @text: in its notation
 * @element: statements of C that set r and c to the element of value v of thread t: of lane l in warp w
 * @threads: who takes part
 * @values: of each thread
 * @matrices: of ldmatrix and stmatrix: matrix v of them is asked for by the lanes 8v to 8v+7, 16 bytes each; 0: of others
 */
typedef struct {
  GString *text;
  GString *element;
  SmbOp op;
  guint threads, values, matrices;
} RandomTouch;

void random_tile(SmbRandom *random, RandomTile *tile);
void random_tile_clear(RandomTile *tile);
// @lanes: of a warp; @has_matrices: whether the chip has ldmatrix and stmatrix
void random_touch(SmbRandom *random, const RandomTile *tile, guint lanes, gboolean has_matrices,
                  RandomTouch *touch);
void random_touch_clear(RandomTouch *touch);

// The type of elements of so many bytes.
const char *random_tile_type(guint bytes);

// A nested mode of CuTe of @size: appends its shape and strides, and returns its place as an expression of @coordinate (transfer full).
char *random_mode(SmbRandom *random, guint size, guint most_stride, const char *coordinate,
                  GString *shape, GString *stride);
