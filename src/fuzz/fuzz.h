// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Random requests of many instructions on a device against the model.
#pragma once

#include "sim/base/progress.h"
#include "src/cli/cli.h"
#include "src/shard/shard.h"
#include "src/measure/trial.h"

/** Requests of an instruction unless the user says otherwise, and the most of them. */
#define SMB_FUZZ_COUNT     G_GUINT64_CONSTANT(10000)
#define SMB_FUZZ_MAX_COUNT G_GUINT64_CONSTANT(1000000000000)

/** Most of them that counters see: 2 ms each, so half an hour. */
#define SMB_FUZZ_MAX_COUNTED 1000000

/** Requests of an instruction that counters see unless the user says otherwise. */
#define SMB_FUZZ_COUNTED 200

/** Mismatches that are shown, in all and of one instruction. */
#define SMB_FUZZ_SHOWN      20
#define SMB_FUZZ_SHOWN_EACH 3

/**
 * SmbFuzzOptions:
 * @count: requests of each instruction
 * @seed: any number; the same one gives the same requests
 * @counted: of those, so many are measured by counters too: regularly, the first one among them
 * @shard: which part of the requests of all instructions is measured
 */
typedef struct {
  guint64 count;
  guint64 seed;
  guint64 counted;
  SmbShard shard;
  SmbProgress *progress; /* (nullable): counts requests */
} SmbFuzzOptions;

/**
 * SmbFuzzResult: one instruction.
 * @instruction: index of smb_instruction()
 * @is_bound: whether its rule is a bound: what is measured may be above the prediction
 * @patterns: requests that were timed
 * @mismatches: of those, how many differed from the model in every reading of the clock
 * @unsteady: requests that differed, by clock or by counter, and did not when they were measured again
 * @counted: requests that counters saw: the sample, and some of the mismatches
 * @count_mismatches: of those, how many differed in every count
 * @seconds: all of it: making, predicting, measuring, comparing, counting
 * @device_seconds: what measuring by clock took of that, with the way to the device and back
 * @failure: (nullable) (transfer full): why it was not measured, without a full stop
 */
typedef struct {
  guint instruction;
  gboolean is_bound;
  guint64 patterns;
  guint64 mismatches;
  guint64 unsteady;
  guint64 counted;
  guint64 count_mismatches;
  double seconds;
  double device_seconds;
  char *failure;
} SmbFuzzResult;

/**
 * SmbFuzzMismatch: a request that is not what the model says.
 * @wavefronts: what was counted, or %SMB_NOT_MEASURED
 * @is_extra: whether it was counted because it is shown, and is not of the sample
 * @count_differs: whether it differed in every count
 */
typedef struct {
  guint instruction;
  SmbRequest request;
  SmbWavefronts predicted;
  double cycles;
  double wavefronts;
  gboolean is_extra;
  gboolean count_differs;
} SmbFuzzMismatch;

/**
 * SmbFuzzReport: what was asked of which device, and what it said. The writers of SmbFormat take it.
 * @device, @arch, @options: (transfer none): must outlive it
 * @instructions: (transfer none) (element-type guint): those that were asked for, of all parts
 * @results: (element-type SmbFuzzResult): in the order of the instructions; of a part, of those that it has requests of
 * @mismatches: (element-type SmbFuzzMismatch): the first %SMB_FUZZ_SHOWN_EACH of each; so many of all are shown
 * @refusal: (nullable): why nothing was counted, without a full stop
 */
typedef struct {
  const SmbMeterDevice *device;
  const SmbArch *arch;
  const SmbFuzzOptions *options;
  const GArray *instructions;
  GArray *results;
  GArray *mismatches;
  char *refusal;
} SmbFuzzReport;

/** smb_fuzz_report_new: Returns: (transfer full): an empty report; @arch: whose rules predict */
SmbFuzzReport *smb_fuzz_report_new(const SmbMeterDevice *device, const SmbArch *arch,
                                   const SmbFuzzOptions *options, const GArray *instructions);
void smb_fuzz_report_free(SmbFuzzReport *report);

/**
 * smb_fuzz_run:
 * @report: takes what comes out
 * @meter: measures, on the device of the report
 * @arch: that of the report
 * @recording: (nullable): takes the sample of each instruction: wavefronts and cycles
 * @error: SMB_GPU_ERROR_UNAVAILABLE if the device fails
 */
gboolean smb_fuzz_run(SmbFuzzReport *report, SmbMeter *meter, SmbArch *arch,
                      SmbRecording *recording, GError **error);

/** SmbFuzzSpan: of instruction @index of SmbFuzzReport.instructions, requests @first to @end (exclusive) */
typedef struct {
  guint index;
  guint64 first;
  guint64 end;
} SmbFuzzSpan;

/**
 * smb_fuzz_spans:
 * @n_instructions: how many there are
 *
 * Returns: (transfer full) (element-type SmbFuzzSpan): what a part measures, in whole pieces (source.h): a span of the requests of all
 *   instructions, one after the other
 */
GArray *smb_fuzz_spans(const SmbFuzzOptions *options, guint n_instructions);

/**
 * smb_fuzz_report_finish:
 * @error: SMB_GPU_ERROR_UNAVAILABLE if nothing could be measured, unless the report is of a part
 *
 * Writes a report in the format of @cli, and sets the exit status.
 */
gboolean smb_fuzz_report_finish(SmbCli *cli, const SmbFuzzReport *report, GError **error);

/** The word that selects every instruction, not only those that stand for an operation. */
#define SMB_FUZZ_ALL_INSTRUCTIONS "all-instructions"

/**
 * smb_fuzz_select:
 * @names: (nullable) (array zero-terminated=1): operations ("ld"), operations with a width ("ld.16"),
 *   instructions ("atom.max.u32") or %SMB_FUZZ_ALL_INSTRUCTIONS; %NULL: all operations
 * @error: SMB_ERROR_USAGE
 *
 * Returns: (transfer full) (element-type guint): indices of smb_instruction(), each once; those that stand
 *   for operations in the order of the operations
 */
GArray *smb_fuzz_select(const char *const *names, GError **error);

/** The formats of an SmbFuzzReport. CSV has no place for mismatches: they are messages. */
extern const SmbFormat smb_fuzz_formats[];

/** Sum over the instructions that were measured. */
SmbFuzzResult smb_fuzz_report_total(const SmbFuzzReport *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFuzzReport, smb_fuzz_report_free)
