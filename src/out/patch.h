// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What changed in a text, as a unified diff, which patch -p1 and git apply take.
#pragma once

#include <glib.h>

/**
 * smb_patch_new:
 * @path: the file, as the user names it; in the patch it is relative to the current folder, or to / if it is not below that
 * @before, @after: its text
 *
 * Returns: (transfer full): the patch; "" if nothing changed
 */
char *smb_patch_new(const char *path, const char *before, const char *after);
