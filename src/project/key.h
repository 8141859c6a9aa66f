// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What can be said of a case: the long options that say which kernel it is, how it is launched and what it may cost. Their
// names are the keys of a project file.
#pragma once

#include <glib.h>

/** The key that names the kernel's file, which is an argument and no option of the commands. */
#define SMB_KEY_FILE "file"

/** The key that gives options to nvcc. */
#define SMB_KEY_NVCC "nvcc"

/** smb_key_find: Returns: (transfer none) (nullable): the option of that name; %NULL: a case has none such */
const GOptionEntry *smb_key_find(const char *name);

/** smb_key_names: Returns: (transfer full): all keys, for suggestions */
GStrv smb_key_names(void);

/**
 * smb_key_list_of_source: Returns: (transfer full) (element-type GOptionEntry): what the text of a kernel may say of itself: how
 *   it is launched and what it may cost, but not which other kernel is meant, what programs are started, or how much work may be done
 */
GPtrArray *smb_key_list_of_source(void);

/**
 * smb_key_path: Returns: (transfer none) (nullable): where the file or folder in a value begins, with its @OFFSET; %NULL: it has
 *   none
 */
const char *smb_key_path(const GOptionEntry *key, const char *value);

/**
 * smb_key_resolve:
 * @key: one of them
 * @value: one value, as on the command line
 * @folder: (nullable): what files are relative to; %NULL: the current folder
 *
 * Returns: (transfer full): @value, with the file or folder in it, where it has one, seen from the current folder
 */
char *smb_key_resolve(const GOptionEntry *key, const char *value, const char *folder);
