// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A block in time: how one begins, its turns, and the cluster that it is in. Blocks of a cluster that join it are there together:
// each reaches the shared memory of the others (peer.c) from before the first of them starts until the last has ended.
#include <string.h>

#include "sim/machine/check/checking.h"
#include "sim/machine/access/chunk.h"
#include "sim/machine/tensor-memory.h"

// Where it is in its cluster, x first.
static guint
find_rank(const SmbBlock *block) {
  guint rank = 0;
  for (guint i = 3; i-- > 0;)
    rank = rank * block->cluster[i] + block->uniform[i][0] % block->cluster[i];
  return rank;
}

// Nothing of the block before is left: shared memory reads as zeros, a thread's own memory as never set.
static void
start_machine_block(SmbBlock *block, guint64 index) {
  guint64 rest = index;
  for (guint i = 0; i < 3; i++) {
    block_set_uniform(block, block->uniform[i], (guint32)(rest % block->grid[i]));
    rest /= block->grid[i];
  }
  block->rank = find_rank(block);
  block->has_ended = FALSE;
  memset(block->shared, 0, block->reserved_start + block->reserved_bytes);
  if (block->shared_marks)
    memset(block->shared_marks, 0, block->shared_bytes);
  if (block->reserved_bytes)
    memset(block->shared_marks + block->reserved_start,
           block->program->reaches_reserved ? MARK_KNOWN : 0, block->reserved_bytes);
  memset(&block->exited, 0, sizeof block->exited);
  memset(block->unplaced, 0, smb_program_n_sites(block->program));
  for (guint i = 0; i < block->n_numbered; i++)
    smb_private_forget(block, i, &block->launched);
  smb_shadow_start_block(block->shadow);
  smb_pending_start_block(block->pending);
  smb_chunks_start_block(block);
  smb_tensor_memory_start_block(block);
  smb_tensor_memory_start_partition(block);
  smb_overlay_clear(block->overlay);
  smb_inspect_start_block(block);
  block->steps = block->work = block->instructions = 0;
  if (block->peers && block->peers->is_alike)
    block->peers->n_ended = block->peers->n - 1; // of those that it stands for, nobody waits
}

// Runs the block from its start, or from where it waits.
static SmbTurn
run_block_turn(SmbBlock *block, gboolean (*run)(gpointer state), GError **error) {
  block->error = error;
  block->waits = FALSE;
  gboolean ok = run(block->state);
  block->error = NULL;
  block->has_ended = !(ok && block->waits);
  if (block->peers)
    block->peers->n_ended += block->has_ended;
  if (!ok) {
    smb_overlay_leave(block->overlay);
    return SMB_TURN_FAILED;
  }
  smb_overlay_commit(block->overlay);
  return block->waits ? SMB_TURN_WAITS : SMB_TURN_ENDED;
}

gboolean
smb_block_run(SmbBlock *block, guint64 index, GError **error) {
  start_machine_block(block, index);
  block->may_wait = FALSE;
  return run_block_turn(block, block->program->front_end->run, error) == SMB_TURN_ENDED;
}

SmbWritten *
smb_block_take_written(SmbBlock *block) {
  return smb_overlay_take(block->overlay);
}

gboolean
smb_block_can_wait(const SmbBlock *block) {
  return block->program->front_end->resume && smb_overlay_reads_through(block->overlay);
}

SmbTurn
smb_block_start(SmbBlock *block, guint64 index, GError **error) {
  if (block->peers)
    block->peers->n_started++;
  else
    start_machine_block(block, index);
  block->may_wait = !block_is_alone(block) && smb_block_can_wait(block);
  return run_block_turn(block, block->program->front_end->run, error);
}

SmbTurn
smb_block_resume(SmbBlock *block, GError **error) {
  g_return_val_if_fail(block->waits, SMB_TURN_FAILED);
  smb_overlay_clear(block->overlay);
  return run_block_turn(block, block->program->front_end->resume, error);
}

gboolean
smb_block_is_stuck(SmbBlock *block) {
  return block->program->front_end->is_stuck(block->state);
}

void
smb_block_fail_waiting(SmbBlock *block, const char *why, GError **error) {
  block->error = error;
  block->program->front_end->fail_waiting(block->state, why);
  block->error = NULL;
}

// --- clusters

SmbCluster *
smb_cluster_new(guint64 *changes) {
  SmbCluster *cluster = g_new0(SmbCluster, 1);
  cluster->changes = changes;
  return cluster;
}

void
smb_cluster_free(SmbCluster *cluster) {
  for (guint i = 0; i < cluster->n; i++)
    cluster->blocks[i]->peers = NULL;
  g_free(cluster);
}

void
smb_cluster_stand_for(SmbBlock *block) {
  guint n = block->cluster[0] * block->cluster[1] * block->cluster[2];
  if (n == 1 || n > SMB_MAX_CLUSTER_BLOCKS)
    return;
  block->peers = smb_cluster_new(NULL);
  block->peers->changes = &block->peers->own_changes;
  block->peers->is_alike = TRUE;
  block->peers->n = block->peers->n_started = n;
  for (guint i = 0; i < n; i++)
    block->peers->blocks[i] = block;
}

void
smb_cluster_join(SmbCluster *cluster, SmbBlock *block, guint64 index) {
  start_machine_block(block, index);
  g_return_if_fail(block->rank == cluster->n && cluster->n < SMB_MAX_CLUSTER_BLOCKS);
  block->peers = cluster;
  cluster->blocks[cluster->n++] = block;
}
