// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A first-level cache: lines of 128 bytes in sectors of 32, sets of four lines of which the one that was asked for longest ago makes
// room. Stores go through it and leave it as it is. Which lines share a set is not documented: a hash spreads them.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SmbL1Cache SmbL1Cache;

/** smb_l1_cache_new: @bytes: of data; Returns: (transfer full): an empty one */
SmbL1Cache *smb_l1_cache_new(guint64 bytes);
void smb_l1_cache_free(SmbL1Cache *cache);

/** smb_l1_cache_load: @sectors: a bit for each that is asked for; Returns: how many of them are not there, and are now */
guint smb_l1_cache_load(SmbL1Cache *cache, guint64 line, guint8 sectors);

G_END_DECLS
