// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long a launch takes on a device, and what its bank conflicts cost (--time), as commands say it.
#pragma once

#include <json-glib/json-glib.h>

#include "sim/time/time.h"
#include "src/target/target.h"

/** The options --time, --no-time, --device, --clock and --cache, for SmbCliUsage.groups; and all but --device, of a command that has one of its
 * own (smb_launch_time_choose()). */
extern const SmbCliGroup smb_launch_time_group, smb_launch_time_own_device_group;

/** smb_launch_time_choose: @device: (nullable): in place of --device */
void smb_launch_time_choose(char *device);

/**
 * SmbLaunchTime:
 * @chip: (nullable): the device; %NULL: none of the architecture is known
 * @time: (nullable): the prediction
 * @why: (nullable): why there is none, in a line
 * @target: (transfer none): the machine code that it is of
 * @assumed: (nullable): a buffer whose contents were not given, and decide what it asks of memory: smb_launch_time_assume()
 */
typedef struct {
  SmbChip *chip;
  SmbTime *time;
  char *why;
  const SmbTarget *target;
  char *assumed;
} SmbLaunchTime;

/** smb_launch_time_check: Returns: whether the options can be meant; @error: SMB_ERROR_USAGE */
gboolean smb_launch_time_check(const SmbArch *arch, GError **error);

/** smb_launch_time_is_asked: Returns: whether one of these options was given */
gboolean smb_launch_time_is_asked(void);

/** Adds these options as they were given, for another process of this program. */
void smb_launch_time_words(GStrvBuilder *words);

/** smb_launch_time_is_wanted: @usually: whether it is said where nobody asks. Returns: whether to say it */
gboolean smb_launch_time_is_wanted(gboolean usually);

/** smb_launch_time_predict: as smb_launch_time_new(), whether it was asked for or not */
SmbLaunchTime *smb_launch_time_predict(const SmbTarget *target, const SmbArch *arch,
                                       GError **error);

/** smb_launch_time_total: the same without what each access costs, which takes less time; %NULL without an error with --no-time */
SmbLaunchTime *smb_launch_time_total(const SmbTarget *target, const SmbArch *arch, GError **error);

/**
 * smb_launch_time_like: as smb_launch_time_total(), in less time
 * @like: with a time and a target: of the same launch of the same kernel, whose shared arrays lie otherwise
 * @move: (nullable): where these arrays have what the requests of @target ask for (SmbTimeOptions.move)
 *
 * What the launch would take without conflicts is not predicted: SmbTimeOptions.like
 */
SmbLaunchTime *smb_launch_time_like(const SmbTarget *target, const SmbArch *arch,
                                    const SmbLaunchTime *like, const SmbTimedMove *move);

/**
 * smb_launch_time_ask:
 * @option: that cannot do without a time
 * @error: SMB_ERROR_USAGE: --no-time was typed, too
 *
 * As if --time had been typed.
 */
gboolean smb_launch_time_ask(const char *option, GError **error);

/** smb_time_describe: Returns: (transfer full): "108 µs", "1.24 ms": three digits; "0 µs" */
char *smb_time_describe(double microseconds);

/** smb_time_range: @error: how far predictions were off on average (SmbChip.error); 0: that is not known. Returns: (transfer full): how far off a
 * time typically is, behind it: " (typically ±22 %)"; "" */
char *smb_time_range(double error);

/** smb_time_device: Returns: (transfer full): "an H200", by how the first letter of @title is said; "a B200, which was not measured" unless
 * @is_measured */
char *smb_time_device(const char *title, gboolean is_measured);
/** smb_time_device_named: @device: its name, as JSON has it: "h200". Returns: (transfer full): as smb_time_device() */
char *smb_time_device_named(const char *device, gboolean is_measured);
/** smb_time_json_is_measured: @time: as smb_launch_time_json() or an earlier version wrote it. Returns: whether its device was measured */
gboolean smb_time_json_is_measured(JsonObject *time);

/**
 * smb_launch_time_new:
 * @target: (transfer none): must outlive the result; machine code, or it is said that its time is not known
 * @analysis: what was counted of it
 * @error: SMB_ERROR_USAGE for what was typed; what running blocks fails with
 *
 * Returns: (transfer full) (nullable): the time of its launch; %NULL without an error: it was not asked for, and counting took
 * less than that would
 */
SmbLaunchTime *smb_launch_time_new(const SmbTarget *target, const SmbAnalysis *analysis,
                                   const SmbArch *arch, GError **error);
void smb_launch_time_free(SmbLaunchTime *time);

/** smb_launch_time_assume: What @time, of what a compiler made of @text, depends on that @text's launch does not give. Nothing of %NULL */
void smb_launch_time_assume(SmbLaunchTime *time, const SmbTarget *text,
                            const SmbAnalysis *analysis);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLaunchTime, smb_launch_time_free)

/** smb_launch_time_tell: Returns: (transfer full): sentences: how long, what limits, what conflicts cost */
char *smb_launch_time_tell(const SmbLaunchTime *time);

/** smb_launch_time_explain: @own: (nullable): what the launch gains without the conflicts of an access, in cycles. Returns: (transfer full):
 * the same at more length, with what limits without conflicts, and what the access costs */
char *smb_launch_time_explain(const SmbLaunchTime *time, const double *own);

/** smb_launch_time_tell_cost: @time: with a time. Returns: (transfer full): "bank conflicts cost nothing here", or the share of the time that all of
 * them cost together */
char *smb_launch_time_tell_cost(const SmbLaunchTime *time);

/** smb_launch_time_duration: @time: with a time. Returns: (transfer full): "84.5 µs" */
char *smb_launch_time_duration(const SmbLaunchTime *time);

/** smb_launch_time_compare: @now, @then: with times. Returns: (transfer full): "41 µs in place of 84.5 µs, 2.1 times as fast; DRAM limits
 * then" */
char *smb_launch_time_compare(const SmbLaunchTime *now, const SmbLaunchTime *then);

/** Writes these sentences and an empty line; nothing of %NULL. */
void smb_launch_time_write(SmbCli *cli, const SmbLaunchTime *time);

/** The member "time" of a result; none of %NULL. */
void smb_launch_time_json(JsonBuilder *json, const SmbLaunchTime *time);

/** The members "microseconds" and "bound_by" of a result; none of %NULL, and of a launch that has no time. */
void smb_launch_time_brief_json(JsonBuilder *json, const SmbLaunchTime *time);

/**
 * smb_launch_time_cost:
 * @time: (nullable)
 * @site: one of the timed code
 * @cycles: (out): what the launch gains if the accesses at @site alone have no conflicts, in cycles
 *
 * Returns: whether that is known; FALSE of %NULL, and of a launch that has no time
 */
gboolean smb_launch_time_cost(const SmbLaunchTime *time, const SmbSite *site, double *cycles);

/** smb_launch_time_conflicts: @time: (nullable). Returns: what all conflicts of the launch cost together, in cycles; 0 of one without a
 * time. Accesses wait for each other, so that it is not the sum of what each of them costs */
double smb_launch_time_conflicts(const SmbLaunchTime *time);

/** The member "cost_cycles" of an access to shared memory: @site is one of the timed code. */
void smb_launch_time_site_json(JsonBuilder *json, const SmbLaunchTime *time, const SmbSite *site);
