// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operations on values that are affine in blockIdx whose results are affine if quotients are (sim/machine/signature.h):
// divisions, products of which the high word is taken, shifts, rests, and bits.
#include "sim/exec/compute/affine-impl.h"
#include "sim/exec/compute/bits.h"

// --- quotients

// The bits that a shift leaves, if that is what it is.
static guint
find_kept_bits(const Watch *watch, guint lane) {
  switch ((guint)watch->compute->operation) {
  case OPERATION_SHR_U32:
  case OPERATION_SHR_S32:
  case OPERATION_SHR_U64:
  case OPERATION_SHR_S64: {
    guint width = 32u * watch->compute->n_rows[1];
    Wide amount = read_integer(watch, 1, lane, FALSE);
    return width - (guint)MIN(amount, width);
  }
  }
  return G_MAXUINT;
}

// What is left of a sign, or of the few high bits that offsets of 64 bits have: rather the same in all blocks.
static gboolean
is_sign(const Watch *watch) {
  enum {
    FEW = 4
  };
  FOR_LANES(watch->lanes, lane) {
    if (find_kept_bits(watch, lane) > FEW)
      return FALSE;
  }
  return TRUE;
}

static guint
watch_same(const Watch *watch, const guint32 *out) {
  guint64 hash = 0;
  FOR_LANES(watch->lanes, lane)
  mix(&hash, (guint64)read_result(watch, out, lane));
  note(watch, hash);
  return 0;
}

// The exact quotient, of which the result has the low bits.
static Wide
find_quotient(const Watch *watch, const guint32 *out, guint lane) {
  Wide x = read_integer(watch, 0, lane, FALSE), y = read_integer(watch, 1, lane, FALSE);
  Wide result = read_result(watch, out, lane);
  guint bits = 32u * watch->compute->n_rows[0];
  Wide both = read_integer(watch, 1, lane, TRUE) * ((Wide)1 << 32) + (guint32)x, amount = 0;
  if (watch->compute->n_sources > 2)
    amount = read_integer(watch, 2, lane, FALSE);
  switch ((guint)watch->compute->operation) {
  case OPERATION_SHF_L_WRAP:
    return (both * ((Wide)1 << (amount & 31))) >> 32;
  case OPERATION_SHF_L_CLAMP:
    return (both * ((Wide)1 << MIN(amount, 32))) >> 32;
  case OPERATION_SHF_R_WRAP:
    return both >> (amount & 31);
  case OPERATION_SHF_R_CLAMP:
    return both >> MIN(amount, 32);
  case OPERATION_MAD_UPPER_U32:
  case OPERATION_MAD_UPPER_S32:
    return (x * y + read_integer(watch, 2, lane, TRUE)) >> 32;
  case OPERATION_DIV_S32:
  case OPERATION_DIV_S64:
    return y == -1 ? -x : result;
  case OPERATION_MUL_HI_S32:
  case OPERATION_MUL_HI_S64:
  case OPERATION_SHR_S32:
  case OPERATION_SHR_S64:
    return result;
  }
  return result & (((Wide)1 << bits) - 1);
}

// What the operand is multiplied with and divided by, to find out after how many blocks it is so again.
static void
hint_quotient(const Watch *watch) {
  guint lane = smb_lanes_first(watch->lanes), affine = find_affine(watch);
  if (affine > 1)
    return;
  gint64 x = (gint64)read_integer(watch, affine, lane, TRUE);
  Wide y = read_integer(watch, 1 - affine, lane, FALSE);
  switch ((guint)watch->compute->operation) {
  case OPERATION_DIV_U32:
  case OPERATION_DIV_U64:
  case OPERATION_DIV_S32:
  case OPERATION_DIV_S64:
    note_hint(watch, 0, x, 1, (guint64)(y < 0 ? -y : y));
    return;
  case OPERATION_MUL_HI_U32:
  case OPERATION_MUL_HI_S32:
  case OPERATION_MAD_UPPER_U32:
  case OPERATION_MAD_UPPER_S32:
    note_hint(watch, 0, x, (guint64)(y < 0 ? -y : y), (guint64)1 << 32);
    return;
  case OPERATION_SHR_U32:
  case OPERATION_SHR_S32:
  case OPERATION_SHR_U64:
  case OPERATION_SHR_S64:
    note_hint(watch, 0, x, 1, y < 63 ? (guint64)1 << y : 0);
    return;
  }
}

guint
smb_affine_quotient(const Watch *watch, const guint32 *out) {
  gint64 quotients[SMB_MAX_LANES], wraps[SMB_MAX_LANES];
  note_all_signs(watch); // it is rounded up if it is negative
  if (is_sign(watch))
    return watch_same(watch, out);
  FOR_LANES(watch->lanes, lane) {
    quotients[lane] = (gint64)read_result(watch, out, lane);
    Wide wrapped = find_quotient(watch, out, lane) - quotients[lane];
    wraps[lane] = (gint64)(wrapped >> 32u * watch->compute->n_rows[0]);
  }
  note_quotients(watch, watch->lanes, quotients);
  note_quotients(watch, watch->lanes, wraps);
  if (watch->lanes)
    hint_quotient(watch);
  return leave_affine(watch, out);
}

