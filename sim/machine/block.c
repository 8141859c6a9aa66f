// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A block from its launch to its end: what it is given, and what holds for it as a whole.
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/launch/field.h"
#include "sim/machine/access/lanes.h"
#include "sim/machine/check/checking.h"
#include "sim/machine/machine.h"
#include "sim/machine/access/chunk.h"

// Global buffers lie this far apart: an address says which one is meant. Where there is memory at addresses, beyond all
// of it.
enum {
  BUFFER_SPACING_BITS = 44
};
#define BUFFERS_BEYOND (G_GUINT64_CONSTANT(1) << 62)

const char *
smb_warning_name(SmbWarning warning) {
  static const char *const names[] = {"race",       "pending", "unset",  "reserved",
                                      "descriptor", "loop",    "merge",  "data",
                                      "order",      "meeting", "timing", "uncounted"};
  return names[warning];
}

G_GNUC_PRINTF(2, 3)
static gboolean
refuse_launch(GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = smb_text_format(format, arguments);
  va_end(arguments);
  g_set_error_literal(error, SMB_ERROR, SMB_ERROR_USAGE, message);
  return FALSE;
}

static gboolean
check_shared_memory(const SmbProgram *program, const SmbArchInfo *arch, gsize dynamic_bytes,
                    GError **error) {
  if (program->static_shared > arch->static_shared_bytes && !program->may_be_dynamic) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             smb_vendor_say(arch->vendor,
                            "%s: '%s' declares %" G_GSIZE_FORMAT
                            " bytes of static shared memory: a block on %s has at most %u"),
             program->file, program->name, program->static_shared, arch->name,
             arch->static_shared_bytes);
    return FALSE;
  }
  if (dynamic_bytes > arch->max_shared_bytes ||
      program->dynamic_start + dynamic_bytes > arch->max_shared_bytes) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             smb_vendor_say(arch->vendor,
                            "%s: '%s' takes %" G_GSIZE_FORMAT
                            " bytes of static and %" G_GSIZE_FORMAT
                            " of dynamic shared memory: a block on %s has at most %u"),
             program->file, program->name, program->static_shared, dynamic_bytes, arch->name,
             arch->max_shared_bytes);
    return FALSE;
  }
  return TRUE;
}

// Whether it is of a file that has fewer bytes.
static gboolean
is_too_short(const SmbBuffer *buffer, guint64 bytes) {
  return buffer->contents.fill == SMB_FILL_BYTES && buffer->contents.length < bytes;
}

// Whether memory that was recorded has a variable of that name: the program need not use it.
static gboolean
has_variable(const SmbLaunch *launch, const char *name) {
  for (guint i = 0; launch->memory && i < launch->memory->len; i++) {
    const char *variable = g_array_index(launch->memory, SmbMemoryPiece, i).variable;
    if (variable && strcmp(variable, name) == 0)
      return TRUE;
  }
  return FALSE;
}

