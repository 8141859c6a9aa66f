// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads and stores: the bytes of shared memory, of global memory, and of local arrays.
#include <string.h>

#include "sim/kernel-access.h"

gboolean
memory_read_lane(SmbBlock *block, const Node *node, const Access *access, guint lane,
                 guchar *bytes) {
  Object *object = &block->objects[access->object[lane]];
  gsize width = node->type->size;
  switch (object->space) {
  case SPACE_SHARED:
    memcpy(bytes, block->shared + access->request.offset[lane], width);
    return TRUE;
  case SPACE_GLOBAL:
    overlay_read(block->overlay, object, (guint64)access->offset[lane], bytes, width);
    return TRUE;
  case SPACE_PRIVATE:
    return private_read_lane(block, node, access, lane, bytes);
  }
  g_assert_not_reached();
}

gboolean
memory_write_lane(SmbBlock *block, const Node *node, const Access *access, guint lane,
                  const guchar *bytes) {
  Object *object = &block->objects[access->object[lane]];
  gsize width = node->type->size;
  switch (object->space) {
  case SPACE_SHARED:
    memcpy(block->shared + access->request.offset[lane], bytes, width);
    return TRUE;
  case SPACE_GLOBAL:
    overlay_write(block->overlay, object, (guint64)access->offset[lane], bytes, width);
    if (overlay_bytes(block->overlay) > block->limits.max_memory)
      return block_fail(block, node->start,
                        "the kernel writes more global memory than the %" G_GUINT64_FORMAT
                        " bytes that may be kept (--max-memory allows more)",
                        block->limits.max_memory);
    return TRUE;
  case SPACE_PRIVATE:
    return private_write_lane(block, node, access, lane, bytes);
  }
  g_assert_not_reached();
}

void
memory_decode(TypeKind kind, const guchar *bytes, void *values, guint thread) {
  gint32 *narrow = values;
  switch (kind) {
  case KIND_BOOL:
    narrow[thread] = bytes[0] != 0;
    return;
  case KIND_CHAR:
    narrow[thread] = (gint8)bytes[0];
    return;
  case KIND_UCHAR:
    narrow[thread] = bytes[0];
    return;
  case KIND_SHORT:
    narrow[thread] = (gint16)(bytes[0] | bytes[1] << 8);
    return;
  case KIND_USHORT:
    narrow[thread] = bytes[0] | bytes[1] << 8;
    return;
  case KIND_INT:
  case KIND_UINT:
  case KIND_FLOAT:
    memcpy(narrow + thread, bytes, 4);
    return;
  case KIND_LONG:
  case KIND_ULONG:
  case KIND_DOUBLE:
  case KIND_POINTER:
    memcpy((guint64 *)values + thread, bytes, 8);
    return;
  case KIND_VOID:
  case KIND_VECTOR:
  case KIND_ARRAY:
    break;
  }
  g_assert_not_reached();
}

// The value of one thread as bytes of memory.
static void
encode(const Type *type, const void *values, guint thread, guchar *bytes) {
  // Hosts of this program are little-endian, like the device.
  if (type->size == 8)
    memcpy(bytes, (const guint64 *)values + thread, 8);
  else
    memcpy(bytes, (const guint32 *)values + thread, type->size);
}

// Whether all lanes move one 32-bit word of one shared variable or local array: by far the most accesses
// are of that kind.
static gboolean
is_plain(const Node *node, const Access *access) {
  TypeKind kind = node->type->kind;
  return access->common && access->common->space != SPACE_GLOBAL &&
         (kind == KIND_INT || kind == KIND_UINT || kind == KIND_FLOAT);
}

static gboolean
load_words(SmbBlock *block, const Node *node, const Access *access, guint32 mask, guint32 *words) {
  if (access->common->space == SPACE_PRIVATE)
    return private_load_words(block, node, access, mask, words);
  for (; mask; mask &= mask - 1) {
    guint lane = (guint)__builtin_ctz(mask);
    memcpy(&words[lane], block->shared + access->request.offset[lane], sizeof *words);
  }
  return TRUE;
}

static gboolean
store_words(SmbBlock *block, const Node *node, const Access *access, guint32 mask,
            const guint32 *words) {
  if (access->common->space == SPACE_PRIVATE)
    return private_store_words(block, node, access, mask, words);
  for (; mask; mask &= mask - 1) {
    guint lane = (guint)__builtin_ctz(mask);
    memcpy(block->shared + access->request.offset[lane], &words[lane], sizeof *words);
  }
  return TRUE;
}

gboolean
memory_load(SmbBlock *block, const Node *node, const Mask *mask, const guint64 *addresses,
            void *out) {
  const Type *component = type_component(node->type);
  gsize stride = value_stride(block, component);
  guint n = type_components(node->type);
  Access access;
  FOR_WARPS(block, mask, w) {
    if (!access_resolve(block, node, w, mask->warp[w], addresses, &access))
      return FALSE;
    access_report(block, node, node->load_site, &access, SMB_OP_LD, SMB_OP_CLASS_LOAD);
    if (is_plain(node, &access)) {
      guint32 *words = (guint32 *)out + w * SMB_WARP_LANES;
      if (!load_words(block, node, &access, mask->warp[w], words))
        return FALSE;
      continue;
    }
    for (guint32 rest = mask->warp[w]; rest; rest &= rest - 1) {
      guint lane = (guint)__builtin_ctz(rest);
      guchar bytes[SMB_MAX_WIDTH];
      if (!memory_read_lane(block, node, &access, lane, bytes))
        return FALSE;
      for (guint c = 0; c < n; c++)
        memory_decode(component->kind, bytes + c * component->size, (char *)out + c * stride,
                      w * SMB_WARP_LANES + lane);
    }
  }
  return TRUE;
}

gboolean
memory_store(SmbBlock *block, const Node *node, const Mask *mask, const guint64 *addresses,
             const void *value) {
  const Type *component = type_component(node->type);
  gsize stride = value_stride(block, component);
  guint n = type_components(node->type);
  Access access;
  FOR_WARPS(block, mask, w) {
    if (!access_resolve(block, node, w, mask->warp[w], addresses, &access))
      return FALSE;
    access_report(block, node, node->store_site, &access, SMB_OP_ST, SMB_OP_CLASS_STORE);
    if (is_plain(node, &access)) {
      const guint32 *words = (const guint32 *)value + w * SMB_WARP_LANES;
      if (!store_words(block, node, &access, mask->warp[w], words))
        return FALSE;
      continue;
    }
    for (guint32 rest = mask->warp[w]; rest; rest &= rest - 1) {
      guint lane = (guint)__builtin_ctz(rest);
      guchar bytes[SMB_MAX_WIDTH];
      for (guint c = 0; c < n; c++)
        encode(component, (const char *)value + c * stride, w * SMB_WARP_LANES + lane,
               bytes + c * component->size);
      if (!memory_write_lane(block, node, &access, lane, bytes))
        return FALSE;
    }
  }
  return TRUE;
}
