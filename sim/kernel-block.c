// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A block from its launch to its end: what it is given, and how it is run.
#include <string.h>

#include "sim/error.h"
#include "sim/kernel-arith.h"
#include "sim/kernel-machine.h"

static gboolean fail_usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
fail_usage(GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error_literal(error, SMB_ERROR, SMB_ERROR_USAGE, text);
  return FALSE;
}

static gboolean
check_launch(const SmbArchInfo *arch, const SmbLaunch *launch, GError **error) {
  guint64 threads = 1;
  static const guint block_limits[3] = SMB_MAX_BLOCK_EXTENT;
  static const guint grid_limits[3] = SMB_MAX_GRID_EXTENT;
  for (guint i = 0; i < 3; i++) {
    if (launch->block[i] < 1 || launch->block[i] > block_limits[i])
      return fail_usage(error, "a block of %u threads in %c: expected 1 to %u", launch->block[i],
                        "xyz"[i], block_limits[i]);
    if (launch->grid[i] < 1 || launch->grid[i] > grid_limits[i])
      return fail_usage(error, "a grid of %u blocks in %c: expected 1 to %u", launch->grid[i],
                        "xyz"[i], grid_limits[i]);
    threads *= launch->block[i];
  }
  if (threads > arch->max_threads)
    return fail_usage(error,
                      "a block of %u x %u x %u = %" G_GUINT64_FORMAT " threads: %s has at most %u",
                      launch->block[0], launch->block[1], launch->block[2], threads, arch->name,
                      arch->max_threads);
  return TRUE;
}

static gboolean
check_shared_memory(const SmbProgram *kernel, const SmbArchInfo *arch, gsize dynamic_bytes,
                    GError **error) {
  const char *file = smb_source_name(kernel->source);
  if (kernel->static_shared > arch->static_shared_bytes) {
    g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT,
                "%s: '%s' declares %" G_GSIZE_FORMAT
                " bytes of static shared memory: a block on %s has at most %u",
                file, kernel->entry->name, kernel->static_shared, arch->name,
                arch->static_shared_bytes);
    return FALSE;
  }
  if (dynamic_bytes > arch->max_shared_bytes ||
      kernel->dynamic_start + dynamic_bytes > arch->max_shared_bytes) {
    g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT,
                "%s: '%s' takes %" G_GSIZE_FORMAT " bytes of static and %" G_GSIZE_FORMAT
                " of dynamic shared memory: a block on %s has at most %u",
                file, kernel->entry->name, kernel->static_shared, dynamic_bytes, arch->name,
                arch->max_shared_bytes);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_arguments(const SmbProgram *kernel, const SmbLaunch *launch, GError **error) {
  for (guint i = 0; launch->arguments && launch->arguments[i]; i++) {
    const char *text = launch->arguments[i];
    const char *equals = strchr(text, '=');
    gboolean known = FALSE;
    if (!equals || equals == text)
      return fail_usage(error, "argument '%s': expected NAME=VALUE", text);
    for (guint p = 0; p < kernel->entry->n_parameters; p++) {
      const char *name = kernel->entry->parameters[p]->name;
      known = known ||
              (strlen(name) == (gsize)(equals - text) && strncmp(name, text, strlen(name)) == 0);
    }
    if (!known)
      return fail_usage(error, "'%s' has no parameter '%.*s'", kernel->entry->name,
                        (int)(equals - text), text);
  }
  return TRUE;
}

static gsize
padded_threads(const SmbBlock *block) {
  return (gsize)block->n_warps * SMB_WARP_LANES;
}

static void
set_uniform(SmbBlock *block, guint32 *values, guint32 value) {
  for (gsize i = 0; i < padded_threads(block); i++)
    values[i] = value;
}

