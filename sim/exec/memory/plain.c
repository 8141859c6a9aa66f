// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Requests of memory of which all is known: a byte that nobody has set is an error there, or holds what the machine says. Addresses
// are pointers of the machine in two rows. What no instruction moves at once is moved in several (Step.argument: all of its bytes).
#include "sim/exec/memory/memory.h"

static void
find_pointers(const Exec *exec, const Transfer *transfer, guint64 *pointers) {
  smb_rows_join(exec->warp->registers, transfer->address, pointers);
  EACH_LANE(exec->block->lanes, pointers[lane] += transfer->offset;)
}

static guint32 *
find_row(const Exec *exec, Row row) {
  const Registers *registers = exec->warp->registers;
  return registers->values[row >> 31] + row_index(row) * registers->n_lanes;
}

static gboolean
read_piece(const Exec *exec, const Move *move, SmbLanes lanes, const guint64 *pointers, Row row) {
  guint64 wide[SMB_MAX_WIDTH / 8][SMB_MAX_LANES];
  if (!smb_scalar_is_wide(move->kind))
    return smb_memory_load(exec->block, move, exec->w, lanes, pointers, find_row(exec, row),
                           exec->block->lanes * sizeof(guint32));
  if (!smb_memory_load(exec->block, move, exec->w, lanes, pointers, wide, sizeof *wide))
    return FALSE;
  for (guint c = 0; c < move->components; c++)
    smb_rows_part(exec->warp->registers, row + 2 * c, lanes, wide[c]);
  return TRUE;
}

static gboolean
write_piece(const Exec *exec, const Move *move, SmbLanes lanes, const guint64 *pointers, Row row) {
  guint64 wide[SMB_MAX_WIDTH / 8][SMB_MAX_LANES];
  gboolean is_wide = smb_scalar_is_wide(move->kind);
  for (guint c = 0; is_wide && c < move->components; c++)
    smb_rows_join(exec->warp->registers, row + 2 * c, wide[c]);
  return smb_memory_store(exec->block, move, exec->w, lanes, pointers,
                          is_wide ? (const void *)wide : row_values(exec->warp->registers, row),
                          is_wide ? sizeof *wide : exec->block->lanes * sizeof(guint32));
}

static gboolean
move_all(const Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  Move move = transfer->move;
  guint64 pointers[SMB_MAX_LANES];
  Row row = transfer->data[0];
  find_pointers(exec, transfer, pointers);
  for (guint at = 0; at < step->argument; at += move.width) {
    move.padding = (guint16)(transfer->move.padding >> at);
    if (!(move.reads ? read_piece : write_piece)(exec, &move, lanes, pointers, row))
      return FALSE;
    row += move.components * transfer->rows;
    for (guint lane = 0; at + move.width < step->argument && lane < exec->block->lanes; lane++)
      pointers[lane] += move.width;
  }
  return TRUE;
}

gboolean
smb_step_read(Exec *exec, const Step *step, SmbLanes lanes) {
  return move_all(exec, step, lanes);
}

gboolean
smb_step_write(Exec *exec, const Step *step, SmbLanes lanes) {
  return move_all(exec, step, lanes);
}

gboolean
smb_step_update(Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  Registers *registers = exec->warp->registers;
  Move move = transfer->move;
  guint64 pointers[SMB_MAX_LANES], wide[3][SMB_MAX_LANES];
  gboolean is_wide = smb_scalar_is_wide(move.kind), swaps = transfer->swap != NO_ROW;
  Row row = transfer->data[0];
  move.op = smb_atomic_op(exec->block->arch, move.atomic, move.kind, transfer->increments);
  find_pointers(exec, transfer, pointers);
  if (!is_wide)
    return smb_memory_atomic(
        exec->block, &move, exec->w, lanes, pointers, row_values(registers, transfer->operands[0]),
        swaps ? row_values(registers, transfer->swap) : NULL, find_row(exec, row));
  smb_rows_join(registers, transfer->operands[0], wide[0]);
  if (swaps)
    smb_rows_join(registers, transfer->swap, wide[1]);
  if (!smb_memory_atomic(exec->block, &move, exec->w, lanes, pointers, wide[0],
                         swaps ? wide[1] : NULL, wide[2]))
    return FALSE;
  smb_rows_part(registers, row, lanes, wide[2]);
  return TRUE;
}
