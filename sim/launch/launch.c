// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Checks a launch against the kernel and the architecture.
#include "sim/launch/launch.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/launch/argument.h"
#include "sim/launch/field.h"
#include "sim/program/inside.h"
#include "sim/program/prototype.h"

enum {
  MAX_MISSING_MEMBERS = 8, // of a structure, that a message lists
};

gboolean
smb_launch_cluster(const SmbLaunch *launch, const SmbProgram *program, guint cluster[3]) {
  const guint *said = launch->cluster[0] > 0 ? launch->cluster : program->required_cluster;
  for (guint i = 0; i < 3; i++)
    cluster[i] = MAX(said[i], 1);
  return said[0] > 0;
}

guint
smb_launch_meets(const SmbLaunch *launch, const SmbProgram *program) {
  guint cluster[3];
  smb_launch_cluster(launch, program, cluster);
  return smb_program_meets_cluster(program) ? cluster[0] * cluster[1] * cluster[2] : 1;
}

// Clusters came with compute capability 9.0.
static gboolean
has_clusters(const SmbArch *arch) {
  return !arch || smb_arch_info(arch)->capability_major >= 9;
}

// @cluster: none if its first extent is 0.
static gboolean
check_cluster(const guint cluster[3], const guint grid[3], const SmbArch *arch, GError **error) {
  guint64 blocks = 1;
  if (cluster[0] > 0 && !has_clusters(arch))
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    smb_arch_say(arch, "%s has no thread block clusters: they need sm_90 or later"),
                    smb_arch_info(arch)->name);
  for (guint i = 0; cluster[0] > 0 && i < 3; i++) {
    blocks *= cluster[i];
    if (cluster[i] < 1 || blocks > SMB_MAX_CLUSTER_BLOCKS)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                      "clusters of %u x %u x %u blocks: expected 1 to %u blocks", cluster[0],
                      cluster[1], cluster[2], SMB_MAX_CLUSTER_BLOCKS);
    if (grid[i] % cluster[i] != 0)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                      "a grid of %u blocks in %c: expected a multiple of the cluster size, %u",
                      grid[i], "xyz"[i], cluster[i]);
  }
  return TRUE;
}

gboolean
smb_launch_check(const SmbLaunch *launch, const SmbArch *arch, GError **error) {
  guint max_threads = arch ? smb_arch_info(arch)->max_threads : SMB_MAX_BLOCK_THREADS;
  const char *who = arch ? smb_arch_info(arch)->name : "a GPU";
  guint64 threads = 1;
  static const guint block_limits[3] = SMB_MAX_BLOCK_EXTENT;
  static const guint grid_limits[3] = SMB_MAX_GRID_EXTENT;
  for (guint i = 0; i < 3; i++) {
    if (launch->block[i] < 1 || launch->block[i] > block_limits[i])
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                      smb_arch_say(arch, "a block of %u threads in %c: expected 1 to %u"),
                      launch->block[i], "xyz"[i], block_limits[i]);
    if (launch->grid[i] < 1 || launch->grid[i] > grid_limits[i])
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                      smb_arch_say(arch, "a grid of %u blocks in %c: expected 1 to %u"),
                      launch->grid[i], "xyz"[i], grid_limits[i]);
    threads *= launch->block[i];
  }
  if (threads > max_threads)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    smb_arch_say(arch, "a block of %u x %u x %u = %" G_GUINT64_FORMAT
                                       " threads: %s has at most %u"),
                    launch->block[0], launch->block[1], launch->block[2], threads, who,
                    max_threads);
  return check_cluster(launch->cluster, launch->grid, arch, error);
}

gboolean
smb_launch_check_block(const SmbLaunch *launch, const SmbProgram *program, const SmbArch *arch,
                       GError **error) {
  const guint *block = launch->block, *required = program->required_block;
  const guint *cluster = launch->cluster, *own = program->required_cluster;
  guint threads = block[0] * block[1] * block[2];
  if (required[0] > 0 && memcmp(block, required, sizeof program->required_block) != 0)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "a block of %u x %u x %u threads: '%s' is compiled for blocks of %u x %u x %u",
                    block[0], block[1], block[2], program->name, required[0], required[1],
                    required[2]);
  if (cluster[0] > 0 && own[0] > 0 && memcmp(cluster, own, sizeof program->required_cluster) != 0)
    return smb_fail(
        error, SMB_ERROR, SMB_ERROR_USAGE,
        "clusters of %u x %u x %u blocks: '%s' is compiled for clusters of %u x %u x %u",
        cluster[0], cluster[1], cluster[2], program->name, own[0], own[1], own[2]);
  if (program->max_threads > 0 && threads > program->max_threads)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "a block of %u x %u x %u = %u threads: '%s' is compiled for at most %u "
                    "(__launch_bounds__)",
                    block[0], block[1], block[2], threads, program->name, program->max_threads);
  return check_cluster(own, launch->grid, arch, error);
}

