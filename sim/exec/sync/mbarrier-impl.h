// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Barriers in shared memory, for what happens to them (mbarrier.c) and for who waits for them (mbarrier-wait.c). Private to these.
#pragma once

#include "sim/exec/sync/sync.h"

enum {
  MBARRIER_OBJECT_BYTES = 8,
};

// Where lanes name objects: whose they are, and where in its shared memory.
typedef struct {
  Exec *owner[SMB_MAX_LANES];
  guint32 offset[SMB_MAX_LANES];
} Places;

typedef struct {
  guint32 offset;
  guint32 expected; // arrivals, of the next phase
  guint32 pending;  // arrivals
  gint64 bytes;     // that are announced and not copied
  guint32 first;    // phase: the parity that it was made with
  guint32 phase;
  gboolean is_unsized; // it is not known how many bytes were copied
} MBarrier;

static inline gpointer
mbarrier_key(guint32 offset) {
  return GUINT_TO_POINTER(offset);
}

// A number that @lanes hold in a row; FALSE: it is not known.
static inline gboolean
mbarrier_known_row(const Exec *exec, Row row, SmbLanes lanes, const guint32 **values) {
  const Registers *registers = exec->warp->registers;
  if (smb_row_known(registers, row, lanes) != lanes)
    return FALSE;
  exec_watch_row(exec, row);
  *values = row_values(registers, row);
  return TRUE;
}

// Lanes that wait go on. Those that gave way to others test for themselves, also where these do.
void smb_mbarriers_let_go(Warp *warp);
// Where @lanes name objects, or @above that, in another block; those of other blocks are left out of them, unless these are here.
// *@known: FALSE: it is not known.
gboolean smb_mbarriers_locate(Exec *exec, const Step *step, const Transfer *transfer, guint32 above,
                              SmbLanes *lanes, Places *places, gboolean *known);
// *@barrier: NULL, if nothing is known of it.
gboolean smb_mbarrier_find(Exec *exec, const Step *step, guint lane, const Places *places,
                           MBarrier **barrier);
void smb_mbarrier_complete_phase(Exec *exec, MBarrier *barrier);
