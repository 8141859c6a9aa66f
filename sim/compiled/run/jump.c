// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Jumps of machine code to where a register says: indirect branches, calls, and returns, which find in registers where they
// go on. An address of code is CODE_ADDRESS_STEP times the index of its entry.
#include "sim/compiled/run/run.h"

// The step at an address; FALSE with an error.
static gboolean
find_target(Runner *runner, const Step *step, guint lane, guint64 address, guint32 *target) {
  SmbBlock *block = runner->block;
  const GArray *entries = runner->code->entries;
  guint64 index = address / CODE_ADDRESS_STEP;
  const CodeEntry *entry = address % CODE_ADDRESS_STEP == 0 && index < entries->len
                               ? &g_array_index(entries, CodeEntry, index)
                               : NULL;
  *target = entry ? entry->step : NO_STEP;
  if (*target != NO_STEP)
    return TRUE;
  g_autofree char *thread = smb_block_thread(block, runner->w, lane);
  if (entry && entry->name)
    return smb_block_fail(block, step->place,
                          "'%s', which is called here by %s, has no body here: it could touch "
                          "shared memory",
                          entry->name, thread);
  return smb_block_fail(block, step->place,
                        "a jump to 0x%" G_GINT64_MODIFIER "x, where there is no code, by %s",
                        address, thread);
}

gboolean
smb_step_jump(Runner *runner, const Step *step, SmbLanes lanes) {
  const Registers *registers = runner->warp->registers;
  SmbSplits *splits = runner->warp->splits;
  Row low = step->compute.s[0], high = low + 1;
  guint32 targets[SMB_MAX_LANES];
  if (!lanes)
    return TRUE;
  SmbLanes known = smb_row_known(registers, low, lanes);
  if (known != lanes || smb_row_known(registers, high, lanes) != lanes) {
    g_autofree char *why =
        smb_runner_explain(runner, row_origin(registers, known != lanes ? low : high));
    return smb_block_fail(runner->block, step->place, "where threads go on depends on %s", why);
  }
  guint flags = row_flags_in(registers, low, lanes) | row_flags_in(registers, high, lanes);
  if (flags & ROW_DEPENDS && runner->block->signature)
    smb_signature_refuse(runner->block);
  if (flags & ROW_ORDER)
    smb_order_decides_all(runner);
  FOR_LANES(splits->mask, lane) {
    targets[lane] = splits->pc;
    guint64 address = row_values(registers, low)[lane] | (guint64)row_values(registers, high)[lane]
                                                             << 32;
    if (lanes >> lane & 1 &&
        !find_target(runner, step, lane, address + step->argument, &targets[lane]))
      return FALSE;
    if (targets[lane] != targets[smb_lanes_first(splits->mask)])
      runner->block->diverged = TRUE;
  }
  smb_splits_jump(splits, targets);
  return TRUE;
}

gboolean
smb_step_end(Runner *runner, const Step *step, SmbLanes lanes) {
  return !lanes ||
         smb_block_fail(runner->block, step->place, "the code ends here, and threads go on");
}

gboolean
smb_step_call_address(Runner *runner, const Step *step, SmbLanes lanes) {
  return smb_step_jump(runner, step, lanes);
}

gboolean
smb_step_return_to(Runner *runner, const Step *step, SmbLanes lanes) {
  return smb_step_jump(runner, step, lanes);
}

gboolean
smb_step_call_code(Runner *runner, const Step *step, SmbLanes lanes) {
  return smb_step_branch(runner, step, lanes);
}

// Lanes with a true guard that are not all of those that the mask names, and live, are divided: then all go to the target. So
// do lanes that run together and name different members (R2UR P0, URZ, R4; @!P0 BRA.DIV UR4, where UR4 has the members of all).
gboolean
smb_step_branch_divided(Runner *runner, const Step *step, SmbLanes lanes) {
  const Registers *registers = runner->warp->registers;
  SmbSplits *splits = runner->warp->splits;
  Row row = step->compute.s[0];
  if (!lanes)
    return TRUE;
  guint first = smb_lanes_first(lanes);
  if (row_lane_unknown(registers, row, first)) {
    g_autofree char *why = smb_runner_explain(runner, row_origin(registers, row));
    return smb_block_fail(runner->block, step->place, "the mask of lanes depends on %s", why);
  }
  if (row_flags(registers, row) & (ROW_AFFINE | ROW_BLOCK))
    smb_transfer_watch(runner, ROW_BLOCK);
  guint32 wanted = row_values(registers, row)[first];
  gboolean divided = (wanted & splits->living & ~lanes) != 0;
  if (runner->n_looks) // lanes may be divided by how often some of them look at what others change
    smb_order_branches(runner, step);
  if (divided == (step->argument == BRANCH_IF_DIVIDED))
    return smb_step_branch(runner, step, divided ? splits->mask : lanes);
  return TRUE;
}

// A branch of all lanes, if any of them has a true guard.
gboolean
smb_step_branch_any(Runner *runner, const Step *step, SmbLanes lanes) {
  if (lanes)
    runner->warp->splits->pc = step->target;
  return TRUE;
}

// --- barriers of convergence in registers

// The lanes that wait for each other at the barrier; none: it is not armed.
gboolean
smb_step_save_barrier(Runner *runner, const Step *step, SmbLanes lanes) {
  guint32 values[SMB_MAX_LANES] = {0};
  FOR_LANES(lanes, lane) {
    values[lane] = (guint32)smb_splits_recorded(runner->warp->splits, step->argument, lane);
  }
  if (step->compute.d != NO_ROW && lanes)
    smb_row_set(runner->warp->registers, step->compute.d, lanes, values, NULL, 0, 0);
  return TRUE;
}

gboolean
smb_step_clear_barrier(Runner *runner, const Step *step, SmbLanes lanes) {
  if (lanes)
    smb_splits_record(runner->warp->splits, step->argument, 0);
  return TRUE;
}

gboolean
smb_step_restore_barrier(Runner *runner, const Step *step, SmbLanes lanes) {
  const Registers *registers = runner->warp->registers;
  Row row = step->compute.s[0];
  if (smb_row_known(registers, row, lanes) != lanes) {
    g_autofree char *why = smb_runner_explain(runner, row_origin(registers, row));
    return smb_block_fail(runner->block, step->place, "for whom lanes wait depends on %s", why);
  }
  if (lanes)
    smb_splits_record(runner->warp->splits, step->argument,
                      row_values(registers, row)[smb_lanes_first(lanes)]);
  return TRUE;
}
