// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that access memory without a request: copies in bulk, by one lane each, and barriers that are in shared
// memory. Bounds, alignment, races and the signature of the block are as of any access; nothing is counted here.
#include <string.h>

#include "sim/arch/words.h"
#include "sim/machine/check/checking.h"
#include "sim/machine/access/chunk.h"

enum {
  PIECE = 16, // bytes that are moved at once: a divisor of what global memory is kept in
};

const char *
smb_traffic_name(SmbTraffic traffic) {
  static const char *const names[SMB_N_TRAFFIC] = {"bulk",     "tensor",        "reduction",
                                                   "store",    "matrix",        "cluster",
                                                   "mbarrier", "mbarrier-wait", "shuffle"};
  return names[traffic];
}

static gboolean
resolve(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes, const guint64 *addresses,
        Access *access) {
  block->work += move->width / WORK_BYTES;
  if (!smb_access_resolve(block, move, warp, lanes, addresses, access))
    return FALSE;
  if (block->signature)
    smb_signature_access(block, move, access);
  return TRUE;
}

gboolean
smb_shared_locate(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                  const guint64 *addresses, guint32 *offsets) {
  Access access;
  if (!resolve(block, move, warp, lanes, addresses, &access))
    return FALSE;
  if (access.lanes[SPACE_SHARED] != lanes)
    return smb_access_fail(block, move, warp, smb_lanes_first(lanes & ~access.lanes[SPACE_SHARED]),
                           "expected an address in shared memory");
  memcpy(offsets, access.request.offset, sizeof access.request.offset);
  return TRUE;
}

// The copy of a lane, as far as races are concerned.
static void
note_race(SmbBlock *block, const Move *move, const Access *access, guint lane) {
  Access piece = *access;
  if (block->check)
    smb_inspect_bulk(block, move, access, lane);
  piece.request.mask = (SmbLanes)1 << lane;
  if (move->op_class != SMB_OP_CLASS_LOAD)
    smb_chunk_clear_access(block, &piece, move->width);
  for (gsize at = 0; block->sink->warn && at < move->width; at += PIECE) {
    piece.request.width = (guint8)MIN(move->width - at, PIECE);
    piece.request.offset[lane] = access->request.offset[lane] + (guint32)at;
    smb_shadow_access(block, move, &piece);
  }
}

// The piece of shared or global memory that one lane names.
static gboolean
locate_copy(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
            Access *access) {
  guint64 addresses[SMB_MAX_LANES] = {0};
  addresses[lane] = address;
  if (!resolve(block, move, warp, (SmbLanes)1 << lane, addresses, access))
    return FALSE;
  Space space = access_object(block, access, lane)->space;
  return space == SPACE_SHARED || space == SPACE_GLOBAL ||
         smb_access_fail(block, move, warp, lane, "expected an address in shared or global memory");
}

// Bytes from @done on, of a copy of memory at addresses, that are in one object; @part: the copy of these alone.
static gsize
find_copy_part(const SmbBlock *block, const Move *move, guint64 address, gsize done, Move *part) {
  gboolean has_parts = block->map && address >> POINTER_OFFSET_BITS == 0;
  gsize left = move->width - done;
  *part = *move;
  part->width = (guint)(has_parts ? smb_map_span(block->map, address + done, left) : left);
  part->align = done ? 1 : move->align;
  return part->width;
}

// Bytes of a part of a copy from @at on that are in the same PIECE.
static gsize
find_copy_piece(guint64 offset, gsize at, const Move *part) {
  return MIN(PIECE - (offset + at) % PIECE, part->width - at);
}

static gboolean
read_copy_part(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
               guchar *bytes, guchar *marks) {
  Access access;
  if (!locate_copy(block, move, warp, lane, address, &access))
    return FALSE;
  const Object *object = access_object(block, &access, lane);
  if (object->space == SPACE_SHARED) {
    memcpy(bytes, block->shared + access.request.offset[lane], move->width);
    memcpy(marks, block->shared_marks + access.request.offset[lane], move->width);
    note_race(block, move, &access, lane);
    return TRUE;
  }
  guint64 offset = (guint64)access.offset[lane];
  gboolean changes = move->op_class == SMB_OP_CLASS_ATOMIC;
  block->misses_others = block->misses_others || (changes && block_has_company(block));
  for (gsize at = 0, n; at < move->width; at += n) {
    n = find_copy_piece(offset, at, move);
    if (block->check) {
      if (smb_inspect_overlaps(block->check))
        smb_inspect_dependency(block, move, warp, lane, object->address + offset + at, n);
      smb_inspect_initial_bytes(block, move, warp, lane, object, offset + at, n);
    }
    smb_overlay_read(block->overlay, object, offset + at, changes, bytes + at, marks + at, n);
  }
  if (!changes)
    smb_outside_hide_changed(marks, move->width);
  return TRUE;
}

