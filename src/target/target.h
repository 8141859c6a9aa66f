// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a command works on: a kernel and its launch, from a tile layout, from the catalogue or from a
// file of the user. The options for it are the same for all commands that take one.
#pragma once

#include <json-glib/json-glib.h>

#include "sim/analysis/analysis.h"
#include "sim/capture/capture.h"
#include "sim/open/catalog.h"
#include "sim/program/layout.h"
#include "src/cli/cli.h"
#include "src/compile/batch.h"

/** The options as the user typed them; %NULL where nothing was. @as_text is a command's own: SmbTarget.as_text;
 * @files (nullable) (transfer none) takes what is read; @capture, @captured (nullable) (transfer none): the launch of a capture that
 * is meant, once smb_captured_settle() knows it;
 * @captured_as (nullable): what messages and results call the capture;
 * @memory (nullable) (transfer none): SmbLaunch.memory of what is compiled */
typedef struct {
  char *rows, *cols, *pad, *elem, *write, *read;
  gboolean dynamic;
  char *kernel, *shape, *entry, *instance, *nvcc, *triton, *case_name, *project;
  char **defines, **folders, **args, **buffers, **arrays;
  char *block, *grid, *cluster, *dynamic_bytes, *unknown, *frames;
  char *captured_launch;
  gboolean captured_worst;
  char *max_steps, *max_depth, *max_tokens, *max_memory, *max_blocks, *max_compile, *threads;
  gboolean as_text;
  gboolean text, trusts, compiles_anew;
  SmbFiles *files;
  SmbCapture *capture;
  const SmbCaptureLaunch *captured;
  char *captured_as;
  GArray *memory;
} SmbTargetOptions;

/** Values of --write and --read. */
#define SMB_TARGET_ORDERS "row|col"

/** Values of --unknown, and of --frames. */
#define SMB_TARGET_UNKNOWN "error|skip"
#define SMB_TARGET_FRAMES  "leaf|own|outer"

/** The options that name a case, and the file that it stands in: smb_cli_parse() puts its words in front of the user's. */
#define SMB_CASE_OPTION    "case"
#define SMB_PROJECT_OPTION "project"

/** The option that lets files give any option to nvcc. */
#define SMB_TRUST_OPTION "trust"

/** The option that has everything compiled anew, and the one that has nothing compiled. */
#define SMB_NO_CACHE_OPTION "no-cache"
#define SMB_TEXT_OPTION     "text"

/** The options of a command that takes a kernel, for SmbCliUsage.groups. */
extern const SmbCliGroup smb_target_tile_group, smb_target_launch_group, smb_target_limit_group,
    smb_target_compiler_group;

/** And of one that looks at its arrays in shared memory. */
extern const SmbCliGroup smb_target_array_group;
#define SMB_TARGET_GROUPS                                                                          \
  &smb_target_tile_group, &smb_target_launch_group, &smb_target_limit_group,                       \
      &smb_target_compiler_group

/** smb_target_options: Returns: (transfer none): what was typed, after smb_cli_parse() */
const SmbTargetOptions *smb_target_options(void);

/** Has what targets are made of noted in @files (nullable), which has to outlive them. */
void smb_target_note_in(SmbFiles *files);

/** Forgets what was typed, for a program that parses several command lines. */
void smb_target_clear_options(void);

/** What the help says of them. */
#define SMB_TARGET_DESCRIPTION                                                                     \
  "The kernel is a tile (--rows, --cols, --pad, …), a built-in kernel (--kernel), or a FILE of " \
  "CUDA C, PTX or machine code; - reads it from standard input. If FILE is a capture, "            \
  "--launch or --worst chooses a launch."

/** What is said where a FILE is launched without --block. */
#define SMB_TARGET_ASSUMED_BLOCK                                                                   \
  "a block of one warp is assumed: give the kernel's own with --block"

/** Extents of a launch: its block, its grid and its clusters. */
#define SMB_TARGET_EXTENTS 3

