// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A program of any source: CUDA C that the kernel language does not have goes through a compiler.
#pragma once

#include "sim/base/progress.h"
#include "sim/program/program.h"
#include "src/compile/batch.h"

/**
 * SmbCompileOptions: how CUDA C is compiled.
 * @flags: (nullable): of --nvcc: compile in any case, with these options; %NULL: compile what the kernel language refuses
 * @as_text: whether a text that the kernel language has is read as it is, though there are @flags, unless these set macros
 * @never: whether what the kernel language refuses is refused, without @flags
 * @instance: (nullable): which instance of a template is meant
 * @seconds: how long a compiler may take; 0: SMB_COMPILE_SECONDS
 * @inputs: (nullable) (element-type utf8): takes the names of the files that a compiler reads, even if it fails
 * @compiles_anew: whether nothing that was compiled before is taken, nor kept
 * @progress: (nullable): says so while a compiler works
 * @batch: (nullable): forms of the text that are compiled by one call; @form: which of them the text is
 */
typedef struct {
  const char *flags;
  gboolean as_text;
  gboolean never;
  const char *instance;
  guint seconds;
  gboolean compiles_anew;
  SmbProgress *progress;
  GPtrArray *inputs;
  SmbBatch *batch;
  guint form;
} SmbCompileOptions;

/** Whether compilers make code for an architecture. */
gboolean smb_compile_is_for(const SmbArch *arch);

/**
 * smb_compile_read:
 * @reading: for smb_program_read()
 * @command: (out) (transfer full): how it was compiled, as of SmbCompiled; %NULL: it was not
 * @error: as of smb_program_read(); of a text that the kernel language refuses, and a compiler, too, what both say; without
 *   a compiler, how to get one's code
 *
 * Returns: (transfer full): the kernel
 */
SmbProgram *smb_compile_read(SmbSource *source, const SmbArch *arch,
                             const SmbCompileOptions *options, const SmbProgramOptions *reading,
                             char **command, GError **error);
