// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Values of all threads of a block: where temporary ones lie, and how those of some threads replace
// others.
#include <string.h>

#include "sim/cuda/run/walk.h"

enum {
  SEGMENT_BYTES = 1 << 20,
  SCRATCH_ALIGNMENT = 64
};

gsize
smb_walk_stride(const Walker *walker, const Type *type) {
  return walker->block->n_warps * warp_bytes(walker, type);
}

void *
smb_walk_take(Walker *walker, const Type *type) {
  Scratch *scratch = &walker->scratch;
  gsize size = smb_walk_stride(walker, type) * smb_type_components(type);
  size = (size + SCRATCH_ALIGNMENT - 1) & ~(gsize)(SCRATCH_ALIGNMENT - 1);
  if (scratch->used + size > SEGMENT_BYTES) {
    scratch->segment++;
    scratch->used = 0;
  }
  if (scratch->segment == scratch->segments->len)
    g_ptr_array_add(scratch->segments, g_malloc(SEGMENT_BYTES));
  char *start = g_ptr_array_index(scratch->segments, scratch->segment);
  void *memory = start + scratch->used;
  scratch->used += size;
  return memory;
}

void
smb_walk_blend(const Walker *walker, const Type *type, const Mask *mask, const void *from,
               void *to) {
  gsize stride = smb_walk_stride(walker, type), bytes = lane_bytes(type);
  gsize step = bytes * walker->block->lanes;
  for (guint c = 0; c < smb_type_components(type); c++) {
    const char *source = (const char *)from + c * stride;
    char *target = (char *)to + c * stride;
    FOR_WARPS(walker->block, mask, w) {
      gsize start = w * step;
      if (mask->warp[w] == walker->block->all_lanes) {
        memcpy(target + start, source + start, step);
        continue;
      }
      FOR_LANES(mask->warp[w], lane) {
        gsize at = start + lane * bytes;
        memcpy(target + at, source + at, bytes);
      }
    }
  }
}
