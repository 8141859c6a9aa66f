// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Branches, and the end of threads.
#include "sim/exec/warp/warp.h"

gboolean
smb_step_branch(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbSplits *splits = exec->warp->splits;
  if (lanes && lanes != splits->mask)
    exec->block->diverged = TRUE;
  smb_splits_branch(splits, lanes, step->target);
  return TRUE;
}

gboolean
smb_step_exit(Exec *exec, G_GNUC_UNUSED const Step *step, SmbLanes lanes) {
  if (!lanes)
    return TRUE;
  exec->block->exited.warp[exec->w] |= lanes;
  smb_splits_exit(exec->warp->splits, lanes);
  exec->warp->registers->lanes &= ~lanes;
  return TRUE;
}

// An index beyond the table is not defined.
gboolean
smb_step_switch(Exec *exec, const Step *step, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  SmbSplits *splits = exec->warp->splits;
  const guint32 *index = row_values(registers, step->compute.s[0]);
  SmbLanes unknown = lanes & ~smb_row_known(registers, step->compute.s[0], lanes);
  guint32 targets[SMB_MAX_LANES];
  if (unknown)
    return smb_unknown_skip(exec, step, row_origin(registers, step->compute.s[0]));
  if (row_flags_in(registers, step->compute.s[0], lanes) & ROW_DEPENDS && exec->block->signature)
    smb_signature_refuse(exec->block);
  if (row_flags(registers, step->compute.s[0]) & ROW_ORDER)
    smb_order_branches(exec, step);
  FOR_LANES(splits->mask, lane) {
    targets[lane] = splits->pc;
    if (!(lanes >> lane & 1))
      continue;
    if (index[lane] >= step->targets->len)
      return smb_block_fail(exec->block, step->place,
                            "index %u is out of range: the table has %u branch targets",
                            index[lane], step->targets->len);
    targets[lane] = g_array_index(step->targets, SwitchTarget, index[lane]).step;
  }
  FOR_LANES(lanes, lane) {
    guint64 leave = g_array_index(step->targets, SwitchTarget, index[lane]).leave;
    for (; leave; leave &= leave - 1)
      smb_splits_break(
          splits, smb_meeting_barrier(exec, step->argument, lane) + (guint)__builtin_ctzll(leave),
          (SmbLanes)1 << lane);
  }
  exec->block->diverged = TRUE;
  smb_splits_jump(splits, targets);
  return TRUE;
}

// Lanes with a true guard that are not all of those that the mask names, and live, are divided: then all go to the
// target. So do lanes that run together and name different members (R2UR P0, URZ, R4; @!P0 BRA.DIV UR4, where UR4 has
// the members of all).
gboolean
smb_step_branch_divided(Exec *exec, const Step *step, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  SmbSplits *splits = exec->warp->splits;
  Row row = step->compute.s[0];
  if (!lanes)
    return TRUE;
  guint first = smb_lanes_first(lanes);
  if (!smb_unknown_check(exec, step, row, 1, (SmbLanes)1 << first, "the lane mask"))
    return FALSE;
  exec_watch_row(exec, row);
  guint32 wanted = row_values(registers, row)[first];
  gboolean divided = (wanted & splits->living & ~lanes) != 0;
  // Divided lanes come to a WARPSYNC, which looks at the mask itself.
  if (exec->block->check && !divided)
    smb_step_inspect_mask(exec, step, lanes, wanted);
  if (exec->order->divides)
    smb_order_branches(exec, step);
  if (divided == (step->argument == BRANCH_IF_DIVIDED))
    return smb_step_branch(exec, step, divided ? splits->mask : lanes);
  return TRUE;
}

// A branch of all lanes, if any of them has a true guard.
gboolean
smb_step_branch_any(Exec *exec, const Step *step, SmbLanes lanes) {
  if (lanes)
    exec->warp->splits->pc = step->target;
  return TRUE;
}

gboolean
smb_step_branch_all(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbSplits *splits = exec->warp->splits;
  if (lanes == splits->mask)
    splits->pc = step->target;
  return TRUE;
}
