// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/compute/bits.h"

#include "sim/exec/compute/scalar.h"

// A bit of a sum is known if those of its operands are and what is carried into it is: carries are fewest if all
// unknown bits are 0, and most if they are 1.
Bits
smb_bits_add(Bits x, Bits y, Bits carry) {
  guint64 least = x.value + y.value + (carry.value & 1);
  guint64 most = bits_most(x) + bits_most(y) + (bits_most(carry) & 1);
  guint64 carried_least = least ^ x.value ^ y.value;
  guint64 carried_most = most ^ bits_most(x) ^ bits_most(y);
  return bits_make(least, x.unknown | y.unknown | (carried_least ^ carried_most));
}

static guint
count_low_zeros(Bits x) {
  return bits_most(x) ? (guint)__builtin_ctzll(bits_most(x)) : 64;
}

// With one known factor: the other one is added for each of its 1 bits. With two unknown factors, the low bits that
// must be 0 are known, and the high ones if the product does not wrap.
Bits
smb_bits_multiply(Bits x, Bits y) {
  if (x.unknown == 0 && y.unknown != 0)
    return smb_bits_multiply(y, x);
  guint64 most;
  gboolean wraps = __builtin_mul_overflow(bits_most(x), bits_most(y), &most);
  Bits high = wraps ? bits_unknown(G_MAXUINT64) : bits_between(0, most);
  guint zeros = count_low_zeros(x) + count_low_zeros(y);
  Bits sum = bits_unknown(~mask_below(MIN(zeros, 64)));
  if (y.unknown == 0) {
    sum = bits_of(0);
    for (guint64 rest = y.value; rest; rest &= rest - 1)
      sum = bits_add(sum, bits_left(x, (guint)__builtin_ctzll(rest)));
  }
  // What is known to be 0 is so for both reasons.
  return bits_make(sum.value, sum.unknown & high.unknown);
}

Bits
smb_bits_divide(Bits x, Bits y, guint width) {
  if (bits_most(y) == 0)
    return bits_of(mask_below(width));
  if (y.value == 0)
    return bits_unknown(mask_below(width));
  return bits_between(x.value / bits_most(y), bits_most(x) / y.value);
}

Bits
smb_bits_remainder(Bits x, Bits y) {
  guint64 divisor = y.value;
  if (y.unknown || divisor == 0)
    return y.value == 0 ? bits_between(0, bits_most(x))
                        : bits_between(0, MIN(bits_most(x), bits_most(y) - 1));
  if ((divisor & (divisor - 1)) == 0)
    return bits_and(x, bits_of(divisor - 1));
  return x.unknown ? bits_between(0, MIN(bits_most(x), divisor - 1)) : bits_of(x.value % divisor);
}

static Bits
shift_by(Shift shift, Bits x, guint amount) {
  switch (shift) {
  case SHIFT_LEFT:
    return bits_left(x, amount);
  case SHIFT_RIGHT:
    return bits_right(x, amount);
  case SHIFT_RIGHT_SIGNED:
    return bits_right_signed(x, amount);
  }
  g_assert_not_reached();
}

Bits
smb_bits_shift(Shift shift, Bits x, Bits amount) {
  Bits result = shift_by(shift, x, (guint)MIN(amount.value, 64));
  for (guint i = (guint)MIN(amount.value, 64) + 1; i <= MIN(bits_most(amount), 64); i++)
    if (((i ^ amount.value) & ~amount.unknown) == 0)
      result = bits_either(result, shift_by(shift, x, i));
  return result;
}

Bits
smb_bits_population(Bits x) {
  return bits_between((guint)__builtin_popcountll(x.value),
                      (guint)__builtin_popcountll(bits_most(x)));
}

static guint
count_leading_zeros(guint64 x, guint width) {
  return x ? (guint)__builtin_clzll(x) - (64 - width) : width;
}

