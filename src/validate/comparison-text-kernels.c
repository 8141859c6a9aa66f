// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The launches of a recording in text. Most of them match in every number: a line each says so, and below
// stand the numbers that do not. All numbers, side by side, take a table for each kernel.
#include "src/validate/comparison-text.h"

#include <string.h>

// A launch: its rows together.
typedef struct {
  const SmbComparisonRow *first;
  const SmbComparisonRow *wavefronts[SMB_N_OP_CLASSES]; // or cycles
  gboolean is_timed;                                    // they are cycles
  double time;
  SmbOutcome outcome; // the worst of them
} Launch;

// Which columns there is something for.
typedef struct {
  gboolean atomics;
  gboolean cycles;
  gboolean times;
  gboolean published;
} Columns;

static gboolean
is_from(const SmbComparisonRow *row, const SmbRecording *recording) {
  return row->kind == SMB_ROW_KERNEL && row->recording == recording;
}

static SmbOutcome
worse(SmbOutcome a, SmbOutcome b) {
  static const guint rank[] = {
      [SMB_OUTCOME_SHOWN] = 0,     [SMB_OUTCOME_UNMEASURED] = 1, [SMB_OUTCOME_MATCH] = 2,
      [SMB_OUTCOME_EXPLAINED] = 3, [SMB_OUTCOME_MISMATCH] = 4,
  };
  return rank[a] >= rank[b] ? a : b;
}

static gboolean
is_metric(const SmbComparisonRow *row, SmbMetric of_loads, guint op_class) {
  return strcmp(row->metric, smb_metric_name(smb_metric_of(of_loads, (SmbOpClass)op_class))) == 0;
}

static GArray *
collect_launches(const SmbComparison *comparison, const SmbRecording *recording) {
  GArray *launches = g_array_new(FALSE, TRUE, sizeof(Launch));
  Launch *launch = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!is_from(row, recording))
      continue;
    if (!launch || launch->first->recorded != row->recorded) {
      Launch begun = {.first = row, .time = SMB_NOT_MEASURED, .outcome = SMB_OUTCOME_SHOWN};
      g_array_append_val(launches, begun);
      launch = &g_array_index(launches, Launch, launches->len - 1);
    }
    launch->outcome = worse(launch->outcome, row->outcome);
    if (smb_comparison_is_time(row) && !smb_comparison_is_cold(row))
      launch->time = row->measured;
    for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
      gboolean timed = is_metric(row, SMB_METRIC_CYCLES_LD, c);
      if (timed || is_metric(row, SMB_METRIC_WAVEFRONTS_LD, c))
        launch->wavefronts[c] = row;
      launch->is_timed = launch->is_timed || timed;
    }
  }
  return launches;
}

static Columns
choose_kernel_columns(const GArray *launches) {
  Columns columns = {FALSE, FALSE, FALSE, FALSE};
  for (guint i = 0; i < launches->len; i++) {
    const Launch *launch = &g_array_index(launches, Launch, i);
    const SmbComparisonRow *atomics = launch->wavefronts[SMB_OP_CLASS_ATOMIC];
    columns.atomics |= atomics && (atomics->predicted > 0 || atomics->measured > 0);
    columns.cycles |= launch->is_timed;
    columns.times |= launch->time != SMB_NOT_MEASURED;
    for (guint j = 0; j < SMB_N_OP_CLASSES; j++)
      columns.published |= launch->wavefronts[j] && launch->wavefronts[j]->published;
  }
  return columns;
}

// "1024/1024": predicted/measured.
static void
write_compared_pair(SmbTable *table, const SmbComparisonRow *row) {
  if (!row) {
    smb_table_cell(table, SMB_STYLE_DIM, "-");
    return;
  }
  g_autofree char *predicted = smb_comparison_number(row->predicted);
  g_autofree char *measured = smb_comparison_number(row->measured);
  smb_table_printf(table, row->outcome == SMB_OUTCOME_MISMATCH ? SMB_STYLE_BAD : SMB_STYLE_PLAIN,
                   "%s/%s", predicted, *measured ? measured : "-");
}

static const SmbComparisonRow *
find_published(const Launch *launch, guint metric, const char *gpu) {
  const GPtrArray *rows = launch->wavefronts[metric] ? launch->wavefronts[metric]->published : NULL;
  for (guint i = 0; rows && i < rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(rows, i);
    if (strcmp(row->gpu, gpu) == 0)
      return row;
  }
  return NULL;
}

