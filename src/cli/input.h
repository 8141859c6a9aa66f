// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The files that a command reads, standard input among them.
#pragma once

#include <gio/gio.h>

#include "sim/base/progress.h"
#include "sim/base/source.h"

/**
 * smb_input_open:
 * @path: a file, or "-" for standard input
 * @error: as smb_file_open(); what is read from the stream later fails as smb_file_read()
 *
 * Returns: (transfer full): a stream to be read once
 */
GInputStream *smb_input_open(const char *path, GError **error);

/**
 * smb_input_source:
 * @path: a file, or "-" for standard input
 * @error: as smb_source_load()
 *
 * Returns: (transfer full): the text of a kernel
 */
SmbSource *smb_input_source(const char *path, GError **error);

/** smb_input_name: how messages call it: the path, or "stdin" (transfer none) */
const char *smb_input_name(const char *path);

/**
 * smb_input_begin:
 * @stream: of smb_input_open(); not read yet
 * @progress: (nullable)
 * @what: what smb_input_advance() counts, as in SmbProgress
 *
 * Begins the task of reading a stream: in bytes if it is a file, whose length is known, in @what otherwise.
 */
void smb_input_begin(GInputStream *stream, SmbProgress *progress, const char *what);

/** @n more were read of what smb_input_begin() named; @progress: (nullable) */
void smb_input_advance(GInputStream *stream, SmbProgress *progress, guint64 n);
