// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From an object file with images in it (a library, an executable, a fatbin) to the one image that is read as a
// program. Private to sim/open/read.c.
#pragma once

#include "sim/program/entry.h"

/** Lists the kernels of an image: smb_entries_read() of PTX or of a cubin, which may have none. */
typedef SmbEntries *(*SmbContainedList)(SmbSource *image, GError **error);

/** Whether a source is an object file other than a cubin. */
gboolean smb_contained_recognize(const SmbSource *source);

/**
 * smb_contained_choose:
 * @chip: the architecture that is to run it: 90 of sm_90a
 * @entry: (nullable): part of the name of a kernel, as of smb_symbol_choose()
 * @symbol: (out): the kernel that it names (transfer full)
 * @error: SMB_ERROR_INPUT: what is wrong in the file, or that nothing in it runs there; SMB_ERROR_USAGE: of the name
 *
 * Of several images with the same kernel one that is linked is taken, else the first.
 *
 * Returns: (transfer full): the image with the kernel: a cubin, or the text of PTX
 */
SmbSource *smb_contained_choose(SmbSource *file, guint chip, const char *entry,
                                SmbContainedList list, char **symbol, GError **error);

/**
 * smb_contained_find_text:
 * @chip: as of smb_contained_choose()
 *
 * Returns: (transfer full) (nullable): PTX with a kernel of that name which is run as it is (smb_direct_ptx_is()), if its machine code is refused
 */
SmbSource *smb_contained_find_text(SmbSource *file, guint chip, const char *symbol,
                                   SmbContainedList list);

/**
 * smb_contained_entries:
 *
 * Returns: (transfer full): the kernels of all images, those of the same name side by side; a kernel that is there
 *   twice for the same architecture once
 */
SmbEntries *smb_contained_entries(SmbSource *file, SmbContainedList list, GError **error);
