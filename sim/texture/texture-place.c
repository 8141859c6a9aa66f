// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/texture/place.h"

enum {
  WIDTH = SMB_TEXTURE_BLOCK_WIDTH,
  HEIGHT = SMB_TEXTURE_BLOCK_HEIGHT,
  UNIT = SMB_TEXTURE_UNIT,
  HALF = WIDTH / 2,
};

static uint64_t
place_in_block(uint64_t x, uint64_t y) {
  return x / HALF * (HALF * HEIGHT) + y / 2 * (2 * HALF) + x % HALF / UNIT * (2 * UNIT) +
         y % 2 * UNIT + x % UNIT;
}

uint64_t
smb_texture_place(const SmbTextureLevel *level, uint64_t x, uint64_t y, uint64_t z) {
  uint64_t height = level->tile_height, depth = level->tile_depth, place = level->address;
  if (level->slice_bytes > 0) {
    place += z * level->slice_bytes;
    z = 0;
  }
  uint64_t tile = (z / depth * level->n_down + y / height) * level->n_across + x / level->row_bytes;
  place += tile * level->row_bytes * height * depth;
  x %= level->row_bytes;
  y %= height;
  place += (x / WIDTH * depth + z % depth) * (WIDTH * height) + y / HEIGHT * (WIDTH * HEIGHT);
  return place + place_in_block(x % WIDTH, y % HEIGHT);
}

// Arrays are apart from all else, and from each other: each byte has room for a block that holds it alone.
static uint64_t
place_in_array(const SmbTextureLevel *level, uint64_t offset) {
  enum {
    START_BIT = 58,
    ROOM_SHIFT = 7, // WIDTH * HEIGHT bytes for the narrowest row, of 4
  };
  uint64_t z = offset / level->slice_bytes, rest = offset % level->slice_bytes;
  uint64_t y = rest / level->row_bytes, x = rest % level->row_bytes;
  uint64_t across = (level->row_bytes + WIDTH - 1) / WIDTH,
           down = (level->height + HEIGHT - 1) / HEIGHT;
  uint64_t block = (z * down + y / HEIGHT) * across + x / WIDTH;
  return ((uint64_t)1 << START_BIT) + (level->address << ROOM_SHIFT) + block * (WIDTH * HEIGHT) +
         place_in_block(x % WIDTH, y % HEIGHT);
}

uint64_t
smb_texture_device_place(const SmbTexture *texture, uint64_t address) {
  for (uint32_t i = 0; texture->is_array && i < texture->n_levels; i++) {
    const SmbTextureLevel *level = &texture->levels[i];
    uint64_t offset = address - level->address;
    if (!level->pages && address >= level->address && offset < level->slice_bytes * level->depth)
      return place_in_array(level, offset);
  }
  return address;
}
