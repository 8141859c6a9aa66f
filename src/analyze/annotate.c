// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The annotated source. Every count stands beside exactly one line, and the sums below are those of the analysis.
#include "src/analyze/annotate-code.h"

#include <math.h>

#include "sim/arch/words.h"
#include "src/analysis/heading.h"
#include "src/analysis/line.h"
#include "src/analysis/row.h"
#include "src/analysis/verdict.h"
#include "src/analyze/report.h"

static void
write_count(SmbTable *table, SmbStyle style, guint64 count) {
  if (count)
    smb_table_number(table, style, count);
  else
    smb_table_cell(table, SMB_STYLE_PLAIN, "");
}

static void
write_margin(SmbTable *table, const SmbLineTally *line) {
  const SmbTally *shared = &line->shared;
  write_count(table, SMB_STYLE_PLAIN, shared->requests);
  write_count(table, SMB_STYLE_PLAIN, shared->wavefronts);
  write_count(table, SMB_STYLE_BAD, shared->excess);
  write_count(table, SMB_STYLE_PLAIN, line->segments);
  if (shared->requests)
    smb_table_printf(table, shared->excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD, "%u-way",
                     shared->max_degree);
  else
    smb_table_cell(table, SMB_STYLE_PLAIN, "");
}

// What conflicts cost: @cycles of a launch that has a time.
static void
write_line_cost(SmbTable *table, double cycles) {
  write_count(table, SMB_STYLE_BAD, (guint64)round(cycles));
}

// What is compiled of a line.
static void
write_compiled_margin(SmbTable *table, const SmbLineTally *line) {
  write_count(table, SMB_STYLE_PLAIN, line->shared.wavefronts);
  write_count(table, SMB_STYLE_BAD, line->shared.excess);
}

static SmbTable *
annotate_code(SmbCli *cli, const SmbAnalyzeReport *report, const GPtrArray *instructions) {
  g_autofree char *columns = g_strdup_printf(
      SMB_ANALYZE_CODE_COLUMNS "|%s>|" SMB_ANALYZE_CODE_WORST "%s" SMB_ANALYZE_CODE_COLUMNS_BEHIND,
      smb_analyze_segment_name(cli->arch),
      smb_analyze_is_timed(report) ? SMB_ANALYZE_COST_COLUMN "|" : "");
  SmbTable *table = smb_table_new(columns);
  smb_analyze_add_code(table, instructions, report);
  return table;
}

static GArray *
sum_compiled(const SmbAnalyzeReport *report, guint n_lines) {
  return smb_compiled_count_has(report->compiled)
             ? smb_analyze_sum_lines(report->compiled->analysis,
                                     smb_program_file(report->target->kernel), n_lines,
                                     report->time)
             : NULL;
}

// A line of a table, or what stands below all.
static void
write_line(SmbTable *table, const SmbAnalyzeReport *report, const GArray *lines,
           const GArray *compiled, guint i) {
  write_margin(table, &g_array_index(lines, SmbLineTally, i));
  if (compiled)
    write_compiled_margin(table, &g_array_index(compiled, SmbLineTally, i));
  double all = smb_launch_time_conflicts(report->time);
  if (compiled && smb_analyze_is_timed(report))
    write_line_cost(table, i ? g_array_index(compiled, SmbLineTally, i).cost : all);
}

// Sums up in row 0, which is what stands elsewhere.
static void
add_up_lines(GArray *lines) {
  SmbLineTally *total = &g_array_index(lines, SmbLineTally, 0);
  for (guint i = 1; i < lines->len; i++) {
    const SmbLineTally *line = &g_array_index(lines, SmbLineTally, i);
    smb_tally_add(&total->shared, &line->shared);
    total->segments += line->segments;
  }
}

static SmbTable *
annotate_text(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbSource *source = smb_program_source(report->target->kernel);
  guint n_lines = source ? smb_source_n_lines(source) : 0;
  g_autoptr(GArray) lines = smb_analyze_sum_lines(report->analysis, NULL, n_lines, NULL);
  g_autoptr(GArray) compiled = sum_compiled(report, n_lines);
  g_autofree char *columns = g_strdup_printf(
      smb_arch_say(cli->arch, "per launch: requests>|wavefronts>|excess>|%s>|"
                              "per request: worst>|%s%s: line>|source"),
      smb_analyze_segment_name(cli->arch), compiled ? "compiled: wavefronts>|excess>|" : "",
      compiled && smb_analyze_is_timed(report) ? SMB_ANALYZE_COST_COLUMN "|" : "");
  SmbTable *table = smb_table_new(columns);
  for (guint i = 1; i <= n_lines; i++) {
    g_autofree char *text = smb_source_line(source, i);
    write_line(table, report, lines, compiled, i);
    smb_table_number(table, SMB_STYLE_DIM, i);
    smb_table_cell(table, SMB_STYLE_PLAIN, text);
  }
  smb_table_rule(table);
  add_up_lines(lines);
  if (compiled)
    add_up_lines(compiled);
  write_line(table, report, lines, compiled, 0);
  smb_table_cell(table, SMB_STYLE_PLAIN, "");
  smb_table_cell(table, SMB_STYLE_BOLD, "total");
  return table;
}

void
smb_analyze_annotate(SmbCli *cli, gconstpointer result) {
  const SmbAnalyzeReport *report = result;
  g_autoptr(GPtrArray) instructions = smb_program_instructions(report->target->kernel);
  g_autoptr(SmbTable) table =
      instructions ? annotate_code(cli, report, instructions) : annotate_text(cli, report);
  smb_analyze_write_careful_heading(cli, report->target, report->analysis, report->compiled);
  smb_analyze_write_verdict(cli, smb_analyze_judged(report));
  smb_analyze_write_which(cli, report);
  smb_launch_time_write(cli, report->time);
  smb_table_write(table, cli->out, cli->colour);
  gboolean is_first = FALSE;
  smb_analyze_write_worst(cli, smb_analyze_told(report), report->compiled, &is_first);
  smb_analyze_write_end(cli, smb_analyze_told(report));
}