// "1024/32 RTX 3080": published wavefronts of loads/stores, for each device.
static void
write_published(SmbTable *table, const Launch *launch) {
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint metric = 0; metric < 2; metric++) {
    const GPtrArray *rows =
        launch->wavefronts[metric] ? launch->wavefronts[metric]->published : NULL;
    for (guint i = 0; rows && i < rows->len; i++) {
      const SmbComparisonRow *row = g_ptr_array_index(rows, i);
      const SmbComparisonRow *load = find_published(launch, 0, row->gpu);
      const SmbComparisonRow *store = find_published(launch, 1, row->gpu);
      if (metric == 1 && load)
        continue; // its device had its turn
      g_autofree char *loads = smb_comparison_number(load ? load->measured : SMB_NOT_MEASURED);
      g_autofree char *stores = smb_comparison_number(store ? store->measured : SMB_NOT_MEASURED);
      g_string_append_printf(text, "%s%s/%s %s", text->len ? ", " : "", *loads ? loads : "-",
                             *stores ? stores : "-", smb_comparison_short_gpu(row->gpu));
    }
  }
  smb_table_cell(table, SMB_STYLE_PLAIN, text->str);
}

static void
write_overview_legend(SmbCli *cli, const SmbRecording *recording, const Columns *columns) {
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "loads%s: %s of the launch, predicted/%s. match: these%s",
                         columns->atomics ? ", stores, atomics" : " and stores",
                         columns->cycles ? "cycles" : "wavefronts",
                         smb_comparison_measured_word(recording),
                         columns->cycles ? " and the values written."
                                         : ", executed instructions, global sectors and the values "
                                           "written.");
  if (columns->times)
    g_string_append(text,
                    " us: median time with warm caches, not compared (--all: also cold caches "
                    "and GB/s).");
  if (columns->published)
    g_string_append(text, " published: loads/stores that others report for the same launch.");
  smb_text_wrap(cli->out, text->str);
  smb_spool_puts(cli->out, "\n");
}

// A line for each launch.
static void
write_overview(SmbCli *cli, const GArray *launches, const SmbRecording *recording,
               gboolean times_follow) {
  Columns columns = choose_kernel_columns(launches);
  columns.times = columns.times && !times_follow;
  g_autoptr(SmbTable) table = smb_table_new("kernel|shape|defines|loads>|stores>");
  smb_table_columns(table, columns.atomics ? "atomics>|match" : "match");
  if (columns.times)
    smb_table_columns(table, "us>");
  if (columns.published) {
    smb_table_columns(table, "published");
    smb_table_wrap(table); // rather than names that are cut
  }
  for (guint i = 0; i < launches->len; i++) {
    const Launch *launch = &g_array_index(launches, Launch, i);
    g_autofree char *time = smb_comparison_number(launch->time);
    smb_comparison_launch(table, launch->first);
    for (guint j = 0; j < (columns.atomics ? SMB_N_OP_CLASSES : SMB_OP_CLASS_ATOMIC); j++)
      write_compared_pair(table, launch->wavefronts[j]);
    smb_comparison_outcome(table, launch->outcome);
    if (columns.times)
      smb_table_cell(table, SMB_STYLE_DIM, time);
    if (columns.published)
      write_published(table, launch);
  }
  smb_comparison_end_table(cli, &table);
  write_overview_legend(cli, recording, &columns);
}

// Why rows are explained.
enum {
  BY_MORE = 1,
  BY_FEWER = 2,
  BY_BOUND = 4,
  BY_PART = 8,
  BY_RANGE = 16,
};

static guint
find_reason(const SmbComparisonRow *row) {
  if (row->is_range && row->measured >= row->least && row->measured <= row->most)
    return BY_RANGE;
  if (row->measured < row->predicted)
    return BY_FEWER;
  return row->is_partial ? BY_PART : row->is_bound ? BY_BOUND : BY_MORE;
}

// Below their table.
static void
write_mismatch_reasons(SmbCli *cli, guint reasons) {
  static const struct {
    guint reason;
    const char *text;
  } texts[] = {
      {BY_MORE, "instructions, +N: executed with every lane predicated off, which takes no "
                "wavefront."},
      {BY_FEWER, "instructions, -N: the compiler merged or removed accesses."},
      {BY_BOUND, "A lower bound is predicted for atomics that are loops: they repeat where warps "
                 "conflict."},
      {BY_PART, "A lower bound is predicted where requests that depend on unknown data are not "
                "counted (--unknown skip)."},
      {BY_RANGE, "A range is predicted where the assembler decides where diverged lanes "
                 "reconverge; the measured number is in it."},
  };
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    if (reasons & texts[i].reason)
      smb_text_wrap(cli->out, texts[i].text);
  }
  smb_spool_puts(cli->out, "\n");
}

