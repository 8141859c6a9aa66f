// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Files that the program brings along: beside it in the build tree, in a folder of their own once installed, which may have been moved
// as a whole, as a wheel's.
#pragma once

#include <glib.h>

/**
 * SmbCompanion:
 * @variable: of the environment: the file, or the folder that has it, in place of those that are looked in
 * @built: its folder in the build tree
 * @installed: its folder below $(pkglibdir); "" for that one
 * @file: its name
 */
typedef struct {
  const char *variable;
  const char *built;
  const char *installed;
  const char *file;
} SmbCompanion;

/** What `smembank run` puts in the place of CUDA's runtime: the other libraries lie beside this one. */
extern const SmbCompanion smb_companion_runtime;

/** What the driver loads into applications that `smembank capture` records. */
extern const SmbCompanion smb_companion_recorder;

/** smb_companion_find: Returns: (transfer full) (nullable): its path; %NULL: it is nowhere */
char *smb_companion_find(const SmbCompanion *companion);

/** smb_companion_missing: Returns: (transfer full): that it is nowhere, and where it was looked for */
char *smb_companion_missing(const SmbCompanion *companion);
