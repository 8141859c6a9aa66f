// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Barriers of the block (PTX ISA, "bar, barrier"): 16 of them, each for all threads or for as many as it says. What is
// done before a barrier and after it does not race; one that only some threads wait at counts as one of all.
#include "sim/exec/sync/sync.h"

// The number that an operand holds in the first of @lanes, of all of which it must be the same.
static gboolean
read_uniform_operand(Exec *exec, const Step *step, Row from, SmbLanes lanes, const char *what,
                     guint32 *value) {
  const Registers *registers = exec->warp->registers;
  if (smb_row_known(registers, from, lanes) != lanes)
    return smb_block_fail(exec->block, step->place, "%s of the barrier is unknown", what);
  const guint32 *values = row_values(registers, from);
  guint32 first = *value = values[smb_lanes_first(lanes)], differ = 0;
  EACH_LANE(registers->n_lanes, differ |= values[lane] ^ first;)
  FOR_LANES(differ ? lanes : 0, lane) {
    if (values[lane] != first)
      return smb_block_fail(exec->block, step->place,
                            "%s of the barrier differs between threads of a warp", what);
  }
  exec_watch_row(exec, from);
  return TRUE;
}

// What a thread contributes to bar.red is kept until all have arrived.
static void
note_answers(Exec *exec, const Step *step, BlockBarrier *barrier, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  const Compute *compute = &step->compute;
  SmbLanes answers = registers->predicates[compute->in[0]];
  if (compute->modifiers & MODIFIER_NOT_IN)
    answers = ~answers;
  barrier->flags |= predicate_flags_in(registers, compute->in[0], lanes) & ROW_TAINT;
  exec->warp->answers = (exec->warp->answers & ~lanes) | (answers & lanes);
  SmbLanes unknown = registers->unknown_predicates[compute->in[0]] & lanes;
  exec->warp->unknown_answers = (exec->warp->unknown_answers & ~lanes) | unknown;
  if (unknown && !barrier->origin)
    barrier->origin = registers->predicate_origin[compute->in[0]];
}

gboolean
smb_step_barrier(Exec *exec, const Step *step, SmbLanes lanes) {
  guint32 number = BARRIER_OF_CLUSTER, expected = 0;
  const Compute *compute = &step->compute;
  if (!lanes)
    return TRUE;
  if ((compute->s[0] != NO_ROW &&
       !read_uniform_operand(exec, step, compute->s[0], lanes, "the number", &number)) ||
      (compute->s[1] != NO_ROW &&
       !read_uniform_operand(exec, step, compute->s[1], lanes, "the number of threads", &expected)))
    return FALSE;
  if (compute->s[0] != NO_ROW && number >= BARRIER_OF_CLUSTER)
    return smb_block_fail(exec->block, step->place, "barrier %u: expected 0 to %u", number,
                          (guint)BARRIER_OF_CLUSTER - 1);
  if (expected % exec->block->lanes != 0)
    return smb_block_fail(exec->block, step->place, BARRIER_THREADS_ERROR, expected,
                          exec->block->lanes);
  BlockBarrier *barrier = &exec->sync->barriers[number];
  barrier->expected = expected;
  barrier->step = step;
  if (step->argument == BARRIER_ARRIVE) {
    barrier->arrived += exec->block->lanes;
    return TRUE;
  }
  exec->sync->awaited |= 1u << number;
  note_answers(exec, step, barrier, lanes);
  smb_splits_hold(exec->warp->splits, lanes, number);
  return TRUE;
}

// Threads that wait at a barrier; a warp that waits with all its lanes counts whole. @mask: set for the block's warps.
static guint
count_waiting(const Exec *exec, guint number, Mask *mask) {
  guint n = 0;
  for (guint w = 0; w < exec->block->n_warps; w++) {
    const SmbSplits *splits = exec->warps[w].splits;
    SmbLanes held = mask->warp[w] = smb_splits_held(splits, number);
    n += held == splits->living && held ? exec->block->lanes : smb_lanes_count(held);
  }
  return n;
}

static guint
count_living(const Exec *exec) {
  guint n = 0;
  for (guint w = 0; w < exec->block->n_warps; w++)
    n += exec->warps[w].splits->living ? exec->block->lanes : 0;
  return n;
}

