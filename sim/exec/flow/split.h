// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where the lanes of one warp are. Lanes that run together are a split: a place in the program (pc) and a set of lanes.
// A branch divides a split; convergence barriers, which the program arms ahead of the branch, join what it divided.
// They work as the instructions BSSY, BSYNC, BREAK, WARPSYNC and EXIT do since compute capability 7.0.
//
// One split runs, until some of its lanes wait at a barrier, all do, exit or yield; then that one takes its place which
// has been ready for the shortest time, and all that are ready at the same pc are one with it. Of the sides of a branch
// the one with fewer lanes goes first. Splits that were held or gave way continue last. What an H200 executed of
// recursive kernels, in which barriers are in use at several depths at once, comes out of these rules instruction by
// instruction, and not without any of them. Not modelled: that the hardware changes between splits while they wait for
// memory; all of what it does when lanes give way (smb_splits_give_way()).
//
// A loop that runs operations may keep the pc and the lanes of the running split in variables of its own. Before a
// function below is called, pc is set to the place where the lanes continue; afterwards both are read again. Most
// calls find one split, and return at once.
// Private to sim/exec and its front ends.
#pragma once

#include "sim/base/request.h"

typedef struct _SmbSplitSlots SmbSplitSlots;

/**
 * SmbSplits:
 * @pc: the next operation of the running split
 * @mask: its lanes; none if no split can run: all lanes have exited or wait
 * @living: lanes that have not exited
 * @n_barriers: barriers that were ever armed are below this
 * @armed: (array length=n_barriers): the lanes that have armed each barrier, and neither passed it nor broken out
 * @slots: private
 */
typedef struct {
  guint32 pc;
  SmbLanes mask;
  SmbLanes living;
  guint n_barriers;
  SmbLanes *armed;
  SmbSplitSlots *slots;
} SmbSplits;

/** Whose lanes wait for each other at a barrier. */
typedef enum {
  // each lane records whom it waits for: two sides of a branch can use one barrier, each for itself
  SMB_BARRIERS_OF_LANES,
  SMB_BARRIERS_IN_REGISTERS, // the warp has one record of each barrier, a register: who arms it forgets who did before
} SmbBarriers;

/** What a lane does. */
typedef enum {
  SMB_LANE_EXITED,  // or was never started
  SMB_LANE_RUNS,    // or could
  SMB_LANE_JOINS,   // waits at a convergence barrier
  SMB_LANE_GATHERS, // waits for the lanes named by a gathering
  SMB_LANE_HELD,    // waits for smb_splits_release()
} SmbLaneState;

/** A warp without lanes (transfer full). */
SmbSplits *smb_splits_new(SmbBarriers kind);
void smb_splits_free(SmbSplits *splits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbSplits, smb_splits_free)

/** Forgets all, and lets @lanes, at most 64, run from @pc. */
void smb_splits_start(SmbSplits *splits, SmbLanes lanes, guint32 pc);

/** What @lane does, and in @pc, unless it exited, where it continues. */
SmbLaneState smb_splits_lane(const SmbSplits *splits, guint lane, guint32 *pc);

/** Makes @lanes, some but not all of the running ones, a split of its own, at @pc; it does not run yet. */
void smb_splits_fork(SmbSplits *splits, SmbLanes lanes, guint32 pc);

/** Of smb_splits_branch(), where lanes go both ways. */
void smb_splits_divide(SmbSplits *splits, SmbLanes taken, guint32 target);

/**
 * Sends @taken of the running lanes, any number of them, to @target; the others continue. The fewer run first, or if
 * they are as * many, the others. Lanes that the branch leaves at one pc stay one split.
 */
static inline void
smb_splits_branch(SmbSplits *splits, SmbLanes taken, guint32 target) {
  if (taken == splits->mask)
    splits->pc = target;
  else if (taken && target != splits->pc)
    smb_splits_divide(splits, taken, target);
}

/** Sends each running lane to its own place: @targets is indexed by lane. */
void smb_splits_jump(SmbSplits *splits, const guint32 *targets);

/**
 * smb_splits_arm:
 * @barrier: any number; memory grows with the highest one. A function that is called uses numbers of its own: the
 *   caller's barriers stay armed meanwhile, and its lanes may break out of them
 *
 * The running lanes will wait for each other at @barrier; what they recorded there before is forgotten (BSSY).
 */
void smb_splits_arm(SmbSplits *splits, guint barrier);

/** Arms a barrier, unless the running lanes have it armed: what enters a loop arms it, what comes back has. */
static inline void
smb_splits_enter(SmbSplits *splits, guint barrier) {
  if (barrier >= splits->n_barriers || !(splits->armed[barrier] & splits->mask))
    smb_splits_arm(splits, barrier);
}

