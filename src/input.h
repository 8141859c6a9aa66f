// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Files that a command reads as a stream.
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * smb_input_open:
 * @path: a file, or "-" for standard input
 * @error: a GFileError that names the file: missing, unreadable, a folder
 *
 * Returns: (transfer full): a stream to be read once
 */
GInputStream *smb_input_open(const char *path, GError **error);

/** smb_input_name: how messages call it: the path, or "stdin" (transfer none) */
const char *smb_input_name(const char *path);

G_END_DECLS
