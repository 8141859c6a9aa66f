// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A block of compiled code from its start to its end. Each warp runs until all its lanes wait or have exited, or until
// it has had its share of steps, since it may wait for what another warp does.
#include "sim/exec/sync/sync.h"

enum {
  LOOK_STEPS = 1 << 22, // of a block, a multiple of that, before it is asked whether it can end
  CLUSTER_ROUNDS = 16, // before other blocks of the cluster have their turns, for which it may poll
  ASK_STEPS = 1 << 18, // the same, before somebody is asked whether it is to end
};

// The place of the last step. A convergence barrier is not an instruction: its place is that of the next one.
static guint32
find_last_place(const Exec *exec, const Step *step) {
  const Step *end = &g_array_index(exec->code->steps, Step, exec->code->steps->len - 1);
  while (step->kind == KIND_MEETING && step < end)
    step++;
  return step->place;
}

// Looks at the block every so many steps. At the limit, the error names the loop that runs; a loop without an exit is
// reported long before. @step: the last one; @before: steps of the block before those of this warp's share.
static gboolean
check_step_limit(Exec *exec, const Step *step, guint64 before) {
  SmbBlock *block = exec->block;
  const SmbSplits *splits = exec->warp->splits;
  gboolean looks = block->steps / LOOK_STEPS != before / LOOK_STEPS && splits->mask;
  if (looks && smb_spin_is_endless(exec))
    return smb_block_fail(block, find_last_place(exec, step), "an endless loop: it has no exit");
  gboolean asks = block->steps / ASK_STEPS != before / ASK_STEPS && block->is_cancelled;
  if (asks && block->is_cancelled(block->cancel_user))
    return smb_block_fail(block, find_last_place(exec, step), "interrupted");
  if (looks && smb_wait_for_outsider(exec))
    looks = FALSE;
  exec->sync->doubts = exec->sync->doubts || (looks && !smb_cluster_lives(exec));
  guint64 max_work = MAX(CODE_MAX_WORK, block->limits.max_steps / 2 * 5);
  if (block->steps <= block->limits.max_steps && block->steps + block->work <= max_work)
    return TRUE;
  const SmbSite *polled = smb_spin_site(exec, step);
  g_autofree char *place = polled ? smb_site_place(polled) : NULL;
  g_autofree char *loop =
      polled ? g_strdup_printf(", in a loop that only loads '%s' (%s)", polled->expression, place)
             : g_strdup("");
  smb_block_fail(block, find_last_place(exec, step),
                 "still running after %" G_GUINT64_FORMAT
                 " warp instructions%s: an endless loop, a wait for a value that no other thread "
                 "writes, or a large trip count?%s",
                 MIN(block->steps, block->limits.max_steps), loop, exec->pointers);
  return smb_hint(block->error, SMB_HINT_LIMIT, "max_steps", NULL);
}

// What the guard of a step tells a signature, and about the order of threads.
G_GNUC_NO_INLINE static void
watch_guard(Exec *exec, const Step *step, SmbLanes unknown) {
  guint flags = predicate_flags_in(exec->warp->registers, step->guard, exec->warp->splits->mask);
  exec_watch(exec, flags);
  if (flags & ROW_ORDER && !unknown)
    smb_order_guards(exec, step);
}

// Tells the instructions that a step begins, where somebody wants to know.
static inline void
tell_step(const Exec *exec, const Step *step, SmbLanes lanes) {
  const SmbBlock *block = exec->block;
  if (G_UNLIKELY(block->sink->executed) && step->begins)
    block->sink->executed(block->user, exec->w, step->place, step->begins, lanes,
                          exec->warp->splits->mask);
}

// The same of steps that only compute.
G_GNUC_NO_INLINE static void
tell_computing(const Exec *exec, const Step *step, guint n, SmbLanes lanes) {
  for (const Step *end = step + n; step < end; step++)
    tell_step(exec, step, lanes);
}

// Tells that no lane executes a step, if it takes a slot of the pipe of shared memory nevertheless. Measured of LDS and STS whose guard is
// false in all lanes (H100), of LD and ST (H200; doc/model.md). ptxas branches around generic atomics.
G_GNUC_NO_INLINE static void
tell_idle(const Exec *exec, const Step *step) {
  const SmbBlock *block = exec->block;
  if (step->kind != KIND_TRANSFER || !step->begins || !block->sink->idle ||
      !smb_program_is_machine_code(block->program))
    return;
  gboolean is_atomic = step->transfer->move.op_class == SMB_OP_CLASS_ATOMIC;
  if (step->transfer->window == WINDOW_SHARED ||
      (exec_may_be_shared(exec, step->transfer) && !is_atomic))
    block->sink->idle(block->user, step->transfer->move.site, exec->w);
}

// One step of the running warp, of which it is known who executes it.
static gboolean
execute_step(Exec *exec) {
  const Registers *registers = exec->warp->registers;
  SmbSplits *splits = exec->warp->splits;
  const Step *step = &exec->steps[splits->pc++];
  SmbLanes truth = registers->predicates[step->guard] ^ (step->unless ? ~(SmbLanes)0 : 0);
  SmbLanes lanes = step->guard == PREDICATE_TRUE ? splits->mask : splits->mask & truth;
  exec->block->instructions += step->begins;
  tell_step(exec, step, lanes);
  if (!lanes)
    tell_idle(exec, step);
  if (registers->predicate_flags[step->guard] & (ROW_BLOCK | ROW_ORDER))
    watch_guard(exec, step, 0);
  return step->run(exec, step, lanes);
}

