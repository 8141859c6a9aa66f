// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A recording in a comparison. The text of each launch is run by the rules of the recording's architecture, and each
// number that was measured is set beside what the model says; so is what was measured of each request.
#include "src/validate/comparison-impl.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/capture/capture.h"
#include "sim/count/wavefront.h"
#include "sim/open/catalog.h"
#include "src/cli/hint.h"
#include "src/measure/trial.h"
#include "src/validate/comparison-rerun.h"

// A launch, and what the model makes of it.
typedef struct {
  SmbComparison *comparison;
  const SmbRecording *recording;
  const SmbRecordedKernel *recorded;
  const SmbCatalogEntry *entry; // of a kernel of the catalogue, or NULL
  SmbCapture **opened;          // (nullable): the capture of the launch before
  const SmbAnalysis *analysis;
  const char *const *defines;
  const char *variant;
  int ipad;
} Launch;

static gboolean
is_padding_macro(const char *define) {
  return g_str_has_prefix(define, "IPAD=");
}

// Names the launch: the padding, and what the shape in the catalogue does not say. The padding is that of
// a published number only if the rest of the launch is the catalogue's.
static void
name_variant(Launch *launch) {
  const SmbRecordedKernel *recorded = launch->recorded;
  const SmbCatalogEntry *entry = launch->entry;
  g_autoptr(GString) text = g_string_new(NULL);
  gboolean same =
      entry && !*recorded->contents &&
      memcmp(entry->block, recorded->block, sizeof entry->block) == 0 &&
      memcmp(entry->grid, recorded->grid, sizeof entry->grid) == 0 &&
      g_strv_equal((const char *const *)entry->args, (const char *const *)recorded->args);
  guint64 ipad = 0;
  for (guint i = 0; recorded->defines[i]; i++) {
    const char *define = recorded->defines[i];
    gboolean padding = is_padding_macro(define);
    gboolean known =
        entry && g_strv_contains((const char *const *)entry->defines, define) && !padding;
    if (!known)
      g_string_append_printf(text, "%s%s", text->len ? " " : "", define);
    if (padding)
      same =
          same && g_ascii_string_to_unsigned(strchr(define, '=') + 1, 10, 0, G_MAXINT, &ipad, NULL);
    else
      same = same && known;
  }
  launch->ipad = same ? (int)ipad : -1;
  launch->variant = smb_comparison_keep(launch->comparison, text->str);
  launch->defines =
      smb_comparison_defines(launch->comparison, (const char *const *)recorded->defines);
}

static SmbComparisonRow *
new_metric_row(const Launch *launch, const char *metric) {
  const SmbRecording *recording = launch->recording;
  SmbComparisonRow *row = smb_comparison_row(SMB_ROW_KERNEL, metric);
  row->kernel = launch->recorded->name;
  row->shape = launch->recorded->shape;
  row->defines = launch->defines;
  row->variant = launch->variant;
  row->ipad = launch->ipad;
  row->gpu = recording->gpu;
  row->source = row->place = recording->source;
  row->arch = recording->arch;
  row->recording = recording;
  row->recorded = launch->recorded;
  return row;
}

static void tell(const Launch *launch, SmbComparisonRow *row, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static void
tell(const Launch *launch, SmbComparisonRow *row, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  row->note = smb_comparison_keep(launch->comparison, text);
}

// Wavefronts that differ: whether the instructions do as well is what a reader asks first.
static void
tell_wavefronts(const Launch *launch, SmbComparisonRow *row) {
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
    SmbMetric metric = smb_metric_of(SMB_METRIC_INSTRUCTIONS_LD, (SmbOpClass)c);
    double predicted = smb_metric_predict(metric, launch->analysis);
    double measured = launch->recorded->measured[metric];
    if (measured != SMB_NOT_MEASURED && measured != predicted)
      g_string_append_printf(text, "%s%s (%.15g executed, %.15g predicted)", text->len ? ", " : "",
                             smb_metric_name(metric), measured, predicted);
  }
  if (text->len)
    tell(launch, row, "the compiler changed the instructions: %s", text->str);
}

static double
predict_recorded(const Launch *launch, SmbMetric metric) {
  return smb_metric_predict_as(metric, launch->recording->counters[metric], launch->analysis);
}