// Why nothing of that name has a buffer of that kind, or NULL (transfer full).
// @value: (out): the parameter, if it takes a value instead
static char *
find_buffer_problem(const SmbProgram *program, const SmbLaunch *launch, const SmbBuffer *buffer,
                    char **value) {
  for (guint p = 0; p < program->parameters->len; p++) {
    SmbParameter parameter = smb_program_parameter(program, p);
    if (smb_field_is_of(buffer->name, program, p, NULL))
      return NULL;
    if (!smb_buffer_is_of(buffer, parameter.name, p))
      continue;
    if (!smb_launch_is_pointer(launch, program, p)) {
      *value = smb_program_parameter_key(program, p);
      return g_strdup_printf(
          parameter.is_unnamed ? "parameter %s is not a pointer" : "'%s' is not a pointer", *value);
    }
    return is_too_short(buffer, buffer->offset * parameter.element_bytes)
               ? g_strdup_printf("the pointer starts beyond the end of the file, which has %" //
                                 G_GSIZE_FORMAT " byte%s",
                                 buffer->contents.length, smb_plural(buffer->contents.length))
               : NULL;
  }
  for (guint i = 0; i < program->regions->len; i++) {
    const Region *region = &g_array_index(program->regions, Region, i);
    if ((region->space != SPACE_GLOBAL && region->space != SPACE_CONSTANT) ||
        !smb_buffer_is_of(buffer, region->name, G_MAXUINT))
      continue;
    if (buffer->offset)
      return g_strdup_printf("'%s' is a variable: it begins where its buffer does", region->name);
    if (is_too_short(buffer, region->size))
      return g_strdup_printf("the file has %" G_GSIZE_FORMAT " byte%s, and '%s' %" G_GSIZE_FORMAT,
                             buffer->contents.length, smb_plural(buffer->contents.length),
                             region->name, region->size);
    return NULL;
  }
  if (has_variable(launch, buffer->name))
    return NULL;
  return g_strdup_printf(
      "'%s' has no pointer parameter of that name, and uses no such variable in global memory",
      program->name);
}

static gboolean
check_buffers(const SmbProgram *program, const SmbLaunch *launch, GError **error) {
  for (guint i = 0; launch->buffers && i < launch->buffers->len; i++) {
    const SmbBuffer *buffer = g_ptr_array_index(launch->buffers, i);
    g_autofree char *value = NULL;
    g_autofree char *problem = find_buffer_problem(program, launch, buffer, &value);
    if (!problem)
      continue;
    refuse_launch(error, "buffer '%s=%s': %s", buffer->name, buffer->spec, problem);
    return value && smb_hint(error, SMB_HINT_ARGUMENT, value, NULL);
  }
  return TRUE;
}

static gboolean
check_fields(const SmbProgram *program, const SmbLaunch *launch, GError **error) {
  g_autoptr(GArray) fields = smb_launch_fields(launch, program, error);
  return fields != NULL;
}

gboolean
smb_block_fail(SmbBlock *block, guint32 place, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = smb_text_format(smb_arch_say(block->arch, format), arguments);
  va_end(arguments);
  g_autofree char *message = smb_program_message(block->program, place, text);
  g_set_error_literal(block->error, SMB_ERROR, SMB_ERROR_INPUT, message);
  smb_inspect_remember(block->check, place, text);
  return FALSE;
}

gboolean
smb_block_unknown(SmbBlock *block, guint site, guint warp, SmbLanes mask, const char *reason) {
  const SmbSite *at = smb_program_site(block->program, site);
  if (!block->skips_unknown)
    return smb_block_fail(block, at->offset, "%s: %s", at->expression, reason);
  if (block->sink->uncounted)
    block->sink->uncounted(block->user, site, warp, mask, reason, NULL);
  return TRUE;
}

char *
smb_block_thread(const SmbBlock *block, guint warp, guint lane) {
  guint thread = warp * block->lanes + lane;
  if (block->runtime)
    return g_strdup_printf("thread (%u,%u,%u) of block (%u,%u,%u), lane %u of warp %u",
                           block->thread[0][thread], block->thread[1][thread],
                           block->thread[2][thread], block->uniform[0][0], block->uniform[1][0],
                           block->uniform[2][0], lane, warp);
  g_autofree char *where =
      block->grid[0] * (guint64)block->grid[1] * block->grid[2] == 1
          ? g_strdup("")
          : g_strdup_printf(smb_arch_say(block->arch, " of block (%u,%u,%u)"), block->uniform[0][0],
                            block->uniform[1][0], block->uniform[2][0]);
  return g_strdup_printf("thread (%u,%u,%u)%s", block->thread[0][thread], block->thread[1][thread],
                         block->thread[2][thread], where);
}

guint64
smb_block_buffer(const SmbBlock *block, guint parameter) {
  guint object = block->program->regions->len + parameter;
  return make_pointer(object, (gint64)block->objects[object].start);
}

