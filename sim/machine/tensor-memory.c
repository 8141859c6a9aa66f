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
is_free(const TensorMemory *tensor, guint first, guint units) {
  for (guint i = first; i < first + units; i++)
    if (tensor->is_given[i])
      return FALSE;
  return TRUE;
}

gboolean
smb_tensor_memory_give(SmbBlock *block, guint32 columns, guint32 place, guint32 *first) {
  TensorMemory *tensor = smb_tensor_memory(block);
  guint units = count_piece_units(columns);
  for (guint at = 0; units && at + units <= G_N_ELEMENTS(tensor->given); at += units) {
    if (!is_free(tensor, at, units))
      continue;
    tensor->given[at] = (guint8)units;
    tensor->places[at] = place;
    for (guint i = at; i < at + units; i++)
      tensor->is_given[i] = TRUE;
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
