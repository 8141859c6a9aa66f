// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensor memory as a program sees it (tcgen05): its columns are given and taken back, moved from and to registers, and copied from shared memory. All is done at
// once, which is what a program finds that waits as it has to. Not modelled: waiting for columns that another block has; what
// tcgen05.shift leaves, since the PTX ISA does not say which way it goes.
#include "sim/exec/memory/memory.h"
#include "sim/machine/check/checking.h"
#include "sim/machine/tensor-memory.h"

enum {
  WARP_TENSOR_LANES = 32, // that a warp reaches
  HALF_LANES = 16,
  SHIFTED_COLUMNS = 8,
};

gboolean
smb_tensor_place_find(Exec *exec, const TensorPlace *place, guint lane, guint32 *address) {
  const Registers *registers = exec->warp->registers;
  *address = place->offset;
  if (place->base == NO_MATRIX)
    return TRUE;
  exec_watch_row(exec, place->base);
  *address += row_values(registers, place->base)[lane];
  return !row_lane_unknown(registers, place->base, lane);
}

// Says what is wrong, which ends the launch. Always FALSE.
G_GNUC_PRINTF(3, 4)
static gboolean
fail_tensor(SmbBlock *block, const Step *step, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  smb_block_fail(block, step->place, "%s", text);
  smb_inspect_note_failure(block, SMB_DEFECT_TENSOR, 0, G_MAXUINT);
  return FALSE;
}

gboolean
smb_tensor_check(SmbBlock *block, const Step *step, guint32 first, guint32 columns) {
  return smb_tensor_memory_has(block, first, columns) ||
         fail_tensor(block, step, "columns %u to %u of tensor memory: they are not allocated",
                     first, first + columns - 1);
}

CheckWork
smb_tensor_work(const Exec *exec, const Step *step, CheckAgent agent, guint lane) {
  return (CheckWork){.agent = agent,
                     .block = exec->block,
                     .site = step->transfer->move.site,
                     .warp = exec->w,
                     .lane = lane};
}

// --- columns

static CheckFound
make_tensor_found(guint32 place, guint warp) {
  return (CheckFound){.kind = SMB_DEFECT_TENSOR,
                      .site = G_MAXUINT,
                      .at = place,
                      .other = G_MAXUINT,
                      .warp = warp,
                      .lane = G_MAXUINT,
                      .other_thread = G_MAXUINT};
}

// PTX ISA, "tcgen05.alloc": a block that has given up the right to columns must not ask for any.
static void
check_permit(const Exec *exec, const Step *step) {
  const CheckFound found = make_tensor_found(step->place, exec->w);
  if (exec->block->check && smb_tensor_memory(exec->block)->is_closed)
    smb_inspect_note(exec->block, &found,
                     "tcgen05.alloc after the block has executed tcgen05.relinquish_alloc_permit");
}

// The same: all that was given must have been given back.
void
smb_tensor_check_ended(const Exec *exec) {
  const TensorMemory *tensor = exec->block->check ? exec->block->tensor : NULL;
  for (guint i = 0; tensor && !tensor->is_unsure && i < G_N_ELEMENTS(tensor->given); i++) {
    const CheckFound found = make_tensor_found(tensor->places[i], 0);
    if (tensor->given[i] && !smb_inspect_counts(exec->block, &found))
      smb_inspect_tell(exec->block, &found,
                       "the block ends, and has not given back these %u columns from column %u on "
                       "(tcgen05.dealloc)",
                       tensor->given[i] * TENSOR_UNIT, i * TENSOR_UNIT);
  }
}

