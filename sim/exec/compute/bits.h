// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Numbers of 64 bits of which some are unknown, and what integer operations make of them. Every bit of a result that is
// said to be known has that value whatever the unknown bits of the operands are. Results of logic, moves, shifts by
// known amounts, sums and differences of two operands leave no bit unknown that the operands decide (for sums: S.
// Vishwanathan et al., "Sound, precise, and fast abstract interpretation with tristate numbers", CGO 2022); others may.
// Private to sim/exec.
#pragma once

#include <glib.h>

// @value is 0 where @unknown is 1.
typedef struct {
  guint64 value;
  guint64 unknown;
} Bits;

static inline Bits
bits_make(guint64 value, guint64 unknown) {
  return (Bits){value & ~unknown, unknown};
}

static inline Bits
bits_of(guint64 value) {
  return (Bits){value, 0};
}

static inline Bits
bits_unknown(guint64 where) {
  return (Bits){0, where};
}

// The largest number that it may be, without a sign; the smallest is @value.
static inline guint64
bits_most(Bits x) {
  return x.value | x.unknown;
}

static inline guint64
mask_below(guint n) {
  return n < 64 ? (G_GUINT64_CONSTANT(1) << n) - 1 : G_MAXUINT64;
}

// What two numbers agree on.
static inline Bits
bits_either(Bits x, Bits y) {
  return bits_make(x.value, x.unknown | y.unknown | (x.value ^ y.value));
}

// Any number between two: what is known are the high bits in which these agree.
static inline Bits
bits_between(guint64 least, guint64 most) {
  guint64 differ = least ^ most;
  return bits_make(least, differ ? mask_below(64 - (guint)__builtin_clzll(differ)) : 0);
}

// --- logic

static inline Bits
bits_and(Bits x, Bits y) {
  guint64 value = x.value & y.value;
  return (Bits){value, (bits_most(x) & bits_most(y)) & ~value};
}

static inline Bits
bits_or(Bits x, Bits y) {
  guint64 value = x.value | y.value;
  return (Bits){value, (x.unknown | y.unknown) & ~value};
}

static inline Bits
bits_xor(Bits x, Bits y) {
  return bits_make(x.value ^ y.value, x.unknown | y.unknown);
}

static inline Bits
bits_not(Bits x) {
  return bits_make(~x.value, x.unknown);
}

// A bit is known if all combinations of its operands' bits that are possible have one result.
static inline Bits
bits_look_up(guint table, Bits x, Bits y, Bits z) {
  guint64 may_be_1 = 0, may_be_0 = 0;
  for (guint i = 0; i < 8; i++) {
    guint64 where = (i & 4 ? bits_most(x) : ~x.value) & (i & 2 ? bits_most(y) : ~y.value) &
                    (i & 1 ? bits_most(z) : ~z.value);
    if (table >> i & 1)
      may_be_1 |= where;
    else
      may_be_0 |= where;
  }
  return bits_make(may_be_1, may_be_1 & may_be_0);
}

// --- parts

static inline Bits
bits_left(Bits x, guint n) {
  return n < 64 ? (Bits){x.value << n, x.unknown << n} : bits_of(0);
}

static inline Bits
bits_right(Bits x, guint n) {
  return n < 64 ? (Bits){x.value >> n, x.unknown >> n} : bits_of(0);
}

// With copies of the sign, whether it is known or not.
static inline Bits
bits_right_signed(Bits x, guint n) {
  n = MIN(n, 63);
  return (Bits){(guint64)((gint64)x.value >> n), (guint64)((gint64)x.unknown >> n)};
}

static inline Bits
bits_field(Bits x, guint width) {
  return bits_and(x, bits_of(mask_below(width)));
}

static inline Bits
bits_sign_extend(Bits x, guint width) {
  return width ? bits_right_signed(bits_left(x, 64 - width), 64 - width) : bits_of(0);
}

static inline Bits
bits_low(Bits x) {
  return bits_field(x, 16);
}

static inline Bits
bits_high(Bits x) {
  return bits_field(bits_right(x, 16), 16);
}

static inline Bits
bits_pack(Bits low, Bits high) {
  return bits_or(bits_low(low), bits_left(bits_low(high), 16));
}

static inline Bits
bits_join(Bits low, Bits high) {
  return bits_or(bits_field(low, 32), bits_left(high, 32));
}

// 1 if it is negative.
static inline Bits
bits_sign(Bits x) {
  return bits_right(x, 63);
}

// The order of signed numbers of @width bits becomes that of unsigned ones.
static inline Bits
bits_bias(Bits x, guint width) {
  return bits_xor(bits_field(x, width), bits_of(G_GUINT64_CONSTANT(1) << (width - 1)));
}

// --- choices: bit 0 of @which

static inline Bits
bits_choose(Bits which, Bits x, Bits y) {
  return which.unknown & 1 ? bits_either(x, y) : which.value & 1 ? x : y;
}

static inline Bits
bits_less(Bits x, Bits y) {
  if (bits_most(x) < y.value)
    return bits_of(1);
  return x.value >= bits_most(y) ? bits_of(0) : bits_unknown(1);
}

static inline Bits
bits_equal(Bits x, Bits y) {
  if ((x.value ^ y.value) & ~x.unknown & ~y.unknown)
    return bits_of(0);
  return x.unknown | y.unknown ? bits_unknown(1) : bits_of(1);
}

static inline Bits
bits_minimum(Bits x, guint64 limit) {
  return bits_choose(bits_less(x, bits_of(limit)), x, bits_of(limit));
}

// --- arithmetic, modulo 2^64

Bits smb_bits_add(Bits x, Bits y, Bits carry);
Bits smb_bits_multiply(Bits x, Bits y);

static inline Bits
bits_add(Bits x, Bits y) {
  return smb_bits_add(x, y, bits_of(0));
}

static inline Bits
bits_subtract(Bits x, Bits y) {
  return smb_bits_add(x, bits_not(y), bits_of(1));
}

static inline Bits
bits_multiply(Bits x, Bits y) {
  return smb_bits_multiply(x, y);
}

// Unsigned; a quotient by 0 is all ones of @width bits, its rest the dividend.
Bits smb_bits_divide(Bits x, Bits y, guint width);
Bits smb_bits_remainder(Bits x, Bits y);

// --- shifts by amounts of which bits may be unknown, at most 64

typedef enum {
  SHIFT_LEFT,
  SHIFT_RIGHT,
  SHIFT_RIGHT_SIGNED,
} Shift;

Bits smb_bits_shift(Shift shift, Bits x, Bits amount);

// --- counts of the low @width bits

Bits smb_bits_population(Bits x);
Bits smb_bits_leading_zeros(Bits x, guint width);
// By how much it is to be shifted left for its highest 1 to be at the top; all ones if there is none.
Bits smb_bits_find_shift(Bits x, guint width);
// Inverted if it is negative.
Bits smb_bits_fold_sign(Bits x, guint width);
Bits smb_bits_reverse(Bits x, guint width);

// --- fields of @length bits at @position; PTX has numbers to 255 (bfe, bfi). Of larger ones the
// low 8 bits count in operations of 32 bits; those of 64 are shifts, of which nothing is left

Bits smb_bits_extract(Bits x, Bits position, Bits length);
Bits smb_bits_extract_signed(Bits x, Bits position, Bits length);
Bits smb_bits_insert(Bits x, Bits into, Bits position, Bits length);

// PTX ISA, prmt; @mode: Permutation.
Bits smb_bits_permute(guint mode, Bits x, Bits y, Bits selector);
