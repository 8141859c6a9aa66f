// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// CUDA C through a compiler of this machine: nvcc makes the code of an architecture of it, with the lines that it comes from.
#pragma once

#include <glib.h>

/**
 * SmbCompilation: what is to be compiled.
 * @name: how messages call the file
 * @text: what it holds
 * @length: its bytes
 * @folder: (nullable): where its own #include "…" are looked for
 * @defines, @folders: (nullable) (array zero-terminated=1): -D and -I
 * @flags: (nullable): more of the compiler's options, words as a shell has them; a -arch or -gencode among them wins,
 *   as do -ptx and -cubin
 * @instance: (nullable): "sgemm<128, 8>": an instance of a template that is to be made
 * @architecture: "sm_90"
 * @makes_ptx: make PTX, not machine code
 * @seconds: how long the compiler may take
 * @inputs: (nullable) (element-type utf8): takes the names of the files that the compiler reads, even if it fails
 * @keeps: whether what was made before is taken, and what is made is kept (src/compile/kept.h)
 */
typedef struct {
  const char *name;
  const char *text;
  gsize length;
  const char *folder;
  const char *const *defines;
  const char *const *folders;
  const char *flags;
  const char *instance;
  const char *architecture;
  gboolean makes_ptx;
  guint seconds;
  gboolean keeps;
  GPtrArray *inputs;
} SmbCompilation;

/**
 * SmbCompiled: what became of it.
 * @image: PTX or machine code
 * @command: how the compiler was called, without the names of files: "nvcc -ptx -lineinfo -arch=sm_90"
 * @path: what the lines of @image call the text
 * @instance: (nullable): the instance that was asked for, as a demangler writes it
 * @files: (nullable) (array zero-terminated=1): the other files that were read; %NULL: the compiler does not say
 */
typedef struct {
  GBytes *image;
  char *command;
  char *path;
  char *instance;
  GStrv files;
} SmbCompiled;

/** Seconds that a compiler may take unless the user says otherwise. */
#define SMB_COMPILE_SECONDS 300

/** The variable of the environment that names a compiler in place of those that are looked for; "no": there is none. */
#define SMB_COMPILE_VARIABLE "SMEMBANK_NVCC"

/**
 * smb_compile_find_nvcc:
 *
 * Returns: (transfer full) (nullable): the path of nvcc: $SMEMBANK_NVCC, or what is in $PATH, $CUDA_HOME, $CUDA_PATH or
 *   /usr/local/cuda
 */
char *smb_compile_find_nvcc(void);

/**
 * smb_compile:
 * @nvcc: path of the compiler
 * @error: SMB_ERROR_INPUT: what the compiler says, with its places, or that it took too long; SMB_ERROR_USAGE: flags that a
 *   shell would not take, or a macro that the text defines itself
 *
 * Returns: (transfer full): the code of all kernels of the text
 */
SmbCompiled *smb_compile(const char *nvcc, const SmbCompilation *compilation, GError **error);
void smb_compiled_free(SmbCompiled *compiled);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCompiled, smb_compiled_free)
