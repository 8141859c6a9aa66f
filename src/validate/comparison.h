// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Predicted and measured values, row by row: published counts, recordings (one that was made a moment ago is
// one too) and traces that carry counts. A row never hides a difference. Counts of a kernel match to the
// last integer or they do not; for the means that were measured of a request the noise of the method is
// allowed (src/measure/trial.h).
#pragma once

#include <gio/gio.h>

#include "sim/measured/kernel-metrics.h"
#include "sim/measured/profile.h"
#include "sim/measured/recording.h"
#include "src/cli/cli.h"
#include "src/shard/shard.h"
#include "src/target/target.h"

/** Longest buffer whose values are compared, in bytes. */
#define SMB_COMPARISON_MAX_BUFFER_BYTES (G_GUINT64_CONSTANT(1) << 30)

/** What a row is about. */
typedef enum {
  SMB_ROW_PUBLISHED,   /* a published number of a built-in kernel */
  SMB_ROW_KERNEL,      /* a number of a recorded launch */
  SMB_ROW_REQUEST,     /* a number of a request, of a recording or a trace */
  SMB_ROW_INSTRUCTION, /* a number of an instruction, of ncu or of a launch that was measured now */
} SmbRowKind;

/** How a row came out. */
typedef enum {
  SMB_OUTCOME_MATCH,
  SMB_OUTCOME_EXPLAINED, /* another number of instructions, while their wavefronts match; more than a
                            prediction that is a lower bound; within one that is a range */
  SMB_OUTCOME_MISMATCH,
  SMB_OUTCOME_UNMEASURED, /* nothing was measured to compare with */
  SMB_OUTCOME_SHOWN,      /* information, such as a time: never compared */
} SmbOutcome;

/**
 * SmbComparisonRow:
 * @kernel: name of the kernel, or %NULL for a request
 * @shape: its shape in the catalogue, or %NULL
 * @defines: (array zero-terminated=1): macros that were set, as far as the source says
 * @variant: those of @defines that the shape does not say, and the padding, for a table
 * @ipad: words of padding; -1 if the source does not say, or if it is not the launch of the catalogue
 * @op, @width: of a request; @width is 0 for a kernel
 * @metric: what was measured, such as "wavefronts_ld"
 * @parameter: the pointer parameter of a row of "values", or %NULL
 * @instruction: of a row of an instruction, as it is disassembled
 * @predicted: what the model says, or %SMB_NO_PREDICTION
 * @measured: what the source says, or %SMB_NOT_MEASURED
 * @min, @max: spread of a time, or %SMB_NOT_MEASURED
 * @bytes: of a time: the bytes of global memory that the launch accesses (smb_analysis_global_bytes())
 * @bandwidth: of a time: effective bandwidth in GB/s, or %SMB_NOT_MEASURED
 * @gpu: the device, as the source calls it
 * @source: the document, the file of the recording, or "this device"
 * @place: @source, and where in it a request stands
 * @arch: whose rules were used
 * @note: what a difference means, in words, or %NULL
 * @recording: that the row comes from, or %NULL
 * @recorded: the launch of it, or %NULL
 * @published: (nullable) (element-type SmbComparisonRow): published rows of the same number
 * @is_bound: whether @predicted is a lower bound
 * @is_partial: whether it is one because requests are left out
 * @is_range: whether the prediction is a range: from @least to @most
 * @is_modern: of a published row: whether its device has the banks of the modern family
 * @joined: of a published row: whether it is in @published of another
 * @part, @index: where it comes from: the how many-th source, from 1, and which launch, request or number of it, from 0
 */
typedef struct {
  SmbRowKind kind;
  SmbOutcome outcome;
  const char *kernel;
  const char *shape;
  const char *const *defines;
  const char *variant;
  int ipad;
  SmbOp op;
  guint width;
  const char *metric;
  const char *parameter;
  const char *instruction;
  double predicted;
  double measured;
  double min;
  double max;
  guint64 bytes;
  double bandwidth;
  const char *gpu;
  const char *source;
  const char *place;
  const char *arch;
  const char *note;
  const SmbRecording *recording;
  const SmbRecordedKernel *recorded;
  GPtrArray *published;
  gboolean is_bound;
  gboolean is_partial;
  gboolean is_range;
  double least;
  double most;
  gboolean is_modern;
  gboolean joined;
  guint part;
  guint64 index;
} SmbComparisonRow;

/**
 * SmbComparison: rows, and how they came out.
 * @rows: (element-type SmbComparisonRow)
 * @recordings: (element-type SmbRecording): those that were added
 * @device: the device that was measured now, or %NULL
 * @limits: of the kernels that recordings name: zeros are the defaults, whoever compares may set others
 * @files: (nullable) (transfer none): takes what recordings have read
 * @shard: which part of the launches, requests and numbers of each source is compared; published ones are not shown with those of recordings
 *   in a part, nor left out, as that depends on the whole
 * @sources: (nullable): what is compared, as far as @recordings do not say
 * @n_sources, @next: how many there are, and which launch, request or number of the last one comes next
 * @failed: launches that could not be measured: nothing of them is compared
 * @compared: the sum of @matched, @explained and @mismatched
 */
