// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The command lines by which versions are counted: a process of analyze for a kernel, one of check for all cases of a project. The
// options of the user's own line are theirs.
#pragma once

#include "src/compare/revision.h"
#include "src/compare/version.h"

/** The options that say what is compared, apart from files; a list for SmbCliUsage.groups. */
extern const SmbCliGroup *const smb_compare_groups[];

/** smb_version_of_file: @cli: after smb_cli_parse(); @version: (out): the result, or the kernel, that the file holds */
void smb_version_of_file(const SmbCli *cli, const char *path, SmbVersion *version);

/**
 * smb_version_of_revision:
 * @name: (nullable): of the revision; %NULL: the working tree
 * @number: as of smb_repository_put()
 * @file: (nullable): of the kernel, as the user typed it
 * @version: (out): to be cleared in any case
 * @error: as smb_repository_put(); SMB_ERROR_USAGE, SMB_ERROR_INPUT: there is no such case
 *
 * A case is that of the revision's own project file. If it has none such, or the text of the kernel says nothing of its launch, that
 * of the working tree is taken.
 */
gboolean smb_version_of_revision(const SmbCli *cli, SmbRepository *repository, const char *name,
                                 guint number, const char *file, SmbVersion *version,
                                 GError **error);

/** smb_compare_find_option: @project: whether --project is one. Returns: (transfer full) (nullable): the first option that was given */
char *smb_compare_find_option(const SmbCli *cli, gboolean project);

/** smb_compare_is_of_kernel: Returns: whether the options name a kernel */
gboolean smb_compare_is_of_kernel(void);
