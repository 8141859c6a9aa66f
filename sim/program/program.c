// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is known of a program before it runs. What only its language knows: sim/machine/front-end.c.
#include "sim/program/program.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/program/inside.h"
#include "sim/program/timing.h"

void
smb_program_init(SmbProgram *program, const SmbFrontEnd *front_end, SmbSource *source,
                 const char *file, const SmbProgramOptions *options) {
  g_atomic_ref_count_init(&program->references);
  program->front_end = front_end;
  program->source = source ? smb_source_ref(source) : NULL;
  program->file = g_strdup(file);
  program->timings = g_array_new(FALSE, FALSE, sizeof(SmbTiming));
  program->sites = g_array_new(FALSE, FALSE, sizeof(SmbSite));
  program->arrays = g_array_new(FALSE, FALSE, sizeof(SmbArray));
  program->views = g_array_new(FALSE, FALSE, sizeof(SmbArray));
  program->regions = g_array_new(FALSE, FALSE, sizeof(Region));
  program->parameters = g_array_new(FALSE, FALSE, sizeof(SmbParameter));
  program->cuda_arch = options->cuda_arch;
  program->processor = g_intern_string(options->processor);
  program->lanes = options->lanes ? options->lanes : SMB_NVIDIA_LANES;
  program->defines = g_strdupv((char **)options->defines);
  program->folders = g_strdupv((char **)options->folders);
  program->frames = options->frames;
  program->compiled_from = g_strdup(options->compiled_from);
  program->limits = options->limits;
  SmbProgramLimits *limits = &program->limits;
  limits->max_tokens = limits->max_tokens ? limits->max_tokens : SMB_PROGRAM_MAX_TOKENS;
  limits->max_depth = limits->max_depth ? limits->max_depth : SMB_PROGRAM_MAX_DEPTH;
  limits->max_depth = MIN(limits->max_depth, SMB_PROGRAM_LARGEST_DEPTH);
  limits->max_steps = limits->max_steps ? limits->max_steps : SMB_PROGRAM_MAX_STEPS;
  limits->max_memory = limits->max_memory ? limits->max_memory : SMB_PROGRAM_MAX_MEMORY;
}

void
smb_program_clear(SmbProgram *program) {
  g_clear_pointer(&program->source, smb_source_unref);
  g_clear_pointer(&program->origin, smb_source_unref);
  g_free(program->file);
  g_free(program->names_file);
  g_array_unref(program->sites);
  g_array_unref(program->arrays);
  g_array_unref(program->views);
  g_array_unref(program->regions);
  g_array_unref(program->parameters);
  g_clear_pointer(&program->prototype, g_array_unref);
  g_array_unref(program->timings);
  g_clear_pointer(&program->shared, g_array_unref);
  g_strfreev(program->defines);
  g_strfreev(program->folders);
  g_free(program->compiled_from);
}

guint
smb_program_cuda_arch(const SmbArch *arch) {
  const SmbArchInfo *info = smb_arch_info(arch);
  return info->capability_major * 100 + info->capability_minor * 10;
}

const char *
smb_program_processor(const SmbArch *arch) {
  const SmbArchInfo *info = smb_arch_info(arch);
  if (info->vendor != SMB_VENDOR_AMD)
    return NULL;
  // An architecture of the user's is a chip like another one, or none that there is.
  gboolean is_user = info->evidence == SMB_EVIDENCE_USER;
  const char *chip = !is_user ? info->name : info->base ? info->base : "gfx0000";
  g_autofree char *name = g_strndup(chip, strcspn(chip, "_")); // gfx1100_wave64
  return g_intern_string(name);
}

gboolean
smb_program_is_machine_code(const SmbProgram *program) {
  return strcmp(smb_program_level(program), "sass") == 0;
}

const char *
smb_program_name(const SmbProgram *program) {
  return program->name;
}

const char *
smb_program_symbol(const SmbProgram *program) {
  return program->symbol;
}

SmbSource *
smb_program_source(const SmbProgram *program) {
  return program->source;
}

const char *
smb_program_file(const SmbProgram *program) {
  return program->file;
}