guint
smb_block_find_address(const SmbBlock *block, guint64 address) {
  if (!block->map)
    return G_MAXUINT;
  const MapVariable *variable = smb_map_variable(block->map, address);
  return variable ? variable->region : block->n_numbered + smb_map_find(block->map, address);
}

SmbLanes
smb_block_find_lanes(const SmbBlock *block, SmbLanes lanes, const guint64 *pointers,
                     guint *object) {
  guint first = smb_lanes_first(lanes);
  guint64 number = pointers[first] >> POINTER_OFFSET_BITS, start = number << POINTER_OFFSET_BITS;
  guint64 bytes = (guint64)1 << POINTER_OFFSET_BITS;
  *object = smb_block_find(block, pointers[first]);
  if (number == 0 && (*object < block->n_numbered || *object >= block->n_objects))
    return (SmbLanes)1 << first; // a variable, or there is none
  if (number == 0) {
    const MapStretch *stretch = smb_map_stretch(block->map, *object - block->n_numbered);
    start = stretch->address;
    bytes = stretch->has_variables ? 0 : stretch->bytes;
  }
  guint64 outside = 0; // the highest bit
  EACH_LANE(block->lanes,
            outside |= (pointers[lane] - start) | (bytes - 1 - (pointers[lane] - start));)
  if (G_LIKELY(!(outside >> 63)))
    return lanes;
  SmbLanes found = (SmbLanes)1 << first;
  FOR_LANES(lanes, lane) {
    found |= (SmbLanes)(pointers[lane] - start < bytes) << lane;
  }
  return found;
}

guint64
smb_block_address(const SmbBlock *block, guint64 pointer) {
  guint64 number = pointer >> POINTER_OFFSET_BITS;
  if (number == 0 || number > block->n_numbered || block->objects[number - 1].space != SPACE_GLOBAL)
    return pointer;
  guint object = (guint)number - 1;
  return block->objects[object].address + (pointer - make_pointer(object, 0));
}

void
smb_block_name_memory(SmbBlock *block, guint64 address, const char *name) {
  if (!block->map || address < SMB_MEMORY_LOWEST || address >> SMB_MEMORY_ADDRESS_BITS)
    return;
  Object *object = &block->objects[block->n_numbered + smb_map_find(block->map, address)];
  if (object->name && strcmp(object->name, MEMORY_NAME) == 0)
    object->name = name;
}

gboolean
smb_block_barrier(SmbBlock *block, guint32 place, const char *name, const Mask *arrived) {
  for (guint w = 0; w < block->n_warps; w++) {
    SmbLanes missing = block->launched.warp[w] & ~block->exited.warp[w] & ~arrived->warp[w];
    if (!missing)
      continue;
    g_autofree char *thread = smb_block_thread(block, w, smb_lanes_first(missing));
    return smb_block_fail(block, place,
                          "%s is not reached by all threads of the block: %s does not reach it",
                          name, thread);
  }
  smb_shadow_barrier(block->shadow);
  return TRUE;
}

gboolean
smb_block_step(SmbBlock *block, guint32 place) {
  if (++block->steps <= block->limits.max_steps)
    return TRUE;
  return smb_block_fail(block, place,
                        "still running after %" G_GUINT64_FORMAT
                        " %s: an endless loop, or a large trip count?",
                        block->limits.max_steps, block->program->front_end->steps) ||
         smb_hint(block->error, SMB_HINT_LIMIT, "max_steps", NULL);
}

