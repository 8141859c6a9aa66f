// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The annotated source. Every count stands beside exactly one line, and the sums below are those of the analysis.
#include "src/analyze/annotate-code.h"

#include "sim/arch/words.h"
#include "src/analyze/report.h"

// What stands in another file has no line here: it counts in row 0. Compiled code stands where its instruction does, or in
// the @file that it was compiled from.
static guint
find_row(const SmbSite *site, const char *file, guint n_lines) {
  if (file)
    return g_strcmp0(site->file, file) == 0 && site->line <= n_lines ? site->line : 0;
  if (site->opcode)
    return site->pc <= n_lines ? site->pc : 0;
  return site->file ? 0 : site->line;
}

GArray *
smb_analyze_sum_lines(const SmbAnalysis *analysis, const char *file, guint n_lines) {
  GArray *lines = g_array_new(FALSE, TRUE, sizeof(SmbLineTally));
  g_array_set_size(lines, n_lines + 1);
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    SmbLineTally *line = &g_array_index(lines, SmbLineTally, find_row(access->site, file, n_lines));
    smb_tally_add(&line->shared, &access->total);
    if (access->total.excess > (line->worst ? line->worst->total.excess : 0))
      line->worst = access;
  }
  for (guint i = 0; i < analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(analysis->globals, SmbGlobalAccess, i);
    g_array_index(lines, SmbLineTally, find_row(access->site, file, n_lines)).segments +=
        access->segments;
  }
  return lines;
}

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

static SmbTable *
annotate_code(SmbCli *cli, const SmbAnalyzeReport *report, const GPtrArray *instructions) {
  g_autofree char *columns =
      g_strdup_printf(SMB_ANALYZE_CODE_COLUMNS "|%s>|" SMB_ANALYZE_CODE_COLUMNS_BEHIND,
                      smb_analyze_segment_name(cli->arch));
  SmbTable *table = smb_table_new(columns);
  smb_analyze_add_code(table, report->target->kernel, instructions, report->analysis,
                       report->target->files);
  return table;
}

static SmbTable *
annotate_text(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbSource *source = smb_program_source(report->target->kernel);
  guint n_lines = source ? smb_source_n_lines(source) : 0;
  g_autoptr(GArray) lines = smb_analyze_sum_lines(report->analysis, NULL, n_lines);
  g_autofree char *columns =
      g_strdup_printf(smb_arch_say(cli->arch, "per launch: requests>|wavefronts>|excess>|%s>|"
                                              "per request: worst>|: line>|source"),
                      smb_analyze_segment_name(cli->arch));
  SmbTable *table = smb_table_new(columns);
  SmbLineTally total = {0};
  for (guint i = 0; i <= n_lines; i++) {
    const SmbLineTally *line = &g_array_index(lines, SmbLineTally, i);
    smb_tally_add(&total.shared, &line->shared);
    total.segments += line->segments;
    if (i == 0)
      continue;
    g_autofree char *text = smb_source_line(source, i);
    write_margin(table, line);
    smb_table_number(table, SMB_STYLE_DIM, i);
    smb_table_cell(table, SMB_STYLE_PLAIN, text);
  }
  smb_table_rule(table);
  write_margin(table, &total);
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
  smb_analyze_write_heading(cli, report->target, report->analysis);
  smb_analyze_write_verdict(cli, report->analysis);
  smb_table_write(table, cli->out, cli->colour);
  smb_analyze_write_worst(cli, report->analysis);
}
