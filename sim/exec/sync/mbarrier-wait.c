// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Waits for barriers in shared memory (PTX ISA, "mbarrier.test_wait, mbarrier.try_wait"; mbarrier.c has the barriers). A lane that tests a phase
// before it is complete waits: hardware may delay it as long. If nothing else can run, the test fails; a kernel in which this happens again and again
// does not end.
#include "sim/exec/sync/mbarrier-impl.h"
#include "sim/machine/check/checking.h"

enum {
  MAX_TIMEOUTS = 256, // waits that end without success, one after the other, while nothing happens
};

// Tells of a wait that is over for which phase it was, by the first lane whose barrier is the block's own: the one before this, if there
// was one.
static void
tell_awaited(const Exec *exec, const Places *places, SmbLanes done) {
  FOR_LANES(done, lane) {
    if (places->owner[lane] != exec)
      continue;
    const MBarrier *barrier =
        g_hash_table_lookup(exec->sync->mbarriers, mbarrier_key(places->offset[lane]));
    exec_tell_phase(exec, SMB_PHASE_WAITS, SMB_BARRIER_SHARED + (guint64)barrier->offset,
                    barrier->phase - barrier->first - 1, 0);
    return;
  }
}

// The lanes of @lanes whose phase is complete, and those where that is unknown.
static gboolean
test_phases(Exec *exec, const Step *step, SmbLanes lanes, const Places *places, SmbLanes *done,
            SmbLanes *unknown) {
  const guint32 *numbers = NULL;
  gboolean parity = step->argument == MBARRIER_PARITY;
  gboolean known = mbarrier_known_row(exec, step->compute.s[0] + (parity ? 0 : 1), lanes, &numbers);
  FOR_LANES(lanes, lane) {
    MBarrier *barrier;
    if (!smb_mbarrier_find(exec, step, (guint)lane, places, &barrier))
      return FALSE;
    if (!barrier || !known)
      *unknown |= (SmbLanes)1 << lane;
    else if (parity ? (barrier->phase ^ numbers[lane]) % 2 : barrier->phase != numbers[lane])
      *done |= (SmbLanes)1 << lane;
    if (exec->block->check && *done >> lane & 1 && places->owner[lane] == exec)
      smb_inspect_await(exec->block, exec->w, (SmbLanes)1 << lane, places->offset[lane]);
  }
  return TRUE;
}

// What is copied meanwhile, and when, is not known.
static void
forget_copied(Exec *exec, const Step *step) {
  const Registers *registers = exec->warp->registers;
  const Row number = step->compute.s[0];
  const guint32 origin = row_flags(registers, number) & ROW_UNKNOWN ? row_origin(registers, number)
                                                                    : exec->sync->mbarrier_origin;
  smb_unknown_note(exec, step, (Cause){.kind = CAUSE_ADDRESS, .origin = origin});
  smb_unknown_forget_shared(exec, step);
}

gboolean
smb_step_mbarrier_wait(Exec *exec, const Step *step, SmbLanes lanes) {
  Warp *warp = exec->warp;
  Places places;
  gboolean known;
  SmbLanes done = 0, here = lanes, unknown = 0;
  if (!lanes)
    return TRUE;
  smb_spin_warn(exec, step);
  if (!smb_mbarriers_locate(exec, step, step->transfer, 0, &here, &places, &known) ||
      (known && !test_phases(exec, step, here, &places, &done, &unknown)))
    return FALSE;
  unknown |= known ? lanes & ~here : lanes;
  if (unknown)
    forget_copied(exec, step);
  else if (!done && !(warp->timed_out & lanes)) {
    warp->splits->pc = step_number(exec, step);
    smb_splits_hold(warp->splits, warp->splits->mask, HELD_BY_MBARRIER);
    return TRUE;
  }
  warp->timed_out &= ~lanes;
  // What tcgen05.commit waits for has ended, and with it two phases may end before others have looked: they have a turn.
  exec->ends_turn = exec->block->tensor != NULL;
  if (done)
    tell_awaited(exec, &places, done);
  exec_list_traffic(exec, step, SMB_TRAFFIC_WAIT,
                    (guint64)MBARRIER_OBJECT_BYTES * smb_lanes_count(lanes));
  smb_predicate_set(warp->registers, step->compute.p, lanes, done, unknown, 0,
                    step_origin(exec, step));
  return TRUE;
}

// Of a block that stands for its cluster, what others bring is taken to come where something has come.
static gboolean
may_complete(const Exec *exec, const MBarrier *barrier) {
  gboolean is_alike = exec->block->peers && exec->block->peers->is_alike;
  gboolean has_begun = barrier->bytes != 0 || barrier->pending < barrier->expected;
  return (barrier->is_unsized && barrier->pending == 0) || (is_alike && has_begun);
}

