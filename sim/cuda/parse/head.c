// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The head of a kernel: what a text says of its parameters, and of its shared variables, whatever its body has besides.
#include "sim/cuda/cuda.h"
#include "sim/cuda/parse/parse.h"
#include "sim/cuda/tree/compute.h"

enum {
  MAX_BYTES = 32764,     // of all parameters (CUDA C++ Programming Guide, Function Parameters)
  MAX_MEMBERS = 1 << 16, // of a parameter: only unions have more members than bytes
};

// A part of a parameter, and where it is.
typedef struct {
  const Type *type;
  const char *name; // of the innermost part around it that has one
  gsize offset;
  gsize origin; // where the part begins that has the name
  gboolean is_named;
  gboolean in_union;
} Part;

// Whether all that a part holds is pointers, each of which takes all of it.
static gboolean
is_any_pointer(const Type *type) {
  gboolean is_pointer = type->kind == KIND_POINTER || (type->kind == KIND_STRUCT && type->count);
  for (gsize i = 0; type->kind == KIND_STRUCT && i < type->count; i++)
    is_pointer =
        is_pointer && type->members[i].offset == 0 && is_any_pointer(type->members[i].type);
  return is_pointer;
}

// Adds a number, a pointer or a union. A union without a name is called by its place in the part around it.
static void
add_member(SmbDeclared *declared, KernelPool *pool, const Part *part) {
  const Type *type = part->type, *held = type;
  gboolean is_pointer = is_any_pointer(type);
  while (is_pointer && held->kind == KIND_STRUCT)
    held = held->members[0].type;
  const char *name = part->is_named
                         ? part->name
                         : smb_kernel_pool_printf(pool, "%s+%" G_GSIZE_FORMAT, part->name,
                                                  part->offset - part->origin);
  smb_prototype_add_member(declared,
                           (SmbMember){.name = g_strdup(name),
                                       .type = g_strdup(smb_type_describe(pool, type)),
                                       .offset = part->offset,
                                       .bytes = type->size,
                                       .is_union = type->is_union,
                                       .in_union = part->in_union,
                                       .origin = part->origin,
                                       .is_pointer = is_pointer,
                                       .scalar = is_pointer       ? smb_kernel_element(held->of)
                                                 : type->is_union ? SMB_SCALAR_U8
                                                                  : smb_cuda_scalar(type->kind)});
}

static gboolean
has_too_many_members(const SmbDeclared *declared) {
  return declared->members && declared->members->len > MAX_MEMBERS;
}

// Adds what lies in a part of a structure: numbers, pointers and unions. Vectors have their components.
static void
add_members(SmbDeclared *declared, KernelPool *pool, Part part) {
  static const char components[] = "xyzw";
  const Type *type = part.type;
  gboolean is_row = type->kind == KIND_ARRAY || type->kind == KIND_VECTOR;
  gboolean is_union = type->is_union && type->count > 0 && !part.in_union;
  if (smb_type_is_arithmetic(type) || type->kind == KIND_POINTER || is_union)
    add_member(declared, pool, &part);
  part.in_union = part.in_union || is_union;
  gsize n_members = type->kind == KIND_STRUCT ? type->count : 0;
  for (gsize i = 0; i < n_members && !has_too_many_members(declared); i++) {
    const Member *member = &type->members[i];
    Part inner = part;
    inner.type = member->type;
    inner.offset += member->offset;
    inner.is_named = *member->name != '\0';
    if (inner.is_named) {
      inner.name = smb_kernel_pool_printf(pool, "%s.%s", part.name, member->name);
      inner.origin = inner.offset;
    }
    add_members(declared, pool, inner);
  }
  for (gsize i = 0; is_row && i < type->count && !has_too_many_members(declared); i++) {
    Part inner = part;
    inner.type = type->of;
    inner.offset = inner.origin = part.offset + i * type->of->size;
    inner.name = type->kind == KIND_ARRAY
                     ? smb_kernel_pool_printf(pool, "%s[%" G_GSIZE_FORMAT "]", part.name, i)
                     : smb_kernel_pool_printf(pool, "%s.%c", part.name, components[i]);
    add_members(declared, pool, inner);
  }
}

static SmbDeclared
declare_parameter(const SmbKernel *kernel, guint i) {
  const Type *type = variable_type(kernel->entry->parameters[i]);
  SmbParameter parameter = smb_program_parameter(&kernel->program, i);
  SmbDeclared declared = {.name = g_strdup(parameter.is_unnamed ? "" : parameter.name),
                          .type = g_strdup(parameter.type),
                          .bytes = type->size,
                          .is_pointer = parameter.is_pointer,
                          .element = parameter.element,
                          .element_bytes = parameter.element_bytes,
                          .is_number = smb_type_is_arithmetic(type),
                          .unknown = g_strdup(type->unknown)};
  if (declared.is_number)
    declared.scalar = smb_cuda_scalar(type->kind);
  else if (!declared.is_pointer && type->size <= MAX_BYTES)
    add_members(&declared, kernel->pool, (Part){.type = type, .name = "", .is_named = TRUE});
  if (has_too_many_members(&declared)) {
    g_clear_pointer(&declared.members, g_array_unref);
    declared.unknown = g_strdup_printf("it has more than %d members", MAX_MEMBERS);
  }
  return declared;
}

static GArray *
declare_shared(const SmbKernel *kernel) {
  GArray *shared = smb_declared_shared_new();
  for (guint i = 0; i < kernel->objects->len; i++) {
    const Variable *variable = g_ptr_array_index(kernel->objects, i);
    if (!storage_is_shared(variable->storage))
      continue;
    gboolean is_dynamic = variable->storage == STORAGE_DYNAMIC;
    Variable placed = *variable;
    placed.address = 0; // what it has is its alignment
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(SmbArray));
    g_autoptr(GArray) views = g_array_new(FALSE, FALSE, sizeof(SmbArray));
    smb_shared_describe(kernel, &placed, parts, views);
    smb_declared_shared_add(shared, variable->name, is_dynamic ? 0 : variable->type->size,
                            is_dynamic, parts, views);
  }
  return shared;
}

GArray *
smb_kernel_prototype(const SmbKernel *kernel) {
  GArray *prototype = smb_prototype_new();
  for (guint i = 0; i < smb_program_n_parameters(&kernel->program); i++) {
    const SmbDeclared declared = declare_parameter(kernel, i);
    g_array_append_val(prototype, declared);
  }
  return prototype;
}

GArray *
smb_cuda_prototype(SmbSource *source, const SmbProgramOptions *options, GArray **shared) {
  SmbProgram *program = smb_kernel_read_head(source, options, NULL);
  if (!program)
    return NULL;
  GArray *prototype = smb_kernel_prototype((const SmbKernel *)program);
  if (shared)
    *shared = declare_shared((const SmbKernel *)program);
  smb_kernel_free(program);
  return prototype;
}
