// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Conversions of the values of a warp, and values that are alike in all lanes.
#include <math.h>
#include <string.h>

#include "sim/base/scalar.h"
#include "sim/machine/arith.h"
#include "sim/machine/lanes.h"

// A real as an integer: towards zero, and the nearest end of the range beyond it, as the hardware's
// conversion does.
static gint64
real_to_long(double x) {
  return isnan(x) ? 0 : x >= 0x1p63 ? G_MAXINT64 : x <= -0x1p63 ? G_MININT64 : (gint64)x;
}

static guint64
real_to_ulong(double x) {
  return isnan(x) || x <= 0 ? 0 : x >= 0x1p64 ? G_MAXUINT64 : (guint64)x;
}

static gint64
real_to_integer(SmbScalar to, double x) {
  gint64 value = real_to_long(x);
  switch (to) {
  case SMB_SCALAR_BOOL:
    return x != 0;
  case SMB_SCALAR_I8:
  case SMB_SCALAR_U8:
  case SMB_SCALAR_I16:
  case SMB_SCALAR_U16:
    return smb_scalar_wrap(to, CLAMP(value, G_MININT32, G_MAXINT32));
  case SMB_SCALAR_I32:
    return CLAMP(value, G_MININT32, G_MAXINT32);
  case SMB_SCALAR_U32:
    return CLAMP(value, 0, (gint64)G_MAXUINT32);
  case SMB_SCALAR_I64:
    return value;
  case SMB_SCALAR_U64:
    return (gint64)real_to_ulong(x);
  case SMB_SCALAR_F16:
  case SMB_SCALAR_BF16:
  case SMB_SCALAR_F32:
  case SMB_SCALAR_F64:
    break;
  }
  g_assert_not_reached();
}

// Every kind widened to 64 bits: as an integer, or as a double.
static void
widen_integers(SmbScalar from, guint n, const void *a, gint64 *out) {
  if (smb_scalar_is_wide(from))
    memcpy(out, a, n * sizeof *out);
  else if (from == SMB_SCALAR_U32)
    EACH_LANE(n, out[lane] = ((const guint32 *)a)[lane];)
  else
    EACH_LANE(n, out[lane] = ((const gint32 *)a)[lane];)
}

static void
fill_reals(SmbScalar to, guint n, const double *reals, void *out) {
  if (to == SMB_SCALAR_F32)
    EACH_LANE(n, ((float *)out)[lane] = (float)reals[lane];)
  else if (to == SMB_SCALAR_F64)
    memcpy(out, reals, n * sizeof *reals);
  else
    EACH_LANE(n, ((guint32 *)out)[lane] = smb_half_from_real(to, reals[lane]);)
}

static void
cast_from_real(SmbScalar from, SmbScalar to, guint n, const void *a, void *out) {
  if (from == SMB_SCALAR_F32 && to == SMB_SCALAR_F64)
    LOOP1(float, double, x)
  if (from == SMB_SCALAR_F64 && to == SMB_SCALAR_F32)
    LOOP1(double, float, x)
  double reals[SMB_MAX_LANES];
  if (from == SMB_SCALAR_F32)
    EACH_LANE(n, reals[lane] = (double)((const float *)a)[lane];)
  else if (from == SMB_SCALAR_F64)
    memcpy(reals, a, n * sizeof *reals);
  else
    EACH_LANE(n, reals[lane] = smb_half_to_real(from, (guint16)((const guint32 *)a)[lane]);)
  if (smb_scalar_is_real(to))
    fill_reals(to, n, reals, out);
  else if (smb_scalar_is_wide(to))
    EACH_LANE(n, ((gint64 *)out)[lane] = real_to_integer(to, reals[lane]);)
  else
    EACH_LANE(n, ((gint32 *)out)[lane] = (gint32)real_to_integer(to, reals[lane]);)
}

static void
cast_to_real(SmbScalar from, SmbScalar to, guint n, const void *a, void *out) {
  if (from == SMB_SCALAR_I32 && to == SMB_SCALAR_F32)
    LOOP1(gint32, float, x)
  gint64 wide[SMB_MAX_LANES];
  widen_integers(from, n, a, wide);
  gboolean is_unsigned = from == SMB_SCALAR_U64;
  if (to == SMB_SCALAR_F32) {
    EACH_LANE(n,
              ((float *)out)[lane] = is_unsigned ? (float)(guint64)wide[lane] : (float)wide[lane];)
    return;
  }
  double reals[SMB_MAX_LANES];
  EACH_LANE(n, reals[lane] = is_unsigned ? (double)(guint64)wide[lane] : (double)wide[lane];)
  fill_reals(to, n, reals, out);
}

void
smb_arith_convert(SmbScalar from, SmbScalar to, guint n, const void *a, void *out) {
  gboolean from_real = smb_scalar_is_real(from), to_real = smb_scalar_is_real(to);
  gboolean from_wide = smb_scalar_is_wide(from), to_wide = smb_scalar_is_wide(to);
  gboolean fills = to_wide || to == SMB_SCALAR_I32 || to == SMB_SCALAR_U32;
  gboolean stays = from == to || (fills && from_wide == to_wide && !from_real && !to_real);
  if (stays && to_wide)
    LOOP1(guint64, guint64, x)
  if (stays)
    LOOP1(guint32, guint32, x)
  if (from_real) {
    cast_from_real(from, to, n, a, out);
    return;
  }
  if (to_real) {
    cast_to_real(from, to, n, a, out);
    return;
  }
  if (to_wide) {
    widen_integers(from, n, a, out);
    return;
  }
  gint64 wide[SMB_MAX_LANES];
  widen_integers(from, n, a, wide);
  EACH_LANE(n, ((gint32 *)out)[lane] = (gint32)smb_scalar_wrap(to, wide[lane]);)
}

void
smb_arith_fill(SmbScalar kind, guint n, gint64 integer, double real, void *out) {
  double reals[SMB_MAX_LANES];
  if (smb_scalar_is_real(kind)) {
    EACH_LANE(n, reals[lane] = real;)
    fill_reals(kind, n, reals, out);
    return;
  }
  if (smb_scalar_is_wide(kind))
    EACH_LANE(n, ((gint64 *)out)[lane] = integer;)
  else
    EACH_LANE(n, ((gint32 *)out)[lane] = (gint32)integer;)
}
