// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A comparison for a person: recordings first, then what was published, then times, then the sum.
#include "sim/base/text.h"
#include "src/validate/comparison-text.h"

#include <math.h>
#include <string.h>

void
smb_comparison_end_table(SmbCli *cli, SmbTable **table) {
  if (!*table)
    return;
  smb_table_write(*table, cli->out, cli->colour);
  smb_spool_puts(cli->out, "\n");
  g_clear_pointer(table, smb_table_free);
}

void
smb_comparison_numbers(SmbTable *table, const SmbComparisonRow *row) {
  g_autofree char *predicted = smb_comparison_number(row->predicted);
  g_autofree char *measured = smb_comparison_number(row->measured);
  g_autofree char *least = smb_comparison_number(row->least);
  g_autofree char *most = smb_comparison_number(row->most);
  if (row->is_range)
    smb_table_printf(table, SMB_STYLE_PLAIN, "%s to %s", least, most);
  else
    smb_table_cell(table, SMB_STYLE_PLAIN, predicted);
  smb_table_cell(table, SMB_STYLE_PLAIN, measured);
}

void
smb_comparison_outcome(SmbTable *table, SmbOutcome outcome) {
  static const struct {
    SmbStyle style;
    const char *word;
  } outcomes[] = {
      [SMB_OUTCOME_MATCH] = {SMB_STYLE_GOOD, "yes"},
      [SMB_OUTCOME_EXPLAINED] = {SMB_STYLE_GOOD, "expl."},
      [SMB_OUTCOME_MISMATCH] = {SMB_STYLE_BAD, "NO"},
      [SMB_OUTCOME_UNMEASURED] = {SMB_STYLE_DIM, "-"},
      [SMB_OUTCOME_SHOWN] = {SMB_STYLE_DIM, "-"},
  };
  smb_table_cell(table, outcomes[outcome].style, outcomes[outcome].word);
}

static gboolean
is_this_device(const SmbRecording *recording) {
  return strcmp(recording->source, SMB_RECORDING_THIS_DEVICE) == 0;
}

const char *
smb_comparison_measured_word(const SmbRecording *recording) {
  return is_this_device(recording) ? "measured" : "recorded";
}

// Requests of one operation and width together. A request may be counted, timed or both.
typedef struct {
  guint counted;
  guint matched;
  double predicted;
  double measured;
  guint timed;
  guint in_time;
} RequestSum;

typedef struct {
  RequestSum of[SMB_N_OPS][SMB_N_WIDTHS];
  const char *metric; // of what is counted
  guint counted;
  guint timed;
} RequestSums;

static gboolean
is_cycles(const SmbComparisonRow *row) {
  return strcmp(row->metric, "cycles") == 0;
}

static gboolean
is_row_compared(const SmbComparisonRow *row, const char *source) {
  return row->kind == SMB_ROW_REQUEST && row->outcome != SMB_OUTCOME_UNMEASURED &&
         strcmp(row->source, source) == 0;
}

// The requests that have a line of their own: all, or those that differ.
static void
write_request_rows(SmbCli *cli, const SmbComparison *comparison, const char *source, gboolean all) {
  g_autoptr(SmbTable) table = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!is_row_compared(row, source) || (row->outcome == SMB_OUTCOME_MATCH && !all))
      continue;
    if (!table)
      table = smb_table_new("request|metric|predicted>|measured>|match|rules|source");
    smb_table_printf(table, SMB_STYLE_PLAIN, "%s %u", smb_op_name(row->op), row->width);
    smb_table_cell(table, SMB_STYLE_PLAIN, row->metric);
    smb_comparison_numbers(table, row);
    smb_comparison_outcome(table, row->outcome);
    smb_table_cell(table, SMB_STYLE_DIM, row->arch);
    // The heading names a recording; within it the index is enough.
    const char *index = row->recording ? strrchr(row->place, ' ') : NULL;
    smb_table_cell(table, SMB_STYLE_DIM, index ? index + 1 : row->place);
  }
  smb_comparison_end_table(cli, &table);
}

