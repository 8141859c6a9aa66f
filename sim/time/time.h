// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long a launch of machine code takes on a device, what limits it, and what its bank conflicts cost: a prediction, never exact.
// doc/time.md says how it was compared with devices, and how far it was off.
#pragma once

#include <glib.h>

#include "sim/launch/launch.h"
#include "sim/program/program.h"
#include "sim/time/chip.h"
#include "sim/time/dram/footprint.h"
#include "sim/time/site-costs.h"

G_BEGIN_DECLS

/**
 * SmbTime: of a launch
 * @cycles: of a multiprocessor's clock, from the first to the last, as sm__cycles_elapsed.max of Nsight Compute counts them
 * @without: the same if no request of shared memory had a conflict
 * @busy: which part of that time each unit works
 * @limit: the one that works most; SMB_N_UNITS: none works half the time, so latency limits
 * @without_busy, @without_limit: the same without conflicts
 * @stalls: shares of the time of warps
 * @resident: blocks of a multiprocessor at a time
 * @waves: how often as many blocks as are resident at a time come
 * @blocks, @instructions: that were replayed, on one multiprocessor; @simulated: cycles that these took
 * @has_conflicts: whether a request of shared memory has one
 * @is_warm: whether L2 was taken to have what it loads (SmbTimeOptions)
 * @is_managed: whether it uses managed memory, which is taken to be the device's: how long that takes to move there is not modelled
 * @unplaced: (element-type SmbUnplaced): accesses to global memory that take no time here, because they are not known
 * @sites: (element-type SmbSiteTime): those with conflicts, in their order; none unless they are wanted
 * @footprint: what its blocks ask of global memory
 */
typedef struct {
  double clock_khz;
  double cycles;
  double without;
  double busy[SMB_N_UNITS];
  double without_busy[SMB_N_UNITS];
  SmbUnit limit;
  SmbUnit without_limit;
  double stalls[SMB_N_STALLS];
  guint resident;
  double waves;
  guint64 blocks;
  guint64 instructions;
  double simulated;
  gboolean has_conflicts;
  gboolean is_warm;
  gboolean is_managed;
  GArray *unplaced;
  GArray *sites;
  SmbFootprint footprint;
} SmbTime;

/**
 * SmbTimeOptions:
 * @clock_khz: of multiprocessors; 0: that of the device
 * @is_warm: whether the second-level cache has already what the launch loads
 * @sites: whether the cost of each site is wanted; @n_threads: that replay these at the same time, at most
 * @like: (nullable): a prediction of the same launch of @like_program, the same kernel with its shared arrays laid out otherwise: what blocks
 *   ask of global memory is taken from it if its global accesses are the same. SmbTime.without is not predicted then: it is SmbTime.cycles
 * @like_program: (nullable)
 * @move: of the same code, whose requests go where arrays that lie otherwise have what they ask for. What computing that takes is not in it
 * @is_cancelled: (nullable): asked with @user now and then whether to fail
 */
typedef struct {
  double clock_khz;
  gboolean is_warm;
  gboolean sites;
  guint n_threads;
  const SmbTime *like;
  const SmbProgram *like_program;
  SmbTimedMove move;
  gboolean (*is_cancelled)(gpointer user);
  gpointer user;
} SmbTimeOptions;

/**
 * smb_time_predict:
 * @program: machine code
 * @chip: a device of @arch
 * @why: (out) (transfer full): why there is no prediction
 * @error: those of smb_block_new() and smb_block_run()
 *
 * Runs a few blocks of the launch, on the contents that it gives.
 *
 * Returns: (transfer full) (nullable): the prediction; %NULL with *@why, or with an error
 */
SmbTime *smb_time_predict(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                          const SmbChip *chip, const SmbTimeOptions *options, char **why,
                          GError **error);
/** smb_time_ref: @time: (nullable). Returns: (transfer full): the same, for one more owner */
SmbTime *smb_time_ref(SmbTime *time);
/** smb_time_free: An owner has done with it. */
void smb_time_free(SmbTime *time);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTime, smb_time_free)

/** smb_time_microseconds: Returns: how long so many cycles of the launch's clock are */
double smb_time_microseconds(const SmbTime *time, double cycles);

G_END_DECLS