// Steps that only compute, one after the other, in @lanes. Returns the last of them.
static inline const Step *
run_computing(Registers *registers, const Step *step, guint n, SmbLanes lanes,
              guint64 *instructions) {
  for (const Step *end = step + n; step < end; step++) {
    *instructions += step->begins;
    smb_compute(&step->compute, registers, lanes);
  }
  return step - 1;
}

// Runs the split that is on top until it waits, ends, or has used its share of steps; then the next split has its
// turn. Runs of steps that only compute, without guards, are executed by one call (Step.n_computing). An unknown
// guard is left to the policy (unknown/policy.c).
static gboolean
run_warp(Exec *exec) {
  Registers *registers = exec->warp->registers;
  SmbSplits *splits = exec->warp->splits;
  const Step *step = exec->steps;
  guint left = EXEC_SHARE_STEPS;
  guint64 instructions = 0, before = exec->block->steps;
  exec->ends_turn = FALSE;
  if (G_UNLIKELY(exec->sync->watch) && !smb_livelock_warp(exec, &left, execute_step))
    return FALSE;
  if (splits->mask)
    step = &exec->steps[splits->pc];
  while (splits->mask && left > 0) {
    step = &exec->steps[splits->pc];
    SmbLanes lanes = splits->mask;
    guint n = MIN(step->n_computing, left);
    if (n > 0) {
      left -= n;
      splits->pc += n;
      if (G_UNLIKELY(exec->block->sink->executed))
        tell_computing(exec, step, n, lanes);
      step = run_computing(registers, step, n, lanes, &instructions);
      continue;
    }
    left--;
    splits->pc++;
    instructions += step->begins;
    if (step->guard != PREDICATE_TRUE) {
      SmbLanes unknown = registers->unknown_predicates[step->guard] & lanes;
      lanes &= registers->predicates[step->guard] ^ (step->unless ? ~(SmbLanes)0 : 0);
      if (G_UNLIKELY(registers->predicate_flags[step->guard] & (ROW_BLOCK | ROW_ORDER)))
        watch_guard(exec, step, unknown);
      if (G_UNLIKELY(unknown)) {
        tell_step(exec, step, lanes & ~unknown);
        if (!smb_unknown_guard(exec, step, lanes & ~unknown, unknown))
          return FALSE;
        continue;
      }
    }
    tell_step(exec, step, lanes);
    if (G_UNLIKELY(!lanes))
      tell_idle(exec, step);
    exec->left = left;
    if (!step->run(exec, step, lanes))
      return FALSE;
    if (G_UNLIKELY(exec->ends_turn))
      break;
  }
  exec->block->steps += EXEC_SHARE_STEPS - left;
  exec->block->instructions += instructions;
  if (splits->mask)
    smb_splits_yield(splits);
  return check_step_limit(exec, step, before);
}

static void
start_exec_block(Exec *exec) {
  SmbBlock *block = exec->block;
  exec->allocated = 0;
  exec->left = EXEC_SHARE_STEPS;
  exec->clock_steps = 0;
  if (block->runtime)
    exec->clock = smb_runtime_time(block->runtime);
  exec->own_rank = exec->code->carries_rank ? block->rank << CLUSTER_SHIFT : 0;
  exec->unknown->forgotten_origin = 0;
  smb_provenance_forget(exec);
  smb_order_start(exec);
  smb_sync_start(exec);
  for (guint w = 0; w < block->n_warps; w++)
    smb_exec_start_warp(exec, w);
}

// Rounds in which each warp has its turn. If no warp can run, barriers and waits are released; if that helps none,
// the block waits for other blocks, or fails with what is missing. Where others of its cluster live, its turn ends after some rounds.
static gboolean
run_block(Exec *exec) {
  SmbBlock *block = exec->block;
  for (guint round = 1;; round++) {
    gboolean ran = FALSE, waits = FALSE;
    if (G_UNLIKELY(exec->sync->doubts))
      smb_livelock_start(exec);
    exec->sync->doubts = FALSE;
    for (guint w = 0; w < block->n_warps; w++) {
      exec->w = w;
      exec->warp = &exec->warps[w];
      gboolean runs = exec->warp->splits->mask != 0;
      if (runs && !run_warp(exec))
        return FALSE;
      ran = ran || runs;
      waits = waits || exec->warp->splits->living;
    }
    if (G_UNLIKELY(exec->sync->watch) && !smb_livelock_end(exec))
      return FALSE;
    if (!waits) {
      smb_register_pool_check_ended(exec);
      smb_tensor_check_ended(exec);
      return TRUE;
    }
    if (G_UNLIKELY(block->peers) && round >= CLUSTER_ROUNDS && smb_cluster_lives(exec))
      return block->waits = TRUE;
    if (ran || smb_sync_release(exec))
      continue;
    return smb_wait_is_needed(exec) || smb_barriers_fail(exec);
  }
}

// To its end, or to where it waits for other blocks.
static gboolean
run_exec_turn(Exec *exec) {
  SmbBlock *block = exec->block;
  guint64 before = block->steps;
  gboolean ran = run_block(exec);
  if (block->peers)
    smb_cluster_note_turn(exec, before);
  smb_order_leave(exec);
  if (block->runtime)
    smb_runtime_reach(block->runtime, smb_exec_time(exec), block_has_company(block));
  block->is_cooperative =
      block->is_cooperative || block->waits || block->objects[REGION_GRID].written;
  return (ran && block->waits) || (smb_unknown_refuse(exec) && ran);
}

gboolean
smb_exec_run(gpointer data) {
  start_exec_block(data);
  return run_exec_turn(data);
}

gboolean
smb_exec_resume(gpointer data) {
  smb_order_see_others(data);
  smb_wait_release(data);
  return run_exec_turn(data);
}
