// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Single requests on a device, compared with the model: what counts as equal, and how often a
// difference must show before it is one. The clock times every request, the counters those that are
// named.
#pragma once

#include "gpu/meter.h"
#include "sim/count/wavefront.h"

/**
 * The clock reads what the loop around a request takes as well: on an H200, of 12 million random requests
 * of 45 instructions, all but one in 2,000 were between 0.11 below and 0.5 above the whole number of cycles,
 * the others up to 0.68 above, once each (doc/model.md, Cycles). A request matches if it is less than
 * SMB_CLOCK_ABOVE above the prediction and at most SMB_CLOCK_BELOW below it. Together that is less than
 * one cycle: a request of another number of cycles lies outside.
 */
#define SMB_CLOCK_ABOVE 0.5
#define SMB_CLOCK_BELOW 0.2

/**
 * How far a count of wavefronts may differ from the predicted one: it is a mean over 64 executions, less
 * what the launch takes itself. 0.02 is what that leaves on an H200; 0.11 was seen with the counters of
 * another tool (data/measured/h200-requests.txt).
 */
#define SMB_COUNT_NOISE 0.11

/** How often a request that differs is measured again. */
#define SMB_TRIAL_REPEATS 3

/** How a measured number is compared with the predicted one. */
typedef enum {
  SMB_COMPARE_EQUAL,    /* it is the same, but for what is allowed above */
  SMB_COMPARE_AT_LEAST, /* the predicted one is a lower bound */
} SmbCompare;

/** How the cycles that a rule gives are compared. */
SmbCompare smb_trial_compare_cycles(const SmbRule *rule);

/** Whether a reading of the clock is what was predicted. */
gboolean smb_trial_cycles_match(SmbCompare compare, guint predicted, double measured);

/** Whether a count is what was predicted. */
gboolean smb_trial_wavefronts_match(SmbCompare compare, guint predicted, double measured);

/** How a measurement came out. */
typedef enum {
  SMB_VERDICT_NONE,     /* not measured */
  SMB_VERDICT_MATCH,    /* as predicted, at once */
  SMB_VERDICT_UNSTEADY, /* it differed, and was as predicted when it was measured again */
  SMB_VERDICT_MISMATCH, /* it differed each time */
} SmbVerdict;

/**
 * SmbTrial: requests of one instruction.
 * @instruction: index of smb_instruction()
 * @compare_clock: how cycles are compared. Wavefronts are equal: what can add to those of a rule is kept
 *   away from a counted request, which has a warp of its own, and of which a copy reads one line
 * @n: their number
 * @requests: (array length=n): that smb_meter_supports()
 * @predicted: (array length=n): what the model says
 * @cycles: (array length=n): the last reading of the clock; %SMB_NOT_MEASURED at first
 * @wavefronts: (array length=n): the last count; %SMB_NOT_MEASURED at first
 * @clock, @count: (array length=n): an SmbVerdict for each
 *
 * Its arrays hold @capacity elements, which smb_trial_clear() releases.
 */
typedef struct {
  guint instruction;
  SmbCompare compare_clock;
  gsize n;
  gsize capacity;
  SmbRequest *requests;
  SmbWavefronts *predicted;
  double *cycles;
  double *wavefronts;
  guint8 *clock;
  guint8 *count;
} SmbTrial;

/** Prepares @trial to hold up to @capacity requests; its contents mean nothing before. */
void smb_trial_init(SmbTrial *trial, gsize capacity);
void smb_trial_clear(SmbTrial *trial);

/** Forgets what was measured: the trial holds @n requests of an instruction from now on; @arch: has the rule
 * that predicts them */
void smb_trial_begin(SmbTrial *trial, const SmbArch *arch, guint instruction, gsize n);

/** smb_trial_is_bound: Returns: whether the cycles that the rule of an instruction gives are a bound */
gboolean smb_trial_is_bound(const SmbArch *arch, guint instruction);

/**
 * smb_trial_clock:
 * @error: SMB_GPU_ERROR_COMPILE if this instruction cannot be measured; SMB_GPU_ERROR_UNAVAILABLE, naming
 *   it, if nothing can be measured any more, or if the device is too slow
 *
 * Times all requests; those that differ are timed again, up to %SMB_TRIAL_REPEATS times.
 */
gboolean smb_trial_clock(SmbMeter *meter, SmbTrial *trial, GError **error);

/**
 * smb_trial_count: as smb_trial_clock(), with counters
 * @which: (array length=n): indices of the requests that are counted
 *
 * A count that fails is made once more before it is an error.
 */
gboolean smb_trial_count(SmbMeter *meter, SmbTrial *trial, const gsize *which, gsize n,
                         GError **error);

/** Whether a request of the trial is a mismatch by clock or by counter. */
gboolean smb_trial_differs(const SmbTrial *trial, gsize i);

/** Whether it is none, but a measurement of it had to be made again. */
gboolean smb_trial_is_unsteady(const SmbTrial *trial, gsize i);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbTrial, smb_trial_clear)
