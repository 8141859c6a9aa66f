// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads and stores: the bytes of shared memory, of global memory, and of each thread's own.
#include <string.h>

#include "sim/machine/access/access.h"

gboolean
smb_memory_read_lane(SmbBlock *block, const Move *move, const Access *access, guint lane,
                     guchar *bytes) {
  Object *object = access_object(block, access, lane);
  switch (object->space) {
  case SPACE_SHARED:
    memcpy(bytes, block->shared + access->request.offset[lane], move->width);
    return TRUE;
  case SPACE_GLOBAL:
    smb_overlay_read(block->overlay, object, (guint64)access->offset[lane],
                     move->op_class == SMB_OP_CLASS_ATOMIC, bytes, NULL, move->width);
    return TRUE;
  case SPACE_PRIVATE:
    return smb_private_read_lane(block, move, access, lane, bytes);
  case SPACE_CONSTANT:
    smb_contents_read(&object->contents, (guint64)access->offset[lane], bytes, move->width);
    return TRUE;
  }
  g_assert_not_reached();
}

gboolean
smb_memory_write_lane(SmbBlock *block, const Move *move, const Access *access, guint lane,
                      const guchar *bytes) {
  Object *object = access_object(block, access, lane);
  switch (object->space) {
  case SPACE_SHARED:
    memcpy(block->shared + access->request.offset[lane], bytes, move->width);
    return TRUE;
  case SPACE_GLOBAL:
    smb_overlay_write(block->overlay, object, (guint64)access->offset[lane], bytes, NULL,
                      move->width);
    return TRUE;
  case SPACE_PRIVATE:
    return smb_private_write_lane(block, move, access, lane, bytes);
  case SPACE_CONSTANT:
    return smb_access_fail(block, move, access->warp, lane, "constant memory cannot be written");
  }
  g_assert_not_reached();
}

gboolean
smb_memory_check_kept(SmbBlock *block, const Move *move, const Access *access) {
  if (!access->lanes[SPACE_GLOBAL] || smb_overlay_bytes(block->overlay) <= block->limits.max_memory)
    return TRUE;
  return smb_block_fail(block, move->place,
                        "the kernel writes more than the limit of %" G_GUINT64_FORMAT
                        " bytes of global memory",
                        block->limits.max_memory) ||
         smb_hint(block->error, SMB_HINT_LIMIT, "max_memory", NULL);
}

void
smb_memory_decode(SmbScalar kind, const guchar *bytes, void *values, guint lane) {
  gint32 *narrow = values;
  switch (kind) {
  case SMB_SCALAR_BOOL:
    narrow[lane] = bytes[0] != 0;
    return;
  case SMB_SCALAR_I8:
    narrow[lane] = (gint8)bytes[0];
    return;
  case SMB_SCALAR_U8:
    narrow[lane] = bytes[0];
    return;
  case SMB_SCALAR_I16:
    narrow[lane] = (gint16)(bytes[0] | bytes[1] << 8);
    return;
  case SMB_SCALAR_U16:
  case SMB_SCALAR_F16:
  case SMB_SCALAR_BF16:
    narrow[lane] = bytes[0] | bytes[1] << 8;
    return;
  case SMB_SCALAR_I32:
  case SMB_SCALAR_U32:
  case SMB_SCALAR_F32:
    memcpy(narrow + lane, bytes, 4);
    return;
  case SMB_SCALAR_I64:
  case SMB_SCALAR_U64:
  case SMB_SCALAR_F64:
    memcpy((guint64 *)values + lane, bytes, 8);
    return;
  }
  g_assert_not_reached();
}

// The value of one lane as bytes of memory.
static void
encode_lane(gsize size, const void *values, guint lane, guchar *bytes) {
  // Hosts of this program are little-endian, like the device.
  if (size == 8)
    memcpy(bytes, (const guint64 *)values + lane, 8);
  else
    memcpy(bytes, (const guint32 *)values + lane, size);
}

// Whether all lanes move one 32-bit word of one shared variable or local array: by far the most accesses
// are of that kind.
static gboolean
is_single_variable(const Move *move, const Access *access) {
  return access->common && access->common->space <= SPACE_PRIVATE && move->components == 1 &&
         move->padding == 0 &&
         (move->kind == SMB_SCALAR_I32 || move->kind == SMB_SCALAR_U32 ||
          move->kind == SMB_SCALAR_F32);
}

static gboolean
load_words(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
           guint32 *words) {
  if (access->common->space == SPACE_PRIVATE)
    return smb_private_load_words(block, move, access, lanes, words);
  FOR_LANES(lanes, lane)
  memcpy(&words[lane], block->shared + access->request.offset[lane], sizeof *words);
  return TRUE;
}

static gboolean
store_words(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
            const guint32 *words) {
  if (access->common->space == SPACE_PRIVATE)
    return smb_private_store_words(block, move, access, lanes, words);
  FOR_LANES(lanes, lane)
  memcpy(block->shared + access->request.offset[lane], &words[lane], sizeof *words);
  return TRUE;
}

gboolean
smb_memory_load(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                const guint64 *addresses, void *values, gsize stride) {
  Access access;
  if (!smb_access_resolve(block, move, warp, lanes, addresses, &access))
    return FALSE;
  if (!smb_access_report(block, move, &access))
    return FALSE;
  if (is_single_variable(move, &access))
    return load_words(block, move, &access, lanes, values);
  gsize size = smb_scalar_bytes(move->kind);
  FOR_LANES(lanes, lane) {
    guchar bytes[SMB_MAX_WIDTH];
    if (!smb_memory_read_lane(block, move, &access, lane, bytes))
      return FALSE;
    for (guint c = 0; c < move->components; c++)
      smb_memory_decode(move->kind, bytes + c * size, (char *)values + c * stride, lane);
  }
  return TRUE;
}

gboolean
smb_memory_store(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                 const guint64 *addresses, const void *values, gsize stride) {
  Access access;
  if (!smb_access_resolve(block, move, warp, lanes, addresses, &access))
    return FALSE;
  if (!smb_access_report(block, move, &access))
    return FALSE;
  if (is_single_variable(move, &access))
    return store_words(block, move, &access, lanes, values);
  gsize size = smb_scalar_bytes(move->kind);
  FOR_LANES(lanes, lane) {
    guchar bytes[SMB_MAX_WIDTH];
    for (guint c = 0; c < move->components; c++)
      encode_lane(size, (const char *)values + c * stride, lane, bytes + c * size);
    if (!smb_memory_write_lane(block, move, &access, lane, bytes))
      return FALSE;
  }
  return smb_memory_check_kept(block, move, &access);
}
