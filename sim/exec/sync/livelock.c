// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Detects livelock: a block whose state recurs never ends. Now and then, in a round in which each warp has its turn,
// every warp that runs is watched: does it come back to where it was, with the same lanes, registers and barriers of
// convergence, and nothing in memory has changed since the round began? Then each of them will do so forever, since
// nothing else of the block runs. If only one warp runs, it may change shared memory meanwhile. Only steps that
// compute, branch, load and store are watched. Nothing is concluded for a warp with lanes that could run elsewhere, or
// if a condition is unknown.
#include <string.h>

#include "sim/exec/sync/sync.h"

// What there was when a round, and the turn of a warp in it, began.
struct _Watch {
  guint8 *shared; // with its marks after it
  guint8 *registers;
  guint32 pc;
  SmbLanes mask;
  SmbLanes looks;
  GArray *places;     // where all lanes are: list_places()
  gboolean alone;     // no other warp runs
  gboolean outside;   // what is loaded lies outside of shared memory
  gboolean fails;     // a warp of this round does more, or does not come back
  guint n_livelocked; // warps of this round that do
  const Step *step;   // where the first of them is,
  guint w;            // which it is,
  guint n_steps;      // and how many steps bring it back
};

static gsize
shared_bytes(const SmbBlock *block) {
  return block->reserved_start + block->reserved_bytes;
}

static gboolean
is_memory_same(const Watch *watch, SmbBlock *block) {
  gsize n = shared_bytes(block);
  block->work += 2 * n / WORK_BYTES;
  return memcmp(watch->shared, block->shared, n) == 0 &&
         memcmp(watch->shared + n, block->shared_marks, n) == 0;
}

// Whether lanes of a warp wait for something that happens here only once no warp can run, but after some time on a
// device.
static gboolean
waits_for_others(const Warp *warp) {
  return (smb_splits_held(warp->splits, HELD_BY_MBARRIER) |
          smb_splits_held(warp->splits, HELD_BEFORE_LOOK) |
          smb_splits_held(warp->splits, HELD_BY_POOL) |
          smb_splits_held(warp->splits, HELD_BY_OTHERS)) != 0;
}

void
smb_livelock_start(Exec *exec) {
  const SmbBlock *block = exec->block;
  gsize n = shared_bytes(block);
  Watch *watch = exec->sync->watch = g_new0(Watch, 1);
  watch->shared = g_malloc(2 * n + 1);
  memcpy(watch->shared, block->shared, n);
  memcpy(watch->shared + n, block->shared_marks, n);
  guint n_running = 0;
  for (guint w = 0; w < block->n_warps; w++) {
    n_running += exec->warps[w].splits->mask != 0;
    watch->fails = watch->fails || waits_for_others(&exec->warps[w]);
  }
  watch->alone = n_running == 1;
  smb_overlay_watch(block->overlay, TRUE);
}

void
smb_livelock_free(Watch *watch) {
  if (!watch)
    return;
  g_free(watch->shared);
  g_free(watch->registers);
  g_clear_pointer(&watch->places, g_array_unref);
  g_free(watch);
}

// Where the lanes of a warp are, and what they have recorded at barriers of convergence: guint64.
static GArray *
list_places(const SmbSplits *splits) {
  GArray *places = g_array_new(FALSE, FALSE, sizeof(guint64));
  for (guint lane = 0; lane < SMB_MAX_LANES; lane++) {
    guint32 pc;
    SmbLaneState state = smb_splits_lane(splits, lane, &pc);
    guint64 place = (guint64)state << 32 | (state == SMB_LANE_EXITED ? 0 : pc);
    g_array_append_val(places, place);
    for (guint barrier = 0; barrier < splits->n_barriers; barrier++) {
      guint64 recorded = smb_splits_recorded(splits, barrier, lane);
      g_array_append_val(places, recorded);
    }
  }
  return places;
}

// Keeps where the running warp is.
static void
keep_warp(Watch *watch, const Warp *warp) {
  const SmbSplits *splits = warp->splits;
  g_free(watch->registers);
  g_clear_pointer(&watch->places, g_array_unref);
  watch->registers = g_memdup2(warp->registers->memory, warp->registers->n_bytes);
  watch->places = list_places(splits);
  watch->pc = splits->pc;
  watch->mask = splits->mask;
  watch->looks = warp->looks;
  for (guint lane = 0; lane < SMB_MAX_LANES; lane++) {
    guint32 pc;
    gboolean runs = smb_splits_lane(splits, lane, &pc) == SMB_LANE_RUNS;
    watch->fails = watch->fails || (runs && !(splits->mask >> lane & 1));
  }
}

