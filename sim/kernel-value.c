// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Values of all threads of a block: where temporary ones lie, and how those of some threads replace
// others.
#include <string.h>

#include "sim/kernel-machine.h"

enum {
  SEGMENT_BYTES = 1 << 20,
  SCRATCH_ALIGNMENT = 64
};

gsize
value_stride(const SmbBlock *block, const Type *type) {
  return lane_bytes(type) * block->n_warps * SMB_WARP_LANES;
}

void *
scratch_take(SmbBlock *block, const Type *type) {
  Scratch *scratch = &block->scratch;
  gsize size = value_stride(block, type) * type_components(type);
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
blend(const SmbBlock *block, const Type *type, const Mask *mask, const void *from, void *to) {
  gsize stride = value_stride(block, type), bytes = lane_bytes(type);
  for (guint c = 0; c < type_components(type); c++) {
    const char *source = (const char *)from + c * stride;
    char *target = (char *)to + c * stride;
    FOR_WARPS(block, mask, w) {
      gsize start = w * SMB_WARP_LANES * bytes;
      if (mask->warp[w] == 0xffffffffu) {
        memcpy(target + start, source + start, SMB_WARP_LANES * bytes);
        continue;
      }
      for (guint32 lanes = mask->warp[w]; lanes; lanes &= lanes - 1) {
        gsize at = start + (guint)__builtin_ctz(lanes) * bytes;
        memcpy(target + at, source + at, bytes);
      }
    }
  }
}
