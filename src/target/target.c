// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/target/target.h"
#include "sim/base/error.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "sim/cuda/cuda.h"
#include "sim/image/triton.h"
#include "sim/launch/argument.h"
#include "src/cli/hint.h"
#include "src/cli/input.h"
#include "src/compile/read.h"
#include "src/target/captured.h"
#include "src/target/origin.h"
#include "src/target/target-impl.h"
#include "src/target/written-launch.h"

// The widest padding that options may ask for; what a device has is checked with the kernel.
enum {
  MAX_PAD = 1 << 20
};

// A launch of one thread, with nothing set.
static SmbTarget *
new_target(void) {
  SmbTarget *target = g_new0(SmbTarget, 1);
  target->defines = g_new0(char *, 1);
  target->args = g_new0(char *, 1);
  target->buffers = g_new0(char *, 1);
  for (guint i = 0; i < 3; i++)
    target->launch.block[i] = target->launch.grid[i] = 1;
  return target;
}

void
smb_target_free(SmbTarget *target) {
  if (!target)
    return;
  smb_program_free(target->kernel);
  g_free(target->name);
  g_free(target->shape);
  g_free(target->file);
  g_free(target->entry);
  g_free(target->nvcc);
  g_free(target->instance);
  g_free(target->compiled);
  g_free(target->dynamic_bytes);
  for (guint i = 0; i < SMB_TARGET_EXTENTS; i++)
    g_free(target->extents[i]);
  g_free(target->tile);
  g_strfreev(target->defines);
  g_strfreev(target->folders);
  g_strfreev(target->args);
  g_strfreev(target->buffers);
  g_strfreev(target->arrays);
  g_clear_pointer(&target->launch.buffers, g_ptr_array_unref);
  g_clear_pointer(&target->launch.shapes, g_array_unref);
  smb_capture_loaded_free(target->loaded);
  smb_capture_free(target->capture);
  g_clear_pointer(&target->merged_launch, json_node_unref);
  g_free(target);
}

// Adds NAME=VALUE, in the place of one of the same name.
static void
set_target_value(GStrv *list, const char *text) {
  guint i = 0, n = g_strv_length(*list);
  gsize length = strcspn(text, "=");
  while (i < n && (strcspn((*list)[i], "=") != length || strncmp((*list)[i], text, length) != 0))
    i++;
  if (i == n) {
    *list = g_renew(char *, *list, n + 2);
    (*list)[n] = (*list)[n + 1] = NULL;
  }
  g_free((*list)[i]);
  (*list)[i] = g_strdup(text);
}

static void
set_values(GStrv *list, const char *const *texts) {
  for (guint i = 0; texts && texts[i]; i++)
    set_target_value(list, texts[i]);
}

static void
set_number(GStrv *list, const char *name, guint64 number) {
  g_autofree char *text = g_strdup_printf("%s=%" G_GUINT64_FORMAT, name, number);
  set_target_value(list, text);
}

// What can be said of a launch without its kernel, which may take long to compile.
static gboolean
check_target_launch(const SmbTarget *target, const SmbArch *arch, GError **error) {
  SmbLaunch launch = target->launch;
  for (guint i = 0; i < 3; i++)
    launch.cluster[i] = target->assumes_grid ? 0 : launch.cluster[i];
  if (!smb_launch_check(&launch, arch, error))
    return FALSE;
  for (guint i = 0; target->args[i]; i++) {
    if (!smb_argument_check(target->args[i], error))
      return FALSE;
  }
  return TRUE;
}

static void
name_captured(SmbProgram *program, const SmbProgramOptions *reading, gpointer user) {
  smb_origins_name_parameters(program, reading, user);
}

// What the kernel says of itself, where nobody else did. @evaluated: names of macros that were looked up
static void
take_from_kernel(SmbTarget *target, const SmbProgramOptions *reading, const GPtrArray *evaluated) {
  if (!target->compiled && !target->captured)
    smb_origins_name_parameters(target->kernel, reading, target->files);
  for (guint i = 0; i < evaluated->len; i++) {
    gint64 known;
    smb_program_evaluate(target->kernel, evaluated->pdata[i], &known, NULL);
  }
  if (!target->name)
    target->name = g_strdup(smb_program_name(target->kernel));
  if (target->assumes_block && smb_program_own_block(target->kernel, target->launch.block))
    target->assumes_block = FALSE;
  if (target->assumes_grid)
    smb_program_own_grid(target->kernel, target->launch.grid);
}

