// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Calls of functions, and the stack of each thread. Where a lane goes on after its calls is kept for each lane: lanes that run
// together may have been called from different places, and through one pointer each lane can call another function.
#include "sim/compiled/run/run.h"

enum {
  ALLOCATED_ALIGN = 16,
  MAX_ALLOCATED = 1 << 24, // bytes at once
};

// Lanes go to functions that begin at @targets, by lane, and from there back to where they are.
static gboolean
call_from_here(Runner *runner, const Step *step, SmbLanes lanes, const guint32 *targets) {
  Warp *warp = runner->warp;
  SmbSplits *splits = warp->splits;
  guint n = runner->block->lanes;
  guint32 all[SMB_MAX_LANES];
  FOR_LANES(splits->mask, lane) {
    all[lane] = splits->pc;
    if (!(lanes >> lane & 1))
      continue;
    guint depth = warp->depth[lane]++;
    if (depth == RUNNER_MAX_CALLS - 1)
      return smb_block_fail(runner->block, step->place, "more than %u nested calls",
                            (guint)RUNNER_MAX_CALLS - 1);
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
smb_step_call(Runner *runner, const Step *step, SmbLanes lanes) {
  guint32 targets[SMB_MAX_LANES];
  FOR_LANES(lanes, lane) {
    targets[lane] = step->target;
  }
  return call_from_here(runner, step, lanes, targets);
}

// What is at an address.
static const CodeEntry *
find_entry(const Runner *runner, guint64 address) {
  guint64 index = address / CODE_ADDRESS_STEP;
  const CodeEntry *entry = address % CODE_ADDRESS_STEP == 0 && index < runner->code->entries->len
                               ? &g_array_index(runner->code->entries, CodeEntry, index)
                               : NULL;
  return entry && entry->name ? entry : NULL;
}

static gboolean
find_target(Runner *runner, const Step *step, guint lane, guint64 address, guint32 *target) {
  SmbBlock *block = runner->block;
  const CodeEntry *entry = find_entry(runner, address);
  g_autofree char *thread = smb_block_thread(block, runner->w, lane);
  if (!entry)
    return smb_block_fail(block, step->place, "a call through %s, by %s",
                          address == 0 ? "a null pointer" : "a pointer that points at no function",
                          thread);
  if (entry->step == NO_STEP)
    return smb_block_fail(block, step->place,
                          "'%s', which is called here by %s, has no body here: it could touch "
                          "shared memory",
                          entry->name, thread);
  if (entry->shape != step->argument)
    return smb_block_fail(block, step->place,
                          "'%s', which is called here by %s, does not take what is passed",
                          entry->name, thread);
  *target = entry->step;
  return TRUE;
}

gboolean
smb_step_call_pointer(Runner *runner, const Step *step, SmbLanes lanes) {
  const Registers *registers = runner->warp->registers;
  Row low = step->compute.s[0], high = low + 1;
  guint32 targets[SMB_MAX_LANES];
  SmbLanes known = smb_row_known(registers, low, lanes);
  if (known != lanes || smb_row_known(registers, high, lanes) != lanes) {
    Row unknown = known != lanes ? low : high;
    g_autofree char *why = smb_runner_explain(runner, row_origin(registers, unknown));
    return smb_block_fail(runner->block, step->place, "which function is called depends on %s",
                          why);
  }
  if ((row_flags(registers, low) | row_flags(registers, high)) & (ROW_AFFINE | ROW_BLOCK))
    smb_transfer_watch(runner, ROW_BLOCK);
  FOR_LANES(lanes, lane) {
    guint64 address = row_values(registers, low)[lane] | (guint64)row_values(registers, high)[lane]
                                                             << 32;
    if (!find_target(runner, step, lane, address, &targets[lane]))
      return FALSE;
    if (targets[lane] != targets[smb_lanes_first(lanes)])
      runner->block->diverged = TRUE;
  }
  return call_from_here(runner, step, lanes, targets);
}

gboolean
smb_step_return(Runner *runner, G_GNUC_UNUSED const Step *step, SmbLanes lanes) {
  Warp *warp = runner->warp;
  SmbSplits *splits = warp->splits;
  guint n = runner->block->lanes;
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
smb_step_reserve(Runner *runner, const Step *step, SmbLanes lanes) {
  SmbBlock *block = runner->block;
  const Registers *registers = runner->warp->registers;
  Row top = step->compute.s[0], size = step->compute.s[1];
  gsize end = block->objects[REGION_LOCAL].size;
  Row unknown = smb_row_known(registers, top, lanes) != lanes                      ? top
                : size != NO_ROW && smb_row_known(registers, size, lanes) != lanes ? size
                                                                                   : NO_ROW;
  if (unknown != NO_ROW) {
    g_autofree char *why = smb_runner_explain(runner, row_origin(registers, unknown));
    return smb_block_fail(block, step->place, "how much of the stack is used depends on %s", why);
  }
  FOR_LANES(lanes, lane) {
    gsize from = row_values(registers, top)[lane];
    guint64 bytes = step->argument;
    if (size != NO_ROW)
      bytes = row_values(registers, size)[lane] | (guint64)row_values(registers, size + 1)[lane]
                                                      << 32;
    if (from > end || bytes > end - from) {
      g_autofree char *thread = smb_block_thread(block, runner->w, lane);
      return smb_block_fail(block, step->place,
                            "the stack of %s, in %u nested calls, takes more than the "
                            "%" G_GSIZE_FORMAT " bytes of local memory that there are",
                            thread, runner->warp->depth[lane], end);
    }
    smb_private_forget_bytes(block, REGION_LOCAL, runner->w, lane, from, bytes);
  }
  return TRUE;
}

gboolean
smb_step_missing(Runner *runner, const Step *step, SmbLanes lanes) {
  return !lanes || smb_block_fail(runner->block, step->place,
                                  "'%s' has no body here: it could touch shared memory",
                                  (const char *)step->callee);
}

gboolean
smb_step_assert(Runner *runner, const Step *step, SmbLanes lanes) {
  if (!lanes)
    return TRUE;
  g_autofree char *thread = smb_block_thread(runner->block, runner->w, smb_lanes_first(lanes));
  return smb_block_fail(runner->block, step->place, "an assertion fails here, by %s", thread);
}

// Pieces lie one behind the other, at multiples of 16 bytes; those of sizes that are not known are far apart.
gboolean
smb_step_allocate(Runner *runner, const Step *step, SmbLanes lanes) {
  Registers *registers = runner->warp->registers;
  Row size = step->compute.s[0];
  SmbLanes known =
      smb_row_known(registers, size, lanes) & smb_row_known(registers, size + 1, lanes);
  guint32 low[SMB_MAX_LANES] = {0}, high[SMB_MAX_LANES] = {0};
  FOR_LANES(lanes, lane) {
    guint64 bytes =
        row_values(registers, size)[lane] | (guint64)row_values(registers, size + 1)[lane] << 32;
    guint64 address = make_pointer(runner->code->heap, (gint64)runner->allocated);
    bytes = known >> lane & 1 ? MIN(bytes, MAX_ALLOCATED) : MAX_ALLOCATED;
    runner->allocated += (bytes / ALLOCATED_ALIGN + 1) * ALLOCATED_ALIGN;
    low[lane] = (guint32)address;
    high[lane] = (guint32)(address >> 32);
  }
  smb_row_set(registers, step->compute.d, lanes, low, NULL, 0, 0);
  smb_row_set(registers, step->compute.d + 1, lanes, high, NULL, 0, 0);
  return TRUE;
}
