// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which lanes take part in an exchange within a warp: lanes that run together may name different sets of members,
// and then each set is by itself (PTX ISA: vote.sync, match.sync, redux.sync, elect.sync). Machine code has
// WARPSYNC.EXCLUSIVE ahead, which lets the lanes of one set continue alone, up to the BSYNC behind.
#include "sim/exec/warp/warp.h"

#include "sim/machine/check/checking.h"

// Those of @lanes that name what the first one names.
static SmbLanes
find_same(const guint32 *members, SmbLanes lanes) {
  guint32 wanted = members[smb_lanes_first(lanes)];
  SmbLanes same = 0;
  FOR_LANES(lanes, lane) {
    same |= (SmbLanes)(members[lane] == wanted) << lane;
  }
  return same;
}

gboolean
smb_step_exchange(Exec *exec, const Step *step, SmbLanes lanes) {
  const Warp *warp = exec->warp;
  Registers *registers = warp->registers;
  Row row = step->argument;
  if (row == NO_ROW && !warp->has_unknown_members) // those that run
    return smb_step_compute(exec, step, lanes);
  if (G_UNLIKELY(step->flags & STEP_COPIES))
    smb_copied_note_compute(exec, step, lanes);
  if (lanes && (row == NO_ROW || smb_row_known(registers, row, lanes) != lanes)) {
    guint32 origin = row == NO_ROW ? warp->members_origin : row_origin(registers, row);
    smb_doubt_compute(exec, step, registers->lanes, origin);
    return TRUE;
  }
  if (lanes)
    exec_watch_row(exec, row);
  for (SmbLanes same; lanes; lanes &= ~same) {
    same = find_same(row_values(registers, row), lanes);
    smb_compute(&step->compute, registers, same);
  }
  return TRUE;
}

// The lanes of one set continue, and the others come here again, by themselves.
static void
split_members(Exec *exec, const Step *step, SmbLanes lanes, const guint32 *members) {
  SmbSplits *splits = exec->warp->splits;
  SmbLanes same = find_same(members, lanes);
  guint32 wanted = members[smb_lanes_first(lanes)];
  if (same != lanes)
    smb_splits_fork(splits, lanes & ~same, step_number(exec, step));
  smb_splits_gather(splits, same, wanted);
}

gboolean
smb_step_meet_lanes(Exec *exec, G_GNUC_UNUSED const Step *step, SmbLanes lanes) {
  if (exec->block->check && lanes)
    smb_inspect_meet(exec->block, exec->w, lanes);
  return TRUE;
}

static CheckFound
make_warp_found(const Exec *exec, const Step *step, guint lane) {
  return (CheckFound){.kind = SMB_DEFECT_WARP,
                      .site = G_MAXUINT,
                      .at = step->place,
                      .other = G_MAXUINT,
                      .warp = exec->w,
                      .lane = lane,
                      .other_thread = G_MAXUINT};
}

void
smb_step_inspect_mask(Exec *exec, const Step *step, SmbLanes lanes, SmbLanes wanted) {
  SmbLanes strangers = lanes & ~wanted;
  if (!strangers)
    return;
  guint lane = smb_lanes_first(strangers);
  const CheckFound found = make_warp_found(exec, step, lane);
  if (smb_inspect_counts(exec->block, &found))
    return;
  g_autofree char *thread = smb_inspect_thread(exec->block, exec->w * exec->block->lanes + lane);
  smb_inspect_tell(exec->block, &found,
                   "%s, lane %u, waits for the lanes of the mask 0x%08x, which it is not one of",
                   thread, lane, (guint32)wanted);
}

// Of a launch that is checked: lanes name whom they wait for. Those that wait for the same have met, as far as they are there.
static void
inspect_members(Exec *exec, const Step *step, SmbLanes lanes, const guint32 *members) {
  for (SmbLanes same; lanes; lanes &= ~same) {
    same = find_same(members, lanes);
    SmbLanes wanted = members[smb_lanes_first(lanes)];
    smb_inspect_meet(exec->block, exec->w,
                     (same & wanted) | smb_splits_gathering(exec->warp->splits, wanted));
    smb_step_inspect_mask(exec, step, same, wanted);
  }
}

static void
check_gather(Exec *exec, const Step *step, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  Row row = step->compute.s[0];
  if (smb_row_known(registers, row, lanes) == lanes)
    inspect_members(exec, step, lanes, row_values(registers, row));
  else
    smb_inspect_meet(exec->block, exec->w, lanes);
}

gboolean
smb_step_gather(Exec *exec, const Step *step, SmbLanes lanes) {
  Warp *warp = exec->warp;
  const Registers *registers = warp->registers;
  Row row = step->compute.s[0];
  gboolean is_whole = warp->splits->mask == warp->splits->living;
  gboolean is_exclusive = step->argument;
  if (exec->block->check && lanes)
    check_gather(exec, step, lanes);
  if (!lanes || (is_whole && !is_exclusive))
    return TRUE;
  gboolean is_known = smb_row_known(registers, row, lanes) == lanes;
  if (!is_known && !is_whole)
    return smb_block_fail(exec->block, step->place, "the lane mask is unknown");
  warp->has_unknown_members = !is_known;
  warp->members_origin = row_origin(registers, row);
  exec_watch_row(exec, row);
  if (is_known)
    split_members(exec, step, lanes, row_values(registers, row));
  return TRUE;
}
