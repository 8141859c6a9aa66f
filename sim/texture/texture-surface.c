// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/texture/texture.h"

// Whether a place is one; one that is not is moved to the nearest, where that is asked for.
static bool
keep_within(int64_t *at, int64_t most, bool moves) {
  bool is_inside = *at >= 0 && *at <= most;
  if (!is_inside && moves)
    *at = *at < 0 ? 0 : most;
  return is_inside || moves;
}

bool
smb_surface_find(const SmbTexture *surface, const int32_t *at, unsigned n_bytes, bool clamps,
                 uint64_t *address) {
  const SmbTextureLevel *level = &surface->levels[0];
  bool is_layered = surface->shape != SMB_SHAPE_3D;
  int64_t bytes = (int64_t)level->width * surface->n_components * surface->bits / 8;
  int64_t x = at[0], y = at[1], z = is_layered ? (int64_t)(uint32_t)at[2] : at[2];
  bool is_inside = bytes >= n_bytes && keep_within(&x, bytes / n_bytes * n_bytes - n_bytes, clamps);
  is_inside = keep_within(&y, level->height - 1, clamps) && is_inside;
  is_inside = keep_within(&z, level->depth - 1, clamps) && is_inside;
  *address = level->address + (uint64_t)z * level->slice_bytes + (uint64_t)y * level->row_bytes +
             (uint64_t)x;
  return is_inside;
}
