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
 * smb_existing_match:
 * @sections: those that are there are marked so, and the others get names that no section has
 * @gone: (out) (transfer full) (nullable): the names of sections whose kernel their file no longer has, with commas between
 * @error: as smb_project_new_from_data()
 *
 * A section is there if one says all that it says, or has its name and is of the same kernel: then it was edited. One that names no kernel
 * is of the only one of its file.
 */
gboolean smb_existing_match(const SmbExisting *existing, SmbSections *sections, char **gone,
                            GError **error);

/** smb_existing_write: Returns: (transfer full): what is there, and the rest of @sections */
char *smb_existing_write(const SmbExisting *existing, const SmbSections *sections);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbExisting, smb_existing_free)
