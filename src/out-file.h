// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Files that a command writes beside its result: pages, pictures, recordings.
#pragma once

#include <glib.h>

#include "src/spool.h"

G_BEGIN_DECLS

/**
 * smb_out_file_write:
 * @path: the name of a file; a link stays a link, what it points to is written
 * @text: what it is to hold
 * @length: of @text, in bytes
 * @error: a GFileError
 *
 * A regular file is replaced whole, or stays as it was. A device or a pipe is written to: it is never put
 * aside for a file, which root could do.
 */
gboolean smb_out_file_write(const char *path, const char *text, gsize length, GError **error);

/**
 * smb_out_file_save:
 * @spool: what the file is to hold; empty afterwards
 * @length: (out) (nullable): bytes that were written
 *
 * As smb_out_file_write(), or what went wrong while @spool was filled.
 */
gboolean smb_out_file_save(const char *path, SmbSpool *spool, gsize *length, GError **error);

G_END_DECLS
