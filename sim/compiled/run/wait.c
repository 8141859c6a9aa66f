// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A block that waits for others: at a barrier of the grid, or for what an earlier or later block has to leave. Its threads
// poll global memory. Lanes that find at an instruction what they found there the last time are held, until the block's other
// threads cannot go on; if these cannot, its turn ends, and others run. That decides who runs when, and nothing else: any order
// of threads is one that a device may have. Loads that nothing may change meanwhile, and memory within the block, are not polled.
#include "sim/base/hash.h"
#include "sim/compiled/run/run.h"

// Whether others may change what a step finds, of addresses of which some lie in global memory.
static gboolean
may_poll(const Runner *runner, const Transfer *transfer, SmbLanes lanes, const guint64 *addresses) {
  gboolean atomic = transfer->move.op_class == SMB_OP_CLASS_ATOMIC;
  if (atomic ? !smb_order_has_result(transfer) : transfer->order <= ORDER_BLOCK)
    return FALSE;
  FOR_LANES(lanes, lane) {
    const Object *object = &runner->block->objects[smb_block_find(runner->block, addresses[lane])];
    if (object->space == SPACE_GLOBAL)
      return TRUE;
  }
  return FALSE;
}

void
smb_runner_look(Runner *runner, const Step *step, SmbLanes lanes, const guint64 *addresses,
                const MarkedWords *words) {
  const Transfer *transfer = step->transfer;
  SmbSplits *splits = runner->warp->splits;
  guint64 found = lanes;
  if (!may_poll(runner, transfer, lanes, addresses))
    return;
  FOR_LANES(lanes, lane) {
    smb_hash_mix(&found, addresses[lane]);
    for (guint word = 0; word < (transfer->move.width + 3) / 4; word++)
      smb_hash_mix(&found, words->values[word][lane]);
  }
  gpointer hash = GSIZE_TO_POINTER(found | 1); // not NULL
  gsize place = (gsize)runner->w * runner->code->steps->len + step_number(runner, step);
  if (g_hash_table_lookup(runner->found, GSIZE_TO_POINTER(place)) == hash)
    smb_splits_hold(splits, splits->mask, HELD_BY_OTHERS);
  else
    g_hash_table_insert(runner->found, GSIZE_TO_POINTER(place), hash);
}

// The first lane of the block that polls, and of what it does so; NULL: there is none.
static const Step *
find_poll(const Runner *runner, guint *w, guint *lane) {
  for (*w = 0; *w < runner->block->n_warps; ++*w) {
    const SmbSplits *splits = runner->warps[*w].splits;
    SmbLanes held = smb_splits_held(splits, HELD_BY_OTHERS);
    guint32 pc;
    if (!held)
      continue;
    *lane = smb_lanes_first(held);
    smb_splits_lane(splits, *lane, &pc);
    return &runner->steps[pc - 1];
  }
  return NULL;
}

void
smb_runner_release_polls(Runner *runner) {
  runner->wrote = FALSE;
  for (guint w = 0; w < runner->block->n_warps; w++)
    smb_splits_release(runner->warps[w].splits, HELD_BY_OTHERS, TRUE);
}

gboolean
smb_runner_look_again(Runner *runner) {
  guint w, lane;
  if (!runner->wrote || !find_poll(runner, &w, &lane))
    return FALSE;
  smb_runner_release_polls(runner);
  return TRUE;
}

gboolean
smb_runner_waits(Runner *runner) {
  guint w, lane;
  return runner->block->waits = find_poll(runner, &w, &lane) != NULL;
}

void
smb_runner_see_others(Runner *runner) {
  const SmbBlock *block = runner->block;
  for (guint i = 0; runner->follows && i < block->n_objects; i++) {
    const Object *object = &block->objects[i];
    if (object->space != SPACE_GLOBAL || !smb_overlay_is_ordered(block->overlay, object))
      continue;
    runner->written[i] |= OBJECT_ORDERED;
    runner->ordered = TRUE;
  }
}

void
smb_runner_leave(Runner *runner) {
  const SmbBlock *block = runner->block;
  for (guint i = 0; runner->follows && i < block->n_objects; i++) {
    if (block->objects[i].space == SPACE_GLOBAL && runner->written[i])
      smb_overlay_set_ordered(block->overlay, &block->objects[i]);
  }
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
hash_state(const Runner *runner) {
  const SmbBlock *block = runner->block;
  guint64 hash = 0;
  for (guint w = 0; w < block->n_warps; w++)
    mix_warp(&hash, &runner->warps[w]);
  for (guint i = 0; i < RUNNER_BARRIERS; i++)
    smb_hash_mix(&hash, runner->barriers[i].arrived);
  smb_hash_mix(&hash, runner->allocated);
  smb_hash_bytes(&hash, block->shared, block->shared_bytes);
  smb_hash_bytes(&hash, block->shared_marks, block->shared_bytes);
  smb_hash_mix(&hash, smb_private_hash(block));
  smb_hash_mix(&hash, smb_mbarriers_hash(runner));
  return hash;
}

gboolean
smb_runner_is_stuck(gpointer data) {
  Runner *runner = data;
  guint64 before = runner->waits_as;
  runner->waits_as = hash_state(runner);
  return runner->waits_as == before;
}

void
smb_runner_fail_waiting(gpointer data, const char *why) {
  Runner *runner = data;
  guint w = 0, lane = 0;
  const Step *step = find_poll(runner, &w, &lane);
  g_return_if_fail(step != NULL);
  if (!smb_runner_refuse(runner))
    return;
  g_autofree char *thread = smb_block_thread(runner->block, w, lane);
  smb_block_fail(runner->block, step->place, "%s waits here for other blocks, in vain: %s", thread,
                 why);
}
