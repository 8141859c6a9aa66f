// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Steps that compute, and steps that say where a warp goes on.
#include <string.h>

#include "sim/compiled/run/run.h"

gboolean
smb_step_compute(Runner *runner, const Step *step, SmbLanes lanes) {
  if (lanes)
    smb_compute(&step->compute, runner->warp->registers, lanes);
  return TRUE;
}

gboolean
smb_step_opaque(Runner *runner, const Step *step, SmbLanes lanes) {
  SmbBlock *block = runner->block;
  guint does = lanes ? step->argument : 0;
  smb_runner_note(runner, step, (Cause){.kind = CAUSE_OPAQUE});
  if (step->run == smb_step_shuffle) // whether it is executed is not known
    smb_runner_traffic(runner, step, SMB_TRAFFIC_SHUFFLE, SMB_BYTES_UNKNOWN);
  if (does & OPAQUE_SHARED)
    smb_runner_forget_shared(runner, step);
  if (does & OPAQUE_GLOBAL) {
    Mask mask = {{0}};
    mask.warp[runner->w] = lanes;
    smb_private_forget(block, REGION_LOCAL, &mask);
  }
  gboolean meets = does & OPAQUE_FENCE && block_has_company(block);
  block->misses_others = block->misses_others || meets;
  if (does & OPAQUE_GLOBAL || meets)
    smb_words_blur(block);
  smb_runner_forget(runner, step, lanes, step_origin(runner, step));
  return TRUE;
}

gboolean
smb_step_shuffle(Runner *runner, const Step *step, SmbLanes lanes) {
  if (lanes)
    smb_runner_traffic(runner, step, SMB_TRAFFIC_SHUFFLE, 0);
  return TRUE;
}

gboolean
smb_step_nothing(G_GNUC_UNUSED Runner *runner, G_GNUC_UNUSED const Step *step,
                 G_GNUC_UNUSED SmbLanes lanes) {
  return TRUE;
}

gboolean
smb_step_branch(Runner *runner, const Step *step, SmbLanes lanes) {
  SmbSplits *splits = runner->warp->splits;
  if (lanes && lanes != splits->mask)
    runner->block->diverged = TRUE;
  smb_splits_branch(splits, lanes, step->target);
  return TRUE;
}

gboolean
smb_step_arm(Runner *runner, const Step *step, G_GNUC_UNUSED SmbLanes lanes) {
  smb_splits_arm(runner->warp->splits, step->argument);
  return TRUE;
}

gboolean
smb_step_enter(Runner *runner, const Step *step, G_GNUC_UNUSED SmbLanes lanes) {
  smb_splits_enter(runner->warp->splits, step->argument);
  return TRUE;
}

gboolean
smb_step_sync(Runner *runner, const Step *step, SmbLanes lanes) {
  smb_splits_sync(runner->warp->splits, step->argument, lanes);
  runner->warp->has_unknown_members = FALSE;
  return TRUE;
}

gboolean
smb_step_break(Runner *runner, const Step *step, SmbLanes lanes) {
  smb_splits_break(runner->warp->splits, step->argument, lanes);
  return TRUE;
}

guint
smb_runner_barrier(const Runner *runner, guint32 argument, guint lane) {
  if (!(argument & BARRIER_OF_CALL))
    return argument;
  return runner->code->n_barriers + runner->warp->depth[lane] * runner->code->n_call_barriers +
         (argument & ~BARRIER_OF_CALL);
}

// Lanes at other depths of recursion than the first one, which have come together all the same, go their own way.
static gboolean
choose_own(Runner *runner, const Step *step, guint *barrier) {
  SmbSplits *splits = runner->warp->splits;
  guint first = smb_lanes_first(splits->mask);
  SmbLanes others = 0;
  FOR_LANES(splits->mask, lane) {
    others |= (SmbLanes)(runner->warp->depth[lane] != runner->warp->depth[first]) << lane;
  }
  if (others)
    smb_splits_fork(splits, others, step_number(runner, step));
  *barrier = smb_runner_barrier(runner, step->argument, first);
  guint64 n = (guint64)(runner->warp->depth[first] + 1) * runner->code->n_call_barriers;
  return n <= RUNNER_MAX_CALL_BARRIERS ||
         smb_block_fail(runner->block, step->place, "more than %u barriers of nested calls",
                        (guint)RUNNER_MAX_CALL_BARRIERS);
}

