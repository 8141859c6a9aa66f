// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A block that waits for others: at a barrier of the grid, or for what an earlier or later block has to leave. Its
// threads poll global memory. Lanes that find at an instruction what they found there the last time are held, until the
// block's other threads cannot continue; if these cannot, its turn ends, and others run. That decides who runs when,
// and nothing else: any order of threads is one that a device may have. Loads that nothing may change meanwhile, and
// memory within the block, are not polled.
//
// Locks that lanes of one warp take. "while (atomicCAS(&lock, 0, 1) != 0);" ends in a barrier of convergence (BSYNC), at which the lane
// that has the lock waits for those that do not get it before it releases it. A device lets it continue while the others have given way
// (YIELD, NANOSLEEP: "Volta" whitepaper, "Independent Thread Scheduling"). Here it may once no warp can run otherwise: lanes that poll by
// an atomic, and find what they found before, are held, also in a block of its own; then those that wait for them at such a barrier, and came
// last through an atomic at the same address, or ran with a lane that did, continue without them (smb_splits_part()). Then the others look again.
#include "sim/base/hash.h"
#include "sim/exec/sync/sync.h"

enum {
  MAX_VAIN_LOOKS =
      2, // of all lanes that poll by atomics in a block of its own, one after the other, that found nothing new
};

// Whether other blocks may change what a step finds, of addresses of which some lie in global memory.
static gboolean
may_spin(const Exec *exec, const Located *located) {
  const Transfer *transfer = located->step->transfer;
  if (transfer->move.op_class != SMB_OP_CLASS_ATOMIC && transfer->order <= ORDER_BLOCK)
    return FALSE;
  FOR_LANES(located->lanes, lane) {
    guint32 object = smb_block_find(exec->block, located->addresses[lane]);
    if (exec->block->objects[object].space == SPACE_GLOBAL)
      return TRUE;
  }
  return FALSE;
}

// What an atomic was at, for each lane: a compiler may have one lane ask for all that run with it.
static void
note_polled(Warp *warp, const Located *located) {
  guint64 first = located->addresses[smb_lanes_first(located->lanes)];
  FOR_LANES(warp->splits->mask, lane)
  warp->polled[lane] = located->lanes >> lane & 1 ? located->addresses[lane] : first;
}

void
smb_wait_note(Exec *exec, const Found *found) {
  const Located *located = &found->located;
  const Transfer *transfer = located->step->transfer;
  SmbSplits *splits = exec->warp->splits;
  guint64 hash = located->lanes;
  gboolean is_atomic = transfer->move.op_class == SMB_OP_CLASS_ATOMIC;
  if (is_atomic && located->lanes)
    note_polled(exec->warp, located);
  if (is_atomic && (!located->lanes || found->changes)) {
    exec->sync->vain_looks = 0;
    return;
  }
  if (exec->block->may_wait ? !may_spin(exec, located) && !is_atomic
                            : !is_atomic || exec->sync->polls_in_vain)
    return;
  FOR_LANES(located->lanes, lane) {
    smb_hash_mix(&hash, located->addresses[lane]);
    for (guint word = 0; word < (transfer->move.width + 3) / 4; word++)
      smb_hash_mix(&hash, found->words.values[word][lane]);
  }
  gpointer now = GSIZE_TO_POINTER(hash | 1); // not NULL
  gsize place = (gsize)exec->w * exec->code->steps->len + step_number(exec, located->step);
  if (g_hash_table_lookup(exec->sync->found, GSIZE_TO_POINTER(place)) == now)
    smb_splits_hold(splits, splits->mask, HELD_BY_OTHERS);
  else {
    exec->sync->vain_looks = 0;
    g_hash_table_insert(exec->sync->found, GSIZE_TO_POINTER(place), now);
  }
}

// The first lane of the block that polls, and the step that it polls with; NULL: no lane polls.
static const Step *
find_spin(const Exec *exec, guint *w, guint *lane) {
  for (*w = 0; *w < exec->block->n_warps; ++*w) {
    const SmbSplits *splits = exec->warps[*w].splits;
    SmbLanes held = smb_splits_held(splits, HELD_BY_OTHERS);
    guint32 pc;
    if (!held)
      continue;
    *lane = smb_lanes_first(held);
    smb_splits_lane(splits, *lane, &pc);
    return &exec->steps[pc - 1];
  }
  return NULL;
}

void
smb_wait_release(Exec *exec) {
  exec->order->wrote = FALSE;
  for (guint w = 0; w < exec->block->n_warps; w++)
    smb_splits_release(exec->warps[w].splits, HELD_BY_OTHERS, TRUE);
}

gboolean
smb_wait_look_again(Exec *exec) {
  guint w, lane;
  if (!exec->order->wrote || !find_spin(exec, &w, &lane))
    return FALSE;
  smb_wait_release(exec);
  return TRUE;
}

