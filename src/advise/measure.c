// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/measure.h"

static void
launch_free(gpointer data) {
  SmbAdviseLaunch *launch = data;
  smb_recorded_kernel_free(launch->recorded);
  g_free(launch->array);
  g_free(launch->name);
  g_free(launch);
}

void
smb_advise_measured_free(SmbAdviseMeasured *measured) {
  if (!measured)
    return;
  smb_recording_free(measured->recording);
  g_ptr_array_unref(measured->launches);
  g_free(measured);
}

SmbMetric
smb_advise_metric(SmbOpClass op_class, gboolean clocked) {
  static const SmbMetric counted[SMB_N_OP_CLASSES] = {
      [SMB_OP_CLASS_LOAD] = SMB_METRIC_WAVEFRONTS_LD,
      [SMB_OP_CLASS_STORE] = SMB_METRIC_WAVEFRONTS_ST,
      [SMB_OP_CLASS_ATOMIC] = SMB_METRIC_WAVEFRONTS_ATOM,
  };
  static const SmbMetric timed[SMB_N_OP_CLASSES] = {
      [SMB_OP_CLASS_LOAD] = SMB_METRIC_CYCLES_LD,
      [SMB_OP_CLASS_STORE] = SMB_METRIC_CYCLES_ST,
      [SMB_OP_CLASS_ATOMIC] = SMB_METRIC_CYCLES_ATOM,
  };
  return clocked ? timed[op_class] : counted[op_class];
}

gboolean
smb_advise_matches(const SmbAdviseLaunch *launch, SmbMetric metric) {
  double measured = launch->recorded->measured[metric];
  double predicted = smb_metric_predict(metric, launch->analysis);
  if (measured == SMB_NOT_MEASURED || measured == predicted)
    return TRUE;
  return measured > predicted && smb_metric_is_bound(metric, launch->analysis);
}

gboolean
smb_advise_values_match(const SmbAdviseLaunch *launch) {
  const GPtrArray *buffers = launch->recorded->buffers;
  for (guint i = 0; i < buffers->len; i++) {
    const SmbRecordedBuffer *buffer = g_ptr_array_index(buffers, i);
    if (buffer->equal != buffer->elements)
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_as_predicted(const SmbAdviseLaunch *launch) {
  gboolean matches = !launch->recorded->failure && smb_advise_values_match(launch);
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    matches = matches && smb_advise_matches(launch, smb_advise_metric((SmbOpClass)c, FALSE)) &&
              smb_advise_matches(launch, smb_advise_metric((SmbOpClass)c, TRUE));
  return matches;
}

SmbAdviseMeasured *
smb_advise_measured_new(SmbMeter *meter, const SmbArch *arch) {
  SmbAdviseMeasured *measured = g_new0(SmbAdviseMeasured, 1);
  measured->recording = smb_measure_recording(meter, arch);
  measured->launches = g_ptr_array_new_with_free_func(launch_free);
  return measured;
}

gboolean
smb_advise_measured_add(SmbAdviseMeasured *measured, SmbMeter *meter, const SmbArch *arch,
                        const SmbTarget *target, const char *array, const char *name,
                        const SmbAnalysis *analysis, GError **error) {
  SmbRecordedKernel *recorded = smb_measure_kernel(meter, target, arch, error);
  if (!recorded)
    return FALSE;
  smb_measure_note_counters(meter, measured->recording);
  SmbAdviseLaunch *launch = g_new0(SmbAdviseLaunch, 1);
  *launch = (SmbAdviseLaunch){g_strdup(array), g_strdup(name), analysis, recorded};
  g_ptr_array_add(measured->launches, launch);
  measured->mismatches += !is_as_predicted(launch);
  return TRUE;
}

// A rewritten form, if it holds.
static gboolean
add_proof(SmbAdviseMeasured *measured, SmbMeter *meter, const SmbAdviseReport *report,
          const SmbProof *proof, const char *array, const char *name, GError **error) {
  if (!proof || proof->failure)
    return TRUE;
  g_autoptr(SmbTarget) target = smb_target_with_text(
      report->target, proof->text, proof->launch.dynamic_bytes, report->arch, error);
  return target && smb_advise_measured_add(measured, meter, report->arch, target, array, name,
                                           proof->analysis, error);
}

SmbAdviseMeasured *
smb_advise_measure(SmbMeter *meter, const SmbAdviseReport *report, GError **error) {
  g_autoptr(SmbAdviseMeasured) measured = smb_advise_measured_new(meter, report->arch);
  if (!smb_advise_measured_add(measured, meter, report->arch, report->target, NULL, "as it is",
                               report->analysis, error))
    return NULL;
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    for (guint j = 0; j < array->layouts->len; j++) {
      const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, j);
      if (!add_proof(measured, meter, report, layout->proof, array->search->use->array->name,
                     layout->name, error))
        return NULL;
    }
  }
  if (!add_proof(measured, meter, report, report->together, NULL, "the best of each array", error))
    return NULL;
  return g_steal_pointer(&measured);
}
