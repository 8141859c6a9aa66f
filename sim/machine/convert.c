// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Conversions of the values of a warp, and values that are alike in all lanes.
#include <math.h>
#include <string.h>

#include "sim/base/half.h"
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
widen_integers(SmbScalar from, const void *a, gint64 *out) {
  if (smb_scalar_is_wide(from))
    memcpy(out, a, LANES * sizeof *out);
  else if (from == SMB_SCALAR_U32)
    EACH_LANE(out[lane] = ((const guint32 *)a)[lane];)
  else
    EACH_LANE(out[lane] = ((const gint32 *)a)[lane];)
}

static void
fill_reals(SmbScalar to, const double *reals, void *out) {
  if (to == SMB_SCALAR_F32)
    EACH_LANE(((float *)out)[lane] = (float)reals[lane];)
  else if (to == SMB_SCALAR_F64)
    memcpy(out, reals, LANES * sizeof *reals);
  else
    EACH_LANE(((guint32 *)out)[lane] = smb_half_from_real(to, reals[lane]);)
}

static void
cast_from_real(SmbScalar from, SmbScalar to, const void *a, void *out) {
  if (from == SMB_SCALAR_F32 && to == SMB_SCALAR_F64)
    LOOP1(float, double, x)
  if (from == SMB_SCALAR_F64 && to == SMB_SCALAR_F32)
    LOOP1(double, float, x)
  double reals[LANES];
  if (from == SMB_SCALAR_F32)
    EACH_LANE(reals[lane] = (double)((const float *)a)[lane];)
  else if (from == SMB_SCALAR_F64)
    memcpy(reals, a, sizeof reals);
  else
    EACH_LANE(reals[lane] = smb_half_to_real(from, (guint16)((const guint32 *)a)[lane]);)
  if (smb_scalar_is_real(to))
    fill_reals(to, reals, out);
  else if (smb_scalar_is_wide(to))
    EACH_LANE(((gint64 *)out)[lane] = real_to_integer(to, reals[lane]);)
  else
    EACH_LANE(((gint32 *)out)[lane] = (gint32)real_to_integer(to, reals[lane]);)
}

static void
cast_to_real(SmbScalar from, SmbScalar to, const void *a, void *out) {
  if (from == SMB_SCALAR_I32 && to == SMB_SCALAR_F32)
    LOOP1(gint32, float, x)
  gint64 wide[LANES];
  widen_integers(from, a, wide);
  gboolean is_unsigned = from == SMB_SCALAR_U64;
  if (to == SMB_SCALAR_F32) {
    EACH_LANE(((float *)out)[lane] = is_unsigned ? (float)(guint64)wide[lane] : (float)wide[lane];)
    return;
  }
  double reals[LANES];
  EACH_LANE(reals[lane] = is_unsigned ? (double)(guint64)wide[lane] : (double)wide[lane];)
  fill_reals(to, reals, out);
}

void
smb_arith_convert(SmbScalar from, SmbScalar to, const void *a, void *out) {
  gboolean from_real = smb_scalar_is_real(from), to_real = smb_scalar_is_real(to);
  gboolean from_wide = smb_scalar_is_wide(from), to_wide = smb_scalar_is_wide(to);
  if (from == to || (from_wide && to_wide && !from_real && !to_real)) {
    memcpy(out, a, LANES * (to_wide ? 8 : 4));
    return;
  }
  if (from_real) {
    cast_from_real(from, to, a, out);
    return;
  }
  if (to_real) {
    cast_to_real(from, to, a, out);
    return;
  }
  if (!from_wide && (to == SMB_SCALAR_I32 || to == SMB_SCALAR_U32)) {
    memcpy(out, a, LANES * 4);
    return;
  }
  gint64 wide[LANES];
  widen_integers(from, a, wide);
  if (to_wide)
    memcpy(out, wide, sizeof wide);
  else
    EACH_LANE(((gint32 *)out)[lane] = (gint32)smb_scalar_wrap(to, wide[lane]);)
}

void
smb_arith_fill(SmbScalar kind, gint64 integer, double real, void *out) {
  double reals[LANES];
  if (smb_scalar_is_real(kind)) {
    EACH_LANE(reals[lane] = real;)
    fill_reals(kind, reals, out);
    return;
  }
  if (smb_scalar_is_wide(kind))
    EACH_LANE(((gint64 *)out)[lane] = integer;)
  else
    EACH_LANE(((gint32 *)out)[lane] = (gint32)integer;)
}
