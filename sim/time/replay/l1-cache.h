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

/**
 * smb_l1_cache_load:
 * @sectors: a bit for each that is asked for
 * @missing: (out): those of them that are not there, and are now, or on their way
 *
 * Returns: (transfer none): when all that the line has is there, for who keeps the time; 0 of a new line. Until the next call
 */
double *smb_l1_cache_load(SmbL1Cache *cache, guint64 line, guint8 sectors, guint8 *missing);

/** smb_l1_cache_drop: These @sectors of a line are not there any longer */
void smb_l1_cache_drop(SmbL1Cache *cache, guint64 line, guint8 sectors);

/** smb_l1_cache_clear: It has nothing any longer */
void smb_l1_cache_clear(SmbL1Cache *cache);

G_END_DECLS
