// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Accesses: where each lane's address lies, whether it may be touched, and the request that the warp
// makes of it.
#include "sim/kernel-access.h"

#include <string.h>

// Global buffers lie this far apart: an address says which one is meant.
enum {
  BUFFER_SPACING_BITS = 44
};

gboolean
access_fail(SmbBlock *block, const Node *node, guint warp, guint lane, const char *problem) {
  g_autofree char *thread = describe_thread(block, warp, lane);
  gint site = node->store_site >= 0 ? node->store_site : node->load_site;
  const char *text = site >= 0 ? smb_program_site(block->kernel, (guint)site)->expression : "this";
  return block_fail(block, node->start, "%s: %s, by %s", text, problem, thread);
}

static gboolean
fail_bounds(SmbBlock *block, const Node *node, const Access *access, guint lane) {
  const Object *object = &block->objects[access->object[lane]];
  g_autofree char *problem = NULL;
  if (object->space == SPACE_SHARED && object->size == 0)
    problem = g_strdup_printf("out of bounds: '%s' has no bytes; give the kernel dynamic shared "
                              "memory with --dynamic-bytes",
                              object->name);
  else if (object->space == SPACE_GLOBAL)
    problem = g_strdup_printf("out of bounds: byte %" G_GINT64_FORMAT " of '%s'",
                              access->offset[lane], object->name);
  else
    problem = g_strdup_printf("out of bounds: byte %" G_GINT64_FORMAT
                              " of '%s', which has %" G_GSIZE_FORMAT " bytes",
                              access->offset[lane], object->name, object->size);
  return access_fail(block, node, access->warp, lane, problem);
}

static gboolean
fail_alignment(SmbBlock *block, const Node *node, const Access *access, guint lane,
               guint64 address) {
  const Object *object = &block->objects[access->object[lane]];
  g_autofree char *of = object->space == SPACE_SHARED ? g_strdup("shared memory")
                                                      : g_strdup_printf("'%s'", object->name);
  g_autofree char *problem =
      g_strdup_printf("misaligned: byte %" G_GUINT64_FORMAT " of %s is no multiple of %u", address,
                      of, MIN((guint)node->type->size, node->type->align));
  return access_fail(block, node, access->warp, lane, problem);
}

// The same for lanes that all touch the object of the first of them, as most do. FALSE if some do not,
// or are not allowed to.
static gboolean
resolve_common(SmbBlock *block, const Node *node, guint32 mask, const guint64 *pointers,
               Access *access) {
  guint64 number = pointers[__builtin_ctz(mask)] >> POINTER_OFFSET_BITS;
  gsize width = node->type->size;
  if (number == 0 || number > block->n_objects || block->objects[number - 1].size < width)
    return FALSE;
  Object *object = &block->objects[number - 1];
  guint64 start = make_pointer((guint)number - 1, 0), last = object->size - width;
  guint64 outside = 0, low_bits = 0, all[SMB_WARP_LANES];
  if (mask != 0xffffffffu) {
    // Lanes that are off touch what the first one does.
    for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
      all[lane] = pointers[mask >> lane & 1 ? lane : (guint)__builtin_ctz(mask)];
    pointers = all;
  }
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++) {
    guint64 offset = pointers[lane] - start;
    // The highest bit: below 0, or beyond the last place. Other objects are far away.
    outside |= offset | (last - offset);
    low_bits |= offset;
    access->offset[lane] = (gint64)offset;
    access->object[lane] = (guint)number - 1;
    access->request.offset[lane] = (guint32)(object->base + offset);
  }
  if (outside >> 63 || ((low_bits | object->base) & (MIN(width, node->type->align) - 1)))
    return FALSE;
  access->lanes[object->space] = mask;
  access->common = object;
  return TRUE;
}

gboolean
access_resolve(SmbBlock *block, const Node *node, guint warp, guint32 mask,
               const guint64 *addresses, Access *access) {
  gsize width = node->type->size;
  access->warp = warp;
  memset(access->lanes, 0, sizeof access->lanes);
  access->common = NULL;
  if (resolve_common(block, node, mask, addresses + warp * SMB_WARP_LANES, access))
    return TRUE;
  for (guint32 rest = mask; rest; rest &= rest - 1) {
    guint lane = (guint)__builtin_ctz(rest);
    guint64 pointer = addresses[warp * SMB_WARP_LANES + lane];
    guint64 number = pointer >> POINTER_OFFSET_BITS;
    if (number == 0 || number > block->n_objects)
      return access_fail(block, node, warp, lane,
                         pointer == 0 ? "a null pointer" : "a pointer that points at nothing");
    const Object *object = &block->objects[number - 1];
    gint64 offset =
        (gint64)((pointer & ((G_GUINT64_CONSTANT(1) << POINTER_OFFSET_BITS) - 1)) - POINTER_BIAS);
    access->object[lane] = (guint)number - 1;
    access->offset[lane] = offset;
    if (offset < 0 || (guint64)offset + width > object->size)
      return fail_bounds(block, node, access, lane);
    guint64 address = object->base + (guint64)offset;
    if (address % MIN(width, (gsize)node->type->align) != 0) {
      return fail_alignment(block, node, access, lane, address);
    }
    access->lanes[object->space] |= 1u << lane;
    if (object->space == SPACE_SHARED)
      access->request.offset[lane] = (guint32)address;
  }
  return TRUE;
}

void
access_report(SmbBlock *block, const Node *node, gint site, Access *access, SmbOp op,
              SmbOpClass op_class) {
  guint32 shared = access->lanes[SPACE_SHARED], global = access->lanes[SPACE_GLOBAL];
  guint width = (guint)node->type->size;
  if (shared) {
    const char *array = block->objects[access->object[__builtin_ctz(shared)]].name;
    access->request.mask = shared;
    access->request.op = (guint8)op;
    access->request.width = (guint8)width;
    block->sink->shared(block->user, (guint)site, access->warp, array, &access->request);
    gboolean exchanges = node->kind == NODE_BUILTIN && node->builtin == BUILTIN_ATOMIC_EXCH;
    gboolean reads = op_class != SMB_OP_CLASS_STORE && !(exchanges && node->result_unused);
    shadow_access(block, (guint)site, access->warp, array, &access->request, op_class, reads);
  }
  if (global) {
    guint64 addresses[SMB_WARP_LANES] = {0};
    const char *name = block->objects[access->object[__builtin_ctz(global)]].name;
    for (guint32 rest = global; rest; rest &= rest - 1) {
      guint lane = (guint)__builtin_ctz(rest);
      guint64 buffer = block->objects[access->object[lane]].parameter + 1;
      addresses[lane] = (buffer << BUFFER_SPACING_BITS) + (guint64)access->offset[lane];
    }
    block->sink->global(block->user, (guint)site, access->warp, name, global, width, addresses);
  }
}
