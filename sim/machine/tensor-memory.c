// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/machine/tensor-memory.h"

#include <string.h>

TensorMemory *
smb_tensor_memory(SmbBlock *block) {
  if (!block->tensor) {
    block->tensor = g_new0(TensorMemory, 1);
    block->memory_used += sizeof(TensorMemory);
  }
  return block->tensor;
}

void
smb_tensor_memory_start_block(SmbBlock *block) {
  if (block->tensor)
    memset(block->tensor, 0, sizeof *block->tensor);
}

// --- what machine code keeps of it: ptxas puts code for tcgen05.alloc and tcgen05.dealloc around the instructions that find columns and give them
// back. A word has a bit for each TENSOR_UNIT columns that the block has, the next one a bit for where each piece begins; a byte says that the
// right to more was given up. The blocks of a pair take turns by a barrier in each, and a word with the parity of the phase that is
// next. All of it is read before it is written, so the system must have made it: zeros, a barrier of one arrival, and, since the even block goes
// first, for that one the parity of the phase ahead of the first, which is complete.

enum {
  PARTITION_BYTES = 32,
  PARTITION_BARRIER = 8, // bytes to it
  PARTITION_PARITY = 16,
  MOST_ARRIVALS = 1 << 20,
};

static gsize
find_partition_start(const SmbBlock *block) {
  return block->reserved_start + block->program->tensor_partition;
}

gboolean
smb_tensor_memory_is_partition(const SmbBlock *block, gsize offset, gsize bytes) {
  gsize start = find_partition_start(block);
  return block->program->tensor_partition &&
         block->program->tensor_partition + PARTITION_BYTES <= block->reserved_bytes &&
         offset >= start && offset + bytes <= start + PARTITION_BYTES;
}

void
smb_tensor_memory_start_partition(SmbBlock *block) {
  const guint32 left =
      MOST_ARRIVALS - 1; // of the most, as a barrier is stored (sim/exec/sync/mbarrier.c)
  const guint32 barrier[2] = {left << 1, left << 11}, parity = block->rank % 2 == 0;
  gsize at = find_partition_start(block);
  if (!smb_tensor_memory_is_partition(block, at, PARTITION_BYTES))
    return;
  memset(block->shared + at, 0, PARTITION_BYTES);
  memcpy(block->shared + at + PARTITION_BARRIER, barrier, sizeof barrier);
  memcpy(block->shared + at + PARTITION_PARITY, &parity, sizeof parity);
  memset(block->shared_marks + at, MARK_KNOWN, PARTITION_BYTES);
  smb_shadow_fill(block->shadow, (guint32)at, PARTITION_BYTES);
  for (guint i = 0; i < PARTITION_BYTES; i += sizeof(guint32))
    smb_shadow_exempt(block->shadow, (guint32)at + i);
}

void
smb_tensor_memory_forget(SmbBlock *block) {
  if (block->tensor)
    memset(block->tensor->marks, 0, sizeof block->tensor->marks);
}

static guint
count_piece_units(guint32 columns) {
  gboolean is_piece =
      columns >= TENSOR_UNIT && columns <= TENSOR_COLUMNS && !(columns & (columns - 1));
  return is_piece ? columns / TENSOR_UNIT : 0;
}

static gboolean
is_free(SmbBlock *const *blocks, guint n_blocks, guint first, guint units) {
  for (guint k = 0; k < n_blocks; k++)
    for (guint i = first; i < first + units; i++)
      if (smb_tensor_memory(blocks[k])->is_given[i])
        return FALSE;
  return TRUE;
}

static void
give_units(TensorMemory *tensor, guint first, guint units, guint32 place) {
  tensor->given[first] = (guint8)units;
  tensor->places[first] = place;
  for (guint i = first; i < first + units; i++)
    tensor->is_given[i] = TRUE;
}

gboolean
smb_tensor_memory_give(SmbBlock *const *blocks, guint n_blocks, guint32 columns, guint32 place,
                       guint32 *first) {
  guint units = count_piece_units(columns);
  for (guint at = 0; units && at + units <= TENSOR_COLUMNS / TENSOR_UNIT; at += units) {
    if (!is_free(blocks, n_blocks, at, units))
      continue;
    for (guint i = 0; i < n_blocks; i++)
      give_units(smb_tensor_memory(blocks[i]), at, units, place);
    *first = at * TENSOR_UNIT;
    return TRUE;
  }
  return FALSE;
}

gboolean
smb_tensor_memory_take_back(SmbBlock *block, guint32 first, guint32 columns) {
  TensorMemory *tensor = smb_tensor_memory(block);
  guint units = count_piece_units(columns);
  if (first % TENSOR_UNIT || first >= TENSOR_COLUMNS || !units ||
      tensor->given[first / TENSOR_UNIT] != units)
    return FALSE;
  tensor->given[first / TENSOR_UNIT] = 0;
  for (guint i = 0; i < units; i++)
    tensor->is_given[first / TENSOR_UNIT + i] = FALSE;
  return TRUE;
}

gboolean
smb_tensor_memory_has(SmbBlock *block, guint32 first, guint32 columns) {
  const TensorMemory *tensor = smb_tensor_memory(block);
  if (columns > TENSOR_COLUMNS || first > TENSOR_COLUMNS - columns)
    return FALSE;
  for (guint32 i = first / TENSOR_UNIT; columns && i <= (first + columns - 1) / TENSOR_UNIT; i++)
    if (!tensor->is_given[i])
      return FALSE;
  return TRUE;
}
