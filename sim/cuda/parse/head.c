// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The head of a kernel: what a text says of its parameters, and of its shared variables, whatever its body has besides.
#include "sim/cuda/cuda.h"
#include "sim/cuda/parse/parse.h"
#include "sim/cuda/tree/compute.h"

enum {
  MAX_BYTES = 32764, // of all parameters (CUDA C++ Programming Guide, Function Parameters)
};

// Adds what lies in a part of a structure: numbers and pointers. Vectors have their components.
static void
add_members(SmbDeclared *declared, KernelPool *pool, const Type *type, const char *name,
            gsize offset) {
  static const char components[] = "xyzw";
  for (gsize i = 0; type->kind == KIND_STRUCT && i < type->count; i++) {
    const Member *member = &type->members[i];
    const char *inner =
        *member->name ? smb_kernel_pool_printf(pool, "%s.%s", name, member->name) : name;
    add_members(declared, pool, member->type, inner, offset + member->offset);
  }
  for (gsize i = 0; (type->kind == KIND_ARRAY || type->kind == KIND_VECTOR) && i < type->count;
       i++) {
    const char *inner = type->kind == KIND_ARRAY
                            ? smb_kernel_pool_printf(pool, "%s[%" G_GSIZE_FORMAT "]", name, i)
                            : smb_kernel_pool_printf(pool, "%s.%c", name, components[i]);
    add_members(declared, pool, type->of, inner, offset + i * type->of->size);
  }
  if (smb_type_is_arithmetic(type) || type->kind == KIND_POINTER)
    smb_prototype_add_member(declared, (SmbMember){.name = g_strdup(name),
                                                   .type = g_strdup(smb_type_describe(pool, type)),
                                                   .offset = offset,
                                                   .bytes = type->size,
                                                   .is_pointer = type->kind == KIND_POINTER,
                                                   .scalar = type->kind == KIND_POINTER
                                                                 ? smb_kernel_element(type->of)
                                                                 : smb_cuda_scalar(type->kind)});
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
    add_members(&declared, kernel->pool, type, "", 0);
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
    smb_shared_describe(kernel, &placed, parts);
    smb_declared_shared_add(shared, variable->name, is_dynamic ? 0 : variable->type->size,
                            is_dynamic, parts);
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
