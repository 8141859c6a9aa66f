// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What operations.def calls for one lane. Inline, so that loops over lanes become vector code where they can.
// Private to sim/exec.
#pragma once

#include <glib.h>

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;

static inline gint32
saturate_s32(gint64 x) {
  return (gint32)CLAMP(x, G_MININT32, G_MAXINT32);
}

// The low 24 bits with their sign.
static inline gint32
extend_24(guint32 x) {
  return (gint32)(x << 8) >> 8;
}

static inline guint32
pack_16(guint32 low, guint32 high) {
  return (low & 0xffff) | high << 16;
}

static inline guint64
join_32(guint32 low, guint32 high) {
  return (guint64)high << 32 | low;
}

// By way of doubles, of which processors divide vectors. That is exact: a quotient that is no whole number is at least 2^-32 of itself below
// the next one, far more than a double is rounded by. By 0 it is divided as if by 1.
static inline guint32
real_quotient(guint32 x, guint32 y) {
  return (guint32)((double)x / (double)(y | (y == 0)));
}

static inline guint32
quotient_u32(guint32 x, guint32 y) {
  return real_quotient(x, y) | (0u - (y == 0));
}

static inline guint32
remainder_u32(guint32 x, guint32 y) {
  return x - real_quotient(x, y) * y;
}

// A table of 8 bits as a tree of choices, by bits of x, y and z (PTX ISA, lop3).
static inline guint32
look_up(guint table, guint32 x, guint32 y, guint32 z) {
#define IF_X(low) (((0u - (table >> (low)&1)) & ~x) | ((0u - (table >> ((low) + 4) & 1)) & x))
  guint32 y0 = (IF_X(0) & ~y) | (IF_X(2) & y); // z is 0
  guint32 y1 = (IF_X(1) & ~y) | (IF_X(3) & y);
#undef IF_X
  return (y0 & ~z) | (y1 & z);
}

static inline guint32
popcount_32(guint32 x) {
  return (guint32)__builtin_popcount(x);
}

static inline guint32
popcount_64(guint64 x) {
  return (guint32)__builtin_popcountll(x);
}

static inline guint32
leading_zeros_32(guint32 x) {
  return x ? (guint32)__builtin_clz(x) : 32;
}

static inline guint32
leading_zeros_64(guint64 x) {
  return x ? (guint32)__builtin_clzll(x) : 64;
}

static inline guint32
find_shift(guint32 leading_zeros, guint32 width) {
  return leading_zeros == width ? G_MAXUINT32 : leading_zeros;
}

static inline guint32
reverse_32(guint32 x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  return GUINT32_SWAP_LE_BE(x);
}

static inline guint64
reverse_64(guint64 x) {
  return join_32(reverse_32((guint32)(x >> 32)), reverse_32((guint32)x));
}

static inline guint64
low_ones(guint32 length) {
  return length < 64 ? (G_GUINT64_CONSTANT(1) << length) - 1 : G_MAXUINT64;
}

// PTX ISA, bfe: what lies beyond the number is 0, or its sign.
static inline guint64
extract(guint64 x, guint32 position, guint32 length) {
  return position < 64 ? x >> position & low_ones(length) : 0;
}

static inline gint64
extract_signed(gint64 x, guint32 position, guint32 length) {
  guint64 ones = low_ones(length), top = ones ^ ones >> 1;
  return (gint64)((((guint64)(x >> MIN(position, 63)) & ones) ^ top) - top);
}

// PTX ISA, bfi.
static inline guint64
insert(guint64 x, guint64 into, guint32 position, guint32 length) {
  guint64 where = position < 64 ? low_ones(length) << position : 0;
  return (into & ~where) | (position < 64 ? x << position & where : 0);
}