// Instructions that differ. What the compiler did to them is distinguished from errors of the model by
// the wavefronts of the same accesses.
static void
explain_instructions(const Launch *launch, SmbOpClass op_class, SmbComparisonRow *row) {
  SmbMetric metric = smb_metric_of(SMB_METRIC_WAVEFRONTS_LD, op_class);
  double wavefronts = launch->recorded->measured[metric];
  double expected = predict_recorded(launch, metric);
  gboolean merged = row->measured < row->predicted;
  if (wavefronts == expected)
    row->outcome = SMB_OUTCOME_EXPLAINED;
  if (wavefronts == SMB_NOT_MEASURED)
    tell(launch, row, "their wavefronts, which could explain it, were not measured");
  else if (merged && wavefronts <= expected)
    tell(launch, row, "the compiler merged or removed %.15g of %.15g accesses",
         row->predicted - row->measured, row->predicted);
  else if (wavefronts == expected)
    tell(launch, row, "%.15g more executed, with every lane predicated off: they take no wavefront",
         row->measured - row->predicted);
  else
    tell(launch, row, "their wavefronts differ as well");
}

static void
explain_row(const Launch *launch, SmbMetric metric, SmbComparisonRow *row) {
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
    if (metric == smb_metric_of(SMB_METRIC_WAVEFRONTS_LD, (SmbOpClass)c))
      tell_wavefronts(launch, row);
    else if (metric == smb_metric_of(SMB_METRIC_INSTRUCTIONS_LD, (SmbOpClass)c))
      explain_instructions(launch, (SmbOpClass)c, row);
  }
}

// Why nothing is predicted.
static void
note_no_prediction(const Launch *launch, SmbMetric metric, SmbComparisonRow *row) {
  row->outcome = SMB_OUTCOME_SHOWN;
  gboolean loads = metric == SMB_METRIC_SECTORS_LD;
  if (launch->analysis->missing_globals[loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE])
    tell(launch, row, "global %s whose addresses depend on unknown data are not counted",
         loads ? "loads" : "stores");
  else
    tell(launch, row, "%s moves segments of %u bytes, not sectors", row->arch,
         launch->analysis->segment_bytes);
}

// Another number than the one that is predicted.
static void
judge_difference(const Launch *launch, SmbMetric metric, SmbComparisonRow *row) {
  const char *order = smb_metric_order(metric, launch->analysis);
  row->outcome = SMB_OUTCOME_EXPLAINED;
  if (row->is_range && row->measured >= row->least && row->measured <= row->most) {
    tell(launch, row,
         "%.15g to %.15g are predicted, depending on where the assembler lets diverged lanes "
         "reconverge",
         row->least, row->most);
  } else if (row->is_partial && row->measured > row->predicted) {
    tell(launch, row, "a lower bound: requests that depend on unknown data are not counted");
  } else if (row->is_bound && row->measured > row->predicted) {
    tell(launch, row, "a lower bound: atomics that are loops repeat where warps conflict");
  } else if (order) {
    tell(launch, row, "%s", order);
  } else {
    row->outcome = SMB_OUTCOME_MISMATCH;
    explain_row(launch, metric, row);
  }
}

static void
add_recorded_metric(const Launch *launch, SmbMetric metric) {
  double measured = launch->recorded->measured[metric];
  if (measured == SMB_NOT_MEASURED && !launch->recording->counters[metric])
    return;
  SmbComparisonRow *row = new_metric_row(launch, smb_metric_name(metric));
  row->predicted = predict_recorded(launch, metric);
  row->measured = measured;
  row->is_bound = smb_metric_is_bound(metric, launch->analysis);
  row->is_partial = smb_metric_is_partial(metric, launch->analysis);
  row->is_range = smb_metric_range(metric, launch->analysis, &row->least, &row->most);
  if (measured == SMB_NOT_MEASURED)
    row->outcome = SMB_OUTCOME_UNMEASURED;
  else if (row->predicted == SMB_NO_PREDICTION)
    note_no_prediction(launch, metric, row);
  else if (row->predicted == measured)
    row->outcome = SMB_OUTCOME_MATCH;
  else
    judge_difference(launch, metric, row);
  smb_comparison_take(launch->comparison, row);
}

static void
add_time(const Launch *launch, SmbMetric metric, const SmbRecordedTime *time) {
  if (time->median == SMB_NOT_MEASURED)
    return;
  SmbComparisonRow *row = new_metric_row(launch, smb_metric_name(metric));
  row->outcome = SMB_OUTCOME_SHOWN;
  row->predicted = 0;
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    row->predicted += smb_metric_predict(smb_metric_of(SMB_METRIC_WAVEFRONTS_LD, (SmbOpClass)c),
                                         launch->analysis);
  row->measured = time->median;
  row->min = time->min;
  row->max = time->max;
  row->bytes = smb_analysis_global_bytes(launch->analysis);
  if (time->median > 0)
    row->bandwidth = smb_metric_bandwidth(launch->analysis, time->median);
  tell(launch, row, "median of %u launches with %s caches", time->n_launches,
       metric == SMB_METRIC_TIME_US ? "warm" : "cold");
  smb_comparison_take(launch->comparison, row);
}