gboolean
smb_bulk_read(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
              guchar *bytes, guchar *marks) {
  Move part;
  for (gsize done = 0, n; done < move->width; done += n) {
    n = find_copy_part(block, move, address, done, &part);
    if (!read_copy_part(block, &part, warp, lane, address + done, bytes + done, marks + done))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_copy_part(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
                const guchar *bytes, const guchar *marks) {
  Access access;
  if (!locate_copy(block, move, warp, lane, address, &access))
    return FALSE;
  Object *object = access_object(block, &access, lane);
  if (object->space == SPACE_SHARED) {
    memcpy(block->shared + access.request.offset[lane], bytes, move->width);
    memcpy(block->shared_marks + access.request.offset[lane], marks, move->width);
    note_race(block, move, &access, lane);
    return TRUE;
  }
  guint64 offset = (guint64)access.offset[lane];
  guint changed =
      move->op_class == SMB_OP_CLASS_ATOMIC && block_has_company(block) ? MARK_SHARED : 0;
  for (gsize at = 0, n; at < move->width; at += n) {
    guchar piece_marks[PIECE];
    n = find_copy_piece(offset, at, move);
    for (gsize i = 0; i < n; i++)
      piece_marks[i] = (guchar)(marks[at + i] | changed);
    smb_overlay_write(block->overlay, object, offset + at, bytes + at, piece_marks, n);
  }
  if (block->signature)
    block->signature->global_stores += move->width / PIECE;
  return smb_memory_check_kept(block, move, &access);
}

gboolean
smb_bulk_write(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
               const guchar *bytes, const guchar *marks) {
  Move part;
  for (gsize done = 0, n; done < move->width; done += n) {
    n = find_copy_part(block, move, address, done, &part);
    if (!write_copy_part(block, &part, warp, lane, address + done, bytes + done, marks + done))
      return FALSE;
  }
  return TRUE;
}

void
smb_shared_forget(SmbBlock *block) {
  memset(block->shared_marks, 0, block->shared_bytes);
  smb_chunk_clear(block, 0, block->shared_bytes);
}

gboolean
smb_bulk_forget(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
                gboolean writes) {
  guint64 addresses[SMB_MAX_LANES] = {0};
  guint32 offsets[SMB_MAX_LANES];
  addresses[lane] = address;
  if (!smb_shared_locate(block, move, warp, (SmbLanes)1 << lane, addresses, offsets))
    return FALSE;
  if (!writes)
    return TRUE;
  // In the system's part, which lies after the program's own here, up to its end.
  gsize end = offsets[lane] < block->shared_bytes ? block->shared_bytes
                                                  : block->reserved_start + block->reserved_bytes;
  smb_inspect_set(block, offsets[lane], end - offsets[lane]);
  memset(block->shared_marks + offsets[lane], 0, end - offsets[lane]);
  smb_chunk_clear(block, offsets[lane], end - offsets[lane]);
  smb_shadow_fill(block->shadow, offsets[lane], G_MAXUINT32);
  return TRUE;
}

gboolean
smb_bulk_align(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address) {
  guint64 byte = address & ((G_GUINT64_CONSTANT(1) << CLUSTER_SHIFT) - 1);
  return byte % move->align == 0 || smb_access_misalign(block, move, warp, lane, byte,
                                                        smb_arch_say(block->arch, "shared memory"));
}

gboolean
smb_bulk_refuse(SmbBlock *block, const Move *move, guint warp, guint lane, const char *problem) {
  g_autofree char *text = g_strdup_printf("illegal instruction: %s", problem);
  smb_access_fault(block, SMB_FAULT_INSTRUCTION);
  return smb_access_fail(block, move, warp, lane, text);
}
