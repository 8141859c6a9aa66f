// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// PTX that is run as it is, though it could be compiled: that of tensor memory (tcgen05), where there is no machine code, or none that is not refused.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** smb_direct_ptx_is: Returns: whether PTX is such */
gboolean smb_direct_ptx_is(GBytes *ptx);

/** smb_direct_ptx_is_for: Returns: whether there may be such PTX for a chip: 100 of sm_100a */
gboolean smb_direct_ptx_is_for(guint chip);

/**
 * smb_direct_ptx_choose:
 * @images: (element-type SmbImage): of smb_images_read()
 * @chip: the architecture that is to run them
 * @name: what messages call the file
 *
 * Returns: (transfer container) (element-type SmbImage): those of such PTX
 */
GPtrArray *smb_direct_ptx_choose(const GPtrArray *images, guint chip, const char *name);

G_END_DECLS
