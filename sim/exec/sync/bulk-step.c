// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies in bulk as steps: the copy is made (memory/bulk.c), and its bytes complete on an mbarrier.
#include "sim/exec/sync/sync.h"

gboolean
smb_step_bulk(Exec *exec, const Step *step, SmbLanes lanes) {
  const Bulk *bulk = step->bulk;
  guint64 bytes[SMB_MAX_LANES];
  if (!lanes)
    return TRUE;
  smb_doubt_writes(exec, step, lanes, step_origin(exec, step));
  if (bulk->is_race)
    smb_order_decides_all(exec);
  if (bulk->bytes) {
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
    exec_list_traffic(exec, step, bulk->kind, bulk->bytes);
    return TRUE;
  }
  return smb_bulk_copy(exec, step, lanes, bytes) &&
         (!bulk->barrier || smb_mbarriers_complete(exec, step, bulk->barrier, lanes, bytes));
}

gboolean
smb_step_bulk_once(Exec *exec, const Step *step, SmbLanes lanes) {
  return smb_step_bulk(exec, step, lanes & -lanes);
}

void
smb_doubt_apart(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  smb_unknown_forget_shared(exec, step);
  smb_words_mark_unknown(exec->block);
  smb_mbarriers_forget(exec, origin);
  smb_doubt_writes(exec, step, lanes, origin);
}
