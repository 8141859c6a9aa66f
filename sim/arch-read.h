// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an architecture holds, and its reader. Private to sim/arch*.c.
#pragma once

#include "sim/arch.h"

struct _SmbArch {
  gatomicrefcount references;
  SmbArchInfo info;
  SmbRule rules[SMB_N_OPS][SMB_N_WIDTHS];
  GStringChunk *strings; // all that info and rules point to
};

/**
 * smb_arch_read:
 * @name: the name that it gets
 * @text: the text of an .ini file
 * @length: its length in bytes
 * @depth: how many architectures are like this one, each like the next
 * @error: as smb_arch_new_from_data()
 *
 * Returns: (transfer full): the architecture
 */
G_GNUC_INTERNAL SmbArch *smb_arch_read(const char *name, const char *text, gsize length,
                                       guint depth, GError **error);

/** smb_arch_load_like: smb_arch_load() for an architecture that another one, at @depth − 1, is like. */
G_GNUC_INTERNAL SmbArch *smb_arch_load_like(const char *name, guint depth, GError **error);

/** Whether there is an architecture of that name; it is not read. */
G_GNUC_INTERNAL gboolean smb_arch_exists(const char *name);