static void
add_up(const SmbComparison *comparison, const char *source, RequestSums *sums) {
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!is_row_compared(row, source))
      continue;
    RequestSum *sum = &sums->of[row->op][smb_width_index(row->width)];
    gboolean match = row->outcome == SMB_OUTCOME_MATCH;
    if (is_cycles(row)) {
      sums->timed++;
      sum->timed++;
      sum->in_time += match;
      continue;
    }
    sums->metric = row->metric;
    sums->counted++;
    sum->counted++;
    sum->matched += match;
    sum->predicted += row->predicted;
    sum->measured += row->measured;
  }
}

static void
write_comparison_sum(SmbTable *table, const RequestSums *sums, SmbOp op, guint width_index) {
  const RequestSum *sum = &sums->of[op][width_index];
  if (sum->counted == 0 && sum->timed == 0)
    return;
  smb_table_cell(table, SMB_STYLE_PLAIN, smb_op_name(op));
  smb_table_number(table, SMB_STYLE_PLAIN, smb_width(width_index));
  if (sums->counted) {
    smb_table_number(table, SMB_STYLE_PLAIN, sum->counted);
    smb_table_printf(table, SMB_STYLE_PLAIN, "%.0f", sum->predicted);
    smb_table_printf(table, SMB_STYLE_PLAIN,
                     sum->measured == floor(sum->measured) ? "%.0f" : "%.1f", sum->measured);
    smb_table_number(table, sum->matched == sum->counted ? SMB_STYLE_GOOD : SMB_STYLE_BAD,
                     sum->matched);
  }
  if (sums->timed) {
    smb_table_number(table, SMB_STYLE_PLAIN, sum->timed);
    smb_table_number(table, sum->in_time == sum->timed ? SMB_STYLE_GOOD : SMB_STYLE_BAD,
                     sum->in_time);
  }
}

static void
write_comparison_sums(SmbCli *cli, const RequestSums *sums, gboolean now) {
  g_autoptr(SmbTable) table =
      smb_table_new(now ? "measured requests|width>" : "recorded requests|width>");
  if (sums->counted) {
    g_autofree char *columns =
        g_strdup_printf("requests>|predicted %s|measured>|matched>",
                        strcmp(sums->metric, "wavefronts") == 0 ? "wavefronts>" : ">");
    smb_table_columns(table, columns);
  }
  if (sums->timed)
    smb_table_columns(table, "timed>|cycles matched>");
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++)
      write_comparison_sum(table, sums, (SmbOp)op, i);
  }
  smb_comparison_end_table(cli, &table);
}

// The requests of one source: the sums of each operation and width, and those that differ.
static void
show_requests(SmbCli *cli, const SmbComparison *comparison, const char *source, gboolean all) {
  RequestSums sums = {.counted = 0};
  add_up(comparison, source, &sums);
  if (sums.counted + sums.timed == 0)
    return;
  write_request_rows(cli, comparison, source, all);
  write_comparison_sums(cli, &sums, strcmp(source, SMB_RECORDING_THIS_DEVICE) == 0);
}

static void
write_comparison_heading(SmbCli *cli, const char *gpu, const char *arch, const char *source) {
  g_autofree char *rest = g_strdup_printf(", by the rules of %s; source: %s", arch, source);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, gpu);
  smb_text_wrap_at(cli->out, rest, smb_text_width(gpu), 2);
}

// A recording: who, when, and how it was counted; its launches; its requests.
static void
write_recording_name(SmbCli *cli, const SmbComparison *comparison, const SmbRecording *recording,
                     const SmbComparisonReport *view) {
  g_autoptr(GString) facts = g_string_new(NULL);
  write_comparison_heading(cli, recording->gpu, recording->arch, recording->source);
  g_string_append_printf(facts, "%s %.10s by %s, CUDA %s, compiler %s",
                         is_this_device(recording) ? "Measured" : "Recorded", recording->date,
                         recording->program, recording->cuda_driver, recording->toolkit);
  if (recording->driver)
    g_string_append_printf(facts, ", driver %s", recording->driver);
  g_string_append_printf(facts, ". Counted: %s.", recording->method);
  smb_text_wrap(cli->out, facts->str);
  smb_spool_puts(cli->out, "\n");
  smb_comparison_write_kernels(cli, comparison, recording, view);
  show_requests(cli, comparison, recording->source, view->requests);
}

