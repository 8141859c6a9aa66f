// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/texture/texture.h"

SmbPlace
smb_texture_find(const SmbTextureLevel *level, uint64_t x, uint64_t y, uint64_t z,
                 SmbTextureRead read, void *user, uint64_t *address) {
  if (!level->pages) {
    *address = level->address + z * level->slice_bytes + y * level->row_bytes + x;
    return SMB_PLACE_MEMORY;
  }
  uint64_t place = smb_texture_place(level, x, y, z), page = 0;
  bool is_known =
      read(user, level->pages + place / SMB_TEXTURE_PAGE * sizeof page, &page, sizeof page);
  *address = page + place % SMB_TEXTURE_PAGE;
  return is_known && page == 0 && level->reads_zeros ? SMB_PLACE_EMPTY : SMB_PLACE_MEMORY;
}

// Whether a place is one; one that is not is moved to the nearest, where that is asked for.
static bool
keep_within(int64_t *at, int64_t most, bool moves) {
  bool is_inside = *at >= 0 && *at <= most;
  if (!is_inside && moves)
    *at = *at < 0 ? 0 : most;
  return is_inside || moves;
}

SmbPlace
smb_surface_find(const SmbTexture *surface, const int32_t *at, unsigned n_bytes, bool clamps,
                 SmbTextureRead read, void *user, uint64_t *address) {
  const SmbTextureLevel *level = &surface->levels[0];
  bool is_layered = surface->shape != SMB_SHAPE_3D;
  int64_t bytes = (int64_t)level->width * surface->n_components * surface->bits / 8;
  int64_t x = at[0], y = at[1], z = is_layered ? (int64_t)(uint32_t)at[2] : at[2];
  bool is_inside = bytes >= n_bytes && keep_within(&x, bytes / n_bytes * n_bytes - n_bytes, clamps);
  is_inside = keep_within(&y, level->height - 1, clamps) && is_inside;
  is_inside = keep_within(&z, level->depth - 1, clamps) && is_inside;
  return is_inside
             ? smb_texture_find(level, (uint64_t)x, (uint64_t)y, (uint64_t)z, read, user, address)
             : SMB_PLACE_OUTSIDE;
}
