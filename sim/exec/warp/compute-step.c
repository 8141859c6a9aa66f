// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Steps that compute, and those whose results are not modelled.
#include "sim/exec/warp/warp.h"

#include "sim/machine/check/checking.h"

gboolean
smb_step_compute(Exec *exec, const Step *step, SmbLanes lanes) {
  if (G_UNLIKELY(step->flags & STEP_COPIES))
    smb_copied_note_compute(exec, step, lanes);
  if (lanes)
    smb_compute(&step->compute, exec->warp->registers, lanes);
  return TRUE;
}

gboolean
smb_step_opaque(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbBlock *block = exec->block;
  guint does = lanes ? step->argument : 0;
  smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
  if (does & OPAQUE_SHARED)
    smb_unknown_forget_shared(exec, step);
  if (does & OPAQUE_GLOBAL)
    exec_forget_local(exec, lanes);
  gboolean meets = does & OPAQUE_FENCE && block_has_company(block);
  block->misses_others = block->misses_others || meets;
  if (does & OPAQUE_FENCE && block->check)
    smb_inspect_fence(block, exec->w);
  if (does & OPAQUE_GLOBAL || meets)
    smb_words_mark_unknown(block);
  smb_doubt_writes(exec, step, lanes, step_origin(exec, step));
  return TRUE;
}

void
smb_doubt_opaque(Exec *exec, const Step *step, SmbLanes lanes, G_GNUC_UNUSED guint32 origin) {
  smb_step_opaque(exec, step, lanes);
}

void
smb_doubt_shuffle(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  smb_doubt_opaque(exec, step, lanes, origin);
  exec_list_traffic(exec, step, SMB_TRAFFIC_SHUFFLE, SMB_BYTES_UNKNOWN);
}

gboolean
smb_step_shuffle(Exec *exec, const Step *step, SmbLanes lanes) {
  if (lanes)
    exec_list_traffic(exec, step, SMB_TRAFFIC_SHUFFLE, 0);
  return smb_step_meet_lanes(exec, step,
                             lanes); // what a shuffle brings, its source has read before
}

gboolean
smb_step_nothing(G_GNUC_UNUSED Exec *exec, G_GNUC_UNUSED const Step *step,
                 G_GNUC_UNUSED SmbLanes lanes) {
  return TRUE;
}

gboolean
smb_step_text(Exec *exec, const Step *step, SmbLanes lanes) {
  return exec->code->text(exec, step, lanes);
}
