// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Jumps of machine code to where a register says: indirect branches, calls, and returns, which find in registers where they
// go on. An address of code is CODE_ADDRESS_STEP times the index of its entry.
#include "sim/exec/warp/warp.h"

// The step at an address; FALSE with an error.
static gboolean
find_target(Exec *exec, const Step *step, guint lane, guint64 address, guint32 *target) {
  SmbBlock *block = exec->block;
  const CodeEntry *entry = smb_code_entry(exec->code, address);
  *target = entry ? entry->step : NO_STEP;
  if (*target != NO_STEP)
    return TRUE;
  g_autofree char *thread = smb_block_thread(block, exec->w, lane);
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
smb_step_jump(Exec *exec, const Step *step, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  SmbSplits *splits = exec->warp->splits;
  Row low = step->compute.s[0], high = low + 1;
  guint32 targets[SMB_MAX_LANES];
  if (!lanes)
    return TRUE;
  if (!smb_unknown_check(exec, step, low, 2, lanes, "where threads go on"))
    return FALSE;
  guint flags = row_flags_in(registers, low, lanes) | row_flags_in(registers, high, lanes);
  if (flags & ROW_DEPENDS && exec->block->signature)
    smb_signature_refuse(exec->block);
  if (flags & ROW_ORDER)
    smb_order_decides_all(exec);
  FOR_LANES(splits->mask, lane) {
    targets[lane] = splits->pc;
    guint64 address = row_values(registers, low)[lane] | (guint64)row_values(registers, high)[lane]
                                                             << 32;
    if (lanes >> lane & 1 &&
        !find_target(exec, step, lane, address + step->argument, &targets[lane]))
      return FALSE;
    if (targets[lane] != targets[smb_lanes_first(splits->mask)])
      exec->block->diverged = TRUE;
  }
  smb_splits_jump(splits, targets);
  return TRUE;
}

gboolean
smb_step_end(Exec *exec, const Step *step, SmbLanes lanes) {
  return !lanes ||
         smb_block_fail(exec->block, step->place, "the code ends here, and threads go on");
}
