// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Coordinates of the blocks of a grid: blockIdx.x, y and z, or their digits, where a program divides these by numbers.
// In digits, quotients and rests are affine over large boxes (sim/machine/signature.h). Private to sim/analysis.
#pragma once

#include "sim/machine/signature.h"

enum {
  MAX_DIGITS = 6, // a box of blocks has 2^6 corners
};

/**
 * Digit: blockIdx = … + digit * stride + …, of one axis
 * @stride: in blocks along the axis
 * @count: how many there are; the highest one of an axis may have one more, of which lower ones do not take all values
 */
typedef struct {
  guint axis;
  guint stride;
  guint count;
} Digit;

typedef struct {
  guint n;
  Digit digit[MAX_DIGITS];
} Digits;

// One for each axis: the coordinates themselves.
void smb_digits_plain(Digits *digits, const guint *grid);

// Divides an axis, of which none of its digits is there yet, by the periods of what @a and @b, signatures of two blocks
// that are neighbours along it, computed quotients of. Adds one digit, or more.
void smb_digits_divide(Digits *digits, const guint *grid, guint axis, const SmbSignature *a,
                       const SmbSignature *b);

// The blocks from @low to @high, by digits, both included.
typedef struct {
  guint low[MAX_DIGITS];
  guint high[MAX_DIGITS];
} Box;

// Boxes that make up the grid (transfer full) (element-type Box).
GArray *smb_digits_boxes(const Digits *digits, const guint *grid);

// The block at digits.
guint64 smb_digits_index(const Digits *digits, const guint *grid, const guint *at);