// x - q * y, of a quotient q that is noted.
guint
smb_affine_rest(const Watch *watch, const guint32 *out) {
  gint64 quotients[SMB_MAX_LANES], wraps[SMB_MAX_LANES];
  note_all_signs(watch);
  FOR_LANES(watch->lanes, lane) {
    Wide x = read_integer(watch, 0, lane, FALSE), y = read_integer(watch, 1, lane, FALSE);
    Wide quotient = y == 0 ? 0 : x / y, result = read_result(watch, out, lane);
    quotients[lane] = (gint64)quotient;
    wraps[lane] = (gint64)((x - quotient * y - result) >> 32u * watch->compute->n_rows[0]);
  }
  note_quotients(watch, watch->lanes, quotients);
  note_quotients(watch, watch->lanes, wraps);
  if (watch->lanes) {
    guint lane = smb_lanes_first(watch->lanes);
    Wide y = read_integer(watch, 1, lane, FALSE);
    note_hint(watch, 0, (gint64)read_integer(watch, 0, lane, TRUE), 1, (guint64)(y < 0 ? -y : y));
  }
  return leave_affine(watch, out);
}

// The operand or its opposite: which, is the same in all blocks.
guint
smb_affine_absolute(const Watch *watch, const guint32 *out) {
  gint64 wraps[SMB_MAX_LANES];
  note_all_signs(watch);
  FOR_LANES(watch->lanes, lane) {
    Wide x = read_integer(watch, 0, lane, TRUE);
    wraps[lane] = (gint64)(((x < 0 ? -x : x) - read_result(watch, out, lane)) >>
                           32u * watch->compute->n_rows[0]);
  }
  note_quotients(watch, watch->lanes, wraps);
  return leave_affine(watch, out);
}

// --- bits: those of the result are 0, 1, a bit of the affine operand, or its opposite. Bits from i up to j are the
// quotient by 2^i, less 2^(j - i) times that by 2^j.

// The bits that change with a bit of an operand, and those that are 1 if it is 0.
typedef struct {
  guint64 follow;
  guint64 start;
} Pattern;

static guint64
combine_affine_bits(const Compute *compute, guint64 x, guint64 y, guint64 z) {
  switch ((guint)compute->operation) {
  case OPERATION_AND_32:
  case OPERATION_AND_64:
    return x & y;
  case OPERATION_OR_32:
  case OPERATION_OR_64:
    return x | y;
  case OPERATION_XOR_32:
  case OPERATION_XOR_64:
    return x ^ y;
  case OPERATION_LOP3:
    return look_up(compute->table, (guint32)x, (guint32)y, (guint32)z);
  }
  g_assert_not_reached();
}

static Pattern
find_bit_pattern(const Watch *watch, guint affine, guint lane) {
  guint64 of[2][3] = {{0}};
  for (guint i = 0; i < watch->compute->n_sources; i++) {
    guint64 operand = (guint64)read_integer(watch, i, lane, TRUE);
    for (guint one = 0; one < 2; one++)
      of[one][i] = i == affine ? (one ? G_MAXUINT64 : 0) : operand;
  }
  guint64 result[2];
  for (guint one = 0; one < 2; one++) {
    const guint64 *s = of[one];
    result[one] = combine_affine_bits(watch->compute, s[0], s[1], s[2]);
  }
  return (Pattern){result[0] ^ result[1], result[0]};
}

// The bits, but for the lowest ones, which are 0, where a run of bits of one kind begins.
static guint64
find_bit_runs(const Watch *watch, const Pattern *pattern, guint zeros) {
  guint64 follow = pattern->follow, start = pattern->start;
  guint64 runs =
      ((follow ^ follow << 1) | ((start ^ start << 1) & (follow | follow << 1))) & ~(guint64)1;
  guint bits = 32u * watch->compute->n_rows[0];
  return zeros >= bits ? 0 : runs & mask_below(bits) & ~mask_below(MIN(zeros + 1, 64));
}

gboolean
smb_affine_has_few_runs(const Watch *watch, guint zeros) {
  guint affine = find_affine(watch);
  enum {
    FEW = 4
  };
  FOR_LANES(watch->lanes, lane) {
    const Pattern pattern = find_bit_pattern(watch, affine, lane);
    if (popcount_64(find_bit_runs(watch, &pattern, zeros)) > FEW)
      return FALSE;
  }
  return TRUE;
}

guint
smb_affine_bits(const Watch *watch, guint zeros, const guint32 *out) {
  guint affine = find_affine(watch);
  guint64 runs[SMB_MAX_LANES] = {0}, any = 0;
  FOR_LANES(watch->lanes, lane) {
    const Pattern pattern = find_bit_pattern(watch, affine, lane);
    runs[lane] = find_bit_runs(watch, &pattern, zeros);
    any |= runs[lane];
  }
  note(watch, any);
  for (; any; any &= any - 1) {
    guint bit = (guint)__builtin_ctzll(any);
    gint64 quotients[SMB_MAX_LANES] = {0};
    SmbLanes lanes = 0;
    FOR_LANES(watch->lanes, lane) {
      if (!(runs[lane] >> bit & 1))
        continue;
      quotients[lane] = (gint64)(read_integer(watch, affine, lane, TRUE) >> bit);
      lanes |= (SmbLanes)1 << lane;
    }
    note_quotients(watch, lanes, quotients);
    note_hint(watch, bit, (gint64)read_integer(watch, affine, smb_lanes_first(lanes), TRUE), 1,
              (guint64)1 << bit);
  }
  return leave_affine(watch, out);
}
