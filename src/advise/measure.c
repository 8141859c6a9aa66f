// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/text.h"
#include "src/advise/measure.h"

#include "src/out/json.h"
#include "src/out/table.h"

// One form of the kernel on the device. @array: that lies otherwise; NULL: none, or all of them. @name: of its layout, or
// the values of its macros. @analysis: what the model says. @recorded: what the device says.
typedef struct {
  char *array;
  char *name;
  const SmbAnalysis *analysis;
  SmbRecordedKernel *recorded;
} Launch;

static void
tried_launch_free(gpointer data) {
  Launch *launch = data;
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

// What a class of accesses is measured by: its counter, or the clock that takes its place.
static SmbMetric
pick_metric(guint op_class, gboolean clocked) {
  return smb_metric_of(clocked ? SMB_METRIC_CYCLES_LD : SMB_METRIC_WAVEFRONTS_LD,
                       (SmbOpClass)op_class);
}

// Whether a number of a launch is as predicted: within a range; a lower bound may be exceeded. One that was not measured
// is.
static gboolean
is_right(const Launch *launch, SmbMetric metric) {
  double measured = launch->recorded->measured[metric];
  double predicted = smb_metric_predict(metric, launch->analysis);
  if (measured == SMB_NOT_MEASURED || measured == predicted)
    return TRUE;
  double least, most;
  smb_metric_range(metric, launch->analysis, &least, &most);
  return (measured >= least && measured <= most) ||
         (measured > predicted && smb_metric_is_bound(metric, launch->analysis));
}

// Whether every value that a launch left is the model's.
static gboolean
do_values_match(const Launch *launch) {
  const GPtrArray *buffers = launch->recorded->buffers;
  for (guint i = 0; i < buffers->len; i++) {
    const SmbRecordedBuffer *buffer = g_ptr_array_index(buffers, i);
    if (buffer->equal != buffer->elements)
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_as_predicted(const Launch *launch) {
  gboolean good = !launch->recorded->failure && do_values_match(launch);
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    good =
        good && is_right(launch, pick_metric(c, FALSE)) && is_right(launch, pick_metric(c, TRUE));
  return good;
}

SmbAdviseMeasured *
smb_advise_measured_new(SmbMeter *meter, SmbArch *arch) {
  SmbAdviseMeasured *measured = g_new0(SmbAdviseMeasured, 1);
  measured->meter = meter;
  measured->arch = arch;
  measured->recording = smb_measure_recording(meter, arch);
  measured->launches = g_ptr_array_new_with_free_func(tried_launch_free);
  return measured;
}

gboolean
smb_advise_measured_add(SmbAdviseMeasured *measured, const SmbTarget *target, const char *array,
                        const char *name, const SmbAnalysis *analysis, GError **error) {
  SmbRecordedKernel *recorded =
      smb_measure_kernel(measured->meter, target, measured->arch, NULL, error);
  if (!recorded)
    return FALSE;
  smb_measure_note_counters(measured->meter, measured->recording);
  Launch *launch = g_new0(Launch, 1);
  *launch = (Launch){g_strdup(array), g_strdup(name), analysis, recorded};
  g_ptr_array_add(measured->launches, launch);
  measured->mismatches += !is_as_predicted(launch);
  return TRUE;
}

// A rewritten form, if it holds.
static gboolean
add_proof(SmbAdviseMeasured *measured, const SmbAdviseReport *report, const SmbProof *proof,
          const char *array, const char *name, GError **error) {
  if (!smb_proof_holds(proof))
    return TRUE;
  g_autoptr(SmbTarget) target = smb_target_with_text(
      report->target, proof->text, proof->launch.dynamic_bytes, report->arch, error);
  return target && smb_advise_measured_add(measured, target, array, name, proof->analysis, error);
}

SmbAdviseMeasured *
smb_advise_measure(SmbMeter *meter, const SmbAdviseReport *report, GError **error) {
  g_autoptr(SmbAdviseMeasured) measured = smb_advise_measured_new(meter, report->arch);
  if (!smb_advise_measured_add(measured, report->target, NULL, "as it is", report->analysis, error))
    return NULL;
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    for (guint j = 0; j < array->layouts->len; j++) {
      const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, j);
      if (!add_proof(measured, report, layout->proof, array->search->use->array->name, layout->name,
                     error))
        return NULL;
    }
  }
  if (!add_proof(measured, report, report->together, NULL, "the best of each array", error))
    return NULL;
  return g_steal_pointer(&measured);
}

// Predicted and measured, one beside the other.
static void
write_measured_pair(SmbTable *table, const Launch *launch, SmbMetric metric) {
  double number = launch->recorded->measured[metric];
  SmbStyle style = is_right(launch, metric) ? SMB_STYLE_GOOD : SMB_STYLE_BAD;
  if (number == SMB_NOT_MEASURED)
    smb_table_printf(table, SMB_STYLE_DIM, "%.15g/-", smb_metric_predict(metric, launch->analysis));
  else
    smb_table_printf(table, style, "%.15g/%.15g", smb_metric_predict(metric, launch->analysis),
                     number);
}

// A time, and the effective bandwidth that it makes.
static void
write_measured_time(SmbTable *table, const Launch *launch, SmbCache cache) {
  double time = launch->recorded->times[cache].median;
  if (time == SMB_NOT_MEASURED) {
    smb_table_cell(table, SMB_STYLE_DIM, "-");
    smb_table_cell(table, SMB_STYLE_DIM, "-");
    return;
  }
  smb_table_printf(table, SMB_STYLE_PLAIN, "%.3f", time);
  smb_table_printf(table, SMB_STYLE_PLAIN, "%.1f",
                   time > 0 ? smb_metric_bandwidth(launch->analysis, time) : 0);
}

static void
write_measured_launch(SmbTable *table, const Launch *launch, gboolean clocked, guint n_classes) {
  const SmbRecordedKernel *recorded = launch->recorded;
  g_autofree char *name = launch->array ? g_strdup_printf("%s: %s", launch->array, launch->name)
                                        : g_strdup(launch->name);
  smb_table_cell(table, SMB_STYLE_PLAIN, name);
  if (recorded->failure) {
    smb_table_cell(table, SMB_STYLE_BAD, "not run");
    smb_table_end_row(table);
    return;
  }
  for (guint c = 0; c < n_classes; c++)
    write_measured_pair(table, launch, pick_metric(c, clocked));
  gboolean equal = do_values_match(launch);
  if (launch->recorded->buffers->len == 0) // none of them is known
    smb_table_cell(table, SMB_STYLE_DIM, "-");
  else
    smb_table_cell(table, equal ? SMB_STYLE_GOOD : SMB_STYLE_BAD, equal ? "equal" : "differ");
  for (guint i = 0; i < SMB_N_CACHES; i++)
    write_measured_time(table, launch, (SmbCache)i);
}

// Where counts differ, and the compiler made other instructions of the text.
static void
write_measured_instructions(SmbCli *cli, const Launch *launch) {
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
    SmbMetric executed = smb_metric_of(SMB_METRIC_INSTRUCTIONS_LD, (SmbOpClass)c);
    double measured = launch->recorded->measured[executed];
    double predicted = smb_metric_predict(executed, launch->analysis);
    if (is_right(launch, pick_metric(c, FALSE)) || measured == SMB_NOT_MEASURED ||
        measured == predicted)
      continue;
    smb_text_wrap_printf(cli->out,
                         "%s: the compiler changed the number of %s (%.15g executed, %.15g "
                         "predicted), so their counts differ.",
                         launch->name, smb_noun(2, smb_op_class_name((SmbOpClass)c)).text, measured,
                         predicted);
  }
}

