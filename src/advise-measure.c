// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise-measure.h"

#include <string.h>

#include "src/table.h"

static void
launch_free(gpointer data) {
  SmbAdviseLaunch *launch = data;
  smb_recorded_kernel_free(launch->recorded);
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

// By class of access: the counter, and the clock that takes its place.
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
    matches =
        matches && smb_advise_matches(launch, counted[c]) && smb_advise_matches(launch, timed[c]);
  return matches;
}

static gboolean
measure(SmbAdviseMeasured *measured, SmbMeter *meter, const SmbAdviseReport *report,
        const SmbTarget *target, const SmbAdviseLaunch *described, GError **error) {
  SmbRecordedKernel *recorded = smb_measure_kernel(meter, target, report->arch, error);
  if (!recorded)
    return FALSE;
  smb_measure_note_counters(meter, measured->recording);
  SmbAdviseLaunch *launch = g_memdup2(described, sizeof *described);
  launch->recorded = recorded;
  g_ptr_array_add(measured->launches, launch);
  measured->mismatches += !is_as_predicted(launch);
  return TRUE;
}

static gboolean
measure_proof(SmbAdviseMeasured *measured, SmbMeter *meter, const SmbAdviseReport *report,
              const SmbProof *proof, const char *array, const char *name, GError **error) {
  if (!proof || proof->failure)
    return TRUE;
  SmbAdviseLaunch launch = {array, name, proof->analysis, NULL};
  g_autoptr(SmbTarget) target = smb_target_with_text(
      report->target, proof->text, proof->launch.dynamic_bytes, report->arch, error);
  return target && measure(measured, meter, report, target, &launch, error);
}

SmbAdviseMeasured *
smb_advise_measure(SmbMeter *meter, const SmbAdviseReport *report, GError **error) {
  g_autoptr(SmbAdviseMeasured) measured = g_new0(SmbAdviseMeasured, 1);
  SmbAdviseLaunch now = {NULL, "as it is", report->analysis, NULL};
  measured->recording = smb_measure_recording(meter, report->arch);
  measured->launches = g_ptr_array_new_with_free_func(launch_free);
  if (!measure(measured, meter, report, report->target, &now, error))
    return NULL;
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    for (guint j = 0; j < array->layouts->len; j++) {
      const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, j);
      if (!measure_proof(measured, meter, report, layout->proof, array->whole->array->name,
                         layout->name, error))
        return NULL;
    }
  }
  if (!measure_proof(measured, meter, report, report->together, NULL, "the best of each array",
                     error))
    return NULL;
  return g_steal_pointer(&measured);
}

// Predicted and measured, one beside the other.
static void
write_pair(SmbTable *table, const SmbAdviseLaunch *launch, SmbMetric metric) {
  double number = launch->recorded->measured[metric];
  SmbStyle style = smb_advise_matches(launch, metric) ? SMB_STYLE_GOOD : SMB_STYLE_BAD;
  if (number == SMB_NOT_MEASURED)
    smb_table_printf(table, SMB_STYLE_DIM, "%.15g/-", smb_metric_predict(metric, launch->analysis));
  else
    smb_table_printf(table, style, "%.15g/%.15g", smb_metric_predict(metric, launch->analysis),
                     number);
}

static void
write_launch(SmbTable *table, const SmbAdviseLaunch *launch, const SmbMetric *metrics,
             gboolean atomics) {
  const SmbRecordedKernel *recorded = launch->recorded;
  double time = recorded->measured[SMB_METRIC_TIME_US];
  g_autofree char *name = launch->array ? g_strdup_printf("%s: %s", launch->array, launch->name)
                                        : g_strdup(launch->name);
  smb_table_cell(table, SMB_STYLE_PLAIN, name);
  if (recorded->failure) {
    smb_table_cell(table, SMB_STYLE_BAD, "not run");
    smb_table_end_row(table);
    return;
  }
  write_pair(table, launch, metrics[SMB_OP_CLASS_LOAD]);
  write_pair(table, launch, metrics[SMB_OP_CLASS_STORE]);
  if (atomics)
    write_pair(table, launch, metrics[SMB_OP_CLASS_ATOMIC]);
  gboolean equal = smb_advise_values_match(launch);
  smb_table_cell(table, equal ? SMB_STYLE_GOOD : SMB_STYLE_BAD, equal ? "equal" : "differ");
  if (time == SMB_NOT_MEASURED)
    smb_table_cell(table, SMB_STYLE_DIM, "-");
  else
    smb_table_printf(table, SMB_STYLE_PLAIN, "%.3f", time);
}

// Why launches could not be run, or wrote something else.
static void
write_problems(SmbCli *cli, const SmbAdviseMeasured *measured) {
  for (guint i = 0; i < measured->launches->len; i++) {
    const SmbAdviseLaunch *launch = g_ptr_array_index(measured->launches, i);
    if (launch->recorded->failure)
      smb_spool_printf(cli->out, "%s was not run: %s\n", launch->name, launch->recorded->failure);
    for (guint j = 0; j < launch->recorded->buffers->len; j++) {
      const SmbRecordedBuffer *buffer = g_ptr_array_index(launch->recorded->buffers, j);
      if (buffer->difference)
        smb_spool_printf(cli->out, "%s: %s\n", launch->name, buffer->difference);
    }
  }
}

void
smb_advise_write_measured(SmbCli *cli, const SmbAdviseMeasured *measured) {
  const SmbRecording *recording = measured->recording;
  const SmbAdviseLaunch *first = g_ptr_array_index(measured->launches, 0);
  gboolean atomics = first->analysis->totals[SMB_OP_CLASS_ATOMIC].requests > 0;
  gboolean clocked = !recording->counters[SMB_METRIC_WAVEFRONTS_LD];
  const char *unit = clocked ? "cycles" : "wavefronts";
  g_autoptr(SmbTable) table = smb_table_new();
  g_autofree char *heading = g_strdup_printf("\nMeasured on %s\n", recording->gpu);
  g_autofree char *words = g_strdup_printf(
      "%c%s of the launch, predicted/measured; counted: %s. us: microseconds of a launch, the "
      "median "
      "of %u: what a layout is worth here. A count is no time.",
      g_ascii_toupper(unit[0]), unit + 1, recording->method, first->recorded->n_launches);
  smb_table_column(table, "layout", SMB_ALIGN_LEFT);
  smb_table_column(table, "loads", SMB_ALIGN_RIGHT);
  smb_table_column(table, "stores", SMB_ALIGN_RIGHT);
  if (atomics)
    smb_table_column(table, "atomics", SMB_ALIGN_RIGHT);
  smb_table_column(table, "values", SMB_ALIGN_LEFT);
  smb_table_column(table, "us", SMB_ALIGN_RIGHT);
  for (guint i = 0; i < measured->launches->len; i++)
    write_launch(table, g_ptr_array_index(measured->launches, i), clocked ? timed : counted,
                 atomics);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, heading);
  smb_table_write(table, cli->out, cli->colour);
  write_problems(cli, measured);
  smb_text_wrap(cli->out, words);
}