static gboolean
is_same_source(const SmbComparisonRow *a, const SmbComparisonRow *b) {
  return a && strcmp(a->gpu, b->gpu) == 0 && strcmp(a->arch, b->arch) == 0 &&
         strcmp(a->source, b->source) == 0;
}

static SmbTable *
new_time_table(const SmbComparisonRow *first) {
  if (first->kind == SMB_ROW_PUBLISHED)
    return smb_table_new("published times|shape|defines|us>|predicted wavefronts>");
  g_autofree char *columns =
      g_strdup_printf("%s times|shape|defines|caches|us>|min>|max>|GB/s>|predicted wavefronts>",
                      smb_comparison_measured_word(first->recording));
  return smb_table_new(columns);
}

void
smb_comparison_launch(SmbTable *table, const SmbComparisonRow *row) {
  smb_table_cell(table, SMB_STYLE_PLAIN, row->kernel);
  smb_comparison_shape_cells(table, row);
}

void
smb_comparison_shape_cells(SmbTable *table, const SmbComparisonRow *row) {
  g_autofree char *shape = smb_comparison_shape(row);
  smb_table_cell(table, SMB_STYLE_PLAIN, shape);
  smb_table_cell(table, SMB_STYLE_DIM, row->variant);
}

static void
write_time_row(SmbTable *table, const SmbComparisonRow *row) {
  g_autofree char *predicted = smb_comparison_number(row->predicted);
  smb_comparison_launch(table, row);
  if (row->kind != SMB_ROW_PUBLISHED)
    smb_table_cell(table, SMB_STYLE_PLAIN, smb_comparison_is_cold(row) ? "cold" : "warm");
  smb_table_printf(table, SMB_STYLE_PLAIN, "%.3f", row->measured);
  if (row->kind != SMB_ROW_PUBLISHED) {
    smb_table_printf(table, SMB_STYLE_PLAIN, "%.3f", row->min);
    smb_table_printf(table, SMB_STYLE_PLAIN, "%.3f", row->max);
    smb_table_printf(table, SMB_STYLE_PLAIN, "%.1f", MAX(row->bandwidth, 0));
  }
  smb_table_cell(table, SMB_STYLE_PLAIN, predicted);
}

static void
write_count_row(SmbTable *table, const SmbComparisonRow *row) {
  smb_comparison_launch(table, row);
  smb_table_cell(table, SMB_STYLE_PLAIN, row->metric);
  smb_comparison_numbers(table, row);
  smb_comparison_outcome(table, row->outcome);
}

// What has a table of its own: published counts, but those that stand beside recorded ones and match; or
// times.
static gboolean
is_apart_row(const SmbComparisonRow *row, gboolean times, gboolean recorded_times) {
  if (times)
    return smb_comparison_is_time(row) && (row->kind == SMB_ROW_PUBLISHED || recorded_times);
  return row->kind == SMB_ROW_PUBLISHED && !smb_comparison_is_time(row) &&
         !(row->joined && row->outcome == SMB_OUTCOME_MATCH);
}

// A table for each device and source, below their names.
static gboolean
write_apart(SmbCli *cli, const SmbComparison *comparison, gboolean times, gboolean recorded_times) {
  const SmbComparisonRow *last = NULL;
  g_autoptr(SmbTable) table = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!is_apart_row(row, times, recorded_times))
      continue;
    if (!is_same_source(last, row)) {
      smb_comparison_end_table(cli, &table);
      // A single recording has its heading above.
      if (!row->recording || comparison->recordings->len > 1)
        write_comparison_heading(cli, row->gpu, row->arch, row->source);
      table = times ? new_time_table(row)
                    : smb_table_new("kernel|shape|defines|metric|predicted>|measured>|match");
      last = row;
    }
    if (times)
      write_time_row(table, row);
    else
      write_count_row(table, row);
  }
  smb_comparison_end_table(cli, &table);
  return last != NULL;
}

// Traces, each below the device and the file that it comes from.
static void
write_traces(SmbCli *cli, const SmbComparison *comparison, gboolean all) {
  const SmbComparisonRow *last = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (row->kind != SMB_ROW_REQUEST || row->recording || is_same_source(last, row) ||
        row->outcome == SMB_OUTCOME_UNMEASURED)
      continue;
    write_comparison_heading(cli, row->gpu, row->arch, row->source);
    show_requests(cli, comparison, row->source, all);
    last = row;
  }
}

