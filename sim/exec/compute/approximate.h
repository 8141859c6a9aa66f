// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The approximate functions of PTX in one lane, as ptxas makes them of the multi-function unit (multifunction.h):
// without .ftz, operands that the unit counts as 0 are scaled first. Source: the machine code that ptxas 13.0 makes for
// sm_90; all 2^32 operands of those with .ftz on an H200.
// Private to sim/exec.
#pragma once

#include "sim/exec/compute/multifunction.h"
#include "sim/exec/compute/real.h"

#define UNIT_SCALE                   0x1p24f  // of operands that are too small
#define UNIT_LARGE                   0x1p126f // the reciprocals of what is larger are subnormal
#define unit_half(function, kind, x) smb_mufu_half(smb_mufu_##function, kind, (guint16)(x))
#define UNIT_CALL(function, x)       float_of(smb_mufu_##function(float_bits(x)))

static inline gboolean
unit_scales(guint modifiers, float x) {
  return !(modifiers & MODIFIER_FLUSH) && !(fabsf(x) >= FLT_MIN);
}

static inline float
unit_rcp(guint modifiers, float x) {
  gboolean is_large = !(modifiers & MODIFIER_FLUSH) && fabsf(x) > UNIT_LARGE;
  float scale = unit_scales(modifiers, x) ? UNIT_SCALE : is_large ? 0.25f : 1;
  return UNIT_CALL(rcp, scale * x) * scale;
}

static inline float
unit_rsqrt(guint modifiers, float x) {
  return unit_scales(modifiers, x) ? UNIT_CALL(rsq, x * UNIT_SCALE) * 0x1p12f : UNIT_CALL(rsq, x);
}

static inline float
unit_sqrt(guint modifiers, float x) {
  return unit_scales(modifiers, x) ? UNIT_CALL(sqrt, x * UNIT_SCALE) * 0x1p-12f
                                   : UNIT_CALL(sqrt, x);
}

// Powers that are subnormal are squares.
static inline float
unit_ex2(guint modifiers, float x) {
  gboolean squares = !(modifiers & MODIFIER_FLUSH) && !(x >= -126);
  float power = UNIT_CALL(ex2, squares ? x * 0.5f : x);
  return squares ? power * power : power;
}

static inline float
unit_lg2(guint modifiers, float x) {
  return unit_scales(modifiers, x) ? UNIT_CALL(lg2, x * UNIT_SCALE) - 24 : UNIT_CALL(lg2, x);
}

// @x / (2 pi), rounded towards zero.
static inline float
unit_turns(guint modifiers, float x) {
  double turns = (double)x * (double)0.15915494f;
  float rounded = (float)turns;
  if (fabs((double)rounded) > fabs(turns))
    rounded = float_of(float_bits(rounded) - 1);
  return modifiers & MODIFIER_FLUSH && fabsf(rounded) < FLT_MIN ? copysignf(0, x) : rounded;
}

static inline float
unit_sin(guint modifiers, float x) {
  return UNIT_CALL(sin, unit_turns(modifiers, x));
}

static inline float
unit_cos(guint modifiers, float x) {
  return UNIT_CALL(cos, unit_turns(modifiers, x));
}

static inline float
unit_div(guint modifiers, float x, float y) {
  float scale = unit_scales(modifiers, y) ? UNIT_SCALE : 1;
  return UNIT_CALL(rcp, y * scale) * (x * scale);
}

// Divisors whose reciprocal is subnormal are scaled, too.
static inline float
unit_div_full(guint modifiers, float x, float y) {
  return fabsf(y) > UNIT_LARGE ? unit_div(modifiers, x * 0.25f, y * 0.25f)
                               : unit_div(modifiers, x, y);
}