Bits
smb_bits_leading_zeros(Bits x, guint width) {
  return bits_between(count_leading_zeros(bits_most(x), width),
                      count_leading_zeros(x.value, width));
}

Bits
smb_bits_find_shift(Bits x, guint width) {
  if (bits_most(x) == 0)
    return bits_of(G_MAXUINT64);
  return x.value ? smb_bits_leading_zeros(x, width) : bits_unknown(G_MAXUINT64);
}

Bits
smb_bits_fold_sign(Bits x, guint width) {
  Bits extended = bits_sign_extend(x, width);
  return bits_field(bits_choose(bits_sign(extended), bits_not(extended), extended), width);
}

Bits
smb_bits_reverse(Bits x, guint width) {
  return (Bits){reverse_64(x.value) >> (64 - width), reverse_64(x.unknown) >> (64 - width)};
}

Bits
smb_bits_extract(Bits x, Bits position, Bits length) {
  Bits mask = bits_not(smb_bits_shift(SHIFT_LEFT, bits_of(G_MAXUINT64), bits_minimum(length, 64)));
  return bits_and(smb_bits_shift(SHIFT_RIGHT, x, bits_minimum(position, 64)), mask);
}

// The field at the top, and back again, so that its sign is copied; one of no bits is 0.
Bits
smb_bits_extract_signed(Bits x, Bits position, Bits length) {
  Bits room = bits_subtract(bits_of(64), bits_minimum(length, 64));
  Bits field = smb_bits_shift(SHIFT_RIGHT_SIGNED, x, bits_minimum(position, 64));
  if (length.unknown == 0)
    return bits_sign_extend(field, (guint)MIN(length.value, 64));
  Bits top = smb_bits_shift(SHIFT_LEFT, field, room);
  return bits_either(smb_bits_shift(SHIFT_RIGHT_SIGNED, top, room), bits_of(0));
}

Bits
smb_bits_insert(Bits x, Bits into, Bits position, Bits length) {
  Bits at = bits_minimum(position, 64);
  Bits mask = bits_not(smb_bits_shift(SHIFT_LEFT, bits_of(G_MAXUINT64), bits_minimum(length, 64)));
  Bits where = smb_bits_shift(SHIFT_LEFT, mask, at);
  return bits_look_up(0xca, where, smb_bits_shift(SHIFT_LEFT, x, at), into);
}

// One byte of eight, by 4 bits of a selector: the highest says that it is its sign, in all bits.
static Bits
permute_byte(Bits bytes, Bits nibble) {
  Bits result = {0, 0};
  gboolean any = FALSE;
  for (guint i = 0; i < 16; i++) {
    if (((i ^ nibble.value) & ~nibble.unknown & 15) != 0)
      continue;
    Bits byte = bits_field(bits_right(bytes, 8 * (i & 7)), 8);
    if (i & 8)
      byte = bits_field(bits_right_signed(bits_left(byte, 56), 63), 8);
    result = any ? bits_either(result, byte) : byte;
    any = TRUE;
  }
  return result;
}

static Bits
permute_by(Bits bytes, Bits selector) {
  Bits result = bits_of(0);
  for (guint i = 0; i < 4; i++)
    result = bits_or(result, bits_left(permute_byte(bytes, bits_right(selector, 4 * i)), 8 * i));
  return result;
}

Bits
smb_bits_permute(guint mode, Bits x, Bits y, Bits selector) {
  Bits bytes = bits_join(x, y);
  if (mode == PERMUTE_ANY)
    return permute_by(bytes, selector);
  Bits result = {0, 0};
  gboolean any = FALSE;
  for (guint i = 0; i < 4; i++) {
    if (((i ^ selector.value) & ~selector.unknown & 3) != 0)
      continue;
    Bits chosen = permute_by(bytes, bits_of(permute_selector(mode, i)));
    result = any ? bits_either(result, chosen) : chosen;
    any = TRUE;
  }
  return result;
}