static gboolean
complete_unsized(Exec *exec) {
  GHashTableIter iter;
  gpointer value;
  gboolean any = FALSE;
  g_hash_table_iter_init(&iter, exec->sync->mbarriers);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    MBarrier *barrier = value;
    if (!may_complete(exec, barrier))
      continue;
    smb_mbarrier_complete_phase(exec, barrier);
    any = TRUE;
  }
  return any;
}

static SmbLanes
count_held(const Exec *exec) {
  SmbLanes held = 0;
  for (guint w = 0; w < exec->block->n_warps; w++)
    held |= smb_splits_held(exec->warps[w].splits, HELD_BY_MBARRIER);
  return held;
}

gboolean
smb_mbarriers_release(Exec *exec) {
  if (!count_held(exec) || smb_cluster_may_move(exec))
    return FALSE;
  if (complete_unsized(exec)) {
    exec->sync->timeouts = 0;
    return TRUE;
  }
  if (++exec->sync->timeouts > MAX_TIMEOUTS)
    return FALSE;
  for (guint w = 0; w < exec->block->n_warps; w++) {
    Warp *warp = &exec->warps[w];
    warp->timed_out = smb_splits_held(warp->splits, HELD_BY_MBARRIER);
    smb_mbarriers_let_go(warp);
  }
  return TRUE;
}

// The mbarrier of its own block that a warp waits for, and the step that waits; NULL: it waits for none.
static const MBarrier *
find_awaited(Exec *exec, guint w, const Step **step) {
  SmbLanes held = smb_splits_held(exec->warps[w].splits, HELD_BY_MBARRIER);
  guint32 pc;
  Places places;
  gboolean known;
  if (!held)
    return NULL;
  guint lane = smb_lanes_first(held);
  SmbLanes one = (SmbLanes)1 << lane;
  smb_splits_lane(exec->warps[w].splits, lane, &pc);
  exec->w = w;
  exec->warp = &exec->warps[w];
  *step = &exec->steps[pc];
  if (!smb_mbarriers_locate(exec, *step, (*step)->transfer, 0, &one, &places, &known))
    return NULL;
  return known && one && places.owner[lane] == exec
             ? g_hash_table_lookup(exec->sync->mbarriers, mbarrier_key(places.offset[lane]))
             : NULL;
}

// What a warp of @waiting, a block of the cluster, waits for. Always FALSE.
static gboolean
fail_awaited(Exec *exec, const Exec *waiting, guint w, const Step *step, const MBarrier *barrier) {
  const guint *cluster = exec->block->cluster;
  g_autofree char *of = waiting == exec
                            ? g_strdup("")
                            : g_strdup_printf(" of block %u of the cluster", waiting->block->rank);
  return smb_block_fail(
      exec->block, step->place,
      "%s: warp %u%s waits here forever: the mbarrier at byte %u of shared memory still expects %u "
      "arrival%s%s %" G_GINT64_FORMAT " bytes%s%s",
      smb_program_site(exec->block->program, step->transfer->move.site)->expression, w, of,
      barrier->offset, barrier->pending, barrier->pending == 1 ? "" : "s",
      barrier->bytes < 0 ? ", and" : " and", ABS(barrier->bytes),
      barrier->bytes < 0 ? " more have come than were expected" : "",
      !exec->block->peers && cluster[0] * cluster[1] * cluster[2] > 1
          ? "; what other blocks of the cluster do to it is not modelled"
          : "");
}

// Of the warps of @waiting the first that waits for bytes, or else for anything: what has other bytes than were announced is the mistake itself, and
// others wait because of it.
static gboolean
check_waiting(Exec *exec, Exec *waiting, gboolean for_bytes) {
  for (guint w = 0; w < waiting->block->n_warps; w++) {
    const Step *step = NULL;
    const MBarrier *barrier = find_awaited(waiting, w, &step);
    if (barrier && (barrier->bytes != 0 || !for_bytes))
      return fail_awaited(exec, waiting, w, step, barrier);
  }
  return TRUE;
}

gboolean
smb_mbarriers_check(Exec *exec) {
  SmbCluster *cluster = exec->block->peers;
  for (guint pass = 0; pass < 2; pass++) {
    if (!check_waiting(exec, exec, pass == 0))
      return FALSE;
    for (guint i = 0; cluster && i < cluster->n; i++) {
      Exec *member = cluster->blocks[i]->state;
      if (member != exec && !check_waiting(exec, member, pass == 0))
        return FALSE;
    }
  }
  return TRUE;
}
