// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How nvcc is called. nvcc hands most of its words to a shell, with quotes around them that are not enough, and what it escapes
// differs by version. So it is given no word of a user's or of a file's that a shell could take apart: macros and folders go
// into a file of words for the preprocessor (gcc and clang read @FILE), in which every character is quoted.
#pragma once

#include "src/compile/compile.h"
#include "src/compile/flags.h"

/**
 * SmbCall: one call of nvcc.
 * @nvcc: (array zero-terminated=1): what nvcc is given, but for its files
 * @host: (array zero-terminated=1): what the preprocessor is given: "-DN=4", with the values that the text is to see
 * @command: what a user would write in a shell: "nvcc -cubin -lineinfo -arch=sm_90 -DN=4"
 * @defines_late: whether macros are defined after CUDA's own headers, which nvcc includes first. As -D they come before these; a
 *   macro T breaks them then, for it is the name of parameters there
 */
typedef struct {
  GStrv nvcc;
  GStrv host;
  char *command;
  gboolean defines_late;
} SmbCall;

/**
 * smb_call_new:
 * @flags: of @compilation
 * @suffix: (nullable): of the architecture: "a"
 * @error: SMB_ERROR_USAGE if a macro or folder has a line break
 *
 * Returns: (transfer full): the call that compiles it
 */
SmbCall *smb_call_new(const SmbCompilation *compilation, const SmbFlags *flags, const char *suffix,
                      GError **error);
void smb_call_free(SmbCall *call);

/** smb_call_has_macros: Returns: whether a macro is defined, or what CUDA's headers define is not to be */
gboolean smb_call_has_macros(const SmbCall *call);

/**
 * smb_call_write:
 * @folder: where files may be written, and nvcc writes; no part of it may mean anything to a shell
 * @inputs: (nullable): the file that takes the names of all files that are read, as a rule of make
 * @error: a file error; SMB_ERROR_INPUT if @folder is not such
 *
 * Returns: (transfer full): the words of the call: @program, which compiles @text to @image
 */
GStrv smb_call_write(const SmbCall *call, const char *program, const char *folder,
                     const char *inputs, const char *text, const char *image, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCall, smb_call_free)
