// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Two results side by side: which accesses to shared memory got worse, which better. Accesses are matched by what they
// are, not by their lines: first the same expression (of compiled code: the same opcode) of the same array, in order; then what is left
// of the same operation on the same array. What matches nothing was added or is gone.
#pragma once

#include "sim/arch/words.h"
#include "src/cli/cli.h"
#include "src/compare/result.h"

/** How an access, or a case, changed. Fewer wavefronts are better; of as many, fewer in excess. */
typedef enum {
  SMB_CHANGE_WORSE,
  SMB_CHANGE_BETTER,
  SMB_CHANGE_SAME,
  SMB_CHANGE_ADDED,   /* only the new one has it */
  SMB_CHANGE_GONE,    /* only the old one has it */
  SMB_CHANGE_LOST,    /* of a case: it could not be counted now */
  SMB_CHANGE_REFUSED, /* of a case: what was counted cannot be compared */
} SmbChange;
#define SMB_N_CHANGES 7

/** What an access costs. */
typedef struct {
  guint64 requests;
  guint64 wavefronts;
  guint64 excess;
} SmbComparedCost;

/** SmbComparedTime: how long a launch takes, predicted. @device: (nullable): %NULL: that is not known; @ghz: the clock; @is_warm: L2 has what
 * is loaded; @is_measured: whether the device's times were measured; @conflicts: what its bank conflicts cost of @all, both in microseconds; @error: how far such times are off on average, as a part of them; 0: not known */
typedef struct {
  const char *device;
  double ghz;
  gboolean is_warm, is_measured;
  double error;
  double all, conflicts;
} SmbComparedTime;

/** SmbComparedAccess: @old_access, @new_access: (nullable): as analyze wrote it; one is there */
typedef struct {
  SmbChange change;
  JsonObject *old_access;
  JsonObject *new_access;
  SmbComparedCost old_cost;
  SmbComparedCost new_cost;
} SmbComparedAccess;

/**
 * SmbComparedCase:
 * @change: by the predicted times, if both are known and differ (smb_compared_case_times()); otherwise by the sums of all accesses:
 *   BETTER with fewer wavefronts, or with as many and fewer in excess; WORSE with more, and more in excess. More wavefronts without
 *   more conflicts are more work, and SAME
 * @file: (nullable): of the kernel as it is now
 * @vendor: whose words describe it
 * @is_worse: whether it got worse, or cannot be counted and was before, or is new
 * @note: (nullable): what is not the same besides: the kernel, the launch; why it could not be counted, or compared
 * @accesses: (element-type SmbComparedAccess): in the order of the new one, then those that are gone; none of a case that could not
 *   be counted, or compared
 * @old_cost, @new_cost: of @accesses
 * @old_time, @new_time: of the launch
 */
typedef struct {
  const char *name;
  const char *file;
  SmbVendor vendor;
  SmbChange change;
  gboolean is_worse;
  char *note;
  GArray *accesses;
  SmbComparedCost old_cost;
  SmbComparedCost new_cost;
  SmbComparedTime old_time;
  SmbComparedTime new_time;
} SmbComparedCase;

/** SmbComparison of two results: @cases: (element-type SmbComparedCase): in the order of the new one, then those that are gone */
typedef struct {
  const SmbResult *old_result;
  const SmbResult *new_result;
  GPtrArray *cases;
  guint n[SMB_N_CHANGES];
} SmbResultComparison;

/**
 * smb_results_compare:
 * @old_result, @new_result: outlive the result
 * @error: SMB_ERROR_INPUT: they are of analyze, for different architectures, or of different kinds of code
 *
 * Two results of analyze are compared whatever their kernels are called. What cannot be compared in one case of check is its own.
 *
 * Returns: (transfer full): what changed
 */
SmbResultComparison *smb_results_compare(const SmbResult *old_result, const SmbResult *new_result,
                                         GError **error);
void smb_result_comparison_free(SmbResultComparison *comparison);

/** smb_change_name: Returns: (transfer none): "worse", "better", … */
const char *smb_change_name(SmbChange change);

/** Adds what another access costs. */
void smb_compared_cost_add(SmbComparedCost *sum, const SmbComparedCost *more);

/** Whether an access got worse, or was added and has wavefronts in excess. */
gboolean smb_compared_access_is_worse(const SmbComparedAccess *access);

/**
 * smb_compared_access_describe:
 * @vendor: whose words
 * @access: one that the new result has
 * @reference: what the old result is called
 *
 * Returns: (transfer full): "the store of a[i] takes 8 wavefronts, 7 in excess: 2, and 1 in excess, in REFERENCE"
 */
char *smb_compared_access_describe(SmbVendor vendor, const SmbComparedAccess *access,
                                   const char *reference);

/**
 * smb_compared_case_times:
 *
 * Returns: how many times as long the launch takes now, if both times are known and of one device at one clock; 1 if they differ by less
 *   than one percent, which no change of a kernel is judged by; 0 if they cannot be compared
 */
double smb_compared_case_times(const SmbComparedCase *one);

/**
 * smb_compared_case_describe:
 * @reference: what the old result is called
 *
 * Returns: (transfer full) (nullable): why the case got worse, if none of its accesses says so: "the launch takes 84.6 µs on H100, as
 *   predicted: 44.6 µs in REFERENCE"; %NULL if it is not worse, or an access says it
 */
char *smb_compared_case_describe(const SmbComparedCase *one, const char *reference);

/** Whether something got worse: SmbComparedCase.is_worse of any case. */
gboolean smb_result_comparison_is_worse(const SmbResultComparison *comparison);

/** smb_result_comparison_status: Returns: SMB_EXIT_INPUT if a case could not be compared; SMB_EXIT_DIFFERS if something got worse */
SmbExit smb_result_comparison_status(const SmbResultComparison *comparison);

/** What got worse, as findings: SmbFormat.write with a format of findings as its methods */
void smb_result_comparison_write_findings(SmbCli *cli, gconstpointer result);

/** The formats of an SmbResultComparison. */
extern const SmbFormat smb_result_comparison_formats[];

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbResultComparison, smb_result_comparison_free)
