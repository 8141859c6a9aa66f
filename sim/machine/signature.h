// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which blocks of a grid make the same requests, without running them all. A program whose blocks may repeat
// (SmbProgram.may_repeat) computes addresses and conditions from values that are affine in blockIdx: a constant, plus
// blockIdx.x, y and z times constants, which may differ from thread to thread. Over a box of blocks whose corners have
// matching signatures,
//
//  - every block takes the same course: a comparison of affine values that has one outcome at all corners has it
//    everywhere between them, a half-space being convex;
//  - a quotient of an affine value, rounded down, is affine if at the corners it is some affine function of whole
//    numbers: the exact quotient, which is affine, differs from that by 0 to 1 at the corners, so by 0 to 1 between
//    them, and what it is rounded down to is that function. So are the rest, x - q * n, each bit of a value, and what a
//    result that wraps around is less than the exact one: a multiple of 2^32 that is such a quotient;
//  - an affine offset that is the same at all corners is the same everywhere. So are the offsets of shared and private
//    memory, and those of global memory from the first lane of their request;
//  - no block fails, unless by alignment: an offset within its bounds at all corners is within them everywhere.
//
// What remains is where the first lane of a global request lies in its segment, which also decides alignment: that is
// affine modulo the segment, so it is periodic along each axis, and the period divides the segment.
//
// A box need not be one of neighbours in the grid: blockIdx.x may be r + 8 * q, with r and q as coordinates. blockIdx.x
// % 8 and blockIdx.x / 8 are affine in these. Which numbers to divide by follows from the quotients (Hint).
//
// The machine signs accesses; a front end notes the outcomes that decide its course, and refuses what it cannot vouch
// for. Values that come from data may be anything, but decide neither. Private to the library.
#pragma once

#include "sim/machine/block.h"

/**
 * SmbQuotient: a quotient that was noted, rounded down, of @x * @numerator / @denominator: where it was first computed
 * @place: where: the same in all blocks
 */
typedef struct {
  gconstpointer place;
  guint64 numerator;
  guint64 denominator;
  gint64 x;
} SmbQuotient;

enum {
  SMB_MAX_HINTS = 12,
};

/**
 * SmbSignature: of the run of one block
 * @course: outcomes of comparisons, and the accesses in the order in which they were made, but for @residues
 * @quotients: the sum of all quotients, each times a number that is as good as random, modulo SMB_QUOTIENT_MODULUS. So
 *   quotients are affine along a line if this is
 * @n_quotients: how many
 * @residues: where the first lanes of its global requests lie in their segments
 * @global_stores: of single lanes
 * @is_alone: that nothing follows from it for other blocks
 */
typedef struct {
  guint64 course;
  guint64 quotients;
  guint64 n_quotients;
  guint64 residues;
  guint64 global_stores;
  gboolean is_alone;
  guint n_hints;
  SmbQuotient hints[SMB_MAX_HINTS];
} SmbSignature;

/** A prime. */
#define SMB_QUOTIENT_MODULUS ((G_GUINT64_CONSTANT(1) << 61) - 1)

// What the front end says of a program.
gboolean smb_program_may_repeat(const SmbProgram *program);

// Runs a block of a program that may repeat, to know its signature; FALSE if it fails.
gboolean smb_block_sign(SmbBlock *block, guint64 index, SmbSignature *signature);

// Whether two blocks at corners of a box allow that all within are alike, but for @residues, if the quotients do, too.
gboolean smb_signature_matches(const SmbSignature *a, const SmbSignature *b);

// --- of the running block, if its signature is wanted (SmbBlock.signature)

// Something that decides its course: @word must be the same in blocks that are alike.
void smb_signature_note(SmbBlock *block, guint64 word);
// The same of a quotient of each of these lanes (0 of others), which must be affine in blocks that are alike.
void smb_signature_quotients(SmbBlock *block, SmbLanes lanes, const gint64 *quotients);
// What it was computed of.
void smb_signature_hint(SmbBlock *block, const SmbQuotient *hint);
// A value is not affine that should be.
void smb_signature_refuse(SmbBlock *block);