// A text that was compiled since its kernel is a template, of which the machine code has one instance: that is what is read of the text.
static void
read_only_instance(SmbTarget *target, SmbSource *source, const SmbArch *arch,
                   SmbProgramOptions *reading) {
  const char *name = smb_program_name(target->kernel);
  if (!target->as_text || !target->compiled || target->is_text_only || target->instance ||
      !strchr(name, '<'))
    return;
  const SmbCompileOptions as_text = {.never = TRUE};
  SmbProgramOptions of_instance = *reading;
  of_instance.entry = name;
  g_autofree char *command = NULL;
  SmbProgram *text = smb_compile_read(source, arch, &as_text, &of_instance, &command, NULL);
  if (!text)
    return;
  g_free(target->entry);
  reading->entry = target->entry = g_strdup(name);
  target->instance = g_strdup(name);
  g_clear_pointer(&target->compiled, g_free);
  smb_program_free(target->kernel);
  target->kernel = text;
}

static gboolean
finish_target(SmbTarget *target, SmbSource *source, const SmbArch *arch, SmbProgress *progress,
              GError **error) {
  if (!target->launch.buffers)
    target->launch.buffers = smb_buffers_parse((const char *const *)target->buffers, error);
  if (!target->launch.buffers)
    return FALSE;
  target->file = g_strdup(smb_source_name(source));
  SmbProgramOptions reading = {.entry = target->entry,
                               .defines = (const char *const *)target->defines,
                               .folders = (const char *const *)target->folders,
                               .frames = target->frames,
                               .cuda_arch = smb_program_cuda_arch(arch),
                               .processor = smb_program_processor(arch),
                               .lanes = smb_arch_info(arch)->lanes,
                               .limits = target->options.limits};
  g_autoptr(GPtrArray) compiled_from = g_ptr_array_new_with_free_func(g_free);
  // What is wrong with a number is known without a compiler.
  g_autoptr(GPtrArray) evaluated = smb_target_settle_numbers(target, source, &reading, error);
  if (!evaluated)
    return FALSE;
  target->launch.arguments = (const char *const *)target->args;
  gboolean compiles = target->nvcc && !target->as_text;
  if (!check_target_launch(target, arch, error) ||
      (compiles && !smb_target_settle_bytes(target, source, &reading, arch, error)))
    return FALSE;
  const SmbCompileOptions compiling = {.flags = target->nvcc,
                                       .as_text = target->as_text,
                                       .never = target->is_text_only,
                                       .instance = target->instance,
                                       .seconds = target->compile_seconds,
                                       .compiles_anew = target->compiles_anew,
                                       .inputs = compiled_from,
                                       .progress = progress,
                                       .batch = target->batch,
                                       .form = target->form};
  target->kernel =
      target->captured
          ? smb_capture_program(target->capture, target->captured, source, &reading, name_captured,
                                target->files, error)
          : smb_compile_read(source, arch, &compiling, &reading, &target->compiled, error);
  for (guint i = 0; i < compiled_from->len; i++)
    smb_files_read(target->files, compiled_from->pdata[i]);
  if (!target->kernel)
    return FALSE;
  read_only_instance(target, source, arch, &reading);
  take_from_kernel(target, &reading, evaluated);
  if (!compiles && !smb_target_settle_bytes(target, source, &reading, arch, error))
    return FALSE;
  target->launch.shapes = smb_shapes_parse((const char *const *)target->arrays, target->kernel,
                                           target->launch.dynamic_bytes, error);
  return target->launch.shapes != NULL;
}

gboolean
smb_target_finish(SmbTarget *target, SmbSource *source, const SmbArch *arch, SmbProgress *progress,
                  GError **error) {
  gboolean good = finish_target(target, source, arch, progress, error);
  smb_target_note_files(target, source); // what failed has read them, too
  return good;
}

