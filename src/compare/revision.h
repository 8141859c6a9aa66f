// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Revisions of the git repository that the current folder is in, each put into a folder of its own: the whole tree, so that
// a kernel finds what it includes. Neither the repository nor its working tree is changed. Submodules are not put there.
#pragma once

#include "src/compile/workshop.h"

/**
 * SmbRepository:
 * @top: of its working tree, an absolute path
 * @below: the current folder, seen from @top: "src/kernels/", or ""
 * @above: @top, seen from the current folder: "../../", or ""
 */
typedef struct {
  SmbWorkshop *workshop;
  char *top;
  char *below;
  char *above;
} SmbRepository;

/**
 * smb_repository_open:
 * @error: SMB_ERROR_INPUT: there is no git; SMB_ERROR_USAGE: this folder is in no working tree; a file error
 *
 * Returns: (transfer full): the repository of the current folder; what was put into folders goes with it
 */
SmbRepository *smb_repository_open(GError **error);
void smb_repository_free(SmbRepository *repository);

/**
 * smb_repository_range:
 * @range: "A..B"; "A...B": from where the two parted to B; "A": from A to the working tree. HEAD is what is left out
 * @names: (out) (array fixed-size=2) (transfer full): what the two are called; the second one is %NULL for the working tree
 * @error: SMB_ERROR_USAGE: no such revision
 */
gboolean smb_repository_range(SmbRepository *repository, const char *range, char *names[2],
                              GError **error);

/**
 * smb_repository_put:
 * @name: of a revision
 * @number: of its folder, another one for each
 * @error: SMB_ERROR_INPUT: what git says
 *
 * Returns: (transfer full): an absolute path: what @top is in the revision
 */
char *smb_repository_put(SmbRepository *repository, const char *name, guint number, GError **error);

/**
 * smb_repository_find:
 * @path: of a file, as the user typed it
 * @error: SMB_ERROR_USAGE: it is outside the repository
 *
 * Returns: (transfer full): the file seen from @top
 */
char *smb_repository_find(const SmbRepository *repository, const char *path, GError **error);

/** smb_repository_see: @path: of a file, seen from @top. Returns: (transfer full): it, seen from the current folder */
char *smb_repository_see(const SmbRepository *repository, const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRepository, smb_repository_free)
