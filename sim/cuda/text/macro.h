// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The preprocessor of the kernel language: object-like and function-like macros, conditionals on
// integer expressions, #include of system headers ignored. A definition from the command line wins
// over the file's. Private to the kernel language.
#pragma once

#include "sim/cuda/text/lex.h"

typedef struct _KernelMacros KernelMacros;

// A table with the macros that are always there: __CUDACC__, and __CUDA_ARCH__ of @cuda_arch; of another vendor's device
// (@cuda_arch 0), those of HIP for its waves of @lanes and, unless it is NULL, its @processor, such as gfx942.
// @source: a whole, to which the files that it includes are added; they are looked for in @folders
KernelMacros *smb_kernel_macros_new(KernelPool *pool, SmbSource *source, const char *const *folders,
                                    guint max_tokens, guint cuda_arch, guint lanes,
                                    const char *processor);
void smb_kernel_macros_free(KernelMacros *macros);

// Defines what HIP calls otherwise than CUDA; once, however often it is called (hip.c).
gboolean smb_kernel_macros_add_hip(KernelMacros *macros, GError **error);
// Whether that was done: the file is HIP.
gboolean smb_kernel_macros_is_hip(const KernelMacros *macros);

// Takes a definition NAME=VALUE or NAME (then 1) from the command line.
gboolean smb_kernel_macros_define(KernelMacros *macros, const char *definition, GError **error);

// Runs the directives and expands the macros of a token list: what remains is the program.
Token *smb_kernel_macros_run(KernelMacros *macros, Token *tokens, GError **error);

// Value of an integer expression over the macros, such as (32 + IPAD) * 4. May run in several threads.
gboolean smb_kernel_macros_evaluate(const KernelMacros *macros, const char *expression,
                                    gint64 *value, GError **error);

// What keeps a macro of that name out of the subset ("#", "##", "..."), or NULL. Such a macro may be
// defined, since the host's part of a file may use it; it is not expanded.
const char *smb_kernel_macros_outside(KernelMacros *macros, const char *name);

// Whether a #pragma pack, which is not read, may change how structures are laid out.
gboolean smb_kernel_macros_packs(const KernelMacros *macros);

// A file that was included, and the directive that did.
typedef struct {
  Stretch directive;
  guint32 base; // of its offsets
  const SmbSource *source;
} Include;

// All of them, in the order in which they were read (Include).
const GArray *smb_kernel_macros_includes(const KernelMacros *macros);

// Splits and runs the file itself.
Token *smb_kernel_macros_run_file(KernelMacros *macros, GError **error);

// Stretches of the file that define or undefine a macro of the command line: what wins here and would
// not win in a compiler.
const GArray *smb_kernel_macros_overruled(const KernelMacros *macros);

// Whether a definition of the command line was neither used nor met in the file.
gboolean smb_kernel_macros_is_unused(KernelMacros *macros, const char *name);
