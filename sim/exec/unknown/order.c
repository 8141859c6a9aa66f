// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What depends on the order in which threads run. Here warps take turns, and lanes of an atomic do in rising order; on
// a device the order is another one each time. What an atomic returns depends on it, and what is read of memory that
// others change meanwhile, or of shared memory for which threads race (smb_block_set_races()). Such values are known
// and marked, as is all that is computed of them; a request whose address or execution depends on one is counted, and
// said not to be exact.
//
// Values that a branch on such a value chooses are marked as long as lanes of the warp keep others.
#include "sim/exec/unknown/order.h"

#include <string.h>

Order *
smb_order_new(const SmbBlock *block) {
  Order *order = g_new0(Order, 1);
  order->written = g_new0(guint8, block->n_objects);
  return order;
}

void
smb_order_free(Order *order) {
  g_free(order->written);
  g_free(order);
}

// --- blocks that see what others left

void
smb_order_see_others(Exec *exec) {
  const SmbBlock *block = exec->block;
  for (guint i = 0; exec->order->follows && i < block->n_objects; i++) {
    const Object *object = &block->objects[i];
    if (object->space != SPACE_GLOBAL || !smb_overlay_is_ordered(block->overlay, object))
      continue;
    exec->order->written[i] |= OBJECT_ORDERED;
    exec->order->ordered = TRUE;
  }
}

void
smb_order_reach_peers(Exec *exec) {
  const SmbCluster *cluster = exec->block->peers;
  for (guint i = 0; i < cluster->n; i++) {
    Exec *peer = cluster->blocks[i]->state;
    if (peer == exec)
      continue;
    peer->order->written[REGION_SHARED] |= OBJECT_REACHED;
    peer->order->ordered = TRUE;
  }
}

void
smb_order_meet_peers(Exec *exec) {
  exec->order->written[REGION_SHARED] &= (guint8)~OBJECT_REACHED;
}

void
smb_order_leave(Exec *exec) {
  const SmbBlock *block = exec->block;
  for (guint i = 0; exec->order->follows && i < block->n_objects; i++) {
    if (block->objects[i].space == SPACE_GLOBAL && exec->order->written[i])
      smb_overlay_set_ordered(block->overlay, &block->objects[i]);
  }
}

// What earlier blocks left, if they are seen, depends on the order of blocks.
void
smb_order_start(Exec *exec) {
  const SmbBlock *block = exec->block;
  Order *order = exec->order;
  order->follows = !block_is_alone(block) && !block_has_others(block);
  order->ordered = block->races != NULL;
  order->wrote = order->divides = FALSE;
  memset(order->written, 0, block->n_objects);
  smb_order_see_others(exec);
}

// --- loads and stores

static gboolean
is_single_thread(const Exec *exec) {
  return exec->block->n_threads == 1 && !exec->order->follows;
}

static gboolean
is_order_dependent(const Exec *exec, SmbLanes lanes, const guint64 *addresses) {
  for (SmbLanes same; lanes; lanes &= ~same) {
    guint object;
    same = smb_block_find_lanes(exec->block, lanes, addresses, &object);
    if (exec->order->written[object] & (OBJECT_ORDERED | OBJECT_REACHED))
      return TRUE;
  }
  return FALSE;
}

static gboolean
races(const Exec *exec, const Transfer *transfer) {
  const guint8 *races = exec->block->races;
  return races && races[transfer->move.site];
}

void
smb_order_disputes(Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses,
                   const MarkedWords *words) {
  const SmbBlock *block = exec->block;
  const Move *move = &step->transfer->move;
  if (G_LIKELY(!races(exec, step->transfer)))
    return;
  FOR_LANES(lanes, lane) {
    guint32 offset;
    if (!smb_shared_find(block, addresses[lane], move->width, &offset))
      continue;
    for (guint at = 0; at < move->width; at += 4) {
      if (memcmp(block->shared + offset + at, &words->values[at / 4][lane], MIN(move->width, 4)) !=
              0 &&
          (smb_shadow_is_disputed(block->shadow, exec->w, offset + at, MIN(move->width, 4)) ||
           smb_pending_is_at(block, offset + at)))
        exec->order->written[REGION_SHARED] |= OBJECT_ORDERED;
    }
  }
}

guint
smb_order_found(Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses) {
  const Transfer *transfer = step->transfer;
  gboolean atomic = transfer->move.op_class == SMB_OP_CLASS_ATOMIC;
  if (G_LIKELY(!atomic && transfer->order == ORDER_WEAK && !exec->order->ordered))
    return 0;
  if (atomic && !smb_transfer_has_result(transfer))
    return 0;
  gboolean changes = atomic || transfer->order != ORDER_WEAK || races(exec, transfer);
  if (!(changes && !is_single_thread(exec)) && !is_order_dependent(exec, lanes, addresses))
    return 0;
  exec->order->ordered = TRUE;
  return ROW_ORDER;
}

