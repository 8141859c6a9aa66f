// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/real-format.h"

#include <math.h>

static const Real reals[] = {
    {"f16", 16, 10, 15, 0x7fff},
    {"bf16", 16, 7, 127, 0x7fff},
    {"f32", 32, 23, 127, 0x7fffffff},
    {"f64", 64, 52, 1023, G_GUINT64_CONSTANT(0x7ff8000000000000)},
};

const Real *
real_find(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(reals); i++)
    if (g_str_equal(name, reals[i].name))
      return &reals[i];
  return NULL;
}

guint64
real_infinity(const Real *real) {
  return real_ones(real->bits - 1 - real->fraction) << real->fraction;
}

Quad
real_power_of_2(int exponent) {
  Quad result = 1, power = exponent < 0 ? (Quad)0.5 : (Quad)2;
  for (guint rest = (guint)ABS(exponent); rest; rest >>= 1, power *= power)
    result *= rest & 1 ? power : 1;
  return result;
}

Quad
real_value(const Real *real, guint64 size) {
  guint64 fraction = size & real_ones(real->fraction), field = size >> real->fraction;
  if (field == 0)
    return (Quad)fraction * real_power_of_2(1 - real->bias - (int)real->fraction);
  return (Quad)(fraction | G_GUINT64_CONSTANT(1) << real->fraction) *
         real_power_of_2((int)field - real->bias - (int)real->fraction);
}

gboolean
real_is_nan(const Real *real, guint64 bits) {
  return (bits & real_ones(real->bits - 1)) > real_infinity(real);
}

gboolean
real_is_negative(const Real *real, guint64 bits) {
  return bits >> (real->bits - 1) & 1;
}

gboolean
real_is_subnormal(const Real *real, guint64 bits) {
  guint64 size = bits & real_ones(real->bits - 1);
  return size && size >> real->fraction == 0;
}

Quad
real_decode(const Real *real, guint64 bits) {
  guint64 size = bits & real_ones(real->bits - 1);
  Quad value = size == real_infinity(real) ? (Quad)INFINITY : real_value(real, size);
  return real_is_nan(real, bits) ? (Quad)NAN : real_is_negative(real, bits) ? -value : value;
}

guint64
real_round_size(const Real *real, Quad size, gboolean negative, char round) {
  guint64 low = 0, high = real_infinity(real); // low <= size, high is more
  if (size >= real_value(real, high))
    return round == 'z' || round == (negative ? 'p' : 'm') ? high - 1 : high;
  while (high - low > 1) {
    guint64 middle = low + (high - low) / 2;
    if (real_value(real, middle) <= size)
      low = middle;
    else
      high = middle;
  }
  Quad below = size - real_value(real, low), above = real_value(real, high) - size;
  if (below == 0 || round == 'z' || round == (negative ? 'p' : 'm'))
    return low;
  if (round == 'm' || round == 'p')
    return high;
  return below < above || (below == above && round == 'n' && low % 2 == 0) ? low : high;
}

guint64
real_encode(const Real *real, Quad value, char round, gboolean zero_negative) {
  if (value != value)
    return real->nan;
  gboolean negative = value == 0 ? zero_negative : value < 0;
  Quad size = negative ? -value : value;
  guint64 bits = size > real_value(&reals[3], real_infinity(&reals[3]) - 1) * 4 && size / 2 == size
                     ? real_infinity(real)
                     : real_round_size(real, size, negative, round);
  return bits | (guint64)negative << (real->bits - 1);
}
