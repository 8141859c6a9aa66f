// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads of global memory that nothing was written to since it was allocated, to the byte. What was written is a bit for each byte of
// an allocation, which the process and the machine keep (SmbMemoryPiece.written), and what the running block has written itself.
// Memory that the host reaches as well, and variables, have no such bits: they always hold something.
#include "sim/machine/check/checking.h"

// The first of some bytes that was not written; @length: all were.
static gsize
find_unwritten(const SmbBlock *block, const Object *object, guint64 offset, gsize length) {
  guint64 first = 0;
  guint64 address = object->address + offset;
  const guchar *written = smb_map_written(block->map, address, &first);
  if (!written)
    return length;
  for (gsize i = 0, n; i < length; i += n) {
    guint64 bit = address + i - first;
    n = MIN(length - i, 8 - bit % 8); // in a byte of bits, which mostly are set
    if (((guint)written[bit / 8] >> bit % 8 | G_MAXUINT << n) == G_MAXUINT)
      continue;
    for (gsize k = 0; k < n; k++) {
      if (!(written[bit / 8] >> (bit + k) % 8 & 1) &&
          !smb_overlay_has(block->overlay, object, offset + i + k))
        return i + k;
    }
  }
  return length;
}

void
smb_inspect_initial_bytes(SmbBlock *block, const Move *move, guint warp, guint lane,
                          const Object *object, guint64 offset, gsize length) {
  if (!object->map || object->space != SPACE_GLOBAL)
    return;
  gsize at = find_unwritten(block, object, offset, length);
  if (at == length)
    return;
  CheckFound found = {.kind = SMB_DEFECT_UNSET_GLOBAL,
                      .site = move->site,
                      .other = G_MAXUINT,
                      .warp = warp,
                      .lane = lane,
                      .other_thread = G_MAXUINT,
                      .address = object->address + offset + at};
  if (smb_inspect_counts(block, &found))
    return;
  guint64 first = 0, end = 0;
  smb_map_piece(block->map, found.address, &first, &end);
  g_autofree char *thread = smb_inspect_thread(block, warp * block->lanes + lane);
  smb_inspect_tell(block, &found,
                   "%s reads %u byte%s at 0x%" G_GINT64_MODIFIER
                   "x that nothing was written to: byte %" G_GUINT64_FORMAT
                   " of an allocation of %" G_GUINT64_FORMAT " bytes",
                   thread, (guint)length, length == 1 ? "" : "s", object->address + offset,
                   found.address - first, end - first);
}

// Memory that malloc() on the device gave is all that may be accessed of the heap.
static void
check_heap(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address) {
  SmbHeap *heap = block->runtime ? smb_runtime_heap(block->runtime) : NULL;
  if (!heap || smb_heap_find(heap, address, move->width) != SMB_HEAP_FREE)
    return;
  const CheckFound found = {.kind = SMB_DEFECT_ADDRESS,
                            .site = move->site,
                            .other = G_MAXUINT,
                            .warp = warp,
                            .lane = lane,
                            .other_thread = G_MAXUINT,
                            .address = address};
  if (smb_inspect_counts(block, &found))
    return;
  g_autofree char *thread = smb_inspect_thread(block, warp * block->lanes + lane);
  smb_inspect_tell(block, &found,
                   "%s %s %u byte%s at 0x%" G_GINT64_MODIFIER
                   "x, in the heap of the device, but not "
                   "within what malloc() gave",
                   thread, move->op_class == SMB_OP_CLASS_LOAD ? "reads" : "writes", move->width,
                   move->width == 1 ? "" : "s", address);
}

void
smb_inspect_allocated(SmbBlock *block, guint64 address, guint64 bytes) {
  guint64 first = 0;
  guchar *written = smb_map_written(block->map, address, &first);
  for (guint64 bit = address - first; written && bit < address - first + bytes; bit++)
    written[bit / 8] &= (guchar) ~(1u << bit % 8);
}

void
smb_inspect_initial(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes) {
  gboolean reads = move->op_class != SMB_OP_CLASS_STORE && move->reads;
  gboolean overlaps = smb_inspect_overlaps(block->check);
  FOR_LANES(access->lanes[SPACE_GLOBAL] & lanes, lane) {
    const Object *object = access_object(block, access, (guint)lane);
    guint64 offset = (guint64)access->offset[lane];
    if (object->map)
      check_heap(block, move, access->warp, (guint)lane, object->address + offset);
    if (object->address && overlaps)
      smb_inspect_dependency(block, move, access->warp, (guint)lane, object->address + offset,
                             move->width);
    if (reads)
      smb_inspect_initial_bytes(block, move, access->warp, (guint)lane, object, offset,
                                move->width);
  }
}
