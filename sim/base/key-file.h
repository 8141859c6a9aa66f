// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads .ini files, and says in which line one is broken: GLib's reader does not.
#pragma once

#include <glib.h>

/**
 * smb_key_file_load:
 * @name: how messages call the file
 * @text: its text
 * @length: its length in bytes
 * @error: SMB_ERROR_INPUT, "NAME:LINE: reason"
 *
 * Returns: (transfer full): its groups and keys
 */
GKeyFile *smb_key_file_load(const char *name, const char *text, gsize length, GError **error);