gboolean
smb_step_arm_own(Runner *runner, const Step *step, G_GNUC_UNUSED SmbLanes lanes) {
  guint barrier;
  if (!choose_own(runner, step, &barrier))
    return FALSE;
  smb_splits_arm(runner->warp->splits, barrier);
  return TRUE;
}

gboolean
smb_step_enter_own(Runner *runner, const Step *step, G_GNUC_UNUSED SmbLanes lanes) {
  guint barrier;
  if (!choose_own(runner, step, &barrier))
    return FALSE;
  smb_splits_enter(runner->warp->splits, barrier);
  return TRUE;
}

gboolean
smb_step_sync_own(Runner *runner, const Step *step, SmbLanes lanes) {
  guint barrier;
  if (!choose_own(runner, step, &barrier))
    return FALSE;
  smb_splits_sync(runner->warp->splits, barrier, lanes & runner->warp->splits->mask);
  return TRUE;
}

gboolean
smb_step_break_own(Runner *runner, const Step *step, SmbLanes lanes) {
  guint barrier;
  if (!choose_own(runner, step, &barrier))
    return FALSE;
  smb_splits_break(runner->warp->splits, barrier, lanes & runner->warp->splits->mask);
  return TRUE;
}

gboolean
smb_step_exit(Runner *runner, G_GNUC_UNUSED const Step *step, SmbLanes lanes) {
  if (!lanes)
    return TRUE;
  runner->block->exited.warp[runner->w] |= lanes;
  smb_splits_exit(runner->warp->splits, lanes);
  runner->warp->registers->lanes &= ~lanes;
  return TRUE;
}

// An index beyond the table is not defined.
gboolean
smb_step_switch(Runner *runner, const Step *step, SmbLanes lanes) {
  const Registers *registers = runner->warp->registers;
  SmbSplits *splits = runner->warp->splits;
  const guint32 *index = row_values(registers, step->compute.s[0]);
  SmbLanes unsure = lanes & ~smb_row_known(registers, step->compute.s[0], lanes);
  guint32 targets[SMB_MAX_LANES];
  if (unsure)
    return smb_runner_skip(runner, step, row_origin(registers, step->compute.s[0]));
  if (row_flags_in(registers, step->compute.s[0], lanes) & ROW_DEPENDS && runner->block->signature)
    smb_signature_refuse(runner->block);
  if (row_flags(registers, step->compute.s[0]) & ROW_ORDER)
    smb_order_branches(runner, step);
  FOR_LANES(splits->mask, lane) {
    targets[lane] = splits->pc;
    if (!(lanes >> lane & 1))
      continue;
    if (index[lane] >= step->targets->len)
      return smb_block_fail(runner->block, step->place, "index %u of a table of %u branch targets",
                            index[lane], step->targets->len);
    targets[lane] = g_array_index(step->targets, SwitchTarget, index[lane]).step;
  }
  FOR_LANES(lanes, lane) {
    guint64 leave = g_array_index(step->targets, SwitchTarget, index[lane]).leave;
    for (; leave; leave &= leave - 1)
      smb_splits_break(
          splits, smb_runner_barrier(runner, step->argument, lane) + (guint)__builtin_ctzll(leave),
          (SmbLanes)1 << lane);
  }
  runner->block->diverged = TRUE;
  smb_splits_jump(splits, targets);
  return TRUE;
}

gboolean
smb_step_trap(Runner *runner, const Step *step, SmbLanes lanes) {
  if (!lanes)
    return TRUE;
  g_autofree char *thread = smb_block_thread(runner->block, runner->w, smb_lanes_first(lanes));
  return smb_block_fail(runner->block, step->place, "the kernel stops itself here (trap), by %s",
                        thread);
}
