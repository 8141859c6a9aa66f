// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensor memory of a block (PTX ISA, "Tensor Memory"; sm_100): 128 lanes of 512 columns of 32 bits, which a program gets and gives back
// by columns. Each block has all of it: that blocks of one multiprocessor share it, and wait for each other's columns, is not modelled.
#pragma once

#include "sim/machine/machine.h"

enum {
  TENSOR_LANES = 128,
  TENSOR_COLUMNS = 512,
  TENSOR_UNIT = 32,       // columns that are given at least
  TENSOR_LANE_SHIFT = 16, // of an address: lanes above columns
};

/**
 * TensorMemory:
 * @marks: of each word: MARK_KNOWN, if all of its bits are, and MARK_BLOCK
 * @given: of each TENSOR_UNIT columns: how many there are in the piece that begins there; 0: they are free, or go on with a piece
 * @is_given: whether they are part of one
 * @places: where a piece was given: a place of the program
 * @is_closed: the block has given up the right to more (tcgen05.relinquish_alloc_permit), of a launch that is checked
 * @is_unsure: it is not known what was given back
 */
struct _TensorMemory {
  guint32 words[TENSOR_LANES][TENSOR_COLUMNS];
  guint8 marks[TENSOR_LANES][TENSOR_COLUMNS];
  guint8 given[TENSOR_COLUMNS / TENSOR_UNIT];
  gboolean is_given[TENSOR_COLUMNS / TENSOR_UNIT];
  guint32 places[TENSOR_COLUMNS / TENSOR_UNIT];
  gboolean is_closed, is_unsure;
};

// That of a block, which is made when it is asked for first.
TensorMemory *smb_tensor_memory(SmbBlock *block);
// Another block begins: nothing is given, and nothing known.
void smb_tensor_memory_start_block(SmbBlock *block);
// The same of what machine code keeps of its columns in the system's part of shared memory (SmbProgram.tensor_partition), which the system has made.
void smb_tensor_memory_start_partition(SmbBlock *block);
// Whether bytes of what the machine keeps of shared memory lie there.
gboolean smb_tensor_memory_is_partition(const SmbBlock *block, gsize offset, gsize bytes);
// Nothing is known of what it holds.
void smb_tensor_memory_forget(SmbBlock *block);

// Gives each of @n_blocks blocks a piece of @columns columns, at a place of the program: the first one that fits in all. FALSE: none does, or it is no power of two from 32 to 512.
gboolean smb_tensor_memory_give(SmbBlock *const *blocks, guint n_blocks, guint32 columns,
                                guint32 place, guint32 *first);
// Takes back the piece that begins at @first. FALSE: there is none of so many columns.
gboolean smb_tensor_memory_take_back(SmbBlock *block, guint32 first, guint32 columns);
// Whether a program has all of these columns.
gboolean smb_tensor_memory_has(SmbBlock *block, guint32 first, guint32 columns);