gboolean
smb_target_parse_limits(const SmbTargetOptions *options, SmbAnalysisOptions *analysis,
                        GError **error) {
  guint64 mebibytes = 0;
  analysis->write_hint = smb_cli_write_hint;
  if (!smb_cli_number64("--max-steps", options->max_steps, 1, G_MAXINT64,
                        &analysis->limits.max_steps, error) ||
      !smb_cli_number("--max-depth", options->max_depth, 1, SMB_PROGRAM_LARGEST_DEPTH,
                      &analysis->limits.max_depth, error) ||
      !smb_cli_number("--max-tokens", options->max_tokens, 1, SMB_PROGRAM_LARGEST_TOKENS,
                      &analysis->limits.max_tokens, error) ||
      !smb_cli_number64("--max-memory", options->max_memory, 1, SMB_PROGRAM_LARGEST_MEMORY >> 20,
                        &mebibytes, error) ||
      !smb_cli_number64("--max-blocks", options->max_blocks, 1, G_MAXINT64, &analysis->max_blocks,
                        error) ||
      !smb_cli_number("--threads", options->threads, 1, SMB_ANALYSIS_MAX_THREADS,
                      &analysis->threads, error))
    return FALSE;
  analysis->limits.max_memory = mebibytes << 20;
  return TRUE;
}

// --rows, --cols and its kin: the kernel data/kernels/tile.cu with macros set.
static gboolean
draft_tile(const SmbTargetOptions *options, SmbTarget *target, GError **error) {
  guint rows = 0, cols = 0, pad = 0, write = 0, read = 1;
  const char *elem = options->elem ? options->elem : "int";
  if (!options->rows || !options->cols)
    return smb_cli_usage_error(error, "a tile needs both --rows and --cols");
  if (!smb_cli_number("--rows", options->rows, 1, SMB_MAX_BLOCK_THREADS, &rows, error) ||
      !smb_cli_number("--cols", options->cols, 1, SMB_MAX_BLOCK_THREADS, &cols, error) ||
      !smb_cli_number("--pad", options->pad, 0, MAX_PAD, &pad, error) ||
      !smb_cli_choice("--write", options->write, SMB_TARGET_ORDERS, &write, error) ||
      !smb_cli_choice("--read", options->read, SMB_TARGET_ORDERS, &read, error))
    return FALSE;
  gsize size = smb_cuda_element_size(elem);
  if (size == 0)
    return smb_cli_usage_error(error,
                               "--elem '%s': expected a type of 1 to 16 bytes that one "
                               "access moves, such as char, int, double, float4",
                               elem);
  set_number(&target->defines, "ROWS", rows);
  set_number(&target->defines, "COLS", cols);
  set_number(&target->defines, "PAD", pad);
  g_autofree char *elem_define = g_strconcat("ELEM=", elem, NULL);
  set_target_value(&target->defines, elem_define);
  set_number(&target->defines, "WRITE_COL", write);
  set_number(&target->defines, "READ_COL", read);
  set_number(&target->defines, "DYNAMIC", options->dynamic != 0);
  if (options->dynamic)
    target->launch.dynamic_bytes = (guint64)rows * (cols + (guint64)pad) * size;
  target->launch.block[0] = cols;
  target->launch.block[1] = rows;
  return TRUE;
}

static gboolean
check_tile_alone(const SmbTargetOptions *options, GError **error) {
  if (options->block || options->dynamic_bytes || options->shape || options->entry ||
      options->instance || options->args || options->buffers)
    return smb_cli_usage_error(error, "--rows and --cols give the block and the memory of a tile: "
                                      "--block, --dynamic-bytes, --shape, --entry, --arg and "
                                      "--buffer are for kernels");
  return TRUE;
}

static gboolean
is_tile(const SmbTargetOptions *options) {
  return options->rows || options->cols || options->pad || options->elem || options->write ||
         options->read || options->dynamic;
}