static void
set_up_threads(SmbBlock *block) {
  for (guint i = 0; i < 3; i++) {
    block->thread[i] = g_new0(guint32, padded_threads(block));
    block->uniform[i] = g_new0(guint32, padded_threads(block));
    block->sizes[i] = g_new0(guint32, padded_threads(block));
    block->sizes[3 + i] = g_new0(guint32, padded_threads(block));
    set_uniform(block, block->sizes[i], block->dims[i]);
    set_uniform(block, block->sizes[3 + i], block->grid[i]);
  }
  for (guint t = 0; t < block->n_threads; t++) {
    block->thread[0][t] = t % block->dims[0];
    block->thread[1][t] = t / block->dims[0] % block->dims[1];
    block->thread[2][t] = t / block->dims[0] / block->dims[1];
    block->launched.warp[t / SMB_WARP_LANES] |= 1u << (t % SMB_WARP_LANES);
  }
}

static void
set_up_locals(SmbBlock *block) {
  const GPtrArray *locals = block->kernel->locals;
  block->locals = g_new0(void *, locals->len + 1);
  block->locals_set = g_new0(Mask, locals->len + 1);
  for (guint i = 0; i < locals->len; i++) {
    const Variable *variable = g_ptr_array_index(locals, i);
    if (variable)
      block->locals[i] =
          g_malloc0(value_stride(block, variable->type) * type_components(variable->type));
  }
}

// Objects: those of the text, then one buffer for each pointer parameter.
static void
set_up_objects(SmbBlock *block, gsize dynamic_bytes) {
  const SmbProgram *kernel = block->kernel;
  const Function *entry = kernel->entry;
  block->n_objects = kernel->objects->len + entry->n_parameters;
  block->objects = g_new0(Object, block->n_objects + 1);
  for (guint i = 0; i < kernel->objects->len; i++) {
    const Variable *variable = g_ptr_array_index(kernel->objects, i);
    gboolean dynamic = variable->storage == STORAGE_DYNAMIC;
    Object *object = &block->objects[i];
    object->name = variable->name;
    object->space = variable->storage == STORAGE_PRIVATE ? SPACE_PRIVATE : SPACE_SHARED;
    object->size = dynamic ? dynamic_bytes : variable->type->size;
    object->base = variable->storage == STORAGE_PRIVATE ? 0 : variable->address;
  }
  for (guint i = 0; i < entry->n_parameters; i++) {
    const Variable *parameter = entry->parameters[i];
    Object *object = &block->objects[kernel->objects->len + i];
    if (parameter->type->kind != KIND_POINTER)
      continue;
    const Type *element = type_component(parameter->type->of);
    object->name = parameter->name;
    object->space = SPACE_GLOBAL;
    object->size = (gsize)1 << 40;
    object->element = type_is_arithmetic(element) ? element->kind : KIND_UCHAR;
    object->parameter = i;
  }
}

// Parameters have their values for the whole launch.
static gboolean
bind_parameters(SmbBlock *block, const SmbLaunch *launch, GError **error) {
  const SmbProgram *kernel = block->kernel;
  for (guint i = 0; i < kernel->entry->n_parameters; i++) {
    const Variable *parameter = kernel->entry->parameters[i];
    const char *text = argument_find(launch->arguments, parameter->name);
    guint64 *pointers = block->locals[parameter->slot];
    if (parameter->type->kind == KIND_POINTER) {
      if (text)
        return fail_usage(error, "parameter '%s' is a pointer: it is bound to a buffer by itself",
                          parameter->name);
      for (gsize t = 0; t < padded_threads(block); t++)
        pointers[t] = make_pointer(kernel->objects->len + i, 0);
    } else {
      Node constant = {0};
      if (!argument_parse(kernel, parameter, text, &constant, error))
        return FALSE;
      char *values = block->locals[parameter->slot];
      for (guint w = 0; w < block->n_warps; w++)
        kernel_lanes_fill(&constant, values + w * SMB_WARP_LANES * lane_bytes(parameter->type));
    }
  }
  return TRUE;
}

