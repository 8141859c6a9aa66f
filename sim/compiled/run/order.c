// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What depends on the order in which threads run. Here warps take turns, and lanes of an atomic do in rising order; on a
// device the order is another one each time. What an atomic returns depends on it, and what is read of memory that
// others change meanwhile, or of shared memory for which threads race (smb_block_set_races()). Such values are known and
// marked, as is all that is computed of them; a request whose address or execution depends on one is counted, and said not
// to be exact.
//
// Values that a branch on such a value chooses are marked as long as lanes of the warp keep others.
#include <string.h>

#include "sim/compiled/run/run.h"

static gboolean
is_alone(const Runner *runner) {
  return runner->block->n_threads == 1 && !runner->follows;
}

static gboolean
is_ordered(const Runner *runner, SmbLanes lanes, const guint64 *addresses) {
  FOR_LANES(lanes, lane) {
    if (runner->written[smb_block_find(runner->block, addresses[lane])] & OBJECT_ORDERED)
      return TRUE;
  }
  return FALSE;
}

// Sums of integers, extremes and bits do not depend on the order of their operands.
static gboolean
is_commutative(const Move *move) {
  return move->atomic != ATOMIC_EXCHANGE && move->atomic != ATOMIC_CAS &&
         move->atomic != ATOMIC_INCREMENT && move->atomic != ATOMIC_DECREMENT &&
         !smb_scalar_is_real(move->kind);
}

gboolean
smb_order_has_result(const Transfer *transfer) {
  if (transfer->move.atomic == ATOMIC_CAS)
    return TRUE;
  for (guint c = 0; c < transfer->n_components; c++) {
    if (transfer->data[c] != NO_ROW)
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_order_is_free(const Transfer *transfer) {
  return is_commutative(&transfer->move) && !smb_order_has_result(transfer);
}

static gboolean
races(const Runner *runner, const Transfer *transfer) {
  const guint8 *races = runner->block->races;
  return races && races[transfer->move.site];
}

void
smb_order_disputes(Runner *runner, const Step *step, SmbLanes lanes, const guint64 *addresses,
                   const MarkedWords *words) {
  const SmbBlock *block = runner->block;
  const Move *move = &step->transfer->move;
  if (G_LIKELY(!races(runner, step->transfer)))
    return;
  FOR_LANES(lanes, lane) {
    guint32 offset;
    if (!smb_shared_find(block, addresses[lane], move->width, &offset))
      continue;
    for (guint at = 0; at < move->width; at += 4) {
      if (memcmp(block->shared + offset + at, &words->values[at / 4][lane], MIN(move->width, 4)) !=
              0 &&
          (smb_shadow_is_disputed(block->shadow, runner->w, offset + at, MIN(move->width, 4)) ||
           smb_pending_is_at(block, offset + at)))
        runner->written[REGION_SHARED] |= OBJECT_ORDERED;
    }
  }
}

guint
smb_order_found(Runner *runner, const Step *step, SmbLanes lanes, const guint64 *addresses) {
  const Transfer *transfer = step->transfer;
  gboolean atomic = transfer->move.op_class == SMB_OP_CLASS_ATOMIC;
  if (G_LIKELY(!atomic && transfer->order == ORDER_WEAK && !runner->ordered))
    return 0;
  if (atomic && !smb_order_has_result(transfer))
    return 0;
  gboolean changes = atomic || transfer->order != ORDER_WEAK || races(runner, transfer);
  if (!(changes && !is_alone(runner)) && !is_ordered(runner, lanes, addresses))
    return 0;
  runner->ordered = TRUE;
  return ROW_ORDER;
}

static guint
find_flags(const Registers *registers, const Transfer *transfer, const Row *components) {
  guint flags = 0, rows = (transfer->bytes + 3) / 4;
  for (guint c = 0; c < transfer->n_components; c++) {
    for (guint row = 0; components[c] != NO_ROW && row < rows; row++)
      flags |= row_flags(registers, components[c] + row);
  }
  return flags;
}

void
smb_order_stored(Runner *runner, const Step *step, guint flags, SmbLanes lanes,
                 const guint64 *addresses) {
  const Registers *registers = runner->warp->registers;
  const Transfer *transfer = step->transfer;
  gboolean atomic = transfer->move.op_class == SMB_OP_CLASS_ATOMIC;
  gboolean by_order = atomic && !is_commutative(&transfer->move) && !is_alone(runner);
  if (G_LIKELY(!runner->ordered && !by_order))
    return;
  if (atomic) {
    flags |= find_flags(registers, transfer, transfer->operands);
    flags |= transfer->swap == NO_ROW ? 0 : row_flags(registers, transfer->swap);
  } else
    flags |= find_flags(registers, transfer, transfer->data);
  if (!by_order && !(flags & ROW_ORDER))
    return;
  runner->ordered = TRUE;
  FOR_LANES(lanes, lane) {
    runner->written[smb_block_find(runner->block, addresses[lane])] |= OBJECT_ORDERED;
  }
}

void
smb_order_decides(Runner *runner, const Transfer *transfer, const char *what) {
  SmbBlock *block = runner->block;
  if (!smb_transfer_may_be_shared(runner, transfer) || !block->sink->warn)
    return;
  guint site = transfer->move.site;
  g_autofree char *message = g_strdup_printf(
      "%s: %s depends on the order in which threads execute atomics or poll memory%s",
      smb_program_site(block->program, site)->expression, what,
      block->races ? ", or on who wins a race" : "");
  block->sink->warn(block->user, SMB_WARNING_ORDER, site, site, message);
}

void
smb_order_decides_all(Runner *runner) {
  for (guint i = 0; i < runner->code->steps->len; i++) {
    if (runner->steps[i].kind == STEP_TRANSFER)
      smb_order_decides(runner, runner->steps[i].transfer, "whether it is executed");
  }
}

void
smb_order_guards(Runner *runner, const Step *step) {
  switch (step->kind) {
  case STEP_TRANSFER:
    smb_order_decides(runner, step->transfer, "whether it is executed");
    return;
  case STEP_BRANCH:
    smb_order_branches(runner, step);
    return;
  case STEP_APART: // what waits for others, or is listed
  case STEP_OTHER: // a barrier, a call, an end
    if (step->run == smb_step_exit)
      smb_order_branches(runner, step);
    else if (!smb_step_is_harmless(step))
      smb_order_decides_all(runner);
    return;
  case STEP_COMPUTE:
  case STEP_MEETING:
  case STEP_FRAME:
  case STEP_OPAQUE:
    return;
  }
}