// What the system has of a block's shared memory: below the program's own since sm_90, and above it on earlier chips,
// where only a program that asks for it finds it. It begins with a row of banks, as on a device.
static void
set_up_shared(SmbBlock *block, gsize dynamic_bytes) {
  const SmbProgram *program = block->program;
  const SmbArchInfo *arch = smb_arch_info(block->arch);
  gsize own = program->dynamic_start + dynamic_bytes;
  block->shared_bytes = own;
  block->reserved_start = (own + arch->row_bytes - 1) / arch->row_bytes * arch->row_bytes;
  gboolean is_reachable =
      program->reaches_reserved || (program->tracks && arch->capability_major >= 9);
  block->reserved_bytes = is_reachable ? arch->block_reserved_bytes : 0;
  gsize room = block->reserved_start + block->reserved_bytes;
  block->shared = g_malloc0(room + SMB_MAX_WIDTH);
  if (program->tracks)
    block->shared_marks = g_malloc0(room + SMB_MAX_WIDTH);
  block->unplaced = g_new0(guint8, smb_program_n_sites(program) + 1);
  block->shadow = smb_shadow_new(program, block->reserved_bytes ? block->reserved_start : own,
                                 block->reserved_bytes);
}

static void
set_up_threads(SmbBlock *block) {
  for (guint i = 0; i < 3; i++) {
    block->thread[i] = g_new0(guint32, block_padded_threads(block));
    block->uniform[i] = g_new0(guint32, block_padded_threads(block));
    block->sizes[i] = g_new0(guint32, block_padded_threads(block));
    block->sizes[3 + i] = g_new0(guint32, block_padded_threads(block));
    block_set_uniform(block, block->sizes[i], block->dims[i]);
    block_set_uniform(block, block->sizes[3 + i], block->grid[i]);
  }
  for (guint t = 0; t < block->n_threads; t++) {
    block->thread[0][t] = t % block->dims[0];
    block->thread[1][t] = t / block->dims[0] % block->dims[1];
    block->thread[2][t] = t / block->dims[0] / block->dims[1];
    block->launched.warp[t / block->lanes] |= (SmbLanes)1 << (t % block->lanes);
  }
}

// The piece of memory that a region of the program is.
static Object
make_region(const SmbBlock *block, const Region *region, guint index, const SmbLaunch *launch) {
  gboolean is_data = region->space == SPACE_GLOBAL || region->space == SPACE_CONSTANT;
  const SmbBuffer *given = is_data ? smb_launch_buffer(launch, region->name, G_MAXUINT) : NULL;
  const MapVariable *variable = block->map ? smb_map_region(block->map, index) : NULL;
  if (variable)
    return (Object){.name = region->name,
                    .space = region->space,
                    .size = region->size,
                    .contents = variable->contents,
                    .buffer = block->program->parameters->len + index,
                    .address = variable->address};
  return (Object){.name = region->name,
                  .space = region->space,
                  .base = region->base,
                  .size = region->size + (region->is_dynamic ? launch->dynamic_bytes : 0),
                  .contents = given && !given->is_default ? given->contents : region->contents,
                  .buffer = block->program->parameters->len + index,
                  .is_loaded = region->size < SMB_ENDLESS_BYTES};
}

static Object
make_buffer(const SmbBlock *block, guint parameter, const SmbLaunch *launch) {
  SmbParameter described = smb_program_parameter(block->program, parameter);
  SmbContents contents = smb_launch_contents(launch, block->program, parameter);
  return (Object){.name = described.name,
                  .space = SPACE_GLOBAL,
                  .size = contents.fill == SMB_FILL_BYTES ? contents.length : SMB_ENDLESS_BYTES,
                  .start = smb_launch_start(launch, block->program, parameter),
                  .step = described.element_bytes,
                  .contents = contents,
                  .buffer = parameter};
}

// A structure that is a parameter: the block keeps its bytes.
static gboolean
make_structure(SmbBlock *block, guint parameter, const SmbLaunch *launch, Object *object,
               GError **error) {
  SmbParameter described = smb_program_parameter(block->program, parameter);
  GBytes *bytes = smb_program_argument(block->program, parameter, launch->arguments, error);
  if (!bytes)
    return FALSE;
  g_ptr_array_add(block->structures, bytes);
  *object = (Object){.name = described.name,
                     .space = SPACE_CONSTANT,
                     .size = described.bytes,
                     .buffer = parameter};
  object->contents.fill = SMB_FILL_BYTES;
  object->contents.bytes = g_bytes_get_data(bytes, &object->contents.length);
  return TRUE;
}