// Numbers that differ for a reason: what the compiler changed, lower bounds, ranges.
static void
write_explained(SmbCli *cli, const SmbComparison *comparison, const SmbRecording *recording) {
  g_autoptr(SmbTable) table = NULL;
  guint reasons = 0;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!is_from(row, recording) || row->outcome != SMB_OUTCOME_EXPLAINED)
      continue;
    if (!table) {
      smb_text_wrap(cli->out,
                    "Explained: the compiler changed the number of instructions but not their "
                    "wavefronts, or the prediction is a lower bound or a range.");
      table = smb_table_new("kernel|shape|defines|metric|predicted>|measured>|difference>");
    }
    reasons |= find_reason(row);
    smb_comparison_launch(table, row);
    smb_table_cell(table, SMB_STYLE_PLAIN, row->metric);
    smb_comparison_numbers(table, row);
    smb_table_printf(table, SMB_STYLE_PLAIN, "%+.0f", row->measured - row->predicted);
  }
  if (!table)
    return;
  smb_table_write(table, cli->out, cli->colour);
  write_mismatch_reasons(cli, reasons);
}

static gboolean
is_told(const SmbComparisonRow *row, gboolean all) {
  if (smb_comparison_is_time(row) || row->recorded->failure)
    return FALSE;
  return all || row->outcome == SMB_OUTCOME_MISMATCH;
}

// @is_of_one: whether all rows are of one kernel, whose name stands above.
static SmbTable *
new_number_table(const SmbRecording *recording, gboolean is_of_one) {
  g_autofree char *columns =
      g_strdup_printf("%sshape|defines|metric|predicted>|%s>|match|published",
                      is_of_one ? "" : "kernel|", smb_comparison_measured_word(recording));
  SmbTable *table = smb_table_new(columns);
  smb_table_wrap(table);
  return table;
}

static void
write_compared_number(SmbTable *table, const SmbComparisonRow *row, gboolean is_of_one) {
  g_autofree char *metric = smb_comparison_metric(row);
  g_autofree char *published = smb_comparison_published(row);
  if (!is_of_one)
    smb_table_cell(table, SMB_STYLE_PLAIN, row->kernel);
  smb_comparison_shape_cells(table, row);
  smb_table_cell(table, SMB_STYLE_PLAIN, metric);
  smb_comparison_numbers(table, row);
  smb_comparison_outcome(table, row->outcome);
  smb_table_cell(table, SMB_STYLE_PLAIN, published);
}

// All numbers, in a table below the name of each kernel; or those that differ.
static void
write_numbers(SmbCli *cli, const SmbComparison *comparison, const SmbRecording *recording,
              gboolean all) {
  g_autoptr(SmbTable) table = NULL;
  const char *kernel = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!is_from(row, recording) || !is_told(row, all))
      continue;
    if (!kernel || (all && strcmp(kernel, row->kernel) != 0)) {
      smb_comparison_end_table(cli, &table);
      smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, all ? row->kernel : "These differ:");
      smb_spool_puts(cli->out, "\n");
      table = new_number_table(recording, all);
      kernel = row->kernel;
    }
    write_compared_number(table, row, all);
  }
  smb_comparison_end_table(cli, &table);
}

// What the differences mean, and why launches were not measured.
static void
write_kernel_notes(SmbCli *cli, const SmbComparison *comparison, const SmbRecording *recording,
                   gboolean all) {
  gboolean any = FALSE;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!is_from(row, recording) || !row->note || !(is_told(row, all) || row->recorded->failure))
      continue;
    g_autofree char *shape = smb_comparison_shape(row);
    g_autofree char *metric = smb_comparison_metric(row);
    smb_text_wrap_printf(cli->out, "%s %s%s%s, %s: %s", row->kernel, shape,
                         *row->variant ? " " : "", row->variant,
                         row->recorded->failure ? "not measured" : metric, row->note);
    any = TRUE;
  }
  if (any)
    smb_spool_puts(cli->out, "\n");
}

void
smb_comparison_write_kernels(SmbCli *cli, const SmbComparison *comparison,
                             const SmbRecording *recording, const SmbComparisonReport *view) {
  g_autoptr(GArray) launches = collect_launches(comparison, recording);
  if (launches->len == 0)
    return;
  if (!view->kernels) {
    write_overview(cli, launches, recording, view->times);
    write_explained(cli, comparison, recording);
  }
  write_numbers(cli, comparison, recording, view->kernels);
  write_kernel_notes(cli, comparison, recording, view->kernels);
}
