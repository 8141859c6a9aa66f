// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Matrices in shared memory that descriptors name (PTX ISA, "Shared Memory Matrix Layout" and "Matrix-descriptor format" of wgmma). Compared with an
// H200: products of 440 random descriptors of all modes, plain and turned, of numbers of 8, 16 and 32 bits.
#include "sim/exec/product/product.h"

enum {
  GROUP = 8,       // rows that follow each other
  UNIT_BYTES = 16, // of addresses and distances in a descriptor, and of what is swapped
};

MatrixPlace
smb_matrix_place(guint32 low, guint32 high) {
  static const guint8 widths[] = {16, 128, 64, 32}, masks[] = {0, 7, 3, 1};
  return (MatrixPlace){.start = (low & 0x3fff) * UNIT_BYTES,
                       .leading = (low >> 16 & 0x3fff) * UNIT_BYTES,
                       .stride = (high & 0x3fff) * UNIT_BYTES,
                       .width = widths[high >> 30],
                       .mask = masks[high >> 30],
                       .base = high >> 17 & 7,
                       .group = GROUP,
                       .unit = UNIT_BYTES};
}

// What does not fit into a row is @leading further; of a turned matrix that is not swapped, @stride.
guint32
smb_matrix_address(const MatrixPlace *place, gboolean is_turned, guint bytes, guint row, guint k) {
  guint32 along = (is_turned ? row : k) * bytes, across = is_turned ? k : row;
  gboolean is_exchanged = is_turned && place->mask == 0;
  guint32 next = is_exchanged ? place->stride : place->leading;
  guint32 group = is_exchanged ? place->leading : place->stride;
  guint32 address = place->start + along / place->width * next + along % place->width +
                    across / place->group * group + across % place->group * place->width;
  return address ^ (((address >> 7) - place->base) & place->mask) * place->unit;
}