gboolean
smb_target_is_launch(const SmbTargetOptions *options) {
  return is_tile(options) || options->shape || options->entry || options->instance ||
         options->nvcc || options->triton || options->defines || options->args ||
         options->captured_launch || options->captured_worst || options->buffers ||
         options->block || options->grid || options->cluster || options->dynamic_bytes;
}

gboolean
smb_target_is_named(const SmbTargetOptions *options) {
  return is_tile(options) || options->kernel || options->triton;
}

static void
draft_entry(const SmbCatalogEntry *entry, SmbTarget *target) {
  target->name = g_strdup(entry->name);
  target->shape = g_strdup(entry->shape);
  memcpy(target->launch.block, entry->block, sizeof entry->block);
  memcpy(target->launch.grid, entry->grid, sizeof entry->grid);
  set_values(&target->defines, (const char *const *)entry->defines);
  set_values(&target->args, (const char *const *)entry->args);
  target->entry = g_strdup(entry->entry);
  target->dynamic_bytes = g_strdup(entry->dynamic_bytes);
}

// Finds the catalogue's entry that --kernel, --shape and --block mean.
static SmbSource *
draft_builtin(const SmbTargetOptions *options, SmbTarget *target, GError **error) {
  guint block[3] = {1, 1, 1};
  g_autofree char *expression = NULL; // which chooses no shape
  if (!smb_target_read_block(options, block, &expression, error))
    return NULL;
  g_autoptr(GPtrArray) catalog = smb_catalog_load(error);
  if (!catalog)
    return NULL;
  const SmbCatalogEntry *entry =
      smb_catalog_find(catalog, options->kernel, options->shape,
                       options->block && !expression ? block : NULL, error);
  if (!entry)
    return NULL;
  draft_entry(entry, target);
  return smb_catalog_file(entry->file, error);
}

