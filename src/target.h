// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a command works on: a kernel and its launch, from a tile layout, from the catalogue or from a
// file of the user. The options for it are the same for all commands that take one.
#pragma once

#include "sim/analysis.h"
#include "sim/catalog.h"
#include "src/cli.h"

G_BEGIN_DECLS

/** The options as the user typed them; static variables of a command, all %NULL at first. */
typedef struct {
  char *rows, *cols, *pad, *elem, *write, *read;
  gboolean dynamic;
  char *kernel, *shape, *entry;
  char **defines, **args;
  char *block, *grid, *dynamic_bytes;
  char *max_steps, *max_depth, *max_tokens, *max_memory, *max_blocks, *threads;
} SmbTargetOptions;

/** The entries of SmbTargetOptions for GOption; the command adds its own behind them. */
#define SMB_TARGET_ENTRIES(o)                                                                        \
  {"rows", 0, 0, G_OPTION_ARG_STRING, &(o).rows, "rows of a tile", "R"},                             \
      {"cols", 0, 0, G_OPTION_ARG_STRING, &(o).cols, "columns of a tile", "C"},                      \
      {"pad", 0, 0, G_OPTION_ARG_STRING, &(o).pad, "elements added to a row (default 0)", "P"},      \
      {"elem", 0, 0, G_OPTION_ARG_STRING, &(o).elem, "type of an element (default int)", "TYPE"},    \
      {"write", 0, 0, G_OPTION_ARG_STRING, &(o).write, "how it is written: row (default) or col",    \
       "ORDER"},                                                                                     \
      {"read", 0, 0, G_OPTION_ARG_STRING, &(o).read, "how it is read: row or col (default)",         \
       "ORDER"},                                                                                     \
      {"dynamic", 0, 0, G_OPTION_ARG_NONE, &(o).dynamic, "the tile is dynamic shared memory", NULL}, \
      {"kernel",    0,                                                                               \
       0,           G_OPTION_ARG_STRING,                                                             \
       &(o).kernel, "a built-in kernel ('smembank list kernels')",                                   \
       "NAME"},                                                                                      \
      {"shape", 0, 0, G_OPTION_ARG_STRING, &(o).shape, "which shape of it (default: by --block)",    \
       "SHAPE"},                                                                                     \
      {"entry", 0, 0, G_OPTION_ARG_STRING, &(o).entry, "which kernel of a file", "NAME"},            \
      {"define",                                                                                     \
       'D',                                                                                          \
       0,                                                                                            \
       G_OPTION_ARG_STRING_ARRAY,                                                                    \
       &(o).defines,                                                                                 \
       "set a macro; wins over the file's",                                                          \
       "NAME=VALUE"},                                                                                \
      {"arg",       0,                                                                               \
       0,           G_OPTION_ARG_STRING_ARRAY,                                                       \
       &(o).args,   "value of a scalar kernel parameter",                                            \
       "NAME=VALUE"},                                                                                \
      {"block", 0, 0, G_OPTION_ARG_STRING, &(o).block, "threads of a block (default 32)", "X,Y,Z"},  \
      {"grid", 0, 0, G_OPTION_ARG_STRING, &(o).grid, "blocks of the grid (default 1)", "X,Y,Z"},     \
      {"dynamic-bytes",                                                                              \
       0,                                                                                            \
       0,                                                                                            \
       G_OPTION_ARG_STRING,                                                                          \
       &(o).dynamic_bytes,                                                                           \
       "bytes of dynamic shared memory; may be an expression over macros",                           \
       "N"},                                                                                         \
      {"max-steps",                                                                                  \
       0,                                                                                            \
       0,                                                                                            \
       G_OPTION_ARG_STRING,                                                                          \
       &(o).max_steps,                                                                               \
       "statements that a block may execute",                                                        \
       "N"},                                                                                         \
      {"max-depth", 0, 0, G_OPTION_ARG_STRING, &(o).max_depth, "how deep the text may be nested",    \
       "N"},                                                                                         \
      {"max-tokens",                                                                                 \
       0,                                                                                            \
       0,                                                                                            \
       G_OPTION_ARG_STRING,                                                                          \
       &(o).max_tokens,                                                                              \
       "tokens that macros may make of the text",                                                    \
       "N"},                                                                                         \
      {"max-memory",                                                                                 \
       0,                                                                                            \
       0,                                                                                            \
       G_OPTION_ARG_STRING,                                                                          \
       &(o).max_memory,                                                                              \
       "MiB of local arrays and written global memory of a block",                                   \
       "N"},                                                                                         \
      {"max-blocks", 0, 0, G_OPTION_ARG_STRING, &(o).max_blocks, "blocks that may be run", "N"}, {   \
    "threads", 0, 0, G_OPTION_ARG_STRING, &(o).threads,                                              \
        "blocks that are run at once (default: one for each processor)", "N"                         \
  }

/** What the help says of them. */
#define SMB_TARGET_DESCRIPTION                                                                     \
  "What is analysed: a tile (--rows, --cols and its kin), a built-in kernel (--kernel), or a\n"    \
  "FILE of CUDA C."

/**
 * SmbTarget:
 * @kernel: the parsed kernel
 * @name: its name: that of the catalogue, or of the __global__ function
 * @shape: its shape in the catalogue, or %NULL
 * @file: where its text is
 * @defines: the macros that were set, NAME=VALUE, each once
 * @launch: how it is launched; its arguments are owned by the target
 * @options: for smb_analysis_run()
 * @tile_columns: of a tile, the elements of a row without padding; else 0
 * @tile_pad: of a tile, the elements that pad each row
 */
typedef struct {
  SmbProgram *kernel;
  char *name;
  char *shape;
  char *file;
  GStrv defines;
  GStrv args;
  SmbLaunch launch;
  SmbAnalysisOptions options;
  guint64 tile_columns;
  guint64 tile_pad;
} SmbTarget;

/**
 * smb_target_new:
 * @options: as the user typed them
 * @file: (nullable): the argument FILE
 * @arch: the architecture
 * @error: SMB_ERROR_USAGE or SMB_ERROR_INPUT
 *
 * Returns: (transfer full): what the options mean
 */
SmbTarget *smb_target_new(const SmbTargetOptions *options, const char *file, const SmbArch *arch,
                          GError **error);

/** smb_target_new_from_source: as smb_target_new(), for a FILE whose text is @source. */
SmbTarget *smb_target_new_from_source(const SmbTargetOptions *options, SmbSource *source,
                                      const SmbArch *arch, GError **error);

/** smb_target_is_launch: Returns: whether the options say more than which built-in kernel is meant */
gboolean smb_target_is_launch(const SmbTargetOptions *options);

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
 * Returns: (transfer full): @target with another text, launched with the same macros and arguments
 */
SmbTarget *smb_target_with_text(const SmbTarget *target, const char *text, gsize dynamic_bytes,
                                const SmbArch *arch, GError **error);

void smb_target_free(SmbTarget *target);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTarget, smb_target_free)

G_END_DECLS
