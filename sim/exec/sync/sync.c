// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a block waits for, from its start to its end.
#include "sim/exec/sync/sync.h"

#include <string.h>

#include "sim/exec/build.h"

Sync *
smb_sync_new(const Code *code, guint n_warps) {
  Sync *sync = g_new0(Sync, 1);
  sync->mbarriers = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  sync->warned = g_hash_table_new(NULL, NULL);
  sync->found = g_hash_table_new(NULL, NULL);
  if (smb_code_has(code, STEP_ARRIVE))
    sync->arrivals = g_hash_table_new(NULL, NULL);
  if (smb_code_has(code, STEP_RESIZE))
    sync->pool = smb_register_pool_new(n_warps);
  return sync;
}

void
smb_sync_free(Sync *sync) {
  g_hash_table_unref(sync->mbarriers);
  g_hash_table_unref(sync->warned);
  g_hash_table_unref(sync->found);
  g_clear_pointer(&sync->arrivals, g_hash_table_unref);
  smb_livelock_free(sync->watch);
  smb_register_pool_free(sync->pool);
  g_free(sync);
}

void
smb_sync_start(Exec *exec) {
  Sync *sync = exec->sync;
  memset(sync->barriers, 0, sizeof sync->barriers);
  sync->awaited = sync->vain_looks = 0;
  sync->n_looks = sync->cluster_phase = 0;
  sync->doubts = sync->awaits_cluster = sync->polls_in_vain = FALSE;
  g_hash_table_remove_all(sync->found);
  if (sync->arrivals)
    g_hash_table_remove_all(sync->arrivals);
  g_clear_pointer(&sync->watch, smb_livelock_free); // of a block that failed
  if (!sync->is_reset)
    smb_mbarriers_reset(exec);
  sync->is_reset = FALSE;
  smb_register_pool_start(sync->pool, exec->block->program);
  smb_copied_rows_start(exec->copied);
}

gboolean
smb_sync_release(Exec *exec) {
  return smb_barriers_release(exec) || smb_products_release(exec) ||
         smb_register_pool_release(exec) || smb_cluster_release(exec) || smb_spin_release(exec) ||
         smb_mbarriers_release(exec) || smb_wait_look_again(exec) || smb_wait_part(exec) ||
         smb_wait_give_up(exec);
}