// What bar.red gives to all that waited. One thread that is certain decides an "or" or "and", whatever the others say.
static void
answer_reduction(Exec *exec, const BlockBarrier *barrier, const Mask *waiting) {
  const Step *step = barrier->step;
  guint n = 0, not = 0;
  gboolean unknown = FALSE;
  for (guint w = 0; w < exec->block->n_warps; w++) {
    const Warp *warp = &exec->warps[w];
    SmbLanes sure = waiting->warp[w] & ~warp->unknown_answers;
    n += smb_lanes_count(warp->answers & sure);
    not += smb_lanes_count(~warp->answers & sure);
    unknown = unknown || sure != waiting->warp[w];
  }
  gboolean yes = step->argument == BARRIER_AND ? not == 0 : n > 0;
  if (step->argument != BARRIER_POPC && yes == (step->argument == BARRIER_OR))
    unknown = FALSE;
  for (guint w = 0; w < exec->block->n_warps; w++) {
    Registers *registers = exec->warps[w].registers;
    SmbLanes lanes = waiting->warp[w];
    guint32 values[SMB_MAX_LANES];
    for (guint lane = 0; lane < SMB_MAX_LANES; lane++)
      values[lane] = n;
    if (step->argument == BARRIER_POPC && unknown)
      smb_row_forget(registers, step->compute.d, lanes, barrier->flags, barrier->origin);
    else if (step->argument == BARRIER_POPC)
      smb_row_set(registers, step->compute.d, lanes, values, NULL, barrier->flags, 0);
    else
      smb_predicate_set(registers, step->compute.p, lanes, yes && !unknown ? lanes : 0,
                        unknown ? lanes : 0, barrier->flags, barrier->origin);
  }
}

static void
release_barrier(Exec *exec, guint number, const Mask *waiting) {
  BlockBarrier *barrier = &exec->sync->barriers[number];
  if (barrier->step->argument >= BARRIER_POPC)
    answer_reduction(exec, barrier, waiting);
  smb_shadow_barrier(exec->block->shadow);
  for (guint w = 0; w < exec->block->n_warps; w++)
    smb_splits_release(exec->warps[w].splits, number, TRUE);
  barrier->arrived = 0;
  barrier->flags = 0;
  barrier->origin = 0;
  exec->sync->awaited &= ~(1u << number);
  exec->sync->timeouts = 0;
}

gboolean
smb_barriers_fail(Exec *exec) {
  if (!smb_mbarriers_check(exec))
    return FALSE;
  for (guint number = 0; number < N_BLOCK_BARRIERS; number++) {
    Mask waiting;
    const BlockBarrier *barrier = &exec->sync->barriers[number];
    guint n = count_waiting(exec, number, &waiting);
    if (n == 0)
      continue;
    if (barrier->expected)
      return smb_block_fail(exec->block, barrier->step->place,
                            "barrier %u waits for %u threads, but %u reach it", number,
                            barrier->expected, n + barrier->arrived);
    return smb_block_barrier(exec->block, barrier->step->place, "the barrier", &waiting);
  }
  for (guint w = 0; w < exec->block->n_warps; w++) {
    const SmbSplits *splits = exec->warps[w].splits;
    if (!splits->living)
      continue;
    guint32 pc = 0;
    smb_splits_lane(splits, smb_lanes_first(splits->living), &pc);
    return smb_block_fail(exec->block, exec->steps[pc].place,
                          "warp %u waits here for lanes that never arrive", w);
  }
  g_assert_not_reached();
}

gboolean
smb_barriers_release(Exec *exec) {
  gboolean any = FALSE;
  for (guint32 awaited = exec->sync->awaited; awaited; awaited &= awaited - 1) {
    guint number = (guint)__builtin_ctz(awaited);
    Mask waiting;
    const BlockBarrier *barrier = &exec->sync->barriers[number];
    guint n = count_waiting(exec, number, &waiting);
    guint expected = barrier->expected ? barrier->expected : count_living(exec);
    if (n == 0 || n + barrier->arrived < expected)
      continue;
    release_barrier(exec, number, &waiting);
    any = TRUE;
  }
  return any;
}
