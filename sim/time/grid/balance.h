// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How blocks that differ in length share the multiprocessors of a device: which of them runs where, and when the last one ends.
//
// A block goes to the first multiprocessor that has room. Those that are resident together share what it executes in a cycle, each up to
// what a block executes by itself; so the last blocks of a grid, which have a multiprocessor for themselves, go faster. A length is a
// number of instructions.
//
// Not modelled: blocks that execute other instructions than others; multiprocessors that share a second-level cache and DRAM with fewer
// others than before.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SmbBalance:
 * @resident: blocks of a multiprocessor at a time
 * @begin: instructions that a block could execute, by itself, while it begins and ends
 * @alone: instructions a cycle of a block, at most
 * @together: of all blocks of a multiprocessor, at most
 * @brief: what of each block, in instructions, is executed faster than that; 0: nothing
 * @brief_part: of the time that these would take
 */
typedef struct {
  guint resident;
  double begin;
  double alone;
  double together;
  double brief;
  double brief_part;
} SmbBalance;

/**
 * smb_balance_cycles:
 * @lengths: (array length=n): of blocks, in their order
 * @multiprocessors: that have nothing else to do
 *
 * Returns: when the last one ends
 */
double smb_balance_cycles(const SmbBalance *balance, const double *lengths, guint64 n,
                          guint multiprocessors);

/**
 * smb_balance_fit:
 * @balance: (inout): of which @begin is found; if these blocks take less than they would without it, @brief and @brief_part: what the longest of
 *   them executes is as much faster, of all blocks, and what longer ones execute beyond that is not
 * @lengths: (array length=n): blocks of one multiprocessor
 * @cycles: that it takes for them
 */
void smb_balance_fit(SmbBalance *balance, const double *lengths, guint64 n, double cycles);

G_END_DECLS