SmbBlock *
smb_block_new(const SmbProgram *kernel, const SmbArch *arch, const SmbLaunch *launch,
              const SmbProgramLimits *limits, const SmbSink *sink, gpointer user, SmbGlobal *global,
              GError **error) {
  const SmbArchInfo *info = smb_arch_info(arch);
  if (!check_launch(info, launch, error) ||
      !check_shared_memory(kernel, info, launch->dynamic_bytes, error) ||
      !check_arguments(kernel, launch, error))
    return NULL;
  g_return_val_if_fail(global || !kernel->is_serial, NULL);
  g_autoptr(SmbBlock) block = g_new0(SmbBlock, 1);
  block->kernel = kernel;
  block->arch = arch;
  block->sink = sink;
  block->user = user;
  if (limits)
    block->limits = *limits;
  if (!block->limits.max_steps)
    block->limits.max_steps = SMB_PROGRAM_MAX_STEPS;
  if (!block->limits.max_memory)
    block->limits.max_memory = SMB_PROGRAM_MAX_MEMORY;
  memcpy(block->dims, launch->block, sizeof block->dims);
  memcpy(block->grid, launch->grid, sizeof block->grid);
  block->n_threads = launch->block[0] * launch->block[1] * launch->block[2];
  block->n_warps = (block->n_threads + SMB_WARP_LANES - 1) / SMB_WARP_LANES;
  block->has_increment = info->has_increment;
  block->shared_bytes = kernel->dynamic_start + launch->dynamic_bytes;
  block->shared = g_malloc0(block->shared_bytes + SMB_MAX_WIDTH);
  block->shadow = shadow_new(kernel, block->shared_bytes);
  block->overlay = overlay_new(global, kernel->is_serial);
  block->scratch.segments = g_ptr_array_new_with_free_func(g_free);
  set_up_threads(block);
  set_up_locals(block);
  set_up_objects(block, launch->dynamic_bytes);
  if (!bind_parameters(block, launch, error))
    return NULL;
  return g_steal_pointer(&block);
}

void
smb_block_free(SmbBlock *block) {
  if (!block)
    return;
  for (guint i = 0; i < 3; i++) {
    g_free(block->thread[i]);
    g_free(block->uniform[i]);
    g_free(block->sizes[i]);
    g_free(block->sizes[3 + i]);
  }
  for (guint i = 0; block->locals && i < block->kernel->locals->len; i++)
    g_free(block->locals[i]);
  for (guint i = 0; i < block->n_objects; i++) {
    g_free(block->objects[i].bytes);
    g_free(block->objects[i].set);
  }
  g_free(block->locals);
  g_free(block->locals_set);
  g_free(block->objects);
  g_free(block->shared);
  shadow_free(block->shadow);
  overlay_free(block->overlay);
  g_ptr_array_unref(block->scratch.segments);
  g_free(block);
}

// Nothing of the block before is left: shared memory reads as zeros, locals as never set.
static void
start_block(SmbBlock *block, guint64 index) {
  guint64 rest = index;
  for (guint i = 0; i < 3; i++) {
    set_uniform(block, block->uniform[i], (guint32)(rest % block->grid[i]));
    rest /= block->grid[i];
  }
  memset(block->shared, 0, block->shared_bytes);
  memset(block->locals_set, 0, block->kernel->locals->len * sizeof *block->locals_set);
  memset(&block->exited, 0, sizeof block->exited);
  memset(&block->returned, 0, sizeof block->returned);
  memset(&block->broken, 0, sizeof block->broken);
  memset(&block->continued, 0, sizeof block->continued);
  for (guint i = 0; i < block->kernel->entry->n_parameters; i++)
    block->locals_set[block->kernel->entry->parameters[i]->slot] = block->launched;
  for (guint i = 0; i < block->n_objects; i++) {
    Object *object = &block->objects[i];
    object->written = FALSE;
    private_forget(block, object, &block->launched);
  }
  shadow_start_block(block->shadow);
  overlay_clear(block->overlay);
  block->scratch.segment = 0;
  block->scratch.used = 0;
  block->calls = 0;
  block->loop = NULL;
  block->current = NULL;
  block->steps = 0;
}

gboolean
smb_block_run(SmbBlock *block, guint64 index, GError **error) {
  Mask active = block->launched;
  start_block(block, index);
  block->error = error;
  gboolean ok = execute(block, block->kernel->entry->body, &active);
  block->error = NULL;
  if (ok)
    overlay_commit(block->overlay);
  return ok;
}
