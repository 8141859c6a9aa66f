// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a kernel samples, loads and stores by a handle: how the runtime of a program describes textures and surfaces to the machine.
// Both sides are on one computer, so the bytes of SmbTexture are sent as they are. The elements of an array lie row by row,
// one slice (a layer, a face of a cube, a step in depth) behind the other, or, if the program maps the memory of the array
// itself, in blocks on pages (place.h). Plain C.
#pragma once

#include <stdint.h>

enum {
  SMB_TEXTURE_LEVELS = 20, // of a mipmap, at most
  SMB_TEXTURE_TAPS =
      16, // texels that are weighed, at most: of two levels of a texture of three dimensions
};

typedef enum {
  SMB_SHAPE_BUFFER, // memory, by the number of the element
  SMB_SHAPE_1D,
  SMB_SHAPE_2D,
  SMB_SHAPE_3D,
  SMB_SHAPE_1D_LAYERED,
  SMB_SHAPE_2D_LAYERED,
  SMB_SHAPE_CUBE,
  SMB_SHAPE_CUBE_LAYERED,
} SmbTextureShape;

// Numbers as in cudaChannelFormatKind.
typedef enum {
  SMB_CHANNEL_SIGNED,
  SMB_CHANNEL_UNSIGNED,
  SMB_CHANNEL_FLOAT,
} SmbChannel;

// Numbers as in cudaTextureAddressMode.
typedef enum {
  SMB_ADDRESS_WRAP,
  SMB_ADDRESS_CLAMP,
  SMB_ADDRESS_MIRROR,
  SMB_ADDRESS_BORDER,
} SmbAddressMode;

/**
 * SmbTextureLevel: one level of a mipmap, or all there is
 * @address: of the process
 * @width, @height, @depth: in elements; @depth: also the number of layers and faces; each at least 1
 * @row_bytes, @slice_bytes: from one to the next
 * @pages: address of a table of the addresses of pages, 0 for one that is not mapped; 0: there is none, else @address counts from
 *   the first page, @row_bytes are those of a tile, and @slice_bytes go from layer to layer (0: of three dimensions)
 * @reads_zeros: what is not mapped reads as zeros, and is not written to; otherwise it is an error
 * @tile_height, @tile_depth: of a tile; @n_across, @n_down: tiles in a row of them, and rows of them
 */
typedef struct {
  uint64_t address, row_bytes, slice_bytes;
  uint32_t width, height, depth, reads_zeros;
  uint64_t pages;
  uint32_t tile_height, tile_depth, n_across, n_down;
} SmbTextureLevel;

/**
 * SmbTexture: a texture or a surface
 * @handle: its number
 * @shape: SmbTextureShape
 * @channel: SmbChannel of the components; @bits of each, of @n_components
 * @modes: SmbAddressMode for x, y, z
 * @reads_float: integers become numbers from 0 or -1 to 1; @is_srgb: those of 8 bits are decoded, but the fourth
 * @is_array: an array of the runtime, whose elements a device keeps in blocks; otherwise memory of the program
 * @bias, @min_level, @max_level: of the level that is asked for
 */
typedef struct {
  uint64_t handle;
  uint32_t shape, channel, bits, n_components, n_levels;
  uint32_t modes[3];
  uint8_t is_surface, is_linear, is_mip_linear, is_normalized, reads_float, is_srgb, is_seamless,
      anisotropy, is_array;
  float border[4];
  float bias, min_level, max_level;
  SmbTextureLevel levels[SMB_TEXTURE_LEVELS];
} SmbTexture;
