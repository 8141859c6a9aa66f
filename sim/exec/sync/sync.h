// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Steps that wait, for threads of the block (barrier.c), for barriers in shared memory (mbarrier.c, arrive.c), for
// warps that multiply together (warpgroup-meet.c), for registers (register-pool.c), for what other threads store (spin.c) and for other blocks (wait.c); and the search for what never ends (livelock.c).
#pragma once

#include "sim/exec/memory/memory.h"

// What lanes are held by (smb_splits_hold()), behind the numbers of barriers.
enum {
  HELD_BY_MBARRIER = N_BLOCK_BARRIERS,
  HELD_BEFORE_LOOK, // others run first (spin.c)
  HELD_BY_OTHERS,   // what other blocks leave in global memory (wait.c)
  HELD_BY_CLUSTER,  // threads of the cluster (cluster.c)
  HELD_BY_PRODUCT,  // other warps of the warpgroup (warpgroup-meet.c)
  HELD_BY_POOL,     // registers of other warps (register-pool.c)
};

typedef struct _Watch Watch;               // livelock.c
typedef struct _RegisterPool RegisterPool; // register-pool.c

// A barrier of the block.
typedef struct {
  guint arrived;    // threads that have announced themselves and went on (bar.arrive)
  guint expected;   // threads; 0: all of the block
  guint32 phase;    // how often it was complete
  const Step *step; // the one executed last
  guint flags;      // ROW_TAINT, of what the threads contributed to its answer
  guint32 origin;   // of what is not known of that
  Mask
      absent; // of a launch that is checked: lanes that lived, and were not there, when the first of their warp came
} BlockBarrier;

/**
 * Sync:
 * @awaited: the barriers, as bits, that threads may wait at
 * @mbarriers: by byte offset in shared memory
 * @is_reset: the block has no mbarriers of the one before it, though it has not begun
 * @forgot_mbarriers, @mbarrier_origin: nothing is known of those that are not in the table; why not
 * @timeouts: waits that ended without success since anything happened to an mbarrier
 * @arrivals: (nullable): byte offsets in shared memory, + 1, of barriers of chips before sm_90
 * @n_looks: how often warps that look at what others change were released, up to a limit
 * @warned: steps that wait for mbarriers, whose loops have been looked at
 * @found: what a warp found at a step that may poll: a hash
 * @waits_as: a hash of the block's state, when smb_exec_is_stuck() was asked last
 * @doubts: whether the block ends is asked in the next round
 * @awaits_cluster: threads may wait at the barrier of the cluster
 * @cluster_phase: how often that was complete
 * @polls_in_vain: lanes that poll by atomics were held, nothing else could run, and they found nothing new: they are held no more
 * @vain_looks: how often they have looked again since somebody found something new
 * @watch: (nullable): in this one
 * @pool: (nullable): of code with setmaxnreg
 */
struct _Sync {
  BlockBarrier barriers[N_BLOCK_BARRIERS];
  guint32 awaited;
  GHashTable *mbarriers;
  gboolean is_reset;
  gboolean forgot_mbarriers;
  guint32 mbarrier_origin;
  guint timeouts;
  GHashTable *arrivals;
  guint n_looks;
  GHashTable *warned;
  GHashTable *found;
  guint64 waits_as;
  gboolean doubts;
  gboolean awaits_cluster;
  guint32 cluster_phase;
  gboolean polls_in_vain;
  guint vain_looks;
  Watch *watch;
  RegisterPool *pool;
};

Sync *smb_sync_new(const Code *code, guint n_warps);
void smb_sync_free(Sync *sync);
// Another block begins.
void smb_sync_start(Exec *exec);
// No warp runs: releases waiting lanes that may continue. FALSE: there are none.
gboolean smb_sync_release(Exec *exec);

// --- barriers of the block (barrier.c)

