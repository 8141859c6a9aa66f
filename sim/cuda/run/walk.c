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
    const char *text = smb_argument_find(launch->arguments, walker->block->program, i);
    Node constant = {0};
    if (!smb_cuda_argument_parse(walker->kernel, parameter, text, &constant, error))
      return FALSE;
    char *values = walker->locals[parameter->slot];
    for (guint w = 0; w < n_warps; w++)
      smb_cuda_fill(&constant, walker->block->lanes,
                    values + w * warp_bytes(walker, parameter->type));
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
    walker->locals_set[entry->parameters[i]->slot] = walker->block->launched;
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