static void
write_instruction_heading(SmbCli *cli, const SmbComparisonRow *row) {
  guint64 launch = row->recorded ? row->recorded->launch : 0;
  g_autofree char *name =
      launch ? g_strdup_printf("%s, launch %" G_GUINT64_FORMAT, row->kernel, launch)
             : g_strdup(row->kernel);
  write_comparison_heading(cli, name, row->arch, row->source);
  smb_spool_puts(cli->out, "\n");
}

// What was measured instruction by instruction: all, or what differs, below the kernel, or the launch.
static void
write_instruction_rows(SmbCli *cli, const SmbComparison *comparison, gboolean all) {
  g_autoptr(SmbTable) table = NULL;
  const SmbComparisonRow *last = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    gboolean is_shown = all || row->outcome != SMB_OUTCOME_MATCH;
    if (row->kind != SMB_ROW_INSTRUCTION || (row->recorded && !is_shown))
      continue;
    if (!last || row->recorded != last->recorded) {
      smb_comparison_end_table(cli, &table);
      write_instruction_heading(cli, row);
      last = row;
    }
    if (!is_shown)
      continue;
    if (!table)
      table = smb_table_new(row->recorded ? "metric|instruction|predicted>|measured>|match|note"
                                          : "metric|instruction|predicted>|ncu>|match|note");
    smb_table_cell(table, SMB_STYLE_PLAIN, row->metric);
    smb_table_cell(table, SMB_STYLE_PLAIN, row->instruction);
    smb_comparison_numbers(table, row);
    smb_comparison_outcome(table, row->outcome);
    smb_table_cell(table, SMB_STYLE_DIM,
                   row->outcome != SMB_OUTCOME_MATCH && row->note ? row->note : "");
  }
  smb_comparison_end_table(cli, &table);
}

static void
write_comparison_summary(SmbCli *cli, const SmbComparison *comparison) {
  smb_spool_printf(cli->out, "%u compared: %u match, ", comparison->compared, comparison->matched);
  if (comparison->explained)
    smb_spool_printf(cli->out, "%u explained, ", comparison->explained);
  smb_spool_printf(cli->out, "%u differ.", comparison->mismatched);
  if (comparison->unmeasured > comparison->failed)
    smb_spool_printf(cli->out, " %u not measured.", comparison->unmeasured - comparison->failed);
  if (comparison->failed)
    smb_spool_printf(cli->out, " %s failed: see above.",
                     smb_count(comparison->failed, "launch").text);
  smb_spool_puts(cli->out, "\n");
}

static void
write_time_legend(SmbCli *cli, const SmbComparison *comparison, gboolean recorded_times) {
  gboolean recorded = FALSE;
  for (guint i = 0; i < comparison->rows->len && recorded_times; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    recorded = recorded || (row->kind != SMB_ROW_PUBLISHED && smb_comparison_is_time(row));
  }
  if (recorded)
    smb_text_wrap(cli->out,
                  "us: microseconds of a launch, the median. GB/s: effective bandwidth, the bytes "
                  "that the lanes load from and store to global memory, divided by that time. "
                  "Caches are warm right after the same launch, and cold after more than the L2 "
                  "cache was overwritten.");
  smb_spool_puts(cli->out, "Times are not compared: wavefront counts are not run times.\n\n");
}

void
smb_comparison_write_text(SmbCli *cli, gconstpointer report) {
  const SmbComparisonReport *view = report;
  const SmbComparison *comparison = view->comparison;
  g_autofree char *provenance = smb_comparison_provenance(comparison);
  smb_text_wrap_printf(cli->out, "Measured values: %s.", provenance);
  smb_spool_puts(cli->out, "\n");
  for (guint i = 0; i < comparison->recordings->len; i++)
    write_recording_name(cli, comparison, g_ptr_array_index(comparison->recordings, i), view);
  write_apart(cli, comparison, FALSE, FALSE);
  write_traces(cli, comparison, view->requests);
  write_instruction_rows(cli, comparison, view->requests);
  if (write_apart(cli, comparison, TRUE, view->times))
    write_time_legend(cli, comparison, view->times);
  write_comparison_summary(cli, comparison);
  if (comparison->shard.of)
    smb_shard_write_text(&comparison->shard, cli->out);
}
