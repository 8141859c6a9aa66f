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

/**
 * smb_key_file_line:
 * @text: what smb_key_file_load() has read
 * @length: its length in bytes
 * @group: a group
 * @key: a key that it has, or lacks
 *
 * Returns: the line of the key, from 1: of several the last, which is the one that counts; of the group, if it has no such key; 1, if there is no such group
 */
guint smb_key_file_line(const char *text, gsize length, const char *group, const char *key);
