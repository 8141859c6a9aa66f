// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The __shared__ variables of a kernel, as others may know them.
#include "sim/cuda/parse/parse.h"

void
smb_kernel_add_array(SmbKernel *kernel, const Variable *variable) {
  const Type *type = variable->type;
  SmbArray array = {.name = variable->name,
                    .base = (guint32)variable->address,
                    .is_dynamic = variable->storage == STORAGE_DYNAMIC};
  for (; type->kind == KIND_ARRAY; type = type->of) {
    if (array.n_dimensions < SMB_ARRAY_MAX_DIMENSIONS) {
      array.dimension[array.n_dimensions++] = type->count;
      continue;
    }
    // Of many dimensions the outer ones are one.
    array.dimension[0] *= array.dimension[1];
    for (guint i = 1; i + 1 < SMB_ARRAY_MAX_DIMENSIONS; i++)
      array.dimension[i] = array.dimension[i + 1];
    array.dimension[SMB_ARRAY_MAX_DIMENSIONS - 1] = type->count;
  }
  // How many rows a dynamic one has, the launch says.
  if (array.is_dynamic)
    array.dimension[0] = 0;
  array.element = smb_type_describe(kernel->pool, type);
  array.element_bytes = (guint)type->size;
  array.bytes = array.is_dynamic ? 0 : variable->type->size;
  smb_source_locate(kernel->program.source, variable->start, &array.line, &array.column);
  g_array_append_val(kernel->program.arrays, array);
}