// Of a launch that is run for its results, nothing lies between allocations and behind their ends.
static void
set_up_stretches(SmbBlock *block) {
  for (guint i = block->n_numbered; i < block->n_objects; i++) {
    const MapStretch *stretch = smb_map_stretch(block->map, i - block->n_numbered);
    gboolean is_nothing = stretch->is_null || (block->runtime && stretch->is_blank);
    block->objects[i] =
        (Object){.name = is_nothing ? NULL : MEMORY_NAME,
                 .space = SPACE_GLOBAL,
                 .size = block->runtime ? stretch->end - stretch->address : stretch->bytes,
                 .contents = {.fill = stretch->is_blank ? SMB_FILL_UNKNOWN : SMB_FILL_BYTES},
                 .buffer = i,
                 .address = stretch->address,
                 .key = smb_overlay_address_key(stretch->address),
                 .map = block->map};
  }
}

// Where buffers and variables lie, as far as it is not known.
static void
place_objects(SmbBlock *block) {
  for (guint i = 0; i < block->n_numbered; i++) {
    Object *object = &block->objects[i];
    object->key = smb_overlay_buffer_key(object->buffer);
    if (!object->address)
      object->address = (((guint64)object->buffer + 1) << BUFFER_SPACING_BITS) +
                        (block->map ? BUFFERS_BEYOND : 0);
  }
}

static gboolean
set_up_objects(SmbBlock *block, const SmbLaunch *launch, GError **error) {
  const SmbProgram *program = block->program;
  guint n_regions = program->regions->len;
  block->map = smb_map_new(program, launch);
  block->n_numbered = n_regions + program->parameters->len;
  block->n_objects = block->n_numbered + (block->map ? smb_map_n_stretches(block->map) : 0);
  block->objects = g_new0(Object, block->n_objects + 1);
  set_up_stretches(block);
  block->structures = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  for (guint i = 0; i < n_regions; i++)
    block->objects[i] = make_region(block, &g_array_index(program->regions, Region, i), i, launch);
  for (guint i = 0; i < program->parameters->len; i++) {
    Object *object = &block->objects[n_regions + i];
    if (smb_launch_is_pointer(launch, program, i))
      *object = make_buffer(block, i, launch);
    else if (!launch->parameters && smb_program_parameter(program, i).bytes > 0 &&
             !make_structure(block, i, launch, object, error))
      return FALSE;
  }
  place_objects(block);
  return TRUE;
}

SmbBlock *
smb_block_new(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
              const SmbProgramLimits *limits, const SmbSink *sink, gpointer user, SmbGlobal *global,
              GError **error) {
  if (!smb_launch_check(launch, arch, error) ||
      !smb_launch_check_block(launch, program, arch, error) ||
      !check_shared_memory(program, smb_arch_info(arch), launch->dynamic_bytes, error) ||
      !smb_launch_check_arguments(launch, program, FALSE, error) ||
      !check_buffers(program, launch, error) || !check_fields(program, launch, error) ||
      (launch->memory && !smb_memory_check(launch->memory, error)))
    return NULL;
  g_return_val_if_fail(global || !program->is_serial, NULL);
  g_return_val_if_fail(program->lanes == smb_arch_info(arch)->lanes, NULL);
  g_autoptr(SmbBlock) block = g_new0(SmbBlock, 1);
  block->program = program;
  block->arch = arch;
  block->sink = sink;
  block->user = user;
  block->limits = program->limits;
  if (limits && limits->max_steps)
    block->limits.max_steps = limits->max_steps;
  if (limits && limits->max_memory)
    block->limits.max_memory = limits->max_memory;
  block->skips_unknown = launch->skips_unknown;
  block->runtime = launch->runtime;
  block->textures = launch->textures;
  memcpy(block->dims, launch->block, sizeof block->dims);
  memcpy(block->grid, launch->grid, sizeof block->grid);
  block->has_clusters = smb_launch_cluster(launch, program, block->cluster);
  block->lanes = smb_arch_info(arch)->lanes;
  block->all_lanes = smb_lanes_below(block->lanes);
  block->place_loops = smb_place_loops(smb_processor());
  block->n_threads = launch->block[0] * launch->block[1] * launch->block[2];
  block->n_warps = smb_arch_warps(arch, block->n_threads);
  block->overlay = smb_overlay_new(global, program);
  set_up_shared(block, launch->dynamic_bytes);
  set_up_threads(block);
  block->check = smb_inspect_new(block, launch);
  if (set_up_objects(block, launch, error))
    block->state = program->front_end->state_new(block, launch, error);
  return block->state ? g_steal_pointer(&block) : NULL;
}

