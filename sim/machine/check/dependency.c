// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A launch that may begin before the one ahead of it in its stream has ended (programmatic stream serialization; PTX ISA, "griddepcontrol"): what that one
// writes is there for who has executed griddepcontrol.wait, or is behind a barrier with a thread that has. It may begin once each block ahead has executed
// griddepcontrol.launch_dependents, or has ended; what is read there before is read by then, but what is written need not be visible.
#include "sim/machine/check/checking.h"
#include "sim/program/symbol.h"

void
smb_inspect_grid_wait(SmbBlock *block, guint warp, SmbLanes lanes) {
  Inspection *check = block->check;
  if (!check->waited[warp])
    check->waited_at[warp] = check->now;
  check->waited[warp] |= lanes;
  check->has_waited = TRUE;
  smb_inspect_advance(block);
}

void
smb_inspect_grid_trigger(SmbBlock *block) {
  block->check->has_triggered = TRUE;
}

// A block of a cluster, or one that waits for others, may have been told by them.
static gboolean
may_be_told(const SmbBlock *block) {
  for (guint i = 0; block->peers && i < block->peers->n; i++)
    if (block->peers->blocks[i]->check->has_waited)
      return TRUE;
  return block->is_cooperative;
}

static gboolean
has_waited(const SmbBlock *block, guint warp, guint lane) {
  const Inspection *check = block->check;
  if (check->waited[warp] >> lane & 1)
    return TRUE;
  for (guint w = 0; check->has_waited && w < block->n_warps; w++) {
    guint other = check->waited[w] ? w * block->lanes + smb_lanes_first(check->waited[w]) : 0;
    if (check->waited[w] &&
        smb_inspect_sees(block, warp * block->lanes + lane, other, check->waited_at[w]))
      return TRUE;
  }
  return may_be_told(block);
}

// What the launch ahead does to bytes that this one accesses, in words; NULL: nothing that matters.
static const char *
find_ahead_conflict(const SmbTrail *ahead, SmbOpClass op_class, guint64 address, gsize length) {
  if (smb_trail_has(ahead, SMB_TRAIL_WRITTEN, address, length))
    return "writes";
  return op_class != SMB_OP_CLASS_LOAD && smb_trail_has(ahead, SMB_TRAIL_READ, address, length)
             ? "reads"
             : NULL;
}

static void
check_ahead(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
            gsize length) {
  const SmbTrail *ahead = block->check->ahead;
  const char *does = find_ahead_conflict(ahead, move->op_class, address, length);
  if (!does || has_waited(block, warp, lane))
    return;
  const CheckFound found = {.kind = SMB_DEFECT_DEPENDENCY,
                            .site = move->site,
                            .other = G_MAXUINT,
                            .warp = warp,
                            .lane = lane,
                            .other_thread = G_MAXUINT,
                            .address = address};
  if (smb_inspect_counts(block, &found))
    return;
  g_autofree char *kernel = smb_symbol_demangle(smb_trail_kernel(ahead), FALSE);
  g_autofree char *thread = smb_inspect_thread(block, warp * block->lanes + lane);
  smb_inspect_tell(block, &found,
                   "%s %s %u byte%s at 0x%" G_GINT64_MODIFIER
                   "x that %s %s, the previous kernel of the stream, and has not waited for it "
                   "(griddepcontrol.wait, cudaGridDependencySynchronize())",
                   thread, move->op_class == SMB_OP_CLASS_LOAD ? "reads" : "writes", (guint)length,
                   length == 1 ? "" : "s", address, kernel, does);
}

void
smb_inspect_dependency(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
                       gsize length) {
  const Inspection *check = block->check;
  if (check->ahead)
    check_ahead(block, move, warp, lane, address, length);
  if (check->trail && check->has_triggered && move->op_class != SMB_OP_CLASS_STORE)
    smb_trail_add(check->trail, SMB_TRAIL_READ, address, length);
}
