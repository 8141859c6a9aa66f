// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A program that nvcc makes of texts, to be run without a GPU. It is kept, as other compilations are.
#pragma once

#include "sim/arch/arch.h"
#include "src/compile/workshop.h"

/**
 * SmbRunText:
 * @arguments: (array zero-terminated=1): FILE.cu… [-- ARGUMENTS], or -- COMMAND…
 * @arch: what it is compiled for
 * @features: 'a' or 'f': with what only this chip or its family has; 0: with it if it cannot be compiled without
 * @nvcc: (nullable): more options of the compiler
 * @seconds: how long that may take; 0: as long as it may by default
 * @keeps: whether a program that was made before is taken, and what is made is kept (src/compile/kept.h)
 * @n_files: for smb_run_words()
 */
typedef struct {
  const char *const *arguments;
  const SmbArch *arch;
  char features;
  const char *nvcc;
  guint seconds;
  gboolean keeps;
  guint n_files;
} SmbRunText;

/**
 * smb_run_build:
 * @text: with how many of its arguments are texts, one at least
 * @workshop: where the compiler works
 * @program: path of what is made
 * @error: SMB_ERROR_INPUT: it cannot be compiled; SMB_ERROR_USAGE: flags that a shell would not take
 */
gboolean smb_run_build(const SmbRunText *text, SmbWorkshop *workshop, const char *program,
                       GError **error);
