// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Jumps of machine code to an address in registers: indirect branches, calls and returns. An address of code is
// CODE_ADDRESS_STEP times the index of its entry.
#include "sim/exec/warp/warp.h"

#include "sim/machine/check/checking.h"

// The step at an address; FALSE with an error.
static gboolean
find_jump_target(Exec *exec, const Step *step, guint lane, guint64 address, guint32 *target) {
  SmbBlock *block = exec->block;
  const CodeEntry *entry = smb_code_entry(exec->code, address);
  *target = entry ? entry->step : NO_STEP;
  if (*target != NO_STEP)
    return TRUE;
  g_autofree char *thread = smb_block_thread(block, exec->w, lane);
  if (entry && entry->name)
    return smb_block_fail(block, step->place,
                          "'%s', called by %s, has no body here: it could access shared memory",
                          entry->name, thread);
  return smb_block_fail(block, step->place,
                        "a jump to 0x%" G_GINT64_MODIFIER
                        "x, which is not an address of code, by %s",
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
  if (!smb_unknown_check(exec, step, low, 2, lanes, "the target of this jump"))
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
        !find_jump_target(exec, step, lane, address + step->argument, &targets[lane]))
      return FALSE;
    if (targets[lane] != targets[smb_lanes_first(splits->mask)])
      exec->block->diverged = TRUE;
  }
  smb_splits_jump(splits, targets);
  return TRUE;
}

// --- calls

enum {
  LOST = G_MAXUINT16, // a lane has more calls than are kept, or has returned elsewhere
  MAX_KEPT = 1024,    // nested calls
};

// The step at the code address in a pair of rows; NO_STEP: the address is unknown, or not one of code.
static guint32
find_behind(const Exec *exec, Row low, guint32 base, guint lane) {
  const Registers *registers = exec->warp->registers;
  SmbLanes this = (SmbLanes)1 << lane;
  if (low == NO_ROW || !smb_row_known(registers, low, this) ||
      !smb_row_known(registers, low + 1, this))
    return NO_STEP;
  guint64 address = row_values(registers, low)[lane] | (guint64)row_values(registers, low + 1)[lane]
                                                           << 32;
  const CodeEntry *entry = smb_code_entry(exec->code, address + base);
  return entry ? entry->step : NO_STEP;
}

// Keeps where the lanes will return to.
static void
keep_return(const Exec *exec, SmbLanes lanes, Row low, guint32 base) {
  Warp *warp = exec->warp;
  guint n = exec->block->lanes;
  FOR_LANES(lanes, lane) {
    guint depth = warp->depth[lane];
    if (depth >= MAX_KEPT) {
      warp->depth[lane] = LOST;
      continue;
    }
    if ((depth + 1) * n > warp->calls->len)
      g_array_set_size(warp->calls, (depth + 1) * n);
    g_array_index(warp->calls, guint32, depth * n + lane) = find_behind(exec, low, base, lane);
    warp->depth[lane]++;
  }
}

gboolean
smb_step_call_code(Exec *exec, const Step *step, SmbLanes lanes) {
  keep_return(exec, lanes, step->compute.s[0], step->argument);
  return smb_step_branch(exec, step, lanes);
}

// Of a launch that is run: a null pointer, which is where the kernel begins.
static gboolean
check_called(Exec *exec, const Step *step, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  Row low = step->compute.s[0];
  lanes &= smb_row_known(registers, low, lanes) & smb_row_known(registers, low + 1, lanes);
  FOR_LANES(lanes, lane) {
    if (row_values(registers, low)[lane] || row_values(registers, low + 1)[lane] || step->argument)
      continue;
    g_autofree char *thread = smb_block_thread(exec->block, exec->w, lane);
    if (!block_needs_order(exec->block))
      smb_runtime_fail(exec->block->runtime, SMB_FAULT_ADDRESS, NULL);
    return smb_block_fail(exec->block, step->place, "a call through a null pointer, by %s", thread);
  }
  return TRUE;
}

gboolean
smb_step_call_address(Exec *exec, const Step *step, SmbLanes lanes) {
  if (exec->block->runtime && !check_called(exec, step, lanes))
    return FALSE;
  keep_return(exec, lanes, NO_ROW, 0);
  if (exec->block->check)
    exec->block->check->call_place = step->place;
  return smb_step_jump(exec, step, lanes);
}

// The return address may have been saved in local memory, whose contents may be unknown. Then the one of the call is
// taken: a compiler's function returns there.
gboolean
smb_step_return_to(Exec *exec, const Step *step, SmbLanes lanes) {
  Warp *warp = exec->warp;
  guint32 targets[SMB_MAX_LANES];
  gboolean is_kept = TRUE, is_known = TRUE;
  FOR_LANES(warp->splits->mask, lane) {
    targets[lane] = warp->splits->pc;
    if (!(lanes >> lane & 1))
      continue;
    gboolean has_kept = warp->depth[lane] > 0 && warp->depth[lane] != LOST;
    guint32 found = find_behind(exec, step->compute.s[0], step->argument, lane), kept = NO_STEP;
    if (has_kept)
      kept = g_array_index(warp->calls, guint32, --warp->depth[lane] * exec->block->lanes + lane);
    if (found != NO_STEP && kept != NO_STEP && found != kept)
      warp->depth[lane] = LOST;
    targets[lane] = found != NO_STEP ? found : kept;
    is_known = is_known && found != NO_STEP;
    is_kept = is_kept && targets[lane] != NO_STEP;
  }
  if (!lanes || is_known || !is_kept)
    return smb_step_jump(exec, step, lanes);
  smb_splits_jump(warp->splits, targets);
  return TRUE;
}

gboolean
smb_step_end(Exec *exec, const Step *step, SmbLanes lanes) {
  return !lanes || smb_block_fail(exec->block, step->place, "threads run past the end of the code");
}
