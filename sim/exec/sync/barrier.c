// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Barriers of the block (PTX ISA, "bar, barrier"): 16 of them, each for all threads or for as many as it says. What is
// done before a barrier and after it does not race; one that only some threads wait at counts as one of all.
#include "sim/exec/sync/sync.h"

#include "sim/machine/check/checking.h"
#include "sim/machine/tensor-memory.h"

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

// The number of a barrier, and of how many threads it is.
static gboolean
read_barrier(Exec *exec, const Step *step, SmbLanes lanes, guint32 *number, guint32 *expected) {
  const Compute *compute = &step->compute;
  *expected = 0;
  if (!read_uniform_operand(exec, step, compute->s[0], lanes, "the number", number) ||
      (compute->s[1] != NO_ROW &&
       !read_uniform_operand(exec, step, compute->s[1], lanes, "the number of threads", expected)))
    return FALSE;
  if (*number >= N_BLOCK_BARRIERS)
    return smb_block_fail(exec->block, step->place, "barrier %u: expected 0 to %u", *number,
                          (guint)N_BLOCK_BARRIERS - 1);
  return *expected % exec->block->lanes == 0 ||
         smb_block_fail(exec->block, step->place, BARRIER_THREADS_ERROR, *expected,
                        exec->block->lanes);
}

gboolean
smb_step_barrier(Exec *exec, const Step *step, SmbLanes lanes) {
  guint32 number, expected;
  if (!lanes)
    return TRUE;
  if (!read_barrier(exec, step, lanes, &number, &expected)) {
    smb_inspect_note_failure(exec->block, SMB_DEFECT_BARRIER, exec->w, smb_lanes_first(lanes));
    return FALSE;
  }
  BlockBarrier *barrier = &exec->sync->barriers[number];
  barrier->expected = expected;
  barrier->step = step;
  const gboolean arrives = step->argument == BARRIER_ARRIVE;
  exec_tell_phase(exec, SMB_PHASE_ARRIVES | (arrives ? 0 : SMB_PHASE_WAITS), number, barrier->phase,
                  0);
  if (arrives) {
    if (exec->block->check)
      smb_inspect_arrive(exec->block, exec->w, CHECK_BLOCK_BARRIERS + number);
    barrier->arrived += exec->block->lanes;
    return TRUE;
  }
  exec->sync->awaited |= 1u << number;
  note_answers(exec, step, barrier, lanes);
  smb_splits_hold(exec->warp->splits, lanes, number);
  if (exec->block->check && smb_splits_held(exec->warp->splits, number) == lanes)
    barrier->absent.warp[exec->w] = exec->warp->splits->living & ~lanes;
  return TRUE;
}