// The text of FILE; a built-in kernel's name in its place is a likely mistake.
static SmbSource *
load_target_file(const char *file, GError **error) {
  SmbSource *source = smb_input_source(file, error);
  if (source || !error || !g_error_matches(*error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return source;
  g_autoptr(GPtrArray) catalog = smb_catalog_load(NULL);
  if (catalog && smb_catalog_find(catalog, file, NULL, NULL, NULL)) {
    g_autofree char *message = (*error)->message;
    (*error)->message = g_strdup_printf("%s (the built-in kernel is --kernel %s)", message, file);
  }
  return source;
}

static SmbSource *
draft_source(const SmbTargetOptions *options, const char *file, SmbSource *given,
             const SmbArch *arch, SmbTarget *target, GError **error) {
  if (is_tile(options))
    return check_tile_alone(options, error) && draft_tile(options, target, error)
               ? smb_catalog_file("tile.cu", error)
               : NULL;
  if (options->kernel && (options->entry || options->instance)) {
    smb_cli_usage_error(error, "--entry is for a FILE: a built-in kernel has one entry");
    return NULL;
  }
  if (options->kernel)
    return draft_builtin(options, target, error);
  if (options->shape) {
    smb_cli_usage_error(error, "--shape is for the built-in kernels");
    return NULL;
  }
  const char *instance = options->instance;
  g_auto(GStrv) parts = instance ? g_strsplit(instance, "<", 2) : NULL;
  if (instance &&
      (!parts[0] || !parts[1] || (options->entry && strcmp(options->entry, parts[0]) != 0))) {
    smb_cli_usage_error(error, "--instance '%s': expected %s<ARGUMENTS>", instance,
                        options->entry ? options->entry : "NAME");
    return NULL;
  }
  target->entry = g_strdup(instance ? instance : options->entry);
  target->instance = g_strdup(instance);
  target->launch.block[0] = smb_arch_info(arch)->lanes;
  target->assumes_block = !options->block;
  target->assumes_grid = !options->grid;
  return given ? smb_source_ref(given) : load_target_file(file, error);
}

// How the rows of a tile are made: -D may have said otherwise than the options.
static gboolean
find_tile_rows(SmbTarget *target, GError **error) {
  gint64 columns = 0, pad = 0;
  if (!smb_program_evaluate(target->kernel, "COLS", &columns, error) ||
      !smb_program_evaluate(target->kernel, "PAD", &pad, error))
    return FALSE;
  if (columns > 0) {
    target->tile = g_new0(SmbLayout, 1);
    target->tile->element_bytes = smb_program_array(target->kernel, 0)->element_bytes;
    target->tile->columns = (guint64)columns;
    target->tile->pad = (guint64)MAX(pad, 0);
  }
  return TRUE;
}

// What is not known of compiled code, and how its places are shown.
static gboolean
parse_code(const SmbTargetOptions *options, SmbTarget *target, GError **error) {
  static const SmbFrames frames[] = {SMB_FRAMES_LEAF, SMB_FRAMES_OWN, SMB_FRAMES_OUTER};
  guint unknown = 0, frame = 1;
  if (!smb_cli_choice("--unknown", options->unknown, SMB_TARGET_UNKNOWN, &unknown, error) ||
      !smb_cli_choice("--frames", options->frames, SMB_TARGET_FRAMES, &frame, error))
    return FALSE;
  target->launch.skips_unknown = unknown == 1;
  target->frames = frames[frame];
  return TRUE;
}

SmbTarget *
smb_target_begin(const SmbTargetOptions *options, GError **error) {
  g_autoptr(SmbTarget) target = new_target();
  target->arrays = g_strdupv(options->arrays);
  target->files = options->files;
  if (!smb_target_parse_limits(options, &target->options, error) ||
      !parse_code(options, target, error))
    return NULL;
  return g_steal_pointer(&target);
}

static SmbTarget *load_target(const SmbTargetOptions *options, const char *file, SmbSource *given,
                              const SmbTriton *triton, const SmbArch *arch, SmbProgress *progress,
                              GError **error);

// A kernel that Triton compiled is launched as Triton would, unless options say otherwise. A block that the code itself
// names comes first: it has the warps that Triton adds for producers.
static SmbTarget *
make_triton(const SmbTargetOptions *options, const SmbArch *arch, SmbProgress *progress,
            GError **error) {
  g_autoptr(SmbTriton) triton =
      smb_triton_find(options->triton, options->entry, smb_program_cuda_arch(arch) / 10, error);
  if (!triton)
    return NULL;
  SmbTargetOptions adapted = *options;
  adapted.triton = NULL;
  SmbTarget *target = load_target(&adapted, triton->file, NULL, triton, arch, progress, error);
  if (target && target->assumes_block) {
    target->launch.block[0] = triton->threads;
    target->assumes_block = FALSE;
  }
  return target;
}

// Of a @file whose text is not @given, the text is read. @triton: (nullable): whose kernel it is.
static SmbTarget *
load_target(const SmbTargetOptions *options, const char *file, SmbSource *given,
            const SmbTriton *triton, const SmbArch *arch, SmbProgress *progress, GError **error) {
  guint ways = (is_tile(options) != 0) + (options->kernel != NULL) + (options->triton != NULL) +
               (file != NULL);
  if (ways != 1) {
    smb_cli_usage_error(error, ways == 0
                                   ? "nothing to analyse: expected --rows and --cols, --kernel "
                                     "NAME, or a FILE of CUDA C, PTX or machine code"
                               : file && options->kernel
                                   ? "--kernel names a built-in kernel: a kernel of FILE is "
                                     "chosen with --entry NAME"
                                   : "expected one of: a tile (--rows, --cols), --kernel NAME, "
                                     "--triton FOLDER, or a FILE");
    return NULL;
  }
  if (options->triton)
    return make_triton(options, arch, progress, error);
  g_autoptr(SmbTarget) target = smb_target_begin(options, error);
  g_autoptr(SmbSource) source =
      target ? draft_source(options, file, given, arch, target, error) : NULL;
  if (!source || !smb_target_parse_extents(options, target, error) ||
      !smb_cli_number("--max-compile", options->max_compile, 1, G_MAXINT, &target->compile_seconds,
                      error))
    return NULL;
  target->folders = g_strdupv(options->folders);
  target->nvcc = options->text ? NULL : g_strdup(options->nvcc);
  target->as_text = options->as_text;
  target->is_text_only = options->text;
  target->compiles_anew = options->compiles_anew;
  set_values(&target->defines, (const char *const *)options->defines);
  set_values(&target->args, (const char *const *)options->args);
  set_values(&target->buffers, (const char *const *)options->buffers);
  target->launch.memory = options->memory;
  if (triton)
    target->launch.dynamic_bytes = triton->shared_bytes;
  if (options->dynamic_bytes) {
    g_free(target->dynamic_bytes);
    target->dynamic_bytes = g_strdup(options->dynamic_bytes);
  }
  if (!smb_target_finish(target, source, arch, progress, error) ||
      (is_tile(options) && !find_tile_rows(target, error)))
    return NULL;
  return g_steal_pointer(&target);
}

SmbTarget *
smb_target_new(const SmbTargetOptions *options, const char *file, const SmbArch *arch,
               SmbProgress *progress, GError **error) {
  if (smb_captured_is_asked(options, file))
    return smb_captured_open(options, file, arch, progress, error);
  return load_target(options, file, NULL, NULL, arch, progress, error);
}

static SmbTarget *
open_target(SmbCli *cli, const SmbTargetOptions *options, const char *file, GError **error) {
  SmbProgress *progress = smb_cli_progress(cli);
  SmbTargetOptions settled = *options;
  g_autoptr(SmbCapture) capture = NULL;
  if (!smb_captured_settle(cli, &settled, file, &capture, error))
    return NULL;
  g_autoptr(SmbWrittenLaunch) written =
      file && !cli->case_project ? smb_written_launch_find(file, &settled) : NULL;
  g_autoptr(GError) unlike = NULL;
  if (written)
    smb_written_launch_take(written, &settled);
  g_autoptr(SmbTarget) target = smb_target_new(&settled, file, cli->arch, progress, &unlike);
  if (written && g_error_matches(unlike, SMB_ERROR, SMB_ERROR_USAGE)) { // no options say that
    g_clear_pointer(&written, smb_written_launch_free);
    g_clear_error(&unlike);
    target = smb_target_new(options, file, cli->arch, progress, &unlike);
  }
  if (unlike)
    g_propagate_error(error, g_steal_pointer(&unlike));
  if (!target || !smb_files_check(cli->files, error) ||
      !smb_launch_check_arguments(&target->launch, target->kernel, target->assumes_block, error))
    return NULL;
  if (written)
    smb_written_launch_tell(cli, written);
  target->options.progress = progress;
  return g_steal_pointer(&target);
}

static const char *
target_argument(const SmbCli *cli, guint argument) {
  return cli->n_arguments > argument ? cli->arguments[argument] : NULL;
}

SmbTarget *
smb_target_open_file(SmbCli *cli, const char *file, GError **error) {
  return open_target(cli, smb_target_options(), file, error);
}

SmbTarget *
smb_target_open(SmbCli *cli, guint argument, GError **error) {
  return smb_target_open_file(cli, target_argument(cli, argument), error);
}

SmbTarget *
smb_target_open_text(SmbCli *cli, guint argument, GError **error) {
  SmbTargetOptions options = *smb_target_options();
  options.as_text = TRUE;
  return open_target(cli, &options, target_argument(cli, argument), error);
}

SmbAnalysis *
smb_target_analyze(const SmbTarget *target, const SmbArch *arch, GError **error) {
  return smb_analysis_run(target->kernel, arch, &target->launch, &target->options, error);
}

SmbTarget *
smb_target_new_from_source(const SmbTargetOptions *options, SmbSource *source, const SmbArch *arch,
                           GError **error) {
  return load_target(options, smb_source_name(source), source, NULL, arch, NULL, error);
}

SmbTarget *
smb_target_from_catalog(const SmbCatalogEntry *entry, const char *const *defines,
                        const SmbArch *arch, GError **error) {
  g_autoptr(SmbTarget) target = new_target();
  draft_entry(entry, target);
  set_values(&target->defines, defines);
  g_autoptr(SmbSource) source = smb_catalog_file(entry->file, error);
  if (!source || !smb_target_finish(target, source, arch, NULL, error))
    return NULL;
  return g_steal_pointer(&target);
}
