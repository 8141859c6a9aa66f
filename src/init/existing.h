// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A project file that is there already: what it says stays, to the letter, and the sections that it lacks are added at its end.
#pragma once

#include "src/init/section.h"

/**
 * SmbExisting:
 * @path: the file
 * @text: what it has
 * @arch: what it is counted for
 */
typedef struct {
  char *path;
  char *text;
  char *arch;
} SmbExisting;

/** smb_existing_load: Returns: (transfer full): what is there; @error: a file error, or SMB_ERROR_INPUT: it is no project file */
SmbExisting *smb_existing_load(const char *path, GError **error);
void smb_existing_free(SmbExisting *existing);

/**
 * SmbAdded:
 * @text: the project file with what was added
 * @n: how many sections were added
 * @n_open: how many of them have something to be filled in
 * @n_there: how many were there
 * @gone: (nullable): the names of sections whose kernel their file no longer has, with commas between
 */
typedef struct {
  char *text;
  guint n;
  guint n_open;
  guint n_there;
  char *gone;
} SmbAdded;

/**
 * smb_existing_add:
 *
 * A section is there if one says all that it says, or has its name and is of the same kernel: then it was edited.
 *
 * Returns: (transfer full): what is there and the rest of @sections; %NULL with an error: as smb_project_new_from_data()
 */
SmbAdded *smb_existing_add(const SmbExisting *existing, SmbSections *sections, GError **error);
void smb_added_free(SmbAdded *added);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbExisting, smb_existing_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbAdded, smb_added_free)
