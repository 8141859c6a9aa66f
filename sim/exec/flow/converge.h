// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where the lanes that a branch divides reconverge. Machine code says so by instructions (BSSY, BSYNC, BREAK); PTX does
// not: an assembler decides. This places barriers for sim/exec/split in a control-flow graph, as ptxas does, and in
// two extreme ways.
//
// A barrier belongs to the block at whose start lanes reconverge. It is armed at the end of a block that dominates that
// one, or where a loop is entered, outside of any loop that the meeting place is not in. Lanes that take an edge from
// which the meeting place cannot be reached any longer, without passing the arming block, break out.
//
// Meeting places, as found by compiling some hundred graphs with ptxas (CUDA 13.0, sm_90) and reading what it placed:
//   1. The immediate post-dominator of a divergent branch. Of several exits of the function the last one counts; lanes
//      on the way to others are seen as leaving. It does not count that lanes come by again, in a later round of a
//      loop.
//   2. A join, which several edges enter that do not go back, if the lanes that miss it meet the others where all
//      meet, at the earliest, and do not go to another such join.
//   3. The way out of a loop at its end, on the same terms.
// Edges that go back to one header join ahead of it (2), at a place of their own. A function that is called has one
// return, to which all of its returns lead; lanes reconverge ahead of it as they do elsewhere, or, which is the same,
// behind the call. In random graphs of structured code, larger than most kernels, every block is executed as often as
// with ptxas' barriers in 82 to 87 of 100, and the extremes enclose the sum in all but 1 of 100 (tests/ptxas-flow.sh).
// Not understood are ptxas' choice where two joins exclude each other, and what it does in loops that can be entered in
// several places.
//
// Not modelled: what an assembler does before it places barriers: duplicated or merged blocks, turned loops.
// Predication makes no difference to what is counted.
// Private to sim/exec and its front ends.
#pragma once

#include <glib.h>

#include "sim/base/request.h"

/** A successor: lanes leave the function, or the program. */
#define SMB_FLOW_EXIT G_MAXUINT32

/** Barriers of a function at most; more are not placed. */
#define SMB_MAX_BARRIERS 64

/** How a block ends. */
typedef enum {
  SMB_FLOW_NEXT,      // in the next block, a jump or an exit: at most one successor
  SMB_FLOW_UNIFORM,   // in a branch that does not divide lanes
  SMB_FLOW_DIVERGENT, // in one that may, conditional or by a table
  SMB_FLOW_RETURN, // in the one return of a function that is called: lanes that were called together leave together
} SmbFlow;

/**
 * SmbFlowBlock:
 * @first, @end: its operations, from @first to @end − 1
 * @flow: how it ends. Calls are no ends
 * @successors: (array length=n_successors): where it may continue: numbers of blocks or %SMB_FLOW_EXIT; two may be
 *   equal. The target of a branch comes ahead of what it falls through to: between joins that exclude each other, this
 *   decides. Without any it ends in an exit
 */
typedef struct {
  guint32 first;
  guint32 end;
  SmbFlow flow;
  guint32 n_successors;
  const guint32 *successors;
} SmbFlowBlock;

/** Which blocks lanes reconverge at. */
typedef enum {
  SMB_MEETING_FEWEST,   // immediate post-dominators of divergent branches only
  SMB_MEETING_COMPILED, // as ptxas
  SMB_MEETING_MOST,     // every block that several edges enter, none of which goes back
} SmbMeeting;

/**
 * SmbBlockBarriers:
 * @arm: barriers (bit i is barrier i) that are armed at the end of the block, ahead of its branch
 * @sync: barriers at which lanes wait at its start, one after the other: those of lanes that come from before it, and
 *   of lanes that come back to it
 * @enter: barriers that are armed then by lanes that come from before it, to a loop; lanes that come back have them
 *   armed (smb_splits_enter())
 * @leave: (array length=n_successors): barriers out of which the lanes break that go there, ahead of the branch
 */
typedef struct {
  guint64 arm;
  guint64 sync;
  guint64 enter;
  guint64 *leave;
} SmbBlockBarriers;

/**
 * SmbConvergence:
 * @n_barriers: how many there are
 * @irreducible: whether a loop can be entered in more than one place: what ptxas does then is not known well
 * @n_left_out: meeting places for which no barrier was left, or where waiting could be mutual
 * @blocks: by block; nothing happens in those that cannot be reached
 */
typedef struct {
  guint n_barriers;
  gboolean irreducible;
  guint n_left_out;
  SmbBlockBarriers *blocks;
  guint64 *leaves; // all of them
} SmbConvergence;

/**
 * smb_converge:
 * @blocks: (array length=n_blocks): the blocks of a function, at least one; the first one is the entry
 *
 * Returns: (transfer full): where its lanes reconverge
 */
SmbConvergence *smb_converge(const SmbFlowBlock *blocks, guint32 n_blocks, SmbMeeting meeting);
void smb_convergence_free(SmbConvergence *convergence);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbConvergence, smb_convergence_free)