guint
smb_program_n_sites(const SmbProgram *program) {
  return program->sites->len;
}

const SmbSite *
smb_program_site(const SmbProgram *program, guint index) {
  return &g_array_index(program->sites, SmbSite, index);
}

// A file is called as the text's own #include finds it: the text itself, and, of one that was compiled for this, what is beside it or
// below. NULL: it is elsewhere.
static const char *
name_beside(const SmbProgram *program, const char *path) {
  g_autofree char *base = g_path_get_basename(program->file);
  if (!program->compiled_from && !g_str_has_suffix(path, base))
    return NULL;
  g_autofree char *folder = g_path_get_dirname(program->file);
  g_autofree char *whole_file = g_canonicalize_filename(program->file, NULL);
  g_autofree char *whole_folder = g_path_get_dirname(whole_file);
  g_autofree char *whole = g_canonicalize_filename(path, NULL);
  gsize length = strlen(whole_folder);
  if (g_str_equal(whole, whole_file))
    return program->file;
  if (!program->compiled_from || !g_str_has_prefix(whole, whole_folder) || whole[length] != '/')
    return NULL;
  gboolean is_here = g_str_equal(folder, ".") && !g_str_has_prefix(program->file, "./");
  g_autofree char *name = g_build_filename(is_here ? "" : folder, whole + length + 1, NULL);
  return g_intern_string(name);
}

const char *
smb_program_name_path(const SmbProgram *program, const char *path) {
  if (g_strcmp0(path, program->compiled_from) == 0)
    return program->file;
  const char *name = path ? name_beside(program, path) : NULL;
  return name ? name : path;
}

char *
smb_program_message(const SmbProgram *program, guint32 offset, const char *text) {
  if (program->source)
    return smb_source_message(program->source, offset, text);
  return smb_text_printf("%s: %s+0x%x: %s", program->file, program->name, offset, text);
}

char *
smb_program_site_message(const SmbProgram *program, const SmbSite *site, const char *text) {
  // A text shows its line.
  gboolean shows = program->source && !(site->opcode && site->file);
  const char *file = site->file ? site->file : program->file;
  if (shows || !site->line)
    return smb_program_message(program, site->offset, text);
  return smb_text_printf("%s:%u:%u: %s", file, site->line, MAX(site->column, 1), text);
}

gboolean
smb_program_site_is_in(const SmbProgram *program, const SmbSite *site, const char *file) {
  const char *whole = site->file ? site->file : program->file;
  if (!file || !g_str_has_suffix(whole, file))
    return !file;
  gsize before = strlen(whole) - strlen(file);
  return before == 0 || whole[before - 1] == '/';
}

void
smb_code_line_free(SmbCodeLine *instruction) {
  g_free(instruction->text);
  g_free(instruction->file);
  g_clear_pointer(&instruction->frames, g_array_unref);
  g_free(instruction);
}

char *
smb_site_place(const SmbSite *site) {
  return site->file   ? smb_text_printf("%s:%u", site->file, site->line)
         : site->line ? g_strdup_printf("line %u", site->line)
                      : g_strdup_printf("0x%x", site->opcode ? site->pc : site->offset);
}

gboolean
smb_site_shares_line(const SmbSite *site, const SmbSite *other) {
  return site == other ||
         (site->line && site->line == other->line && g_strcmp0(site->file, other->file) == 0);
}

gboolean
smb_frame_is_own(const SmbFrame *frame) {
  static const char *const systems[] = {"/usr/include/", "/usr/lib/", "/usr/local/cuda"};
  static const char *const libraries[] = {"include/cute/",   "include/cutlass/", "include/cub/",
                                          "include/thrust/", "include/crt/",     "include/cuda/"};
  for (guint i = 0; i < G_N_ELEMENTS(systems); i++) {
    if (g_str_has_prefix(frame->file, systems[i]))
      return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS(libraries); i++) {
    const char *found = strstr(frame->file, libraries[i]);
    if (found && (found == frame->file || found[-1] == '/'))
      return FALSE;
  }
  return TRUE;
}

