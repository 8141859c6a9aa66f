// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The memory of a process as it was before a launch that has run. While the launch runs, what it overwrites is kept; afterwards a
// private mapping of the same files shows that in its place. The process sees nothing of it.
#pragma once

#include <glib.h>

typedef struct _SmbFormer SmbFormer;

/** smb_former_new: @memory, @bytes: where the memory of the process is mapped here */
SmbFormer *smb_former_new(const guchar *memory, guint64 bytes);
void smb_former_free(SmbFormer *former);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFormer, smb_former_free)

/** smb_former_add_file: @bytes of memory from @place on lie in a file that is open as @file, from @from on, from now on. */
void smb_former_add_file(SmbFormer *former, guint64 place, int file, guint64 from, guint64 bytes);

/** smb_former_begin: A launch begins: nothing of it is overwritten. */
void smb_former_begin(SmbFormer *former);

/** smb_former_keep: SmbHomeWatch; @user: an SmbFormer */
void smb_former_keep(gpointer user, const guchar *home, gsize length);

/**
 * smb_former_show:
 *
 * Returns: (transfer none) (nullable): the memory as it was before the launch, until smb_former_begin(); %NULL: too much was
 * overwritten, or it cannot be mapped
 */
const guchar *smb_former_show(SmbFormer *former);

/**
 * smb_former_pieces:
 * @memory: (element-type SmbMemoryPiece): of the launch
 * @apart: (nullable): the piece there is of other memory
 * @is_left: as the launch has left it, with what was there before in SmbContents.former; %FALSE: as it was before
 *
 * Returns: (transfer full) (element-type SmbMemoryPiece): its pieces, which are only read, until smb_former_begin()
 */
GArray *smb_former_pieces(SmbFormer *former, const GArray *memory, const guchar *apart,
                          gboolean is_left);