static gboolean
add_buffer(const Launch *launch, const SmbRerun *rerun, const SmbRecordedBuffer *buffer,
           GError **error) {
  g_autofree char *digest = smb_rerun_digest(rerun, buffer, error);
  if (!digest)
    return FALSE;
  SmbComparisonRow *row = new_metric_row(launch, smb_metric_name(SMB_METRIC_VALUES));
  row->parameter = buffer->parameter;
  row->predicted = (double)buffer->elements;
  if (strcmp(digest, buffer->sha256) == 0) {
    row->measured = row->predicted;
    row->outcome = SMB_OUTCOME_MATCH;
  } else {
    row->measured = (double)buffer->equal;
    row->outcome = SMB_OUTCOME_MISMATCH;
    if (buffer->difference)
      row->note = buffer->difference;
    else
      tell(launch, row, "the digests differ%s",
           buffer->equal == buffer->elements
               ? ": the values were equal when recorded, so the model has changed"
               : "");
  }
  smb_comparison_take(launch->comparison, row);
  return TRUE;
}

static void
add_failure(const Launch *launch) {
  SmbComparisonRow *row = new_metric_row(launch, "launch");
  row->outcome = SMB_OUTCOME_UNMEASURED;
  row->note = launch->recorded->failure;
  launch->comparison->failed++;
  smb_comparison_take(launch->comparison, row);
}

// Adds the rows of what was counted, beside what launch->analysis, of @program, says.
static void
add_recorded_counts(const Launch *launch, const SmbProgram *program) {
  const SmbRecordedKernel *recorded = launch->recorded;
  const SmbComparisonRow like = {.kernel = recorded->name,
                                 .gpu = launch->recording->gpu,
                                 .source = launch->recording->source,
                                 .arch = launch->recording->arch,
                                 .recording = launch->recording,
                                 .recorded = recorded};
  for (guint metric = 0; metric < SMB_N_METRICS; metric++) {
    if (smb_metric_is_counted((SmbMetric)metric))
      add_recorded_metric(launch, (SmbMetric)metric);
  }
  if (recorded->instructions)
    smb_comparison_add_instructions(launch->comparison, program, launch->analysis, &like,
                                    recorded->instructions);
}

static void
add_times(const Launch *launch) {
  add_time(launch, SMB_METRIC_TIME_US, &launch->recorded->times[SMB_CACHE_WARM]);
  add_time(launch, SMB_METRIC_TIME_COLD_US, &launch->recorded->times[SMB_CACHE_COLD]);
}

// Adds the rows of a launch that was measured, beside what the model says.
static gboolean
add_rerun_launch(Launch *launch, const SmbRerun *rerun, GError **error) {
  const GPtrArray *buffers = launch->recorded->buffers;
  launch->analysis = rerun->analysis;
  add_recorded_counts(launch, rerun->kernel);
  for (guint i = 0; i < buffers->len; i++) {
    if (!add_buffer(launch, rerun, g_ptr_array_index(buffers, i), error))
      return FALSE;
  }
  add_times(launch);
  return TRUE;
}

static gboolean
rerun_launch(Launch *launch, const SmbArch *arch, GError **error) {
  g_autoptr(SmbRerun) rerun = smb_rerun_new(launch->recorded, launch->entry, launch->opened, arch,
                                            &launch->comparison->limits, error);
  if (!rerun)
    return FALSE;
  smb_comparison_note_files(launch->comparison, launch->recorded, rerun->kernel);
  return add_rerun_launch(launch, rerun, error);
}

gboolean
smb_comparison_add_measured(SmbComparison *comparison, const SmbRecording *recording,
                            SmbRecordedKernel *recorded, SmbProgram *program, SmbAnalysis *analysis,
                            SmbGlobal *global, GError **error) {
  Launch launch = {.comparison = comparison, .recording = recording, .recorded = recorded};
  const SmbRerun rerun = {.kernel = program, .analysis = analysis, .global = global};
  g_return_val_if_fail(global || recorded->buffers->len == 0, FALSE);
  recorded->is_compared = TRUE;
  name_variant(&launch);
  if (!recorded->failure)
    return add_rerun_launch(&launch, &rerun, error);
  add_failure(&launch);
  return TRUE;
}

static gboolean
add_launch_rows(Launch *launch, const GPtrArray *catalog, const SmbArch *arch, GError **error) {
  const SmbRecordedKernel *recorded = launch->recorded;
  if (smb_rerun_is_builtin(recorded) && recorded->shape) {
    launch->entry = smb_catalog_find(catalog, recorded->name, recorded->shape, NULL, error);
    if (!launch->entry)
      return FALSE;
  }
  name_variant(launch);
  if (!recorded->failure)
    return rerun_launch(launch, arch, error);
  add_failure(launch);
  return TRUE;
}

