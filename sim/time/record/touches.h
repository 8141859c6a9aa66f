// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where a block has first asked for each word of some instructions.
#pragma once

#include <glib.h>

#include "sim/machine/access/lanes.h"

G_BEGIN_DECLS

/** SmbTimedTouch: an event of a warp (SmbEvent) */
typedef struct {
  guint32 warp;
  guint32 event;
} SmbTimedTouch;

/** smb_touches_new: Returns: (transfer full): number of the word → SmbTimedTouch; for g_hash_table_unref() */
GHashTable *smb_touches_new(void);

/** smb_touches_note: Lanes ask for @width bytes each. Words that have been asked for before stay as they are */
void smb_touches_note(GHashTable *touches, SmbTimedTouch touch, SmbLanes mask, guint width,
                      const guint64 *addresses);

G_END_DECLS