// How many calls further out than the leaf the frame is that stands for a site.
static guint
choose_frame(const SmbSite *site, SmbFrames frames) {
  const SmbFrame leaf = {site->file, site->line};
  switch (frames) {
  case SMB_FRAMES_LEAF:
    return 0;
  case SMB_FRAMES_OUTER:
    return site->n_frames;
  case SMB_FRAMES_OWN:
    if (!leaf.file || smb_frame_is_own(&leaf))
      return 0;
    for (guint i = 0; i < site->n_frames; i++) {
      if (smb_frame_is_own(&site->frames[i]))
        return i + 1;
    }
    return 0;
  }
  g_assert_not_reached();
}

void
smb_program_place_site(const SmbProgram *program, SmbSite *site) {
  guint n = choose_frame(site, program->frames);
  if (n == 0)
    return;
  site->file = site->frames[n - 1].file;
  site->line = site->frames[n - 1].line;
  site->column = site->frames[n - 1].column;
  site->frames += n;
  site->n_frames -= n;
}

void
smb_program_choose_frames(SmbProgram *program) {
  for (guint i = 0; i < program->sites->len; i++)
    smb_program_place_site(program, &g_array_index(program->sites, SmbSite, i));
}

guint
smb_program_n_parameters(const SmbProgram *program) {
  return program->parameters->len;
}

SmbParameter
smb_program_parameter(const SmbProgram *program, guint index) {
  return g_array_index(program->parameters, SmbParameter, index);
}

gboolean
smb_program_is_parameter(const SmbProgram *program, guint index, const char *text) {
  return strcmp(text, smb_program_parameter(program, index).name) == 0 ||
         strcmp(text, smb_number(index).text) == 0;
}

char *
smb_program_parameter_key(const SmbProgram *program, guint index) {
  SmbParameter parameter = smb_program_parameter(program, index);
  return parameter.is_unnamed ? g_strdup_printf("%u", index) : g_strdup(parameter.name);
}

char *
smb_program_describe_parameter(const SmbProgram *program, guint index) {
  SmbParameter parameter = smb_program_parameter(program, index);
  if (!parameter.is_unnamed)
    return g_strdup_printf("'%s'", parameter.name);
  g_autofree char *made_up = g_strdup_printf("_param_%u", index);
  if (*parameter.name == '(' || g_str_has_suffix(parameter.name, made_up))
    return g_strdup_printf("parameter %u", index);
  return g_strdup_printf("parameter %u ('%s')", index, parameter.name);
}

guint
smb_program_n_arrays(const SmbProgram *program) {
  return program->arrays->len;
}

const SmbArray *
smb_program_array(const SmbProgram *program, guint index) {
  return &g_array_index(program->arrays, SmbArray, index);
}

const SmbArray *
smb_program_array_at(const SmbProgram *program, guint32 offset) {
  for (guint i = 0; i < program->arrays->len; i++) {
    const SmbArray *array = &g_array_index(program->arrays, SmbArray, i);
    if (offset >= array->base && (array->is_dynamic || offset - array->base < array->bytes))
      return array;
  }
  return NULL;
}

gsize
smb_program_static_shared(const SmbProgram *program) {
  return program->static_shared;
}

guint
smb_program_registers(const SmbProgram *program) {
  return program->registers;
}

gboolean
smb_program_own_block(const SmbProgram *program, guint block[3]) {
  const guint most[3] = {program->max_threads, 1, 1};
  const guint *own = program->required_block[0] ? program->required_block : most;
  if (own[0] > 0)
    memcpy(block, own, sizeof most);
  return own[0] > 0;
}

void
smb_program_own_grid(const SmbProgram *program, guint grid[3]) {
  for (guint i = 0; i < 3; i++)
    grid[i] = MAX(program->required_cluster[i], 1);
}

gboolean
smb_program_is_serial(const SmbProgram *program) {
  return program->is_serial;
}

gboolean
smb_program_meets_cluster(const SmbProgram *program) {
  return program->meets_cluster;
}

gboolean
smb_program_asks(const SmbProgram *program) {
  return program->asks;
}

gboolean
smb_program_polls(const SmbProgram *program) {
  return program->polls;
}