// Why launches could not be run, or are not as predicted.
static void
write_problems(SmbCli *cli, const SmbAdviseMeasured *measured) {
  for (guint i = 0; i < measured->launches->len; i++) {
    const Launch *launch = g_ptr_array_index(measured->launches, i);
    if (launch->recorded->failure)
      smb_spool_printf(cli->out, "%s was not run: %-s\n", launch->name, launch->recorded->failure);
    else
      write_measured_instructions(cli, launch);
    for (guint j = 0; j < launch->recorded->buffers->len; j++) {
      const SmbRecordedBuffer *buffer = g_ptr_array_index(launch->recorded->buffers, j);
      if (buffer->difference)
        smb_spool_printf(cli->out, "%s: %s\n", launch->name, buffer->difference);
    }
  }
}

void
smb_advise_write_measured(SmbCli *cli, const char *what, const SmbAdviseMeasured *measured) {
  const SmbRecording *recording = measured->recording;
  const Launch *first = g_ptr_array_index(measured->launches, 0);
  guint n_classes = first->analysis->totals[SMB_OP_CLASS_ATOMIC].requests ? SMB_N_OP_CLASSES
                                                                          : SMB_OP_CLASS_ATOMIC;
  gboolean clocked = !recording->counters[SMB_METRIC_WAVEFRONTS_LD];
  const char *unit = clocked ? "cycles" : "wavefronts";
  g_autoptr(SmbTable) table = smb_table_new("");
  g_autofree char *heading = g_strdup_printf("\nMeasured on %s\n", recording->gpu);
  g_autofree char *words = g_strdup_printf(
      "%c%s of the launch, predicted/measured; counted: %s. us: microseconds of a launch, the "
      "median of %u, with warm caches (right after the same launch) and with cold ones (after more "
      "than the L2 cache was overwritten). GB/s: effective bandwidth, the bytes that the lanes "
      "load "
      "from and store to global memory, divided by that time.",
      g_ascii_toupper(unit[0]), unit + 1, recording->method,
      first->recorded->times[SMB_CACHE_WARM].n_launches);
  smb_table_column(table, what, SMB_ALIGN_LEFT);
  smb_table_columns(table,
                    n_classes > SMB_OP_CLASS_ATOMIC ? "loads>|stores>|atomics>" : "loads>|stores>");
  smb_table_columns(table, "values|warm us>|GB/s>|cold us>|GB/s>");
  for (guint i = 0; i < measured->launches->len; i++)
    write_measured_launch(table, g_ptr_array_index(measured->launches, i), clocked, n_classes);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, heading);
  smb_table_write(table, cli->out, cli->colour);
  write_problems(cli, measured);
  smb_text_wrap(cli->out, words);
}

