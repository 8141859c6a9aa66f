// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Convergence barriers: where diverged lanes of a warp reconverge.
#include "sim/exec/warp/warp.h"

enum {
  MAX_CALL_BARRIERS = 1 << 16, // of nested calls
};

guint
smb_meeting_barrier(const Exec *exec, guint32 argument, guint lane) {
  if (!(argument & BARRIER_OF_CALL))
    return argument;
  return exec->code->n_barriers + exec->warp->depth[lane] * exec->code->n_call_barriers +
         (argument & ~BARRIER_OF_CALL);
}

// Lanes at other depths of recursion than the first one, which have come together all the same, go their own way.
static gboolean
choose_call_barrier(Exec *exec, const Step *step, guint *barrier) {
  SmbSplits *splits = exec->warp->splits;
  guint first = smb_lanes_first(splits->mask);
  SmbLanes others = 0;
  FOR_LANES(splits->mask, lane) {
    others |= (SmbLanes)(exec->warp->depth[lane] != exec->warp->depth[first]) << lane;
  }
  if (others)
    smb_splits_fork(splits, others, step_number(exec, step));
  *barrier = smb_meeting_barrier(exec, step->argument, first);
  guint64 n = (guint64)(exec->warp->depth[first] + 1) * exec->code->n_call_barriers;
  return n <= MAX_CALL_BARRIERS ||
         smb_block_fail(exec->block, step->place,
                        "more than %u convergence barriers in nested calls",
                        (guint)MAX_CALL_BARRIERS);
}

static gboolean
choose_barrier(Exec *exec, const Step *step, guint *barrier) {
  *barrier = step->argument;
  return !(step->argument & BARRIER_OF_CALL) || choose_call_barrier(exec, step, barrier);
}

gboolean
smb_step_arm(Exec *exec, const Step *step, G_GNUC_UNUSED SmbLanes lanes) {
  guint barrier;
  if (!choose_barrier(exec, step, &barrier))
    return FALSE;
  smb_splits_arm(exec->warp->splits, barrier);
  return TRUE;
}

gboolean
smb_step_enter(Exec *exec, const Step *step, G_GNUC_UNUSED SmbLanes lanes) {
  guint barrier;
  if (!choose_barrier(exec, step, &barrier))
    return FALSE;
  smb_splits_enter(exec->warp->splits, barrier);
  return TRUE;
}

gboolean
smb_step_sync(Exec *exec, const Step *step, SmbLanes lanes) {
  guint barrier;
  if (!choose_barrier(exec, step, &barrier))
    return FALSE;
  smb_splits_sync(exec->warp->splits, barrier, lanes & exec->warp->splits->mask);
  exec->warp->has_unknown_members = FALSE;
  return TRUE;
}

gboolean
smb_step_break(Exec *exec, const Step *step, SmbLanes lanes) {
  guint barrier;
  if (!choose_barrier(exec, step, &barrier))
    return FALSE;
  smb_splits_break(exec->warp->splits, barrier, lanes & exec->warp->splits->mask);
  return TRUE;
}

gboolean
smb_step_give_way(Exec *exec, G_GNUC_UNUSED const Step *step, SmbLanes lanes) {
  if (lanes)
    exec->warp->parted |= smb_splits_give_way(exec->warp->splits);
  return TRUE;
}

void
smb_doubt_sync(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  smb_doubt_writes(exec, step, lanes, origin);
  FOR_LANES(lanes, lane) {
    smb_splits_break(exec->warp->splits, smb_meeting_barrier(exec, step->argument, lane),
                     (SmbLanes)1 << lane);
  }
}

// --- barriers of convergence in registers

// The lanes that wait for each other at the barrier; none: it is not armed.
gboolean
smb_step_save_barrier(Exec *exec, const Step *step, SmbLanes lanes) {
  guint32 values[SMB_MAX_LANES] = {0};
  FOR_LANES(lanes, lane) {
    values[lane] = (guint32)smb_splits_recorded(exec->warp->splits, step->argument, lane);
  }
  if (step->compute.d != NO_ROW && lanes)
    smb_row_set(exec->warp->registers, step->compute.d, lanes, values, NULL, 0, 0);
  return TRUE;
}

gboolean
smb_step_clear_barrier(Exec *exec, const Step *step, SmbLanes lanes) {
  if (lanes)
    smb_splits_record(exec->warp->splits, step->argument, 0);
  return TRUE;
}

gboolean
smb_step_restore_barrier(Exec *exec, const Step *step, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  Row row = step->compute.s[0];
  if (!smb_unknown_check(exec, step, row, 1, lanes, "the mask of the convergence barrier"))
    return FALSE;
  if (lanes)
    smb_splits_record(exec->warp->splits, step->argument,
                      row_values(registers, row)[smb_lanes_first(lanes)]);
  return TRUE;
}
