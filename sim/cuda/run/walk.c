// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The walker's own: the variables of all threads, what parameters are given, and a block from its first
// statement to its last.
#include "sim/cuda/run/walk.h"

#include <string.h>

#include "sim/cuda/run/compute.h"

static void
set_up_locals(Walker *walker) {
  const GPtrArray *locals = walker->kernel->locals;
  walker->locals = g_new0(void *, locals->len + 1);
  walker->locals_set = g_new0(Mask, locals->len + 1);
  for (guint i = 0; i < locals->len; i++) {
    const Variable *variable = g_ptr_array_index(locals, i);
    if (variable)
      walker->locals[i] =
          g_malloc0(smb_walk_stride(walker, variable->type) * smb_type_components(variable->type));
  }
}

// Gives a parameter the value whose bytes in memory these are.
static void
bind_value(Walker *walker, const Variable *parameter, GBytes *bytes) {
  const Type *type = parameter->type, *component = type->kind == KIND_VECTOR ? type->of : type;
  const guchar *memory = g_bytes_get_data(bytes, NULL);
  SmbScalar scalar = smb_cuda_scalar(component->kind);
  char *values = walker->locals[parameter->slot];
  for (guint c = 0; c < smb_type_components(type); c++) {
    gint64 whole;
    double real;
    smb_scalar_decode(scalar, memory + c * component->size, &whole, &real);
    for (guint w = 0; w < walker->block->n_warps; w++)
      smb_arith_fill(scalar, walker->block->lanes, whole, real,
                     values + c * smb_walk_stride(walker, type) + w * warp_bytes(walker, type));
  }
}

// Parameters have their values for the whole launch.
static gboolean
bind_parameters(Walker *walker, const SmbLaunch *launch, GError **error) {
  const Function *entry = walker->kernel->entry;
  guint n_warps = walker->block->n_warps;
  for (guint i = 0; i < entry->n_parameters; i++) {
    const Variable *parameter = entry->parameters[i];
    if (parameter->type->kind == KIND_POINTER) {
      guint64 *pointers = walker->locals[parameter->slot];
      for (gsize t = 0; t < (gsize)n_warps * walker->block->lanes; t++)
        pointers[t] = smb_block_buffer(walker->block, i);
      continue;
    }
    g_autoptr(GBytes) bytes =
        smb_program_argument(walker->block->program, i, launch->arguments, error);
    if (!bytes)
      return FALSE;
    bind_value(walker, parameter, bytes);
  }
  return TRUE;
}

gpointer
smb_walker_new(SmbBlock *block, const SmbLaunch *launch, GError **error) {
  Walker *walker = g_new0(Walker, 1);
  walker->block = block;
  walker->kernel = smb_cuda_kernel(block->program);
  walker->scratch.segments = g_ptr_array_new_with_free_func(g_free);
  set_up_locals(walker);
  if (bind_parameters(walker, launch, error))
    return walker;
  smb_walker_free(walker);
  return NULL;
}

void
smb_walker_free(gpointer state) {
  Walker *walker = state;
  for (guint i = 0; i < walker->kernel->locals->len; i++)
    g_free(walker->locals[i]);
  g_free(walker->locals);
  g_free(walker->locals_set);
  g_ptr_array_unref(walker->scratch.segments);
  g_free(walker);
}

// Nothing of the block before is left: variables are as never set.
static void
start(Walker *walker) {
  const Function *entry = walker->kernel->entry;
  memset(walker->locals_set, 0, walker->kernel->locals->len * sizeof *walker->locals_set);
  for (guint i = 0; i < entry->n_parameters; i++)
    for (guint c = 0; c < smb_type_components(entry->parameters[i]->type); c++)
      walker->locals_set[entry->parameters[i]->slot + c] = walker->block->launched;
  memset(&walker->returned, 0, sizeof walker->returned);
  memset(&walker->broken, 0, sizeof walker->broken);
  memset(&walker->continued, 0, sizeof walker->continued);
  walker->scratch.segment = 0;
  walker->scratch.used = 0;
  walker->calls = 0;
  walker->loop = NULL;
  walker->current = NULL;
}

gboolean
smb_walker_run(gpointer state) {
  Walker *walker = state;
  Mask active = walker->block->launched;
  start(walker);
  return smb_walk_execute(walker, walker->kernel->entry->body, &active);
}