// Of lanes that wait at a barrier of convergence, those whose last atomic was at an address that one of @held polls.
static SmbLanes
find_holders(const Warp *warp, SmbLanes held) {
  SmbLanes holders = 0;
  SmbLanes joining = smb_splits_joining(warp->splits);
  FOR_LANES(joining, lane) {
    FOR_LANES(held, other) {
      if (warp->polled[lane] && warp->polled[lane] == warp->polled[other])
        holders |= (SmbLanes)1 << lane;
    }
  }
  return holders;
}

gboolean
smb_wait_part(Exec *exec) {
  gboolean parted = FALSE;
  for (guint w = 0; w < exec->block->n_warps; w++) {
    Warp *warp = &exec->warps[w];
    SmbLanes held = smb_splits_held(warp->splits, HELD_BY_OTHERS);
    SmbLanes holders = held ? find_holders(warp, held) : 0;
    if (!holders)
      continue;
    smb_splits_part(warp->splits, holders);
    parted = TRUE;
  }
  if (parted)
    exec->order->wrote = exec->order->divides = TRUE;
  return parted;
}

gboolean
smb_wait_give_up(Exec *exec) {
  guint w, lane;
  if (exec->block->may_wait || exec->sync->polls_in_vain || !find_spin(exec, &w, &lane))
    return FALSE;
  exec->sync->polls_in_vain = exec->sync->vain_looks++ == MAX_VAIN_LOOKS;
  smb_wait_release(exec);
  return TRUE;
}

gboolean
smb_wait_is_needed(Exec *exec) {
  guint w, lane;
  return exec->block->waits = find_spin(exec, &w, &lane) != NULL || smb_cluster_waits(exec);
}

gboolean
smb_wait_for_outsider(const Exec *exec) {
  SmbBlock *block = exec->block;
  if (block->may_wait || !smb_block_can_wait(block) || !smb_runtime_has_outsider(block->runtime))
    return FALSE;
  return block->may_wait = TRUE;
}

static void
mix_warp(guint64 *hash, const Warp *warp) {
  const Registers *registers = warp->registers;
  const SmbSplits *splits = warp->splits;
  gsize words = (gsize)registers->n_rows * registers->n_lanes;
  smb_hash_bytes(hash, registers->values[0], words * sizeof(guint32));
  smb_hash_bytes(hash, registers->unknown, words * sizeof(guint32));
  smb_hash_bytes(hash, registers->predicates, registers->n_predicates * sizeof(SmbLanes));
  smb_hash_bytes(hash, registers->unknown_predicates, registers->n_predicates * sizeof(SmbLanes));
  smb_hash_bytes(hash, warp->depth, sizeof warp->depth);
  smb_hash_mix(hash, warp->arrived);
  smb_hash_bytes(hash, warp->calls->data, warp->calls->len * sizeof(guint32));
  smb_hash_bytes(hash, splits->armed, splits->n_barriers * sizeof(SmbLanes));
  for (guint lane = 0; lane < registers->n_lanes; lane++) {
    guint32 pc = 0;
    smb_hash_mix(hash, smb_splits_lane(splits, lane, &pc));
    smb_hash_mix(hash, pc);
  }
}

// All that decides what the threads do next, but for global memory.
static guint64
hash_state(const Exec *exec) {
  const SmbBlock *block = exec->block;
  guint64 hash = 0;
  for (guint w = 0; w < block->n_warps; w++)
    mix_warp(&hash, &exec->warps[w]);
  for (guint i = 0; i < N_BLOCK_BARRIERS; i++)
    smb_hash_mix(&hash, exec->sync->barriers[i].arrived);
  smb_hash_mix(&hash, exec->allocated);
  smb_hash_bytes(&hash, block->shared, block->shared_bytes);
  smb_hash_bytes(&hash, block->shared_marks, block->shared_bytes);
  smb_hash_mix(&hash, smb_private_hash(block));
  smb_hash_mix(&hash, smb_mbarriers_hash(exec));
  return hash;
}

gboolean
smb_exec_is_stuck(gpointer data) {
  Exec *exec = data;
  guint64 before = exec->sync->waits_as;
  exec->sync->waits_as = hash_state(exec);
  return exec->sync->waits_as == before;
}

void
smb_exec_fail_waiting(gpointer data, const char *why) {
  Exec *exec = data;
  guint w = 0, lane = 0;
  const Step *step = find_spin(exec, &w, &lane);
  if (!smb_unknown_refuse(exec))
    return;
  if (!step) {
    smb_cluster_fail_waiting(exec, why);
    return;
  }
  g_autofree char *thread = smb_block_thread(exec->block, w, lane);
  if (block_is_alone(exec->block))
    smb_block_fail(
        exec->block, step->place,
        "%s waits here forever: neither the kernel nor anybody else writes what it polls", thread);
  else
    smb_block_fail(exec->block, step->place, "%s waits here forever for other blocks: %s", thread,
                   why);
}
