// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The one way to read a file that somebody names. Nothing is waited for without end, and nothing is read without end: a
// device is refused, a pipe that stays silent is left, and what is read whole
// (smb_source_read_bytes()) has a largest size.
#pragma once

#include <glib.h>

/** Seconds that a named pipe may have no writer. */
#define SMB_FILE_WRITER_SECONDS 5

/** Seconds that a pipe which has a writer may be silent: what writes there may be a compiler. */
#define SMB_FILE_SILENT_SECONDS 120

/** The variable of the environment that sets both. */
#define SMB_FILE_SECONDS_VARIABLE "SMEMBANK_PIPE_SECONDS"
#define SMB_FILE_MAX_SECONDS      (24 * 60 * 60)

typedef struct _SmbFile SmbFile;

/**
 * smb_file_open:
 * @path: a regular file, a pipe, a terminal, or /dev/null
 * @error: a GFileError that names it: missing, unreadable, a folder; SMB_ERROR_INPUT: another device, or a socket
 *
 * Returns at once: of a pipe it is smb_file_read() that waits.
 *
 * Returns: (transfer full): the file, to be read from its beginning
 */
SmbFile *smb_file_open(const char *path, GError **error);
void smb_file_close(SmbFile *file);

/** Its descriptor, which does not block (transfer none). */
int smb_file_descriptor(const SmbFile *file);

/** Its size in bytes, of a regular file; of another one 0. */
guint64 smb_file_size(const SmbFile *file);

/**
 * smb_file_read:
 * @bytes: most bytes that are read, 1 at least
 * @error: without the file's name: a GFileError; SMB_ERROR_INPUT: a pipe without a writer, or that was silent for too
 *   long
 *
 * Returns: bytes that were read; 0: it has ended; -1: @error is set
 */
gssize smb_file_read(SmbFile *file, void *buffer, gsize bytes, GError **error);

/**
 * smb_file_read_regular:
 * @most: bytes that it may have
 * @length: (out): how many it has
 *
 * For files of our own, and those that are compared: what is no file is passed over, not waited for.
 *
 * Returns: (transfer full) (nullable): its bytes, and a zero after them; %NULL: it is not a regular file, too large,
 * or unreadable
 */
char *smb_file_read_regular(const char *path, gsize most, gsize *length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFile, smb_file_close)