// Whether the running warp is there again.
static gboolean
is_warp_same(const Watch *watch, SmbBlock *block, const Warp *warp) {
  const SmbSplits *splits = warp->splits;
  if (splits->pc != watch->pc || splits->mask != watch->mask || warp->looks != watch->looks)
    return FALSE;
  block->work += warp->registers->n_bytes / WORK_BYTES + SMB_MAX_LANES;
  if (!smb_registers_are_same(warp->registers, watch->registers))
    return FALSE;
  g_autoptr(GArray) places = list_places(splits);
  return places->len == watch->places->len &&
         memcmp(places->data, watch->places->data, places->len * sizeof(guint64)) == 0;
}

// Whether an access is to shared or to global memory: what it leaves in a thread's own is not looked at.
static gboolean
writes_watched(Exec *exec, const Transfer *transfer) {
  const SmbBlock *block = exec->block;
  SmbLanes lanes = exec->warp->splits->mask;
  guint64 addresses[SMB_MAX_LANES];
  guint flags;
  guint32 origin;
  if (transfer->is_cluster || transfer->window != WINDOW_GENERIC)
    return transfer->window == WINDOW_SHARED && !transfer->is_cluster;
  if (smb_transfer_addresses(exec, transfer, lanes, addresses, &flags, &origin) != lanes)
    return FALSE;
  FOR_LANES(lanes, lane) {
    guint32 object = smb_block_find(block, addresses[lane]);
    if (object >= block->n_objects || (block->objects[object].space != SPACE_SHARED &&
                                       block->objects[object].space != SPACE_GLOBAL))
      return FALSE;
  }
  return TRUE;
}

// Whether all that the next step of the running warp can do is looked at here.
static gboolean
is_fully_watched(Exec *exec, const Step *step) {
  const Warp *warp = exec->warp;
  if (warp->registers->unknown_predicates[step->guard] & warp->splits->mask)
    return FALSE;
  gboolean is_plain = (step->flags & STEP_PLAIN) != 0;
  switch ((StepKind)step->kind) {
  case KIND_COMPUTE:
  case KIND_BRANCH:
  case KIND_MEETING:
  case KIND_HARMLESS:
    return TRUE;
  case KIND_TRANSFER:
    return is_plain && (!step_stores(step) || writes_watched(exec, step->transfer));
  case KIND_CONTROL:
    return (step->flags & STEP_IN_WARP) != 0;
  case KIND_OPAQUE:
    return is_plain && step->argument == 0;
  case KIND_EXIT:
  case KIND_FRAME:
  case KIND_APART:
    return FALSE;
  }
  g_assert_not_reached();
}

gboolean
smb_livelock_warp(Exec *exec, guint *left, gboolean (*take)(Exec *exec)) {
  Watch *watch = exec->sync->watch;
  SmbSplits *splits = exec->warp->splits;
  guint n = 0;
  if (!watch->fails)
    keep_warp(watch, exec->warp);
  while (!watch->fails) {
    const Step *step = &exec->steps[splits->pc];
    if (*left == 0 || !splits->mask || !is_fully_watched(exec, step)) {
      watch->fails = TRUE;
      break;
    }
    if (!take(exec))
      return FALSE;
    --*left;
    n++;
    if (!watch->alone && step_stores(step))
      watch->fails = !is_memory_same(watch, exec->block);
    watch->fails = watch->fails || smb_overlay_changed(exec->block->overlay);
    watch->outside |= step->kind == KIND_TRANSFER && step->transfer->window != WINDOW_SHARED;
    if (!watch->fails && is_warp_same(watch, exec->block, exec->warp) &&
        is_memory_same(watch, exec->block))
      break;
  }
  if (watch->fails)
    return TRUE;
  if (watch->n_livelocked++ == 0) {
    watch->step = &exec->steps[watch->pc];
    watch->w = exec->w;
    watch->n_steps = n;
  }
  return TRUE;
}

// What may be otherwise on a device.
static const char *
say_otherwise(const Exec *exec, const Watch *watch) {
  return exec->order->ordered ? " (smembank runs threads in one order, a device may use others)"
         : watch->outside && !block_is_alone(exec->block)
             ? " (another block may: smembank runs blocks one after another)"
             : "";
}

gboolean
smb_livelock_end(Exec *exec) {
  g_autoptr(Watch) watch = g_steal_pointer(&exec->sync->watch);
  smb_overlay_watch(exec->block->overlay, FALSE);
  if (watch->fails || watch->n_livelocked == 0)
    return TRUE;
  const SmbSite *polled = smb_spin_site(exec, watch->step);
  if (polled) {
    g_autofree char *place = smb_site_place(polled);
    return smb_block_fail(exec->block, watch->step->place,
                          "an endless loop: it only polls '%s' (%s), for a value that no thread of "
                          "the block stores%s",
                          polled->expression, place, say_otherwise(exec, watch));
  }
  return smb_block_fail(exec->block, watch->step->place,
                        "an endless loop: every %u steps of warp %u restore its registers and "
                        "shared memory, and no other warp changes that%s",
                        watch->n_steps, watch->w, say_otherwise(exec, watch));
}