/**
 * SmbTarget:
 * @kernel: the parsed kernel
 * @name: its name: that of the catalogue, or of the __global__ function
 * @shape: its shape in the catalogue, or %NULL
 * @file: where its text is
 * @entry: the function of the text that is meant, or %NULL if it has one
 * @dynamic_bytes: (nullable): the expression that gives the dynamic shared memory, where no number does
 * @extents: (nullable): the expressions that give block, grid and cluster, where numbers do not
 * @nvcc: (nullable): options of the compiler, if it is to be compiled in any case
 * @as_text: whether it is read as it is, though there are options of a compiler, if the kernel language has it
 * @is_text_only: whether no compiler is asked, for itself or beside it
 * @compares_values: whether what it computes is compared, so that machine code of it gets all contents that the text has
 * @instance: (nullable): the instance of a template that is meant
 * @compile_seconds: how long a compiler may take; 0: as long as it may by default
 * @compiles_anew: whether it is compiled though it was before
 * @batch: (nullable) (transfer none): forms of a text that are compiled together; @form: which of them this is
 * @compiled: (nullable): how it was compiled; %NULL: it was read as it is
 * @folders: where included files are looked for, or %NULL
 * @defines: the macros that were set, NAME=VALUE, each once
 * @args, @buffers: as they were given, each name once
 * @arrays: names and shapes of arrays, as they were given, or %NULL
 * @frames: which of the places that an instruction is inlined through is shown
 * @launch: how it is launched; its arguments and buffers are owned by the target
 * @options: for smb_analysis_run()
 * @assumes_block, @assumes_grid: whether it is a FILE whose block or grid was not given
 * @tile: how the array of a tile lies, or %NULL of what is no tile
 * @capture: (nullable): the capture that the launch is of; @captured: which of its launches; @loaded: what that was given
 * @files: (nullable) (transfer none): takes what it is made of, and whatever is read for it later
 * @merged_launch: (nullable): of a whole that was merged: what its parts say of their launch of a capture
 */
typedef struct {
  SmbProgram *kernel;
  char *name;
  char *shape;
  char *file;
  char *entry;
  char *dynamic_bytes;
  char *extents[SMB_TARGET_EXTENTS];
  char *nvcc;
  gboolean as_text;
  gboolean is_text_only;
  gboolean compares_values;
  char *instance;
  guint compile_seconds;
  gboolean compiles_anew;
  SmbBatch *batch;
  guint form;
  char *compiled;
  GStrv folders;
  GStrv defines;
  GStrv args;
  GStrv buffers;
  GStrv arrays;
  SmbFrames frames;
  SmbLaunch launch;
  gboolean assumes_block;
  gboolean assumes_grid;
  SmbAnalysisOptions options;
  SmbLayout *tile;
  SmbCapture *capture;
  const SmbCaptureLaunch *captured;
  SmbCaptureLoaded *loaded;
  SmbFiles *files;
  JsonNode *merged_launch;
} SmbTarget;

/**
 * smb_target_new:
 * @options: as the user typed them
 * @file: (nullable): the argument FILE
 * @arch: the architecture
 * @progress: (nullable): of reading it
 * @error: SMB_ERROR_USAGE or SMB_ERROR_INPUT
 *
 * Returns: (transfer full): what the options mean
 */
SmbTarget *smb_target_new(const SmbTargetOptions *options, const char *file, const SmbArch *arch,
                          SmbProgress *progress, GError **error);

/**
 * smb_target_open:
 * @argument: index of the argument FILE, which may be absent
 * @error: as of smb_target_new() and smb_files_check()
 *
 * Returns: (transfer full): what the command line of @cli means; running it shows its progress
 */
SmbTarget *smb_target_open(SmbCli *cli, guint argument, GError **error);

/** smb_target_open_file: as smb_target_open(), of a file that is no argument; @file: (nullable) */
SmbTarget *smb_target_open_file(SmbCli *cli, const char *file, GError **error);

/** smb_target_open_text: as smb_target_open(), but a file that the kernel language has is read as it is, even if there are
 * options of a compiler, which smb_target_compile() takes */
