// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The two versions that are compared: results in files, or what processes of this program count.
#pragma once

#include "src/cli/cli.h"
#include "src/compare/result.h"

/**
 * SmbVersion:
 * @name: what it is called: a file, a revision
 * @words: (nullable): of the command that writes its result as JSON; %NULL: its result is in the file @name
 * @folder: (nullable): where that runs; %NULL: in the current folder
 * @top, @above: (nullable): @folder is in @top, which is called @above in what is written
 */
typedef struct {
  char *name;
  GStrv words;
  char *folder;
  char *top;
  char *above;
} SmbVersion;

void smb_version_clear(SmbVersion *version);

/** smb_version_is_result: Returns: whether a file holds a result, and not a kernel. It need not be there */
gboolean smb_version_is_result(const char *path);

/**
 * smb_versions_read:
 * @messages: takes what is said of the new one
 * @files: (nullable): takes what is read
 * @results: (out) (array fixed-size=2) (transfer full)
 * @error: as smb_result_read(); that of the process, with its name if several have the same files
 */
gboolean smb_versions_read(const SmbVersion versions[2], SmbSpool *messages, SmbFiles *files,
                           SmbProgress *progress, SmbResult *results[2], GError **error);