// The blocks that get columns. FALSE: the other one of the pair is not there.
static gboolean
find_given_blocks(const Exec *exec, const Step *step, SmbBlock **blocks) {
  for (guint i = 0; i < step->argument; i++) {
    blocks[i] = smb_tensor_block(exec, step->argument, i);
    if (!blocks[i])
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_step_tensor_allocate(Exec *exec, const Step *step, SmbLanes lanes) {
  Registers *registers = exec->warp->registers;
  const Row row = step->compute.s[0];
  SmbBlock *blocks[2];
  guint32 values[SMB_MAX_LANES], first;
  if (!lanes)
    return TRUE;
  guint lane = smb_lanes_first(lanes);
  exec_watch_row(exec, row);
  if (row_lane_unknown(registers, row, lane))
    return smb_unknown_check(exec, step, row, 1, lanes, "the number of columns");
  guint32 columns = row_values(registers, row)[lane];
  check_permit(exec, step);
  if (!find_given_blocks(exec, step, blocks))
    return fail_tensor(exec->block, step, "the block has no other one in its cluster");
  if (!smb_tensor_memory_give(blocks, step->argument, columns, step->place, &first))
    return fail_tensor(
        exec->block, step,
        "%u columns of tensor memory: expected a power of two, of at least %u, of which "
        "as many are free",
        columns, TENSOR_UNIT);
  for (guint i = 0; i < SMB_MAX_LANES; i++)
    values[i] = first;
  smb_row_set_known(registers, step->compute.d, lanes, values);
  return TRUE;
}

// What others may still access: a launch that is checked.
static void
check_given_back(const Exec *exec, const Step *step, guint lane, guint32 first, guint32 columns) {
  CheckWork work = smb_tensor_work(exec, step, CHECK_THREAD, lane);
  gboolean is_there = smb_tensor_memory_has(exec->block, first, columns);
  for (guint i = 0; exec->block->check && is_there && i < TENSOR_LANES * columns; i++)
    smb_inspect_tensor(exec->block, &work, SMB_OP_CLASS_STORE, i / columns, first + i % columns);
}

gboolean
smb_step_tensor_free(Exec *exec, const Step *step, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  const Row *s = step->compute.s;
  if (!lanes)
    return TRUE;
  guint lane = smb_lanes_first(lanes);
  exec_watch_row(exec, s[0]);
  exec_watch_row(exec, s[1]);
  if (row_lane_unknown(registers, s[0], lane) || row_lane_unknown(registers, s[1], lane))
    return smb_tensor_memory(exec->block)->is_unsure = TRUE;
  guint32 address = row_values(registers, s[0])[lane], columns = row_values(registers, s[1])[lane];
  check_given_back(exec, step, lane, address, columns);
  return smb_tensor_memory_take_back(exec->block, address, columns) ||
         fail_tensor(exec->block, step, "no %u columns of tensor memory were allocated at 0x%x",
                     columns, address);
}

void
smb_doubt_tensor(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  if (!lanes)
    return;
  smb_tensor_memory_forget(exec->block);
  smb_doubt_writes(exec, step, lanes, origin);
}

// --- moves

// What a move reaches: its first lane and column. FALSE: that is not known, or, with the block's error, it must not.
static gboolean
find_tensor_move(Exec *exec, const Step *step, SmbLanes lanes, guint32 *lane, guint32 *column,
                 gboolean *is_known) {
  const TensorMove *move = &step->tensor->move;
  guint warp = exec->w % (TENSOR_LANES / WARP_TENSOR_LANES), scale = move->packs ? 2 : 1;
  guint columns = smb_tensor_columns(move->spread, move->n) * scale;
  guint32 address;
  *is_known = lanes == exec->warp->splits->living &&
              smb_tensor_place_find(exec, &move->place, smb_lanes_first(lanes), &address);
  if (!*is_known)
    return TRUE;
  guint32 first = address >> TENSOR_LANE_SHIFT, within = first % WARP_TENSOR_LANES;
  *column = address & 0xffff;
  *lane = warp * WARP_TENSOR_LANES + within;
  // a warp reaches a quarter of the lanes, which an address need not say
  if ((first >= WARP_TENSOR_LANES && first / WARP_TENSOR_LANES != warp) || within % HALF_LANES ||
      (within && move->spread == TENSOR_32X32))
    return fail_tensor(exec->block, step, "lane %u of tensor memory, by warp %u: expected %s %u",
                       first, exec->w,
                       move->spread == TENSOR_32X32 ? "lane" : "a half of the 32 lanes from",
                       warp * WARP_TENSOR_LANES);
  return smb_tensor_check(exec->block, step, *column, columns) &&
         (move->spread != TENSOR_16X32X2 ||
          smb_tensor_check(exec->block, step, *column + move->split, columns));
}

// Of @lanes, those that move anything.
static SmbLanes
find_half(const TensorMove *move, SmbLanes lanes) {
  const SmbLanes first = ((SmbLanes)1 << HALF_LANES) - 1;
  return move->half == TENSOR_FIRST_HALF    ? lanes & first
         : move->half == TENSOR_SECOND_HALF ? lanes & ~first
                                            : lanes;
}

// The cell of a register; of a packed one, the first of two.
static void
find_cell(const TensorMove *move, guint32 first_lane, guint32 first_column, guint r, guint t,
          guint *lane, guint *column) {
  smb_tensor_cell(move->spread, r, t, lane, column);
  *lane += first_lane;
  *column = first_column + (move->packs ? 2 : 1) * *column;
  if (move->spread == TENSOR_16X32X2 && t >= HALF_LANES)
    *column += move->split;
}

// A launch that is checked: the cell of a register is read or written.
static void
check_cell(const Exec *exec, const TensorMove *move, CheckWork *work, SmbOpClass op_class,
           guint lane, guint column) {
  for (guint i = 0; exec->block->check && i < (move->packs ? 2 : 1); i++)
    smb_inspect_tensor(exec->block, work, op_class, lane, column + i);
}

gboolean
smb_step_tensor_load(Exec *exec, const Step *step, SmbLanes lanes) {
  const TensorMove *move = &step->tensor->move;
  guint32 first_lane, first_column;
  gboolean is_known;
  if (!lanes)
    return TRUE;
  if (!find_tensor_move(exec, step, lanes, &first_lane, &first_column, &is_known))
    return FALSE;
  lanes = find_half(move, lanes);
  smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
  if (!is_known) {
    smb_doubt_writes(exec, step, lanes, step_origin(exec, step));
    return TRUE;
  }
  const TensorMemory *tensor = smb_tensor_memory(exec->block);
  CheckWork work = smb_tensor_work(exec, step, CHECK_LOADS, 0);
  for (guint r = 0; r < move->n; r++) {
    guint32 values[SMB_MAX_LANES] = {0}, unknown[SMB_MAX_LANES] = {0}, any = 0;
    guint marks = 0;
    FOR_LANES(lanes, t) {
      guint lane, column;
      find_cell(move, first_lane, first_column, r, (guint)t, &lane, &column);
      check_cell(exec, move, &work, SMB_OP_CLASS_LOAD, lane, column);
      guint mark = tensor->marks[lane][column], all = mark;
      values[t] = tensor->words[lane][column];
      if (move->packs) {
        values[t] = (values[t] & 0xffff) | tensor->words[lane][column + 1] << 16;
        all &= tensor->marks[lane][column + 1];
        mark |= tensor->marks[lane][column + 1];
      }
      unknown[t] = all & MARK_KNOWN ? 0 : G_MAXUINT32;
      values[t] &= ~unknown[t];
      any |= unknown[t];
      marks |= mark;
    }
    smb_row_set(exec->warp->registers, move->data[r], lanes, values, any ? unknown : NULL,
                marks & MARK_BLOCK ? ROW_BLOCK : 0, step_origin(exec, step));
  }
  return TRUE;
}

gboolean
smb_step_tensor_store(Exec *exec, const Step *step, SmbLanes lanes) {
  const TensorMove *move = &step->tensor->move;
  const Registers *registers = exec->warp->registers;
  guint32 first_lane, first_column;
  gboolean is_known;
  if (!lanes)
    return TRUE;
  if (!find_tensor_move(exec, step, lanes, &first_lane, &first_column, &is_known))
    return FALSE;
  lanes = find_half(move, lanes);
  TensorMemory *tensor = smb_tensor_memory(exec->block);
  CheckWork work = smb_tensor_work(exec, step, CHECK_STORES, 0);
  if (!is_known)
    smb_tensor_memory_forget(exec->block);
  for (guint r = 0; is_known && r < move->n; r++) {
    const guint32 *values = row_values(registers, move->data[r]);
    guint flags = row_flags_in(registers, move->data[r], lanes);
    FOR_LANES(lanes, t) {
      guint lane, column;
      find_cell(move, first_lane, first_column, r, (guint)t, &lane, &column);
      check_cell(exec, move, &work, SMB_OP_CLASS_STORE, lane, column);
      guint8 mark = row_lane_unknown(registers, move->data[r], (guint)t) ? 0 : MARK_KNOWN;
      mark |= flags & ROW_DEPENDS ? MARK_BLOCK : 0;
      tensor->words[lane][column] = move->packs ? values[t] & 0xffff : values[t];
      tensor->marks[lane][column] = mark;
      if (move->packs) {
        tensor->words[lane][column + 1] = values[t] >> 16;
        tensor->marks[lane][column + 1] = mark;
      }
    }
  }
  return TRUE;
}

// --- copies from shared memory

// Four numbers of fewer bits, a byte each: those of 4 bits in its middle, those of 6 below (PTX ISA, "Optional Decompression").
static guint32
unpack_word(guint bits, guint32 packed) {
  guint32 word = 0;
  for (guint i = 0; i < 4; i++)
    word |= (packed >> i * bits & ((1u << bits) - 1)) << (8 * i + (bits == 4 ? 2 : 0));
  return word;
}

// Bits of a number as it is copied.
static guint
count_copied_bits(const TensorCopy *copy) {
  return copy->unpacked ? copy->unpacked : 8;
}

// Where in shared memory the four numbers are that come into row @row, from byte @at of it on. Of unpacked numbers, sixteen are in the first of 16 bytes.
static guint32
locate_copied(const TensorCopy *copy, const SharedMatrix *matrix, guint32 row, guint at) {
  enum {
    CHUNK = 16,
  };
  return smb_matrix_address(&matrix->place, FALSE, 1, row, at / CHUNK * CHUNK) - copy->reserved +
         at % CHUNK * count_copied_bits(copy) / 8;
}

// Of one block.
static gboolean
copy_matrix(Exec *exec, const Step *step, guint issuer, SmbBlock *block, guint32 address) {
  const TensorCopy *copy = &step->tensor->copy;
  const guint of_number = count_copied_bits(copy), n = of_number / 2;
  SharedMatrix matrix =
      smb_shared_matrix_open(exec, copy->matrix, issuer, copy->reserved, PRODUCT_U8);
  CheckWork work = smb_tensor_work(exec, step, CHECK_TENSOR, issuer);
  guint32 first = address >> TENSOR_LANE_SHIFT, column = address & 0xffff;
  gboolean is_lost = !smb_shared_matrix_set_mode(exec, copy->matrix, issuer, &matrix);
  matrix.block = block;
  if (!smb_tensor_check(block, step, column, copy->bytes / sizeof(guint32)))
    return FALSE;
  TensorMemory *tensor = smb_tensor_memory(block);
  for (guint lane = 0; lane < TENSOR_LANES; lane++) {
    guint32 row = smb_tensor_row(copy->rows, lane);
    guint to = (lane + first) % TENSOR_LANES;
    for (guint at = 0; row != NO_MATRIX && at < copy->bytes; at += sizeof(guint32)) {
      guint32 bits, from = locate_copied(copy, &matrix, row, at);
      guint marks = smb_shared_matrix_read(&matrix, from, n, &bits), word = column + at / 4;
      if (block->check) {
        smb_inspect_operand(block, &work, from, n);
        smb_inspect_tensor(block, &work, SMB_OP_CLASS_STORE, to, word);
      }
      tensor->words[to][word] = copy->unpacked ? unpack_word(of_number, bits) : bits;
      tensor->marks[to][word] = (guint8)(is_lost ? marks & MARK_BLOCK : marks);
    }
  }
  return TRUE;
}

static guint64
count_copied(const TensorCopy *copy) {
  static const guint rows[] = {[TENSOR_ALL_ROWS] = 128,
                               [TENSOR_FOUR_ROWS] = 4,
                               [TENSOR_QUARTER] = 32,
                               [TENSOR_HALF_02_13] = 64,
                               [TENSOR_HALF_01_23] = 64};
  return (guint64)rows[copy->rows] * copy->bytes;
}

gboolean
smb_step_tensor_copy(Exec *exec, const Step *step, SmbLanes lanes) {
  const TensorCopy *copy = &step->tensor->copy;
  FOR_LANES(tensor_lanes(step, lanes), lane) {
    guint32 address;
    exec_list_traffic(exec, step, SMB_TRAFFIC_MATRIX, count_copied(copy));
    if (!smb_tensor_place_find(exec, &copy->place, (guint)lane, &address) ||
        !smb_shared_matrix_watch(exec, copy->matrix, (guint)lane)) {
      smb_doubt_tensor(exec, step, lanes, step_origin(exec, step));
      continue;
    }
    for (guint i = 0; i < copy->blocks; i++) {
      SmbBlock *block = smb_tensor_block(exec, copy->blocks, i);
      if (!block)
        smb_doubt_tensor(exec, step, lanes, step_origin(exec, step));
      else if (!copy_matrix(exec, step, (guint)lane, block, address))
        return FALSE;
    }
  }
  return TRUE;
}

SmbBlock *
smb_tensor_block(const Exec *exec, guint blocks, guint i) {
  const SmbCluster *peers = exec->block->peers;
  guint rank = (exec->block->rank & ~1u) + i;
  if (blocks == 1)
    return exec->block;
  if (!peers)
    return NULL;
  return peers->is_alike ? exec->block : rank < peers->n ? peers->blocks[rank] : NULL;
}

gboolean
smb_step_tensor_shift(Exec *exec, const Step *step, SmbLanes lanes) {
  FOR_LANES(tensor_lanes(step, lanes), lane) {
    guint32 address;
    if (!smb_tensor_place_find(exec, &step->tensor->move.place, (guint)lane, &address)) {
      smb_doubt_tensor(exec, step, lanes, step_origin(exec, step));
      continue;
    }
    guint32 column = address & 0xffff, first = address >> TENSOR_LANE_SHIFT;
    if (!smb_tensor_check(exec->block, step, column, SHIFTED_COLUMNS))
      return FALSE;
    for (guint i = first; i < TENSOR_LANES; i++)
      memset(smb_tensor_memory(exec->block)->marks[i] + column, 0, SHIFTED_COLUMNS);
  }
  return TRUE;
}
