// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The data files that come with the library: architectures, kernels, published and recorded counts.
// They are compiled in; a folder named by $SMEMBANK_DATADIR is looked into first.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * smb_data_load:
 * @path: path below data/, such as "archs/nvidia/sm_90.ini"
 * @error: a GIO or resource error
 *
 * Returns: (transfer full): the contents, terminated by a zero byte that is not counted
 */
GBytes *smb_data_load(const char *path, GError **error);

/**
 * smb_data_list:
 * @folder: folder below data/, such as "archs"
 * @suffix: such as ".ini"
 *
 * Returns: (transfer full): the names in it, and in the folders in it, that end in @suffix, without it, sorted,
 *   each once
 */
GStrv smb_data_list(const char *folder, const char *suffix);

/**
 * smb_data_find:
 * @folder: folder below data/, such as "archs"
 * @name: one of smb_data_list()
 * @suffix: such as ".ini"
 *
 * Returns: (transfer full) (nullable): the path of that file, for smb_data_load(): the user's own comes first
 */
char *smb_data_find(const char *folder, const char *name, const char *suffix);

G_END_DECLS
