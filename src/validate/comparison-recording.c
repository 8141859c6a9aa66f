// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A recording in a comparison: its launches (src/validate/comparison-launch.c) and its requests.
#include "src/validate/comparison-impl.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/records/catalog.h"
#include "sim/count/wavefront.h"
#include "src/measure/trial.h"

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
  SmbComparisonRow *row = new_request_row(comparison, recording, index, "wavefronts");
  row->predicted = cost.wavefronts;
  row->measured = recorded->wavefronts;
  row->outcome = judge_wavefronts(cost.wavefronts, row->measured);
  smb_comparison_take(comparison, row);
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
  if (!catalog)
    return FALSE;
  for (guint i = 0; i < recording->kernels->len; i++) {
    const SmbRecordedKernel *recorded = g_ptr_array_index(recording->kernels, i);
    if (kernel && strcmp(kernel, recorded->name) != 0)
      continue;
    if (!smb_comparison_add_launch(comparison, recording, i, catalog, arch, error))
      return FALSE;
  }
  for (guint i = 0; !kernel && i < recording->requests->len; i++)
    add_request_rows(comparison, recording, i, arch);
  g_ptr_array_add(comparison->recordings, (gpointer)recording);
  if (strcmp(recording->source, SMB_RECORDING_THIS_DEVICE) == 0)
    comparison->device = recording->gpu;
  return TRUE;
}