// The place of the |@offset|-th 1 of @mask at @base or above it, or below it if @offset is negative; without one all
// ones (PTX ISA, fns). Where -@offset has no room, ptxas' code finds 0.
static inline guint32
find_nth_set(guint32 mask, guint32 base, gint32 offset) {
  if (offset == G_MININT32)
    return 0;
  if (base > 31)
    return G_MAXUINT32;
  if (offset == 0)
    return mask >> base & 1 ? base : G_MAXUINT32;
  gint32 step = offset > 0 ? 1 : -1;
  gint64 rest = offset > 0 ? offset : -(gint64)offset;
  for (gint32 place = (gint32)base; place >= 0 && place < 32; place += step)
    if (mask >> place & 1 && --rest == 0)
      return (guint32)place;
  return G_MAXUINT32;
}

// Whether a quotient of binary32 numbers takes the slow path (machine code, FCHK): one of them is infinite, not a
// number or subnormal, or the quotient may be nearly so. The bounds are those that compiled code showed, and may be
// wider than the device's: both paths have one result.
static inline gboolean
divides_slowly(guint32 x, guint32 y) {
  gint32 above = x >> 23 & 0xff, below = y >> 23 & 0xff, difference = above - below;
  return above == 255 || below == 255 || below == 0 || below >= 253 || above <= 24 ||
         difference >= 127 || difference <= -126;
}

// Modes of prmt.
typedef enum {
  PERMUTE_ANY,
  PERMUTE_FORWARD,      // f4e: four bytes from a place on
  PERMUTE_BACKWARD,     // b4e
  PERMUTE_REPLICATE_8,  // rc8
  PERMUTE_EDGE_LEFT,    // ecl
  PERMUTE_EDGE_RIGHT,   // ecr
  PERMUTE_REPLICATE_16, // rc16
} Permutation;

// The selector that a mode stands for (PTX ISA, prmt: the table of the modes; its columns are bytes 3 to 0).
static inline guint32
permute_selector(guint mode, guint32 control) {
  static const guint16 selectors[][4] = {
      [PERMUTE_ANY] = {0},
      [PERMUTE_FORWARD] = {0x3210, 0x4321, 0x5432, 0x6543},
      [PERMUTE_BACKWARD] = {0x5670, 0x6701, 0x7012, 0x0123},
      [PERMUTE_REPLICATE_8] = {0x0000, 0x1111, 0x2222, 0x3333},
      [PERMUTE_EDGE_LEFT] = {0x3210, 0x3211, 0x3222, 0x3333},
      [PERMUTE_EDGE_RIGHT] = {0x0000, 0x1110, 0x2210, 0x3210},
      [PERMUTE_REPLICATE_16] = {0x1010, 0x3232, 0x1010, 0x3232},
  };
  return mode == PERMUTE_ANY ? control : selectors[mode][control & 3];
}

static inline guint32
permute(guint mode, guint32 x, guint32 y, guint32 control) {
  guint32 selector = permute_selector(mode, control), result = 0;
  for (guint i = 0; i < 4; i++) {
    guint32 nibble = selector >> 4 * i & 15;
    guint32 byte = (guint32)(join_32(x, y) >> 8 * (nibble & 7)) & 0xff;
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

// The sums of products of dp4a and dp2a, modulo 2^32.
static inline guint32
dot_4(guint32 x, guint32 y, gboolean x_signed, gboolean y_signed) {
  guint32 sum = 0;
  for (guint i = 0; i < 4; i++) {
    gint32 a = x_signed ? (gint8)(x >> 8 * i) : (guint8)(x >> 8 * i);
    gint32 b = y_signed ? (gint8)(y >> 8 * i) : (guint8)(y >> 8 * i);
    sum += (guint32)(a * b);
  }
  return sum;
}

// Halves of x with the low two bytes of y.
static inline guint32
dot_2(guint32 x, guint32 y, gboolean x_signed, gboolean y_signed) {
  guint32 sum = 0;
  for (guint i = 0; i < 2; i++) {
    gint32 a = x_signed ? (gint16)(x >> 16 * i) : (guint16)(x >> 16 * i);
    gint32 b = y_signed ? (gint8)(y >> 8 * i) : (guint8)(y >> 8 * i);
    sum += (guint32)(a * b);
  }
  return sum;
}
