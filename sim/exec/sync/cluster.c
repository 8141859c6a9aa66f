// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Blocks of a cluster, which are there together and have turns. Their barrier (PTX ISA, "barrier.cluster"): a phase is complete when
// all threads of the cluster that have not ended have arrived; a thread that waits does so for the phase that it arrived at. Each
// block alone is a cluster too, where others are not here: then it is a barrier of the block.
#include "sim/exec/sync/sync.h"

#include "sim/machine/check/checking.h"

enum {
  CHECK_CLUSTER_BARRIER = CHECK_BLOCK_BARRIERS + N_BLOCK_BARRIERS,
};

gboolean
smb_step_cluster_arrive(Exec *exec, G_GNUC_UNUSED const Step *step, SmbLanes lanes) {
  if (lanes)
    exec_tell_phase(exec, SMB_PHASE_ARRIVES, SMB_BARRIER_CLUSTER, exec->sync->cluster_phase, 0);
  exec->warp->arrived |= lanes;
  return TRUE;
}

gboolean
smb_step_cluster_wait(Exec *exec, G_GNUC_UNUSED const Step *step, SmbLanes lanes) {
  SmbLanes waits = exec->warp->arrived & lanes;
  if (!waits)
    return TRUE;
  exec_tell_phase(exec, SMB_PHASE_WAITS, SMB_BARRIER_CLUSTER, exec->sync->cluster_phase, 0);
  exec->sync->awaits_cluster = TRUE;
  smb_splits_hold(exec->warp->splits, waits, HELD_BY_CLUSTER);
  return TRUE;
}

// The blocks of the cluster that are here.
static guint
count_members(const Exec *exec) {
  return exec->block->peers ? exec->block->peers->n : 1;
}

static Exec *
find_cluster_member(Exec *exec, guint i) {
  return exec->block->peers ? exec->block->peers->blocks[i]->state : exec;
}

static gboolean
is_phase_complete(Exec *exec) {
  const SmbCluster *cluster = exec->block->peers;
  if (cluster && cluster->n_started < cluster->n)
    return FALSE;
  for (guint i = 0; i < count_members(exec); i++) {
    const Exec *member = find_cluster_member(exec, i);
    for (guint w = 0; w < member->block->n_warps; w++) {
      const Warp *warp = &member->warps[w];
      if (warp->splits->living & ~warp->arrived)
        return FALSE;
    }
  }
  return TRUE;
}

// What the block did before it and does behind it does not race.
static void
begin_phase(Exec *exec) {
  SmbBlock *block = exec->block;
  Mask living = {{0}};
  for (guint w = 0; w < block->n_warps; w++) {
    Warp *warp = &exec->warps[w];
    living.warp[w] = warp->splits->living;
    warp->arrived = 0;
    smb_splits_release(warp->splits, HELD_BY_CLUSTER, TRUE);
  }
  exec->sync->awaits_cluster = FALSE;
  exec->sync->cluster_phase++;
  exec->sync->timeouts = 0;
  smb_shadow_barrier(block->shadow);
  smb_order_meet_peers(exec);
  if (block->check) {
    smb_inspect_barrier(block, CHECK_CLUSTER_BARRIER, &living, TRUE);
    smb_inspect_meet_peers(block);
  }
}

gboolean
smb_cluster_release(Exec *exec) {
  if (!exec->sync->awaits_cluster || !is_phase_complete(exec))
    return FALSE;
  for (guint i = 0; i < count_members(exec); i++)
    begin_phase(find_cluster_member(exec, i));
  if (exec->block->peers)
    ++*exec->block->peers->changes;
  return TRUE;
}

// --- turns

gboolean
smb_cluster_lives(const Exec *exec) {
  const SmbCluster *cluster = exec->block->peers;
  return cluster && cluster->n_ended + 1 < cluster->n;
}

gboolean
smb_cluster_may_move(const Exec *exec) {
  const SmbCluster *cluster = exec->block->peers;
  return smb_cluster_lives(exec) && cluster->idle < cluster->n - cluster->n_ended;
}

void
smb_cluster_note_turn(Exec *exec, guint64 before) {
  SmbCluster *cluster = exec->block->peers;
  cluster->idle = exec->block->steps == before ? cluster->idle + 1 : 0;
}

// The first lane of the block that waits there; FALSE: there is none.
static gboolean
find_held(const Exec *exec, guint number, guint *w, guint *lane) {
  for (*w = 0; *w < exec->block->n_warps; ++*w) {
    SmbLanes held = smb_splits_held(exec->warps[*w].splits, number);
    if (!held)
      continue;
    *lane = smb_lanes_first(held);
    return TRUE;
  }
  return FALSE;
}

gboolean
smb_cluster_waits(const Exec *exec) {
  guint w, lane;
  return smb_cluster_lives(exec) && (find_held(exec, HELD_BY_CLUSTER, &w, &lane) ||
                                     find_held(exec, HELD_BY_MBARRIER, &w, &lane));
}

// --- what never ends

// A thread of the cluster that has not ended and does not arrive (transfer full); NULL: all have arrived, or a block has not started.
static char *
describe_absent_thread(Exec *exec) {
  for (guint i = 0; i < count_members(exec); i++) {
    const Exec *member = find_cluster_member(exec, i);
    for (guint w = 0; w < member->block->n_warps; w++) {
      const Warp *warp = &member->warps[w];
      SmbLanes missing = warp->splits->living & ~warp->arrived;
      if (missing)
        return smb_block_thread(member->block, w, smb_lanes_first(missing));
    }
  }
  return NULL;
}

gboolean
smb_cluster_check(Exec *exec) {
  guint w, lane;
  guint32 pc;
  if (!find_held(exec, HELD_BY_CLUSTER, &w, &lane))
    return TRUE;
  g_autofree char *missing = describe_absent_thread(exec);
  smb_splits_lane(exec->warps[w].splits, lane, &pc);
  return smb_block_fail(exec->block, exec->steps[pc - 1].place,
                        "the barrier of the cluster is not reached by all of its threads%s%s%s",
                        missing ? ": " : "", missing ? missing : "",
                        missing ? " does not reach it" : "");
}

void
smb_cluster_fail_waiting(Exec *exec, const char *why) {
  guint32 pc = 0;
  if (!smb_mbarriers_check(exec)) {
    smb_inspect_note_failure(exec->block, SMB_DEFECT_MBARRIER, 0, G_MAXUINT);
    smb_barriers_tell_short(exec);
    return;
  }
  if (!smb_cluster_check(exec)) {
    smb_inspect_note_failure(exec->block, SMB_DEFECT_BARRIER, 0, G_MAXUINT);
    return;
  }
  for (guint w = 0; w < exec->block->n_warps; w++) {
    const SmbSplits *splits = exec->warps[w].splits;
    if (!splits->living)
      continue;
    guint lane = smb_lanes_first(splits->living);
    g_autofree char *thread = smb_block_thread(exec->block, w, lane);
    smb_splits_lane(splits, lane, &pc);
    smb_block_fail(exec->block, exec->steps[pc].place,
                   "%s waits here forever for other blocks of its cluster: %s", thread, why);
    return;
  }
  g_assert_not_reached();
}