gboolean
smb_step_fence(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbBlock *block = exec->block;
  if (!block->check || !lanes)
    return TRUE;
  if (step->argument == FENCE_BLOCK)
    smb_inspect_fence(block, exec->w);
  else if (step->argument == FENCE_ASYNC)
    smb_inspect_fence_async(block, exec->w);
  else if (step->argument == FENCE_GRID)
    smb_inspect_grid_wait(block, exec->w, lanes);
  else if (step->argument == FENCE_TRIGGER)
    smb_inspect_grid_trigger(block);
  else if (step->argument == FENCE_PERMIT)
    smb_tensor_memory(block)->is_closed = TRUE;
  else if (step->argument == FENCE_TENSOR_LOADS || step->argument == FENCE_TENSOR_STORES)
    smb_inspect_await_all(block, step->argument == FENCE_TENSOR_LOADS ? CHECK_LOADS : CHECK_STORES,
                          exec->w);
  else if (step->argument == FENCE_COMMIT || step->argument == FENCE_COMMIT_SENDS)
    smb_inspect_commit(block, step->argument == FENCE_COMMIT ? CHECK_PRODUCTS : CHECK_SENDS,
                       exec->w);
  else if (step->argument >= FENCE_AWAIT_SENDS)
    smb_inspect_await_groups(block, CHECK_SENDS, exec->w, step->argument - FENCE_AWAIT_SENDS);
  else
    smb_inspect_await_groups(block, CHECK_PRODUCTS, exec->w, step->argument - FENCE_AWAIT);
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

// A defect of a barrier: @lane of @warp is an example.
static CheckFound
make_barrier_found(guint32 place, guint warp, SmbLanes lanes) {
  return (CheckFound){.kind = SMB_DEFECT_BARRIER,
                      .site = G_MAXUINT,
                      .at = place,
                      .other = G_MAXUINT,
                      .warp = warp,
                      .lane = smb_lanes_first(lanes),
                      .other_thread = G_MAXUINT};
}

// Lanes of a warp that lived when others of it came to a barrier for all of the block, and ended without coming. One that has ended before need
// not come (CUDA C++ Programming Guide, "Independent Thread Scheduling"; synccheck on an H100 says the same of both).
static void
check_absent(Exec *exec, const BlockBarrier *barrier, const Mask *waiting) {
  SmbBlock *block = exec->block;
  for (guint w = 0; w < block->n_warps; w++) {
    SmbLanes gone = waiting->warp[w] ? barrier->absent.warp[w] & block->exited.warp[w] : 0;
    if (!gone)
      continue;
    const CheckFound found = make_barrier_found(barrier->step->place, w, gone);
    if (smb_inspect_counts(block, &found))
      continue;
    g_autofree char *thread = smb_inspect_thread(block, w * block->lanes + found.lane);
    smb_inspect_tell(
        block, &found,
        "not all threads of warp %u reach the barrier: %s, for one, ends while others wait", w,
        thread);
  }
}

// Lanes of a warp that wait at different instructions have not met.
static void
check_divided(Exec *exec, const Mask *waiting) {
  SmbBlock *block = exec->block;
  for (guint w = 0; w < block->n_warps; w++) {
    const SmbSplits *splits = exec->warps[w].splits;
    SmbLanes apart = 0;
    guint32 first = 0, at;
    FOR_LANES(waiting->warp[w], lane) {
      smb_splits_lane(splits, (guint)lane, &at);
      first = lane == smb_lanes_first(waiting->warp[w]) ? at : first;
      apart |= (SmbLanes)(at != first) << lane;
    }
    if (!apart)
      continue;
    const CheckFound found = make_barrier_found(exec->steps[first - 1].place, w, apart);
    if (smb_inspect_counts(block, &found))
      continue;
    g_autofree char *thread = smb_inspect_thread(block, w * block->lanes + found.lane);
    smb_inspect_tell(block, &found,
                     "threads of warp %u wait at different barriers: %s, for one, at another "
                     "__syncthreads()",
                     w, thread);
  }
}

// Of a launch that is checked: the barrier is complete.
static void
check_release(Exec *exec, guint number, const Mask *waiting) {
  const BlockBarrier *barrier = &exec->sync->barriers[number];
  gboolean is_all =
      TRUE; // what ended threads did is seen behind a barrier that is for all of the block
  for (guint w = 0; w < exec->block->n_warps; w++)
    is_all = is_all && waiting->warp[w] == (barrier->expected ? exec->block->launched.warp[w]
                                                              : exec->warps[w].splits->living);
  if (!barrier->expected)
    check_absent(exec, barrier, waiting);
  check_divided(exec, waiting);
  smb_inspect_barrier(exec->block, CHECK_BLOCK_BARRIERS + number, waiting, is_all);
}

static void
release_barrier(Exec *exec, guint number, const Mask *waiting) {
  BlockBarrier *barrier = &exec->sync->barriers[number];
  if (exec->block->check)
    check_release(exec, number, waiting);
  if (barrier->step->argument >= BARRIER_POPC)
    answer_reduction(exec, barrier, waiting);
  smb_shadow_barrier(exec->block->shadow);
  for (guint w = 0; w < exec->block->n_warps; w++)
    smb_splits_release(exec->warps[w].splits, number, TRUE);
  barrier->arrived = 0;
  barrier->phase++;
  barrier->flags = 0;
  barrier->origin = 0;
  exec->sync->awaited &= ~(1u << number);
  exec->sync->timeouts = 0;
}

// Says which threads are missing where. Always FALSE.
static gboolean
fail_barriers(Exec *exec) {
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
  if (!smb_cluster_check(exec))
    return FALSE;
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

void
smb_barriers_tell_short(Exec *exec) {
  for (guint number = 0; exec->block->check && number < N_BLOCK_BARRIERS; number++) {
    Mask waiting;
    const BlockBarrier *barrier = &exec->sync->barriers[number];
    guint n = count_waiting(exec, number, &waiting);
    if (n == 0 || !barrier->expected)
      continue;
    CheckFound found = make_barrier_found(barrier->step->place, 0, 1);
    found.lane = G_MAXUINT;
    if (!smb_inspect_counts(exec->block, &found))
      smb_inspect_tell(exec->block, &found, "barrier %u waits for %u threads, but %u reach it",
                       number, barrier->expected, n + barrier->arrived);
  }
}

gboolean
smb_barriers_fail(Exec *exec) {
  smb_register_pool_check_ended(exec);
  if (!smb_register_pool_check(exec)) {
    smb_inspect_note_failure(exec->block, SMB_DEFECT_REGISTERS, 0, G_MAXUINT);
  } else if (!smb_mbarriers_check(exec)) {
    smb_inspect_note_failure(exec->block, SMB_DEFECT_MBARRIER, 0, G_MAXUINT);
    smb_barriers_tell_short(exec);
  } else if (!fail_barriers(exec))
    smb_inspect_note_failure(exec->block, SMB_DEFECT_BARRIER, 0, G_MAXUINT);
  return FALSE;
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
