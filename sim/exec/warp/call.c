// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Calls of functions, and the stack of each thread. Where a lane continues after its calls is kept for each lane: lanes
// that run together may have been called from different places, and through one pointer each lane can call another
// function.
#include "sim/exec/warp/warp.h"

enum {
  MAX_CALLS = 1024, // nested
};

// Lanes go to functions that begin at @targets, by lane, and from there back to where they are.
static gboolean
call_from_here(Exec *exec, const Step *step, SmbLanes lanes, const guint32 *targets) {
  Warp *warp = exec->warp;
  SmbSplits *splits = warp->splits;
  guint n = exec->block->lanes;
  guint32 all[SMB_MAX_LANES];
  FOR_LANES(splits->mask, lane) {
    all[lane] = splits->pc;
    if (!(lanes >> lane & 1))
      continue;
    guint depth = warp->depth[lane]++;
    if (depth == MAX_CALLS - 1)
      return smb_block_fail(exec->block, step->place, "more than %u nested calls",
                            (guint)MAX_CALLS - 1);
    if ((depth + 1) * n > warp->calls->len)
      g_array_set_size(warp->calls, (depth + 1) * n);
    g_array_index(warp->calls, guint32, depth * n + lane) = splits->pc;
    all[lane] = targets[lane];
  }
  if (lanes)
    smb_splits_jump(splits, all);
  return TRUE;
}

gboolean
smb_step_call(Exec *exec, const Step *step, SmbLanes lanes) {
  guint32 targets[SMB_MAX_LANES];
  FOR_LANES(lanes, lane) {
    targets[lane] = step->target;
  }
  return call_from_here(exec, step, lanes, targets);
}

static gboolean
find_called_function(Exec *exec, const Step *step, guint lane, guint64 address, guint32 *target) {
  SmbBlock *block = exec->block;
  const CodeEntry *entry = smb_code_entry(exec->code, address);
  g_autofree char *thread = smb_block_thread(block, exec->w, lane);
  if (!entry || !entry->name)
    return smb_block_fail(
        block, step->place, "a call through %s, by %s",
        address == 0 ? "a null pointer" : "a pointer that does not point to a function", thread);
  if (entry->step == NO_STEP)
    return smb_block_fail(block, step->place,
                          "'%s', called by %s, has no body here: it could access shared memory",
                          entry->name, thread);
  if (entry->shape != step->argument)
    return smb_block_fail(block, step->place,
                          "'%s', called by %s, does not match the arguments passed", entry->name,
                          thread);
  *target = entry->step;
  return TRUE;
}

gboolean
smb_step_call_pointer(Exec *exec, const Step *step, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  Row low = step->compute.s[0], high = low + 1;
  guint32 targets[SMB_MAX_LANES];
  if (!smb_unknown_check(exec, step, low, 2, lanes, "which function is called"))
    return FALSE;
  exec_watch_row(exec, low);
  exec_watch_row(exec, high);
  FOR_LANES(lanes, lane) {
    guint64 address = row_values(registers, low)[lane] | (guint64)row_values(registers, high)[lane]
                                                             << 32;
    if (!find_called_function(exec, step, lane, address, &targets[lane]))
      return FALSE;
    if (targets[lane] != targets[smb_lanes_first(lanes)])
      exec->block->diverged = TRUE;
  }
  return call_from_here(exec, step, lanes, targets);
}

gboolean
smb_step_return(Exec *exec, G_GNUC_UNUSED const Step *step, SmbLanes lanes) {
  Warp *warp = exec->warp;
  SmbSplits *splits = warp->splits;
  guint n = exec->block->lanes;
  guint32 targets[SMB_MAX_LANES];
  if (!lanes)
    return TRUE;
  FOR_LANES(splits->mask, lane) {
    gboolean returns = lanes >> lane & 1;
    targets[lane] =
        returns ? g_array_index(warp->calls, guint32, --warp->depth[lane] * n + lane) : splits->pc;
  }
  smb_splits_jump(splits, targets);
  return TRUE;
}

gboolean
smb_step_reserve(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbBlock *block = exec->block;
  const Registers *registers = exec->warp->registers;
  Row top = step->compute.s[0], size = step->compute.s[1];
  gsize end = block->objects[REGION_LOCAL].size;
  const char *what = "how much of the stack is used";
  if (!smb_unknown_check(exec, step, top, 1, lanes, what) ||
      (size != NO_ROW && !smb_unknown_check(exec, step, size, 1, lanes, what)))
    return FALSE;
  FOR_LANES(lanes, lane) {
    gsize from = row_values(registers, top)[lane];
    guint64 bytes = step->argument;
    if (size != NO_ROW)
      bytes = row_values(registers, size)[lane] | (guint64)row_values(registers, size + 1)[lane]
                                                      << 32;
    if (from > end || bytes > end - from) {
      g_autofree char *thread = smb_block_thread(block, exec->w, lane);
      return smb_block_fail(block, step->place,
                            "the stack of %s, %u calls deep, needs more than the %" G_GSIZE_FORMAT
                            " bytes of local memory",
                            thread, exec->warp->depth[lane], end);
    }
    smb_private_forget_bytes(block, REGION_LOCAL, exec->w, lane, from, bytes);
  }
  return TRUE;
}

gboolean
smb_step_missing(Exec *exec, const Step *step, SmbLanes lanes) {
  return !lanes || smb_block_fail(exec->block, step->place,
                                  "'%s' has no body here: it could access shared memory",
                                  (const char *)step->callee);
}