gboolean smb_step_fence(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_barrier(Exec *exec, const Step *step, SmbLanes lanes);
// Releases the threads whose barriers are complete. FALSE: there are none.
gboolean smb_barriers_release(Exec *exec);
// No warp can continue: fails, and says which threads are missing at the first barrier that has waiting threads.
gboolean smb_barriers_fail(Exec *exec);
// Of a launch that is checked: where warps wait for an mbarrier that never completes, others may wait at a barrier for more threads than will come.
void smb_barriers_tell_short(Exec *exec);

// --- warps that multiply together (warpgroup-meet.c)

// A product of matrices, of which one at least is in shared memory.
gboolean smb_step_group_product(Exec *exec, const Step *step, SmbLanes lanes);
// No warp runs: products for which nobody else will come are made. FALSE: there are none.
gboolean smb_products_release(Exec *exec);

// --- registers that warps give to each other (register-pool.c)

RegisterPool *smb_register_pool_new(guint n_warps);
void smb_register_pool_free(RegisterPool *pool);
// Another block begins. @pool: (nullable)
void smb_register_pool_start(RegisterPool *pool, const SmbProgram *program);
// setmaxnreg: waits for more registers, or has fewer.
gboolean smb_step_resize(Exec *exec, const Step *step, SmbLanes lanes);
void smb_doubt_resize(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);
// No warp runs: a warp continues whose registers are there. FALSE: there is none.
gboolean smb_register_pool_release(Exec *exec);
// Says which warp waits for registers forever; TRUE: there is none.
gboolean smb_register_pool_check(const Exec *exec);
// Of a block that is checked: whether warps have ended without what others of their warpgroup have executed.
void smb_register_pool_check_ended(const Exec *exec);

// --- the barrier of the cluster, and turns of its blocks (cluster.c)

gboolean smb_step_cluster_arrive(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_cluster_wait(Exec *exec, const Step *step, SmbLanes lanes);
// Releases those who wait, of all of its blocks, if the barrier is complete. FALSE: none of this block.
gboolean smb_cluster_release(Exec *exec);
// Whether other blocks of the cluster are here that have not ended; and whether any may still do something before this one has to.
gboolean smb_cluster_lives(const Exec *exec);
gboolean smb_cluster_may_move(const Exec *exec);
// No warp can continue: whether some wait for what others of the cluster do.
gboolean smb_cluster_waits(const Exec *exec);
// Says which thread waits for its cluster; TRUE: there is none.
gboolean smb_cluster_check(Exec *exec);
// Says of a block whose cluster cannot go on what it waits for. @why: in words
void smb_cluster_fail_waiting(Exec *exec, const char *why);
// The block has had a turn, at whose start it had executed @before steps.
void smb_cluster_note_turn(Exec *exec, guint64 before);

// --- barriers in shared memory (mbarrier.c, arrive.c, bulk-step.c)

gboolean smb_step_mbarrier(Exec *exec, const Step *step, SmbLanes lanes);
// The same for the first lane only (uniform datapath).
// Arrives at one of each block that Bulk.blocks names.
gboolean smb_step_mbarrier_each(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_mbarrier_once(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_mbarrier_wait(Exec *exec, const Step *step, SmbLanes lanes);
void smb_mbarriers_reset(Exec *exec);
// A hash of what they are.
guint64 smb_mbarriers_hash(const Exec *exec);
// Bytes that @lanes have copied, or SMB_BYTES_UNKNOWN, complete on the mbarriers that @barrier names.
gboolean smb_mbarriers_complete(Exec *exec, const Step *step, const Transfer *barrier,
                                SmbLanes lanes, const guint64 *bytes);
// Nothing is known of any mbarrier from here on. @origin: why.
void smb_mbarriers_forget(Exec *exec, guint32 origin);
// Where nothing else can run: copies of unknown size are complete; then waits time out. FALSE: there are none.
gboolean smb_mbarriers_release(Exec *exec);
// Says which wait never ends; TRUE: there is none.
gboolean smb_mbarriers_check(Exec *exec);

// Copies in bulk, which complete on an mbarrier; of the first lane only.
gboolean smb_step_bulk(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_bulk_once(Exec *exec, const Step *step, SmbLanes lanes);
// A doubt: it may write anywhere, and do anything to any mbarrier.
void smb_doubt_apart(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);

// Arrives at a barrier of chips before sm_90, and a load that may test one: how often it does is a matter of time.
gboolean smb_step_arrive(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_test_arrivals(Exec *exec, const Step *step, SmbLanes lanes);

// --- what other threads store (spin.c)

// A load, and an atomic whose result is used, of memory that others change.
gboolean smb_step_spin(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_spin_atomic(Exec *exec, const Step *step, SmbLanes lanes);
// Whether @lanes load now what others may change: only once no other warp can continue. FALSE: they wait, ahead of
// @step.
gboolean smb_spin_may_look(Exec *exec, const Step *step, SmbLanes lanes);
// Releases the lanes that wait for it. FALSE: there are none.
gboolean smb_spin_release(Exec *exec);
// How often the loop around a wait polls is a matter of time: warns of the requests in it, once.
void smb_spin_warn(Exec *exec, const Step *step);
// The access that the loop around a step repeats, if that is all that it does; else NULL.
const SmbSite *smb_spin_site(const Exec *exec, const Step *step);
// Whether the loads of a site poll: the loop around them does nothing else, at one place. @exec: an Exec
gboolean smb_spin_polls(gconstpointer exec, guint site);
// Whether the lanes that run can never leave the loop that they are in, since no way leads out of it.
gboolean smb_spin_is_endless(const Exec *exec);

// --- blocks that wait for others (wait.c)

// What a step found in memory: lanes that found the same before wait.
void smb_wait_note(Exec *exec, const Found *found);
// No warp can continue: lets those that poll look again, if the block has written anything meanwhile.
gboolean smb_wait_look_again(Exec *exec);
// No warp can continue: lets those go on that wait at barriers of convergence for lanes that poll what they leave. FALSE: there are none.
gboolean smb_wait_part(Exec *exec);
// No warp can continue, of a block that does not wait for others: those that poll do so again; if that is in vain, they are held no more.
// FALSE: there are none.
gboolean smb_wait_give_up(Exec *exec);
// No warp can continue: whether some poll, so that the block waits for others. Its turn ends.
gboolean smb_wait_is_needed(Exec *exec);
// A block of its own has run for long: whether what it polls may be for somebody outside of the launch, for whom it waits from now on. FALSE:
// there is nobody, or it does so already.
gboolean smb_wait_for_outsider(const Exec *exec);
// Lets those that poll look again.
void smb_wait_release(Exec *exec);

// --- whether everything recurs (livelock.c)

// A round begins: Sync.watch.
void smb_livelock_start(Exec *exec);
void smb_livelock_free(Watch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Watch, smb_livelock_free)
// Takes steps of the running warp, at most as many as are @left, until what happens to it is known. @take: takes one.
gboolean smb_livelock_warp(Exec *exec, guint *left, gboolean (*take)(Exec *exec));
// The round is over: fails if everything recurs.
gboolean smb_livelock_end(Exec *exec);
