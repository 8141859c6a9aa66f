// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which blocks of a grid make the same requests, without running them all. A program whose blocks may repeat
// (SmbProgram.may_repeat) computes addresses and conditions from values that are affine in blockIdx: a constant, plus
// blockIdx.x, y and z times constants, which may differ from thread to thread. Over a box of blocks whose corners have
// matching signatures,
//
//  - every block takes the same course: a comparison of affine values that has one outcome at all corners has it
//    everywhere between them, a half-space being convex; so has a quotient, which is monotone;
//  - no affine value wraps around: it lies between those at the corners;
//  - an affine offset that is the same at all corners is the same everywhere. So are the offsets of shared and private
//    memory, and those of global memory from the first lane of their request;
//  - no block fails, unless by alignment: an offset within its bounds at all corners is within them everywhere.
//
// What remains is where the first lane of a global request lies in its segment, which also decides alignment: that is
// affine modulo the segment, so it is periodic along each axis, and the period divides the segment.
//
// The machine signs accesses; a front end notes the outcomes that decide its course, and refuses what it cannot vouch
// for. Values that come from data may be anything, but decide neither. Private to the library.
#pragma once

#include "sim/machine/block.h"

/**
 * SmbSignature: of the run of one block
 * @course: outcomes of comparisons, and the accesses in the order in which they were made, but for @residues
 * @residues: where the first lanes of its global requests lie in their segments
 * @global_stores: of single lanes
 * @is_alone: that nothing follows from it for other blocks
 */
typedef struct {
  guint64 course;
  guint64 residues;
  guint64 global_stores;
  gboolean is_alone;
} SmbSignature;

// What the front end says of a program.
gboolean smb_program_may_repeat(const SmbProgram *program);

// Runs a block of a program that may repeat, to know its signature; FALSE if it fails.
gboolean smb_block_sign(SmbBlock *block, guint64 index, SmbSignature *signature);

// Whether blocks at the corners of a box say that all within are alike, but for @residues.
gboolean smb_signature_matches(const SmbSignature *a, const SmbSignature *b);

// --- of the running block, if its signature is wanted (SmbBlock.signature)

// Something that decides its course: @word must be the same in blocks that are alike.
void smb_signature_note(SmbBlock *block, guint64 word);
// A value is not affine that should be.
void smb_signature_refuse(SmbBlock *block);