SmbTarget *smb_target_open_text(SmbCli *cli, guint argument, GError **error);

/** smb_target_analyze: Returns: (transfer full) (nullable): the analysis of the target's launch, with its options */
SmbAnalysis *smb_target_analyze(const SmbTarget *target, const SmbArch *arch, GError **error);

/** smb_target_new_from_source: as smb_target_new(), for a FILE whose text is @source. */
SmbTarget *smb_target_new_from_source(const SmbTargetOptions *options, SmbSource *source,
                                      const SmbArch *arch, GError **error);

/** Has @number of a capture in the place of --launch and --worst, from then on. */
void smb_target_choose_launch(guint64 number);

/** smb_target_take_capture: FILE is a capture from now on, called @name, which options for a compiler have been used for. */
void smb_target_take_capture(const char *name);

/** smb_target_take_launch: FILE is launched as @launch from then on. @kernel: its name, with the arguments of a template; @args, @buffers:
 * as the options take them; @memory: (nullable) (transfer none): SmbTargetOptions.memory */
void smb_target_take_launch(const SmbCaptureLaunch *launch, const char *kernel, GStrv args,
                            GStrv buffers, GArray *memory);

/** smb_target_is_launch: Returns: whether the options say more than which built-in kernel is meant */
gboolean smb_target_is_launch(const SmbTargetOptions *options);

/** smb_target_is_named: Returns: whether the options say which kernel is meant, without a FILE */
gboolean smb_target_is_named(const SmbTargetOptions *options);

/** smb_target_parse_limits: reads the options that are limits (--max-steps and its kin) into @limits */
gboolean smb_target_parse_limits(const SmbTargetOptions *options, SmbAnalysisOptions *limits,
                                 GError **error);

/** smb_target_from_catalog: as smb_target_new(), for an entry of the catalogue with more @defines. */
SmbTarget *smb_target_from_catalog(const SmbCatalogEntry *entry, const char *const *defines,
                                   const SmbArch *arch, GError **error);

/**
 * smb_target_with_text:
 * @text: takes the place of the kernel's text; messages call it by the same name
 * @dynamic_bytes: dynamic shared memory of its launch
 * @error: SMB_ERROR_INPUT
 *
 * If @target has buffers in words only, these are read anew.
 *
 * Returns: (transfer full): @target with another text, launched with the same macros and arguments
 */
SmbTarget *smb_target_with_text(const SmbTarget *target, const char *text, gsize dynamic_bytes,
                                const SmbArch *arch, GError **error);

/** smb_target_with_code: @target: a kernel of the kernel language; @code: compiled code of it. Returns: (transfer full): it, launched as
 * smb_target_compile() does */
SmbTarget *smb_target_with_code(const SmbTarget *target, SmbSource *code, const SmbArch *arch,
                                GError **error);

/**
 * smb_target_compile:
 * @target: a kernel of the kernel language
 * @text: (nullable): takes the place of its text; %NULL: that itself
 * @dynamic_bytes: dynamic shared memory of its launch
 * @error: as smb_compile_read()
 *
 * Returns: (transfer full): @target through a compiler, launched alike: with the same arguments, and buffers of the same
 *   contents, by the numbers of the parameters
 */
SmbTarget *smb_target_compile(const SmbTarget *target, const char *text, gsize dynamic_bytes,
                              const SmbArch *arch, GError **error);

/**
 * smb_target_compile_form:
 * @target: a kernel of the kernel language, or compiled from a file of CUDA C
 * @batch: forms of its text that are compiled together; must outlive the result
 * @form: which of them takes the place of the text
 *
 * Returns: (transfer full): as smb_target_compile(), or smb_target_with_text() of what is compiled already
 */
SmbTarget *smb_target_compile_form(const SmbTarget *target, SmbBatch *batch, guint form,
                                   gsize dynamic_bytes, const SmbArch *arch, GError **error);

void smb_target_free(SmbTarget *target);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTarget, smb_target_free)
