// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sums of weighted texels, as the device makes them: doc comment of texture.h.
#include "sim/texture/texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  WEIGHT_BITS = 8,
  FLOAT_BITS = 24,
  HALF_BITS = 11,
  GUARD_BITS = 4,       // texels are aligned to the largest, with so many bits more
  NO_EXPONENT = -10000, // of nothing but zeros
  FLAT_TAPS = 4,        // of more, it is not known how they are aligned
};

static float
texel_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t
blended_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// @sum times 2^@exponent, rounded to @bits, ties away from 0.
static float
round_sum(int64_t sum, int exponent, int bits) {
  uint64_t magnitude = (uint64_t)llabs(sum);
  int excess = -bits;
  for (uint64_t rest = magnitude; rest; rest >>= 1)
    excess++;
  if (excess > 0) {
    magnitude = (magnitude + (UINT64_C(1) << (excess - 1))) >> excess;
    exponent += excess;
  }
  float result = ldexpf((float)magnitude, exponent);
  return sum < 0 ? -result : result;
}

// Infinite numbers, and what is none.
static float
blend_special(const SmbTaps *taps, unsigned component) {
  float sum = 0;
  for (unsigned i = 0; i < taps->n; i++)
    if (taps->weights[i])
      sum += texel_float(taps->texels[i][component]) * (float)taps->weights[i];
  return sum;
}

static float
blend_floats(const SmbTaps *taps, unsigned component, int bits, bool *is_exact) {
  int largest = NO_EXPONENT;
  for (unsigned i = 0; i < taps->n; i++) {
    float value = texel_float(taps->texels[i][component]);
    int exponent = NO_EXPONENT;
    if (!isfinite(value) && taps->weights[i])
      return blend_special(taps, component);
    if (value != 0 && taps->weights[i])
      frexpf(value, &exponent);
    largest = exponent > largest ? exponent : largest;
  }
  int unit = largest - bits - GUARD_BITS;
  int64_t sum = 0;
  for (unsigned i = 0; i < taps->n; i++) {
    if (taps->weights[i] == 0)
      continue;
    double aligned = ldexp((double)texel_float(taps->texels[i][component]), -unit);
    *is_exact = *is_exact && aligned == trunc(aligned);
    sum += (int64_t)trunc(aligned) * (int64_t)taps->weights[i];
  }
  return round_sum(sum, unit - WEIGHT_BITS, bits);
}

// The sum of integers, as one of 16 bits, ties upwards.
static float
blend_normalized(const SmbTexture *texture, const SmbTaps *taps, unsigned component) {
  bool is_signed = texture->channel == SMB_CHANNEL_SIGNED;
  int64_t most = (1 << (texture->bits - is_signed)) - 1, wide = is_signed ? 32767 : 65535;
  int64_t sum = 0, unit = most * SMB_TEXTURE_ONE;
  for (unsigned i = 0; i < taps->n; i++)
    sum +=
        lroundf(texel_float(taps->texels[i][component]) * (float)most) * (int64_t)taps->weights[i];
  return (float)floor((double)(2 * sum * wide + unit) / (double)(2 * unit)) / (float)wide;
}

// Integers that stay integers, which only references filter. How the device rounds them was not measured.
static uint32_t
blend_integers(const SmbTexture *texture, const SmbTaps *taps, unsigned component, bool *is_exact) {
  int64_t sum = 0;
  for (unsigned i = 0; i < taps->n; i++) {
    uint32_t word = taps->texels[i][component];
    int64_t number =
        texture->channel == SMB_CHANNEL_SIGNED ? (int64_t)(int32_t)word : (int64_t)word;
    sum += number * (int64_t)taps->weights[i];
  }
  *is_exact = *is_exact && sum % SMB_TEXTURE_ONE == 0;
  return (uint32_t)(int64_t)floor((double)(2 * sum + SMB_TEXTURE_ONE) / (2 * SMB_TEXTURE_ONE));
}

// The same of all components.
static bool
blend_all_integers(const SmbTexture *texture, const SmbTaps *taps, uint32_t *components) {
  bool is_exact = true;
  for (unsigned i = 0; i < SMB_TEXTURE_COMPONENTS; i++)
    components[i] = i < texture->n_components ? blend_integers(texture, taps, i, &is_exact) : 0;
  return is_exact;
}

bool
smb_texture_blend(const SmbTexture *texture, const SmbTaps *taps, uint32_t *components) {
  bool is_half = texture->bits == 16 && texture->channel == SMB_CHANNEL_FLOAT;
  bool is_normalized = texture->channel != SMB_CHANNEL_FLOAT && texture->reads_float;
  bool is_exact = true;
  if (texture->channel != SMB_CHANNEL_FLOAT && !is_normalized)
    return blend_all_integers(texture, taps, components);
  for (unsigned i = 0; i < texture->n_components; i++)
    components[i] = blended_bits(
        is_normalized && !(texture->is_srgb && i < 3)
            ? blend_normalized(texture, taps, i)
            : blend_floats(taps, i, is_half || is_normalized ? HALF_BITS : FLOAT_BITS, &is_exact));
  for (unsigned i = texture->n_components; i < SMB_TEXTURE_COMPONENTS; i++)
    components[i] = 0;
  return is_exact || taps->n <= FLAT_TAPS;
}
