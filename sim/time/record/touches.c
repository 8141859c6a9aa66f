// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/record/touches.h"

#include "sim/time/record/line-words.h"

GHashTable *
smb_touches_new(void) {
  return g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
}

void
smb_touches_note(GHashTable *touches, SmbTimedTouch touch, SmbLanes mask, guint width,
                 const guint64 *addresses) {
  guint n = MAX(1, width >> SMB_WORD_SHIFT);
  for (SmbLanes rest = mask; rest; rest &= rest - 1) {
    guint64 first = addresses[smb_lanes_first(rest)] >> SMB_WORD_SHIFT;
    for (guint i = 0; i < n; i++) {
      gpointer word = GSIZE_TO_POINTER(first + i);
      if (!g_hash_table_contains(touches, word))
        g_hash_table_insert(touches, word, g_memdup2(&touch, sizeof touch));
    }
  }
}
