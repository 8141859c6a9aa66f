// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The files that a command writes in addition to its result: pages, pictures, kernels, recordings. This is the one
// place that writes them: none is left half written. What else a command reads is known to src/cli/files.h.
#pragma once

#include <glib.h>

#include "src/out/spool.h"

/** Seconds that a pipe which is written to may have no reader. */
#define SMB_OUT_FILE_READER_SECONDS 5

typedef struct _SmbOutFile SmbOutFile;

/**
 * smb_out_file_new:
 * @option: what names the file on the command line, for messages: "--out"
 * @path: its name. A symbolic link stays a link: the file that it names is written, and made if it is not there
 * @error: a GFileError if it cannot be written: a folder, a read-only file, a folder that takes no files
 *
 * To be asked before the work whose result goes there. Nothing is written yet.
 *
 * Returns: (transfer full): the file
 */
SmbOutFile *smb_out_file_new(const char *option, const char *path, GError **error);
void smb_out_file_free(SmbOutFile *file);

/** smb_out_file_path: Returns: (transfer none): the name that the user gave */
const char *smb_out_file_path(const SmbOutFile *file);

/**
 * smb_out_file_protect:
 * @input: a file that the command reads; a name of no file is ignored
 * @error: SMB_ERROR_USAGE if it is @file, by whatever name
 *
 * Returns: whether the output is another file
 */
gboolean smb_out_file_protect(const SmbOutFile *file, const char *input, GError **error);

/** As smb_out_file_protect(): whether @other, which is written as well, is another file. Both may be none yet. */
gboolean smb_out_file_check_other(const SmbOutFile *file, const SmbOutFile *other, GError **error);

/** As smb_out_file_protect(): whether neither standard output nor standard error goes to @file, unless it is named
 * "/dev/stdout", say. */
gboolean smb_out_file_check_streams(const SmbOutFile *file, GError **error);

/**
 * smb_out_file_write:
 * @text: what it is to hold
 * @length: of @text, in bytes
 * @error: a GFileError
 *
 * A regular file is replaced whole and keeps its mode, or stays as it was. A device or a pipe is written to,
 * if somebody reads from it.
 */
gboolean smb_out_file_write(const SmbOutFile *file, const char *text, gsize length, GError **error);

/**
 * smb_out_file_save:
 * @spool: what the file is to hold; empty afterwards
 * @length: (out) (nullable): bytes that were written
 *
 * As smb_out_file_write(), or what went wrong while @spool was filled.
 */
gboolean smb_out_file_save(const SmbOutFile *file, SmbSpool *spool, gsize *length, GError **error);

/** Waits until no file is being replaced, for a thread that is about to end the program; none will be after that. */
void smb_out_file_wait(void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbOutFile, smb_out_file_free)
