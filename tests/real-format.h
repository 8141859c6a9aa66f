// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Formats of floating point, as bits: what a pattern stands for, exactly, and which pattern is next to a number, found by looking for
// its neighbours among all patterns. Slow and obvious, for oracles.
#pragma once

#include <glib.h>

__extension__ typedef __float128 Quad;

// A format by its name.
typedef struct {
  const char *name;
  guint bits, fraction;
  int bias;
  guint64 nan;
} Real;

static inline guint64
real_ones(guint n) {
  return n < 64 ? (G_GUINT64_CONSTANT(1) << n) - 1 : G_MAXUINT64;
}

// NULL: of none.
const Real *real_find(const char *name);
guint64 real_infinity(const Real *real);
Quad real_power_of_2(int exponent);
// The number of a magnitude; of infinity what would be next to the largest number.
Quad real_value(const Real *real, guint64 size);
gboolean real_is_nan(const Real *real, guint64 bits);
gboolean real_is_negative(const Real *real, guint64 bits);
gboolean real_is_subnormal(const Real *real, guint64 bits);
Quad real_decode(const Real *real, guint64 bits);
// The magnitude of a number that is not infinite. @round: n, z, m, p, a
guint64 real_round_size(const Real *real, Quad size, gboolean negative, char round);
// @zero_negative: of a result that is 0
guint64 real_encode(const Real *real, Quad value, char round, gboolean zero_negative);
