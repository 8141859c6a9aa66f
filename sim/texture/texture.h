// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a texture unit answers, bit for bit as an H100 does (sm_90): measured with random coordinates in all modes. doc/run.md
// says what is only near. Plain C, so that the same file can be compared with a device.
//
// CUDA's documentation ("Texture Fetching") leaves open how coordinates and weights are rounded. The device does this:
//   - A normalized coordinate becomes a multiple of 2^-21 below it, and is multiplied by the extent. Subnormal numbers count as 0.
//   - For the nearest texel it is rounded down. For linear filtering it becomes a multiple of 2^-8, ties upwards, less 1/2.
//   - Weights are multiples of 2^-8: products of fractions are rounded, in such an order that their sum is 1 (texture-weight.c).
//   - Texels are weighted and added exactly, and the sum is rounded, ties away from 0 (texture-filter.c).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/texture/place.h"

typedef enum {
  SMB_SAMPLE_FILTERED, // at coordinates
  SMB_SAMPLE_TEXEL,    // the element of a number
  SMB_SAMPLE_GATHERED, // a component of the four texels that filtering would weigh
} SmbSampling;

/**
 * SmbSample: what is asked of a texture
 * @at: coordinates; of a cube a direction
 * @layer: of a layered texture; one beyond is the last one
 * @texel: of SMB_SAMPLE_TEXEL
 * @level: of a mipmap, before bias and limits
 * @component: of SMB_SAMPLE_GATHERED
 */
typedef struct {
  SmbSampling how;
  unsigned component;
  float at[3];
  uint32_t layer;
  int32_t texel;
  float level;
} SmbSample;

// Reads memory of the process. Returns whether it is known.
typedef bool (*SmbTextureRead)(void *user, uint64_t address, void *bytes, unsigned n_bytes);

// What is to be said of a result.
enum {
  SMB_SAMPLED_UNKNOWN = 1, // something that it was computed of is not known
  SMB_SAMPLED_NEAR = 2,    // the device's last bits can be others
  SMB_SAMPLED_EMPTY = 4,   // a texel that it was computed of has no memory (SMB_PLACE_EMPTY)
};

/**
 * smb_texture_sample: The four components, as bits of numbers of 32 bits; those that the format has not are 0.
 *
 * Returns: SMB_SAMPLED_UNKNOWN, SMB_SAMPLED_NEAR, SMB_SAMPLED_EMPTY
 */
unsigned smb_texture_sample(const SmbTexture *texture, const SmbSample *sample, SmbTextureRead read,
                            void *user, uint32_t *components);

/**
 * smb_texture_level: The level of a mipmap that gradients of normalized coordinates ask for; near.
 * @gradients: along x and y of the picture, of each coordinate in turn
 */
float smb_texture_level(const SmbTexture *texture, unsigned n_coordinates, float (*gradients)[2]);

/**
 * SmbPlace: What is at a place
 * @SMB_PLACE_OUTSIDE: it is none
 * @SMB_PLACE_EMPTY: nothing: it reads as zeros, and is not written to
 * @SMB_PLACE_MEMORY: an address, which has memory unless the program is wrong
 */
typedef enum {
  SMB_PLACE_OUTSIDE,
  SMB_PLACE_EMPTY,
  SMB_PLACE_MEMORY,
} SmbPlace;

/** smb_texture_find: What an element is at. @x: in bytes; @address: (out): of the process. Returns: %SMB_PLACE_EMPTY or %SMB_PLACE_MEMORY */
SmbPlace smb_texture_find(const SmbTextureLevel *level, uint64_t x, uint64_t y, uint64_t z,
                          SmbTextureRead read, void *user, uint64_t *address);

/**
 * smb_surface_find: Where an access of @n_bytes goes.
 * @at: the byte in a row, the row, the slice: a layer has no sign
 * @clamps: what is outside goes to the nearest place inside
 * @address: (out): of the process
 */
SmbPlace smb_surface_find(const SmbTexture *surface, const int32_t *at, unsigned n_bytes,
                          bool clamps, SmbTextureRead read, void *user, uint64_t *address);

// --- in parts

enum {
  SMB_TEXTURE_COMPONENTS = 4,
  SMB_TEXTURE_ONE = 256, // a weight of 1
};

// Texels and their weights, which add up to SMB_TEXTURE_ONE.
typedef struct {
  unsigned n;
  unsigned weights[SMB_TEXTURE_TAPS];
  uint32_t texels[SMB_TEXTURE_TAPS][SMB_TEXTURE_COMPONENTS];
} SmbTaps;

/** smb_texture_weights: Divides @total among 4 or 8 texels: along x, then y, then z; @fractions: of each axis, of SMB_TEXTURE_ONE. */
void smb_texture_weights(unsigned total, unsigned n_axes, const unsigned *fractions,
                         unsigned *weights);

/** smb_texture_decode: A component of a texel, as bits of a number of 32 bits. */
uint32_t smb_texture_decode(const SmbTexture *texture, const void *texel, unsigned component);

/** smb_texture_blend: The sum of weighted texels, in the precision of their format. Returns whether it is the device's for sure. */
bool smb_texture_blend(const SmbTexture *texture, const SmbTaps *taps, uint32_t *components);