typedef struct {
  GPtrArray *rows;
  GPtrArray *recordings;
  GStringChunk *strings; /* of the rows, each once */
  GPtrArray *lists;      /* GStrv: defines of rows */
  const char *device;
  SmbAnalysisOptions limits;
  SmbFiles *files;
  SmbShard shard;
  char *sources;
  guint n_sources;
  guint64 next;
  guint failed;
  guint compared;
  guint matched;
  guint explained;
  guint mismatched;
  guint unmeasured;
} SmbComparison;

SmbComparison *smb_comparison_new(void);
void smb_comparison_free(SmbComparison *comparison);

/**
 * smb_comparison_add_published:
 * @kernel: (nullable): only the rows of this kernel
 * @error: as smb_reference_load(), smb_catalog_load() and smb_analysis_run()
 *
 * Runs the catalogue's kernel of each published number on the architecture of its device. A number that
 * a row of a recording has as well, for the same kernel, shape and padding on a device with the modern
 * family's banks, is shown with that row: add recordings first. Beside what a device measures now, other
 * published numbers are left out.
 */
gboolean smb_comparison_add_published(SmbComparison *comparison, const char *kernel,
                                      GError **error);

/**
 * smb_comparison_add_recording:
 * @recording: (transfer none): must outlive @comparison
 * @kernel: (nullable): only the launches of this kernel, and no requests
 * @error: SMB_ERROR_INPUT, naming the recording and the launch: a kernel that is not there, does not
 *   parse or does not run
 *
 * Adds a row for each number of each launch, for each buffer that it wrote and for each request, by the
 * rules of the recording's architecture. A built-in kernel is looked up in the catalogue, another one is
 * read from its file, relative to the working directory.
 *
 * Counts of executed instructions are what compilers change: they merge, remove and add accesses (with
 * all lanes predicated off). Such a row says so in its note, and is explained if the wavefronts of the
 * same kind of access match.
 */
gboolean smb_comparison_add_recording(SmbComparison *comparison, const SmbRecording *recording,
                                      const char *kernel, GError **error);

/**
 * smb_comparison_add_measured:
 * @recorded: a launch of @recording that was measured just now
 * @program, @analysis: what the model says of it
 * @global: (nullable): what it leaves in global memory; %NULL: @recorded has no buffers
 *
 * Adds the rows of a launch whose program is at hand; smb_comparison_add_recording() adds those of the others.
 */
gboolean smb_comparison_add_measured(SmbComparison *comparison, const SmbRecording *recording,
                                     SmbRecordedKernel *recorded, SmbProgram *program,
                                     SmbAnalysis *analysis, SmbGlobal *global, GError **error);

/**
 * smb_comparison_add_trace:
 * @stream: gives a trace whose requests carry counts
 * @name: how rows and messages call it
 * @arch: whose rules count them
 * @error: as smb_trace_reader_next()
 */
gboolean smb_comparison_add_trace(SmbComparison *comparison, GInputStream *stream, const char *name,
                                  SmbArch *arch, GError **error);

/**
 * smb_comparison_add_lds:
 * @name: how messages and rows call the file
 * @text: a file of counts of AMD's LDS (sim/measured/lds.h), @length bytes
 * @error: those of smb_lds_counts_new() and smb_arch_load()
 *
 * Compares each of them.
 */
gboolean smb_comparison_add_lds(SmbComparison *comparison, const char *name, const char *text,
                                gsize length, GError **error);

/** smb_comparison_add_lds_all: as smb_comparison_add_lds(), those of data/measured/ */
gboolean smb_comparison_add_lds_all(SmbComparison *comparison, GError **error);

/**
 * smb_comparison_add_traces:
 * @error: as smb_trace_reader_next()
 *
 * Adds the recorded traces of data/measured/, each by the rules of its device.
 */
gboolean smb_comparison_add_traces(SmbComparison *comparison, GError **error);

/**
 * smb_comparison_add_profile:
 * @file: how rows and messages call @profile
 * @number: which of its launches of this kernel, from 1; 0: the only one, or all have the same counts
 * @target: a kernel of machine code, and how it was launched
 * @error: SMB_ERROR_INPUT: it has no launch of this kernel, or one of other code; SMB_ERROR_USAGE; those of
 *   smb_analysis_run()
 *
 * Adds three rows for each instruction that asks for shared memory, or that ncu says so of: "wavefronts@0x1b0";
 * "executed@0x1b0", of which requests are predicted; and "active_lanes@0x1b0", ncu's "Predicated-On Thread Instructions
 * Executed". An instruction that warps execute with no lane active is explained.
 */
gboolean smb_comparison_add_profile(SmbComparison *comparison, const SmbProfile *profile,
                                    const char *file, guint number, const SmbTarget *target,
                                    const SmbArch *arch, GError **error);

/**
 * smb_comparison_add_metrics:
 * @metrics: of whole kernels
 * @target: takes the shape that was measured, if it has none of its own
 *
 * As smb_comparison_add_profile(): a row for each metric that the model predicts. What counters of l1tex count more, within the
 * noise that they are known to have, is explained.
 */
gboolean smb_comparison_add_metrics(SmbComparison *comparison, const SmbKernelMetrics *metrics,
                                    const char *file, guint number, SmbTarget *target,
                                    const SmbArch *arch, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbComparison, smb_comparison_free)
