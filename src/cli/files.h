// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The files of a command: all that it reads, and all that it writes. No result is written over a file that was read, or over
// another result. What is read is noted as it becomes known, by whatever way: named on the command line, in a project file or in
// a cubin, included by a text, or by what a compiler made of it, or read by another process that works for this one.
#pragma once

#include "src/out/file.h"

typedef struct _SmbFiles SmbFiles;

/** smb_files_new: Returns: (transfer full): no file yet */
SmbFiles *smb_files_new(void);
void smb_files_free(SmbFiles *files);

/** Notes a file that is read. Names of no file are ignored. @files, @path: (nullable). Any thread may call it. */
void smb_files_read(SmbFiles *files, const char *path);

/** Notes several (nullable) (array zero-terminated=1). */
void smb_files_read_all(SmbFiles *files, const char *const *paths);

/**
 * smb_files_match:
 * @message: of an error
 *
 * Returns: bytes of the longest name of a file that was read with which @message begins, as messages show names; 0: with none
 */
gsize smb_files_match(SmbFiles *files, const char *message);

/**
 * smb_files_open:
 * @option: what names the file on the command line: "--out"
 * @error: as smb_out_file_new() and smb_files_check()
 *
 * To be asked before the work whose result goes there.
 *
 * Returns: (transfer none): a file that the command will write
 */
const SmbOutFile *smb_files_open(SmbFiles *files, const char *option, const char *path,
                                 GError **error);

/**
 * smb_files_check:
 * @error: SMB_ERROR_USAGE: which file would be overwritten, and by what
 *
 * Returns: whether every result has a file of its own, by what is known now
 */
gboolean smb_files_check(SmbFiles *files, GError **error);

/** smb_files_write, smb_files_save: as smb_out_file_write() and smb_out_file_save(), once smb_files_check() finds nothing: what
 * was read last, a compiler's headers, is known then. */
gboolean smb_files_write(SmbFiles *files, const SmbOutFile *file, const char *text, gsize length,
                         GError **error);
gboolean smb_files_save(SmbFiles *files, const SmbOutFile *file, SmbSpool *spool, gsize *length,
                        GError **error);

/** Tells the process that started this one, if that asked for it, what was read (smb_files_take()). */
void smb_files_tell(SmbFiles *files, int fd);

/** The variable that asks for it, and its value. */
#define SMB_FILES_VARIABLE "SMEMBANK_TELL_FILES"
#define SMB_FILES_ASKED    "1"

/**
 * smb_files_take:
 * @text: what a process wrote to standard error; what smb_files_tell() wrote is taken out
 * @folder: (nullable): where it ran; %NULL: here
 *
 * Returns: (transfer full): the files that it read
 */
GStrv smb_files_take(GString *text, const char *folder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFiles, smb_files_free)
