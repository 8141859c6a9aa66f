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