/** Of smb_splits_sync(), where some of @lanes have armed the barrier. */
void smb_splits_wait(SmbSplits *splits, guint barrier, SmbLanes lanes);

/**
 * smb_splits_sync:
 * @lanes: those of the running split that are concerned; the others continue
 *
 * A lane waits until all lanes that are recorded, unless they exited or broke out, wait at @barrier, too. Then these
 * are ready, and the barrier is not armed for them any longer. Lanes for which it is not armed are ready after it
 * (BSYNC).
 */
static inline void
smb_splits_sync(SmbSplits *splits, guint barrier, SmbLanes lanes) {
  if (barrier >= splits->n_barriers || !(splits->armed[barrier] & lanes))
    return;
  if (lanes == splits->mask && lanes == splits->living)
    splits->armed[barrier] = 0;
  else
    smb_splits_wait(splits, barrier, lanes);
}

/** Of smb_splits_break(), where some of @lanes have armed the barrier. */
void smb_splits_leave(SmbSplits *splits, guint barrier, SmbLanes lanes);

/** @lanes of the running split will not come to @barrier: the lanes that recorded it with them wait for them no longer
 * (BREAK). */
static inline void
smb_splits_break(SmbSplits *splits, guint barrier, SmbLanes lanes) {
  if (barrier < splits->n_barriers && splits->armed[barrier] & lanes)
    smb_splits_leave(splits, barrier, lanes);
}

/**
 * The lanes that @lane has recorded at @barrier; 0: it has not armed it. For one in a register, what is there, for any
 * lane.
 */
SmbLanes smb_splits_recorded(const SmbSplits *splits, guint barrier, guint lane);

/** Makes it so in a register: what was recorded may have been kept elsewhere meanwhile (BMOV). */
void smb_splits_record(SmbSplits *splits, guint barrier, SmbLanes lanes);

/** Of smb_splits_gather(), where some lanes are not in the running split. */
void smb_splits_assemble(SmbSplits *splits, SmbLanes lanes, SmbLanes wanted);

/**
 * smb_splits_gather:
 * @lanes: those of the running split that name @wanted; the others, and those that @wanted lacks, continue
 *
 * A lane waits until all of @wanted that have not exited wait for the same set, wherever they are. If all of @wanted
 * are in the running split, it continues undivided: lanes that run together may name different sets (WARPSYNC; ahead of
 * shfl.sync and its like, bar.warp.sync).
 */
static inline void
smb_splits_gather(SmbSplits *splits, SmbLanes lanes, SmbLanes wanted) {
  if (wanted & splits->living & ~splits->mask)
    smb_splits_assemble(splits, lanes, wanted);
}

/** smb_splits_gathering: Returns: the lanes that wait for @wanted, by smb_splits_gather() */
SmbLanes smb_splits_gathering(const SmbSplits *splits, SmbLanes wanted);

/** @lanes of the running split leave the program; no lane waits for them any longer (EXIT). */
void smb_splits_exit(SmbSplits *splits, SmbLanes lanes);

/** @lanes of the running split wait for something outside of the warp, a barrier of the block, which the caller
 * numbers. */
void smb_splits_hold(SmbSplits *splits, SmbLanes lanes, guint number);

/** The lanes that are held with @number. */
SmbLanes smb_splits_held(const SmbSplits *splits, guint number);

/** Lets the lanes that are held with @number continue; @together: splits at one pc are one, else each is as it was. */
void smb_splits_release(SmbSplits *splits, guint number, gboolean together);

/** smb_splits_joining: Returns: the lanes that wait at barriers of convergence */
SmbLanes smb_splits_joining(const SmbSplits *splits);

/**
 * smb_splits_part: @lanes that wait at a barrier of convergence wait there no longer, nor does any lane wait for them: they continue,
 * as hardware lets them while the others have given way (YIELD, NANOSLEEP).
 */
void smb_splits_part(SmbSplits *splits, SmbLanes lanes);

/** The running split, which may wait for what another one does, gives way to the next one that can run, if any:
 * called again and again, all have their turn. */
void smb_splits_yield(SmbSplits *splits);

/**
 * smb_splits_give_way:
 *
 * The running split lets others run (YIELD, NANOSLEEP): one that can or, if none can, the one that has waited longest
 * at a barrier of convergence, which waits no longer. Who arrives at such a barrier before it runs again does not wait for it.
 *
 * Returns: the lanes that may be apart from now on, where they would have met; none: there are no other lanes
 */
SmbLanes smb_splits_give_way(SmbSplits *splits);