// Whether a structure that a text declares has numbers, which need values.
static gboolean
has_numbers(const GArray *members) {
  for (guint i = 0; i < members->len; i++) {
    const SmbMember *member = &g_array_index(members, SmbMember, i);
    if (!member->is_pointer && !member->in_union)
      return TRUE;
  }
  return FALSE;
}

// Whether a parameter needs a value and has none.
static gboolean
is_missing(const SmbLaunch *launch, const SmbProgram *program, guint p) {
  SmbParameter parameter = smb_program_parameter(program, p);
  return !parameter.is_pointer && !parameter.is_tensor_map &&
         !smb_argument_find(launch->arguments, program, p) &&
         !smb_launch_has_field(launch, program, p) &&
         (!parameter.members || has_numbers(parameter.members));
}

// A member itself, or of a union its first number.
static const SmbMember *
find_union_number(const GArray *members, guint i) {
  const SmbMember *found = &g_array_index(members, SmbMember, i);
  for (guint k = i + 1; found->is_union && k < members->len; k++) {
    const SmbMember *member = &g_array_index(members, SmbMember, k);
    if (!member->in_union)
      break;
    if (!member->is_pointer)
      found = member;
  }
  return found;
}

// What a parameter that has no value needs (element-type utf8): itself, or the first numbers of a structure that a text declares. None of
// one that is not missing. @is_hint: whether it is to be given, as a member of a union is
static GPtrArray *
find_missing(const SmbLaunch *launch, const SmbProgram *program, guint p, gboolean is_hint) {
  GPtrArray *keys = g_ptr_array_new_with_free_func(g_free);
  const GArray *members = smb_program_parameter(program, p).members;
  if (!is_missing(launch, program, p))
    return keys;
  for (guint i = 0; members && i < members->len && keys->len < MAX_MISSING_MEMBERS; i++) {
    const SmbMember *member = &g_array_index(members, SmbMember, i);
    if (!member->is_pointer && !member->in_union)
      g_ptr_array_add(keys, smb_program_member_name(
                                program, p, is_hint ? find_union_number(members, i) : member));
  }
  if (!members)
    g_ptr_array_add(keys, smb_program_parameter_key(program, p));
  return keys;
}

// Those that need a value and have none (transfer full): "'n' (int), 'm' (float)". @n: (out): how many
static char *
describe_needed_values(const SmbLaunch *launch, const SmbProgram *program, guint *n) {
  GString *list = g_string_new(NULL);
  *n = 0;
  for (guint p = 0; p < program->parameters->len; p++) {
    SmbParameter parameter = smb_program_parameter(program, p);
    g_autoptr(GPtrArray) keys = find_missing(launch, program, p, FALSE);
    const char *quote = parameter.is_unnamed ? "" : "'";
    for (guint i = 0; i < keys->len; i++)
      g_string_append_printf(list, "%s%s%s%s", (*n)++ ? ", " : "", quote,
                             (const char *)keys->pdata[i], quote);
    if (keys->len > 0 && parameter.unknown)
      g_string_append_printf(list, " (%s; its fields are not known: %s)", parameter.type,
                             parameter.unknown);
    else if (keys->len > 0)
      g_string_append_printf(list, " (%s)", parameter.type);
  }
  return g_string_free(list, FALSE);
}

// Why an argument is of no parameter that can have a value, or NULL (transfer full).
static char *
find_argument_problem(const SmbProgram *program, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text)
    return g_strdup_printf("argument '%s': expected NAME=VALUE", text);
  for (guint p = 0; p < program->parameters->len; p++) {
    SmbParameter parameter = smb_program_parameter(program, p);
    if (!smb_argument_is_of(text, program, p))
      continue;
    return parameter.is_pointer && !parameter.may_be_value
               ? g_strdup_printf("parameter '%s' is a pointer: it is bound to a buffer "
                                 "automatically",
                                 parameter.name)
               : NULL;
  }
  for (guint p = 0; p < program->parameters->len; p++) {
    if (smb_field_is_of(text, program, p, NULL))
      return NULL;
  }
  const SmbLaunch none = {.arguments = NULL};
  guint n = 0;
  g_autofree char *needed = describe_needed_values(&none, program, &n);
  gboolean is_numbered = n > 0 && g_ascii_isdigit(*needed);
  return g_strdup_printf(
      "'%s' has no parameter '%.*s'%s%s%s", program->name, (int)(equals - text), text,
      n > 0 ? ": expected " : "", needed,
      is_numbered ? "; this code has no names of parameters: they are numbered from 0" : "");
}