static guint
find_component_flags(const Registers *registers, const Transfer *transfer, const Row *components) {
  guint flags = 0, rows = (transfer->bytes + 3) / 4;
  for (guint c = 0; c < transfer->n_components; c++) {
    for (guint row = 0; components[c] != NO_ROW && row < rows; row++)
      flags |= row_flags(registers, components[c] + row);
  }
  return flags;
}

void
smb_order_note_store(Exec *exec, const Step *step, guint flags, SmbLanes lanes,
                     const guint64 *addresses) {
  const Registers *registers = exec->warp->registers;
  const Transfer *transfer = step->transfer;
  gboolean atomic = transfer->move.op_class == SMB_OP_CLASS_ATOMIC;
  gboolean by_order =
      atomic && !smb_atomic_is_commutative(&transfer->move) && !is_single_thread(exec);
  if (G_LIKELY(!exec->order->ordered && !by_order))
    return;
  if (atomic) {
    flags |= find_component_flags(registers, transfer, transfer->operands);
    flags |= transfer->swap == NO_ROW ? 0 : row_flags(registers, transfer->swap);
  } else
    flags |= find_component_flags(registers, transfer, transfer->data);
  if (!by_order && !(flags & ROW_ORDER))
    return;
  exec->order->ordered = TRUE;
  for (SmbLanes same; lanes; lanes &= ~same) {
    guint object;
    same = smb_block_find_lanes(exec->block, lanes, addresses, &object);
    exec->order->written[object] |= OBJECT_ORDERED;
  }
}

void
smb_order_decides(Exec *exec, const Transfer *transfer, const char *what) {
  SmbBlock *block = exec->block;
  guint site = transfer->move.site;
  if (!exec_may_be_shared(exec, transfer) || !block->sink->warn ||
      !smb_shadow_is_news(block, SMB_WARNING_ORDER, site, site))
    return;
  g_autofree char *message = g_strdup_printf(
      "%s: %s depends on the order in which threads execute atomics or poll memory%s",
      smb_program_site(block->program, site)->expression, what,
      block->races ? ", or on which thread wins a race" : "");
  block->sink->warn(block->user, SMB_WARNING_ORDER, site, site, message);
}

void
smb_order_decides_all(Exec *exec) {
  for (guint i = 0; i < exec->code->steps->len; i++) {
    if (exec->steps[i].kind == KIND_TRANSFER)
      smb_order_decides(exec, exec->steps[i].transfer, "whether it is executed");
  }
}

// What steps write, in lanes that keep other values, or in memory, depends on it from now on.
static void
mark_written(Exec *exec, const StretchWrites *writes) {
  Registers *registers = exec->warp->registers;
  for (guint i = 0; i < writes->rows->len; i++)
    registers->flags[0][g_array_index(writes->rows, Row, i)] |= ROW_ORDER;
  for (guint i = 0; i < writes->predicates->len; i++)
    registers->predicate_flags[g_array_index(writes->predicates, Predicate, i)] |= ROW_ORDER;
  if (writes->shared)
    exec->order->written[REGION_SHARED] |= OBJECT_ORDERED;
  for (guint k = REGION_LOCAL; writes->elsewhere && k < exec->block->n_objects; k++)
    exec->order->written[k] |= OBJECT_ORDERED;
}

void
smb_order_branches(Exec *exec, const Step *branch) {
  Stretch *stretch = smb_stretch_find(exec, step_number(exec, branch));
  guint32 i = 0;
  mark_written(exec, smb_stretch_writes(exec, stretch));
  if (smb_stretch_mark_ordered(stretch))
    return;
  for (const Step *step; (step = smb_stretch_next(exec, stretch, &i));) {
    if (step->kind == KIND_TRANSFER)
      smb_order_decides(exec, step->transfer, "whether it is executed");
  }
  if (smb_stretch_is_open(stretch))
    smb_order_decides_all(exec);
}

void
smb_order_guards(Exec *exec, const Step *step) {
  switch ((StepKind)step->kind) {
  case KIND_TRANSFER:
    smb_order_decides(exec, step->transfer, "whether it is executed");
    return;
  case KIND_BRANCH:
  case KIND_EXIT:
    smb_order_branches(exec, step);
    return;
  case KIND_CONTROL: // a barrier, a call
    smb_order_decides_all(exec);
    return;
  case KIND_APART: // what waits for others, or is listed
  case KIND_COMPUTE:
  case KIND_MEETING:
  case KIND_FRAME:
  case KIND_HARMLESS:
  case KIND_OPAQUE:
    return;
  }
}