static void
write_reading(JsonBuilder *json, const char *key, double number) {
  smb_json_double_if(json, key, number != SMB_NOT_MEASURED, number);
}

static void
write_json_times(JsonBuilder *json, const Launch *launch) {
  static const char *const keys[SMB_N_CACHES][2] = {
      [SMB_CACHE_WARM] = {"time_us", "gb_per_s"},
      [SMB_CACHE_COLD] = {"time_cold_us", "gb_per_s_cold"},
  };
  for (guint i = 0; i < SMB_N_CACHES; i++) {
    double time = launch->recorded->times[i].median;
    write_reading(json, keys[i][0], time);
    write_reading(json, keys[i][1],
                  time > 0 ? smb_metric_bandwidth(launch->analysis, time) : SMB_NOT_MEASURED);
  }
  smb_json_number(json, "global_bytes", (gint64)smb_analysis_global_bytes(launch->analysis));
}

void
smb_advise_json_measured(JsonBuilder *json, const SmbAdviseMeasured *measured) {
  static const SmbMetric metrics[] = {SMB_METRIC_WAVEFRONTS_LD,   SMB_METRIC_WAVEFRONTS_ST,
                                      SMB_METRIC_WAVEFRONTS_ATOM, SMB_METRIC_CYCLES_LD,
                                      SMB_METRIC_CYCLES_ST,       SMB_METRIC_CYCLES_ATOM};
  if (!smb_json_object_if(json, "measured", measured != NULL))
    return;
  smb_json_text(json, "device", measured->recording->gpu);
  smb_json_text(json, "method", measured->recording->method);
  smb_json_number(json, "mismatched", measured->mismatches);
  smb_json_array(json, "launches");
  for (guint i = 0; i < measured->launches->len; i++) {
    const Launch *launch = g_ptr_array_index(measured->launches, i);
    smb_json_object(json, NULL);
    smb_json_text(json, "array", launch->array);
    smb_json_text(json, "layout", launch->name);
    smb_json_text(json, "failure", launch->recorded->failure);
    smb_json_object(json, "predicted");
    for (guint m = 0; m < G_N_ELEMENTS(metrics); m++)
      write_reading(json, smb_metric_name(metrics[m]),
                    smb_metric_predict(metrics[m], launch->analysis));
    json_builder_end_object(json);
    smb_json_object(json, "measured");
    for (guint m = 0; m < G_N_ELEMENTS(metrics); m++)
      write_reading(json, smb_metric_name(metrics[m]), launch->recorded->measured[metrics[m]]);
    json_builder_end_object(json);
    smb_json_boolean_if(json, "values_equal", launch->recorded->buffers->len > 0,
                        do_values_match(launch));
    write_json_times(json, launch);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  json_builder_end_object(json);
}