static gboolean
refuse_missing_arguments(const SmbLaunch *launch, const SmbProgram *program, gboolean needs_block,
                         GError **error) {
  guint n;
  g_autofree char *list = describe_needed_values(launch, program, &n);
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "parameter%s %s of '%s' need%s%s", smb_plural(n),
           list, program->name, n > 1 ? " values" : "s a value",
           needs_block ? ", and the launch needs a block" : "");
  for (guint p = 0; p < program->parameters->len; p++) {
    SmbParameter parameter = smb_program_parameter(program, p);
    g_autoptr(GPtrArray) keys = find_missing(launch, program, p, TRUE);
    for (guint i = 0; i < keys->len; i++)
      smb_hint(error, SMB_HINT_ARGUMENT, keys->pdata[i], NULL);
    if (keys->len > 0 && !parameter.members && parameter.stored_bytes > sizeof(guint64))
      smb_hint(error, SMB_HINT_FIELDS, keys->pdata[0], NULL); // a structure
  }
  if (needs_block)
    smb_hint(error, SMB_HINT_BLOCK, NULL, NULL);
  return program->names_file && smb_hint(error, SMB_HINT_NAMES, program->names_file, NULL);
}

gboolean
smb_launch_check_arguments(const SmbLaunch *launch, const SmbProgram *program, gboolean needs_block,
                           GError **error) {
  if (launch->parameters)
    return TRUE;
  for (guint i = 0; launch->arguments && launch->arguments[i]; i++) {
    g_autofree char *problem = find_argument_problem(program, launch->arguments[i]);
    if (problem)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s", problem) ||
             (program->names_file && smb_hint(error, SMB_HINT_NAMES, program->names_file, NULL));
  }
  for (guint p = 0; p < program->parameters->len; p++) {
    if (is_missing(launch, program, p))
      return refuse_missing_arguments(launch, program, needs_block, error);
  }
  return TRUE;
}

const SmbBuffer *
smb_launch_buffer(const SmbLaunch *launch, const char *name, guint index) {
  for (guint i = launch->buffers ? launch->buffers->len : 0; i-- > 0;) {
    const SmbBuffer *buffer = g_ptr_array_index(launch->buffers, i);
    if (smb_buffer_is_of(buffer, name, index))
      return buffer;
  }
  return NULL;
}

gboolean
smb_launch_is_pointer(const SmbLaunch *launch, const SmbProgram *program, guint parameter) {
  SmbParameter described = smb_program_parameter(program, parameter);
  return described.is_pointer && !launch->parameters &&
         !(described.may_be_value && (smb_argument_find(launch->arguments, program, parameter) ||
                                      smb_launch_has_field(launch, program, parameter)));
}

guint64
smb_launch_start(const SmbLaunch *launch, const SmbProgram *program, guint parameter) {
  SmbParameter described = smb_program_parameter(program, parameter);
  const SmbBuffer *buffer = smb_launch_buffer(launch, described.name, parameter);
  return buffer ? buffer->offset * described.element_bytes : 0;
}

SmbContents
smb_launch_contents(const SmbLaunch *launch, const SmbProgram *program, guint parameter) {
  SmbParameter described = smb_program_parameter(program, parameter);
  const SmbBuffer *buffer = smb_launch_buffer(launch, described.name, parameter);
  return buffer && !buffer->is_default
             ? buffer->contents
             : (SmbContents){.fill = program->tracks ? SMB_FILL_UNKNOWN : SMB_FILL_IOTA,
                             .scalar = described.element};
}

const SmbArray *
smb_launch_array_of(const SmbLaunch *launch, const SmbProgram *program, guint32 offset, guint width,
                    const char *opcode) {
  const SmbArray *array = smb_program_array_of(program, offset, width, opcode);
  for (guint i = 0; launch->shapes && i < launch->shapes->len; i++) {
    const SmbShape *shape = &g_array_index(launch->shapes, SmbShape, i);
    if (smb_shape_has(shape, array, offset))
      return &shape->array;
  }
  return array;
}