void
smb_block_set_races(SmbBlock *block, const guint8 *races) {
  block->races = races;
  if (races)
    smb_shadow_look_closely(block->shadow);
}

void
smb_block_set_guesses(SmbBlock *block, guint64 n_blocks) {
  block->guesses = n_blocks;
  smb_overlay_set_guesses(block->overlay);
  smb_cluster_stand_for(block);
}

void
smb_block_set_earlier(SmbBlock *block, guint64 n_blocks) {
  block->earlier = n_blocks;
}

void
smb_block_set_cancel(SmbBlock *block, gboolean (*is_cancelled)(gpointer user), gpointer user) {
  block->is_cancelled = is_cancelled;
  block->cancel_user = user;
}

gsize
smb_block_bytes(const SmbBlock *block) {
  gsize room = block->reserved_start + block->reserved_bytes;
  gsize threads = block_padded_threads(block) * 12 * sizeof(guint32); // threadIdx and the like
  return sizeof *block + block->state_bytes + 2 * room + threads + block->memory_used +
         smb_overlay_bytes(block->overlay) + smb_shadow_bytes(block->shadow);
}

gboolean
smb_block_diverged(const SmbBlock *block) {
  return block->diverged;
}

guint64
smb_block_instructions(const SmbBlock *block) {
  return block->instructions;
}

gboolean
smb_block_is_cooperative(const SmbBlock *block) {
  return block->is_cooperative;
}

gboolean
smb_block_misses_others(const SmbBlock *block) {
  return block->misses_others || smb_overlay_conflicts(block->overlay);
}

const char *
smb_block_idle(const SmbBlock *block, guint32 *place) {
  *place = block->idle_place;
  return block->idle;
}

void
smb_block_free(SmbBlock *block) {
  if (!block)
    return;
  g_free(block->idle);
  if (block->peers && block->peers->is_alike)
    smb_cluster_free(block->peers);
  if (block->state)
    block->program->front_end->state_free(block->state);
  for (guint i = 0; i < 3; i++) {
    g_free(block->thread[i]);
    g_free(block->uniform[i]);
    g_free(block->sizes[i]);
    g_free(block->sizes[3 + i]);
  }
  for (guint i = 0; i < block->n_objects; i++) {
    g_free(block->objects[i].bytes);
    g_free(block->objects[i].set);
  }
  g_free(block->objects);
  smb_map_free(block->map);
  g_clear_pointer(&block->structures, g_ptr_array_unref);
  g_free(block->shared);
  g_free(block->shared_marks);
  smb_shadow_free(block->shadow);
  smb_pending_free(block->pending);
  smb_chunks_free(block->chunks);
  g_free(block->tensor);
  g_free(block->unplaced);
  smb_overlay_free(block->overlay);
  smb_inspect_free(block->check);
  g_free(block);
}