// The rows of one launch.
static gboolean
add_recorded(SmbComparison *comparison, const SmbRecording *recording, guint index,
             const GPtrArray *catalog, SmbCapture **opened, const SmbArch *arch, GError **error) {
  Launch launch = {.comparison = comparison,
                   .recording = recording,
                   .opened = opened,
                   .recorded = g_ptr_array_index(recording->kernels, index)};
  g_autoptr(GError) failure = NULL;
  if (add_launch_rows(&launch, catalog, arch, &failure))
    return TRUE;
  // Whatever is wrong, the recording says it: a name of a kernel is not the user's wrong usage here.
  g_autofree char *told = smb_cli_error_text(failure);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: kernels[%u] (%s): %-s", recording->source,
                  index, launch.recorded->name, told);
}

static SmbComparisonRow *
new_request_row(SmbComparison *comparison, const SmbRecording *recording, guint index,
                const char *metric) {
  const SmbRecordedRequest *recorded =
      &g_array_index(recording->requests, SmbRecordedRequest, index);
  g_autofree char *place = g_strdup_printf("%s: requests[%u]", recording->source, index);
  SmbComparisonRow *row = smb_comparison_row(SMB_ROW_REQUEST, metric);
  row->op = (SmbOp)recorded->request.op;
  row->width = recorded->request.width;
  row->gpu = recording->gpu;
  row->source = recording->source;
  row->place = smb_comparison_keep(comparison, place);
  row->arch = recording->arch;
  row->recording = recording;
  return row;
}

// Whether the mean of a counter is the count that was predicted, but for the noise of the method.
static SmbOutcome
judge_wavefronts(guint predicted, double measured) {
  if (measured == SMB_NOT_MEASURED)
    return SMB_OUTCOME_UNMEASURED;
  return smb_trial_wavefronts_match(SMB_COMPARE_EQUAL, predicted, measured) ? SMB_OUTCOME_MATCH
                                                                            : SMB_OUTCOME_MISMATCH;
}

static SmbOutcome
judge_cycles(const SmbArch *arch, const SmbRequest *request, guint predicted, double measured) {
  SmbCompare compare =
      smb_trial_compare_cycles(smb_arch_rule(arch, (SmbOp)request->op, request->width));
  return smb_trial_cycles_match(compare, predicted, measured) ? SMB_OUTCOME_MATCH
                                                              : SMB_OUTCOME_MISMATCH;
}

static void
add_request_rows(SmbComparison *comparison, const SmbRecording *recording, guint index,
                 const SmbArch *arch) {
  const SmbRecordedRequest *recorded =
      &g_array_index(recording->requests, SmbRecordedRequest, index);
  SmbWavefronts cost = smb_wavefronts_count(arch, &recorded->request);
  SmbComparisonRow *row;
  if (smb_op_is_shared((SmbOp)recorded->request.op)) {
    row = new_request_row(comparison, recording, index, "wavefronts");
    row->predicted = cost.wavefronts;
    row->measured = recorded->wavefronts;
    row->outcome = judge_wavefronts(cost.wavefronts, row->measured);
    smb_comparison_take(comparison, row);
  }
  if (recorded->cycles == SMB_NOT_MEASURED)
    return;
  row = new_request_row(comparison, recording, index, "cycles");
  row->predicted = cost.cycles;
  row->measured = recorded->cycles;
  row->outcome = judge_cycles(arch, &recorded->request, cost.cycles, row->measured);
  smb_comparison_take(comparison, row);
}

gboolean
smb_comparison_add_recording(SmbComparison *comparison, const SmbRecording *recording,
                             const char *kernel, GError **error) {
  g_autoptr(SmbArch) arch = smb_arch_load(recording->arch, error);
  g_autoptr(GPtrArray) catalog = arch ? smb_catalog_load(error) : NULL;
  g_autoptr(SmbCapture) opened = NULL;
  if (!catalog)
    return FALSE;
  const SmbShard *shard = &comparison->shard;
  gboolean now = strcmp(recording->source, SMB_RECORDING_THIS_DEVICE) == 0;
  smb_comparison_begin(comparison);
  for (guint i = 0; i < recording->kernels->len; i++) {
    const SmbRecordedKernel *recorded = g_ptr_array_index(recording->kernels, i);
    if (kernel && strcmp(kernel, recorded->name) != 0)
      continue;
    if (now && shard->of) // only those of the part were measured
      comparison->next = (guint64)i * shard->of + shard->part - 1;
    if (smb_comparison_deal(comparison) && !recorded->is_compared &&
        !add_recorded(comparison, recording, i, catalog, &opened, arch, error))
      return FALSE;
  }
  for (guint i = 0; !kernel && i < recording->requests->len; i++) {
    if (smb_comparison_deal(comparison))
      add_request_rows(comparison, recording, i, arch);
  }
  g_ptr_array_add(comparison->recordings, (gpointer)recording);
  if (now)
    comparison->device = recording->gpu;
  return TRUE;
}
