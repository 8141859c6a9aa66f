// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Compilations that are kept. A key says what is compiled, with which options, and by what; what is kept under it says which
// files were read, and is taken if these are still the same. Only what is understood is kept: no options that name programs or
// files that are not known to be read.
#pragma once

#include "src/compile/call.h"
#include "src/compile/compile.h"

/** SmbKept: where the result of a call is, or is to be kept. */
typedef struct _SmbKept SmbKept;

/**
 * smb_kept_new:
 * @nvcc: path of the compiler
 *
 * Returns: (transfer full) (nullable): the place for the result of @call; %NULL: it is not kept
 */
SmbKept *smb_kept_new(const char *nvcc, const SmbCompilation *compilation, const SmbFlags *flags,
                      const SmbCall *call);
void smb_kept_free(SmbKept *kept);

/** smb_kept_new_program: @words: of the compiler, but for those that name where it writes; @flags: those of the user among them.
 * Returns: (transfer full) (nullable): the place for the program that it links, as an SmbCompiled.image; %NULL: it is not kept */
SmbKept *smb_kept_new_program(const char *nvcc, const char *const *words, const SmbFlags *flags);

/** smb_kept_find: Returns: (transfer full) (nullable): what the call would make; %NULL: that is not known */
SmbCompiled *smb_kept_find(const SmbKept *kept);

/**
 * smb_kept_add:
 * @files: (nullable): what the compilation has read; %NULL: that is not known
 * @since: when it began, as of smb_inputs_now()
 *
 * Keeps what the call made.
 */
void smb_kept_add(const SmbKept *kept, const SmbCompiled *compiled, const char *const *files,
                  gint64 since);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbKept, smb_kept_free)
