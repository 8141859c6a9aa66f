// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a component of a texel is as a number.
#include "sim/texture/texture.h"

#include <math.h>
#include <string.h>

static uint32_t
decoded_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float
decode_half(uint16_t half) {
  int exponent = half >> 10 & 31;
  float mantissa = (float)(half & 1023), value;
  if (exponent == 31)
    value = mantissa != 0 ? NAN : INFINITY;
  else
    value = exponent == 0 ? ldexpf(mantissa, -24) : ldexpf(mantissa + 1024, exponent - 25);
  return half >> 15 ? -value : value;
}

static float
decode_srgb(uint32_t number) {
  static const uint16_t curve[] = {
#include "sim/texture/texture-srgb.def"
  };
  return (float)curve[number] / 16384;
}

// The least signed number is below -1.
static float
normalize_number(const SmbTexture *texture, int32_t number, unsigned component) {
  bool is_signed = texture->channel == SMB_CHANNEL_SIGNED;
  float value = (float)number / (float)((1 << (texture->bits - is_signed)) - 1);
  if (texture->is_srgb && texture->bits == 8 && !is_signed && component < 3)
    return decode_srgb((uint32_t)number);
  return value;
}

uint32_t
smb_texture_decode(const SmbTexture *texture, const void *texel, unsigned component) {
  const uint8_t *at = (const uint8_t *)texel + component * texture->bits / 8;
  uint32_t word = 0;
  if (component >= texture->n_components)
    return 0;
  memcpy(&word, at, texture->bits / 8);
  if (texture->channel == SMB_CHANNEL_FLOAT)
    return texture->bits == 16 ? decoded_bits(decode_half((uint16_t)word)) : word;
  if (texture->channel == SMB_CHANNEL_SIGNED)
    word = (uint32_t)((int32_t)(word << (32 - texture->bits)) >> (32 - texture->bits));
  return texture->reads_float && texture->bits < 32
             ? decoded_bits(normalize_number(texture, (int32_t)word, component))
             : word;
}
