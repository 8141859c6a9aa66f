// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads and stores: where each lane's address lies, whether it may be touched, the request that the
// warp makes of it, and the bytes.
#include <string.h>

#include "sim/kernel-machine.h"

// One warp's access, split by the memory it goes to.
typedef struct {
  guint warp;
  guint32 lanes[3]; // by Space
  guint object[SMB_WARP_LANES];
  gint64 offset[SMB_WARP_LANES]; // into the object
  SmbRequest request;            // of the lanes in shared memory
} Access;

// Global buffers lie this far apart: an address says which one is meant.
enum {
  BUFFER_SPACING_BITS = 44
};

static gboolean
fail_access(SmbBlock *block, const Node *node, guint warp, guint lane, const char *problem) {
  g_autofree char *thread = describe_thread(block, warp, lane);
  gint site = node->store_site >= 0 ? node->store_site : node->load_site;
  const char *text = site >= 0 ? smb_kernel_site(block->kernel, (guint)site)->expression : "this";
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
  return fail_access(block, node, access->warp, lane, problem);
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
  return fail_access(block, node, access->warp, lane, problem);
}

// Finds the object and offset of each lane and checks bounds and alignment.
static gboolean
resolve(SmbBlock *block, const Node *node, guint warp, guint32 mask, const guint64 *addresses,
        Access *access) {
  gsize width = node->type->size;
  access->warp = warp;
  memset(access->lanes, 0, sizeof access->lanes);
  for (guint32 rest = mask; rest; rest &= rest - 1) {
    guint lane = (guint)__builtin_ctz(rest);
    guint64 pointer = addresses[warp * SMB_WARP_LANES + lane];
    guint64 number = pointer >> POINTER_OFFSET_BITS;
    if (number == 0 || number > block->n_objects)
      return fail_access(block, node, warp, lane,
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

// Reports the access as the requests that the warp makes of shared and of global memory.
static void
report(SmbBlock *block, const Node *node, gint site, Access *access, SmbOp op,
       SmbOpClass op_class) {
  guint32 shared = access->lanes[SPACE_SHARED], global = access->lanes[SPACE_GLOBAL];
  guint width = (guint)node->type->size;
  if (shared) {
    const char *array = block->objects[access->object[__builtin_ctz(shared)]].name;
    access->request.mask = shared;
    access->request.op = (guint8)op;
    access->request.width = (guint8)width;
    block->sink->shared(block->user, (guint)site, access->warp, array, &access->request);
    shadow_access(block, (guint)site, access->warp, array, &access->request, op_class);
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

static gboolean
allocate_private(SmbBlock *block, Object *object, const Node *node) {
  if (object->bytes)
    return TRUE;
  guint64 size = (guint64)object->size * block->n_warps * SMB_WARP_LANES;
  if (block->memory_used + 2 * size > block->limits.max_memory)
    return block_fail(block, node->start,
                      "'%s' takes %" G_GUINT64_FORMAT
                      " bytes for all threads of a block, and more than %" G_GUINT64_FORMAT
                      " may be kept (--max-memory allows more)",
                      object->name, 2 * size, block->limits.max_memory);
  block->memory_used += 2 * size;
  object->bytes = g_malloc0(size);
  object->set = g_malloc0(size);
  return TRUE;
}

static guchar *
find_private(const Object *object, guchar *bytes, const Access *access, guint lane) {
  gsize thread = access->warp * SMB_WARP_LANES + lane;
  return bytes + thread * object->size + access->offset[lane];
}

// The bytes of one lane into @bytes.
static gboolean
read_lane(SmbBlock *block, const Node *node, const Access *access, guint lane, guchar *bytes) {
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
    if (!allocate_private(block, object, node))
      return FALSE;
    if (memchr(find_private(object, object->set, access, lane), 0, width))
      return fail_access(block, node, access->warp, lane, "read before it was set");
    memcpy(bytes, find_private(object, object->bytes, access, lane), width);
    return TRUE;
  }
  g_assert_not_reached();
}

static gboolean
write_lane(SmbBlock *block, const Node *node, const Access *access, guint lane,
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
    if (!allocate_private(block, object, node))
      return FALSE;
    memcpy(find_private(object, object->bytes, access, lane), bytes, width);
    memset(find_private(object, object->set, access, lane), 1, width);
    return TRUE;
  }
  g_assert_not_reached();
}

// Bytes of memory as the value of one thread, and back.
static void
decode(TypeKind kind, const guchar *bytes, void *values, guint thread) {
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

static void
encode(const Type *type, const void *values, guint thread, guchar *bytes) {
  // Hosts of this program are little-endian, like the device.
  if (type->size == 8)
    memcpy(bytes, (const guint64 *)values + thread, 8);
  else
    memcpy(bytes, (const guint32 *)values + thread, type->size);
}

// Whether all lanes move one 32-bit word of shared memory: by far the most accesses are of that kind.
static gboolean
is_plain(const Node *node, const Access *access, guint32 mask) {
  TypeKind kind = node->type->kind;
  return access->lanes[SPACE_SHARED] == mask &&
         (kind == KIND_INT || kind == KIND_UINT || kind == KIND_FLOAT);
}

gboolean
memory_load(SmbBlock *block, const Node *node, const Mask *mask, const guint64 *addresses,
            void *out) {
  const Type *component = type_component(node->type);
  gsize stride = value_stride(block, component);
  guint n = type_components(node->type);
  Access access;
  FOR_WARPS(block, mask, w) {
    if (!resolve(block, node, w, mask->warp[w], addresses, &access))
      return FALSE;
    report(block, node, node->load_site, &access, SMB_OP_LD, SMB_OP_CLASS_LOAD);
    if (is_plain(node, &access, mask->warp[w])) {
      guint32 *words = (guint32 *)out + w * SMB_WARP_LANES;
      for (guint32 rest = mask->warp[w]; rest; rest &= rest - 1) {
        guint lane = (guint)__builtin_ctz(rest);
        memcpy(&words[lane], block->shared + access.request.offset[lane], sizeof *words);
      }
      continue;
    }
    for (guint32 rest = mask->warp[w]; rest; rest &= rest - 1) {
      guint lane = (guint)__builtin_ctz(rest);
      guchar bytes[SMB_MAX_WIDTH];
      if (!read_lane(block, node, &access, lane, bytes))
        return FALSE;
      for (guint c = 0; c < n; c++)
        decode(component->kind, bytes + c * component->size, (char *)out + c * stride,
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
    if (!resolve(block, node, w, mask->warp[w], addresses, &access))
      return FALSE;
    report(block, node, node->store_site, &access, SMB_OP_ST, SMB_OP_CLASS_STORE);
    if (is_plain(node, &access, mask->warp[w])) {
      const guint32 *words = (const guint32 *)value + w * SMB_WARP_LANES;
      for (guint32 rest = mask->warp[w]; rest; rest &= rest - 1) {
        guint lane = (guint)__builtin_ctz(rest);
        memcpy(block->shared + access.request.offset[lane], &words[lane], sizeof *words);
      }
      continue;
    }
    for (guint32 rest = mask->warp[w]; rest; rest &= rest - 1) {
      guint lane = (guint)__builtin_ctz(rest);
      guchar bytes[SMB_MAX_WIDTH];
      for (guint c = 0; c < n; c++)
        encode(component, (const char *)value + c * stride, w * SMB_WARP_LANES + lane,
               bytes + c * component->size);
      if (!write_lane(block, node, &access, lane, bytes))
        return FALSE;
    }
  }
  return TRUE;
}

// What an atomic leaves in memory, from what was there and its operands.
static gint64
combine_integers(Builtin builtin, const Type *type, gint64 old, gint64 value, gint64 extra) {
  gboolean less = type_is_unsigned(type) ? (guint64)old < (guint64)value : old < value;
  switch ((guint)builtin) {
  case BUILTIN_ATOMIC_ADD:
    return (gint64)((guint64)old + (guint64)value);
  case BUILTIN_ATOMIC_SUB:
    return (gint64)((guint64)old - (guint64)value);
  case BUILTIN_ATOMIC_MIN:
    return less ? old : value;
  case BUILTIN_ATOMIC_MAX:
    return less ? value : old;
  case BUILTIN_ATOMIC_AND:
    return old & value;
  case BUILTIN_ATOMIC_OR:
    return old | value;
  case BUILTIN_ATOMIC_XOR:
    return old ^ value;
  case BUILTIN_ATOMIC_CAS:
    return old == value ? extra : old;
  default:
    return value; // exchange
  }
}

static double
combine_reals(Builtin builtin, double old, double value) {
  switch ((guint)builtin) {
  case BUILTIN_ATOMIC_ADD:
    return old + value;
  case BUILTIN_ATOMIC_SUB:
    return old - value;
  case BUILTIN_ATOMIC_MIN:
    return MIN(old, value);
  case BUILTIN_ATOMIC_MAX:
    return MAX(old, value);
  default:
    return value; // exchange
  }
}

static gint64
integer_at(const Type *type, const void *values, guint thread) {
  if (type_is_wide(type))
    return ((const gint64 *)values)[thread];
  return type->kind == KIND_UINT ? (gint64)((const guint32 *)values)[thread]
                                 : (gint64)((const gint32 *)values)[thread];
}

static double
real_at(const Type *type, const void *values, guint thread) {
  return type->kind == KIND_FLOAT ? (double)((const float *)values)[thread]
                                  : ((const double *)values)[thread];
}

// One lane of an atomic: @old holds what was in memory; @bytes gets what is left there.
static void
combine(const Node *node, const void *const *operands, const void *old, guint thread,
        guchar *bytes) {
  const Type *type = node->type;
  if (type->kind == KIND_FLOAT) {
    float result = (float)combine_reals(node->builtin, real_at(type, old, thread),
                                        real_at(type, operands[1], thread));
    memcpy(bytes, &result, sizeof result);
  } else if (type->kind == KIND_DOUBLE) {
    double result = combine_reals(node->builtin, real_at(type, old, thread),
                                  real_at(type, operands[1], thread));
    memcpy(bytes, &result, sizeof result);
  } else {
    gint64 extra = operands[2] ? integer_at(type, operands[2], thread) : 0;
    gint64 result = combine_integers(node->builtin, type, integer_at(type, old, thread),
                                     integer_at(type, operands[1], thread), extra);
    memcpy(bytes, &result, type->size);
  }
}

// Which instruction an atomic becomes. Adding the constant 1 and dropping the result is counted by
// the hardware itself where the compiler uses that (seen in what it makes for sm_90, not for sm_75).
static SmbOp
choose_atomic_op(const SmbBlock *block, const Node *node) {
  if (node->builtin == BUILTIN_ATOMIC_CAS)
    return SMB_OP_CAS;
  const Node *value = node->arguments[1];
  gboolean increment = node->builtin == BUILTIN_ATOMIC_ADD && node->result_unused &&
                       node->type->size == 4 && value->kind == NODE_CONSTANT && value->integer == 1;
  return increment && block->has_increment ? SMB_OP_RED_UNIFORM : SMB_OP_ATOM;
}

static gboolean
check_shared_atomic(SmbBlock *block, const Node *node, SmbOp op) {
  if (!smb_arch_rule(block->arch, op, (guint)node->type->size)->defined)
    return block_fail(block, node->start, "%s has no atomics on shared memory",
                      smb_arch_info(block->arch)->name);
  if (kernel_atomic_is_single(node->builtin, node->type))
    return TRUE;
  return block_fail(block, node->start, KERNEL_ATOMIC_LOOP, kernel_builtin_name(node->builtin),
                    node->type->name);
}

gboolean
memory_atomic(SmbBlock *block, const Node *node, const Mask *mask, const guint64 *addresses,
              const void *const *operands, void *out) {
  SmbOp op = choose_atomic_op(block, node);
  Access access;
  FOR_WARPS(block, mask, w) {
    if (!resolve(block, node, w, mask->warp[w], addresses, &access))
      return FALSE;
    if (access.lanes[SPACE_SHARED] && !check_shared_atomic(block, node, op))
      return FALSE;
    report(block, node, node->store_site, &access, op, SMB_OP_CLASS_ATOMIC);
    for (guint32 rest = mask->warp[w]; rest; rest &= rest - 1) {
      guint lane = (guint)__builtin_ctz(rest), thread = w * SMB_WARP_LANES + lane;
      guchar bytes[8];
      if (!read_lane(block, node, &access, lane, bytes))
        return FALSE;
      decode(node->type->kind, bytes, out, thread);
      combine(node, operands, out, thread, bytes);
      if (!write_lane(block, node, &access, lane, bytes))
        return FALSE;
    }
  }
  return TRUE;
}
