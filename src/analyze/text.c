// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/analysis/heading.h"
#include "src/analysis/row.h"
#include "src/analysis/verdict.h"
#include "src/analyze/part.h"
#include "src/out/describe.h"
#include "src/target/captured.h"

enum {
  MAX_EXPRESSION = 42, // that is shown whole, in columns
  TALLY_COLUMNS = 5,   // of smb_analyze_add_tally()
};

static char *
shorten_expression(const char *expression) {
  if (g_utf8_validate(expression, -1, NULL) && g_utf8_strlen(expression, -1) > MAX_EXPRESSION) {
    g_autofree char *head = g_utf8_substring(expression, 0, MAX_EXPRESSION - 3);
    return g_strconcat(head, "...", NULL);
  }
  return g_strdup(expression);
}

static void
add_compiled_tally(SmbTable *table, const SmbTally *tally) {
  smb_table_number(table, SMB_STYLE_PLAIN, tally->wavefronts);
  smb_table_number(table, tally->excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD, tally->excess);
}

static void
add_cost_cell(SmbTable *table, double cycles) {
  guint64 whole = (guint64)round(cycles);
  smb_table_number(table, whole ? SMB_STYLE_BAD : SMB_STYLE_GOOD, whole);
}

static void
add_sites(SmbTable *table, const SmbSite *site, guint n) {
  g_autofree char *text = smb_analyze_row_text(site, n);
  g_autofree char *expression = shorten_expression(text);
  smb_table_place(table, site);
  smb_table_cell(table, SMB_STYLE_PLAIN, expression);
  smb_table_cell(table, SMB_STYLE_PLAIN, smb_op_class_name(site->op_class));
}

// What is compiled of an access of the text: it stands once for all of its class in the line.
static void
add_compiled(SmbTable *table, const SmbAnalyzeReport *report, const SmbAccess *access) {
  SmbTally compiled = {0};
  if (smb_compiled_count_share(report->compiled, access, &compiled)) {
    add_compiled_tally(table, &compiled);
  } else {
    smb_table_cell(table, SMB_STYLE_DIM, SMB_ANALYZE_SAME_LINE);
    smb_table_cell(table, SMB_STYLE_DIM, SMB_ANALYZE_SAME_LINE);
  }
}

// The first row of a line has what all of it costs, as it has the compiled count.
static void
add_row_cost(SmbTable *table, const SmbAnalyzeReport *report, const SmbAccess *access) {
  SmbTally compiled;
  if (!smb_analyze_is_timed(report))
    return;
  if (smb_compiled_count_has(report->compiled) &&
      !smb_compiled_count_share(report->compiled, access, &compiled))
    smb_table_cell(table, SMB_STYLE_DIM, SMB_ANALYZE_SAME_LINE);
  else
    add_cost_cell(table, smb_analyze_cost(report, access));
}

// What only compiled code has.
static void
add_compiled_row(SmbTable *table, const SmbAnalyzeReport *report, const SmbCompiledLine *line) {
  SmbSite place = *line->site;
  if (g_strcmp0(place.file, smb_program_file(report->target->kernel)) == 0)
    place.file = NULL; // as the rows of the text have it
  add_sites(table, &place, line->n);
  for (guint column = 0; column < TALLY_COLUMNS; column++)
    smb_table_cell(table, SMB_STYLE_DIM, "-");
  add_compiled_tally(table, &line->total);
  if (smb_analyze_is_timed(report))
    add_cost_cell(table, smb_compiled_line_cost(report->time, report->compiled, line));
}

static void
add_tally(SmbTable *table, const SmbAnalyzeReport *report, const SmbTally *tally) {
  smb_analyze_add_tally(table, tally);
  if (smb_analyze_has_idle(report))
    smb_table_number(table, SMB_STYLE_PLAIN, tally->idle_issues);
}

static void
write_access_row(SmbTable *table, const SmbAnalyzeRow *row, const SmbAnalyzeReport *report) {
  const SmbAccess *access = row->access;
  add_sites(table, access->site, row->n);
  if (row->total.requests)
    add_tally(table, report, &row->total);
  else {
    for (guint i = 0; i < 4; i++)
      smb_table_cell(table, SMB_STYLE_DIM, "-");
    smb_table_cell(table, SMB_STYLE_BAD, "not counted");
    if (smb_analyze_has_idle(report))
      smb_table_number(table, SMB_STYLE_DIM, row->total.idle_issues);
  }
  if (smb_compiled_count_has(report->compiled))
    add_compiled(table, report, access);
  add_row_cost(table, report, access);
  for (guint w = 0; report->by_warp && w < report->analysis->n_warps; w++) {
    if (access->warps[w].requests == 0)
      continue;
    smb_table_cell(table, SMB_STYLE_PLAIN, "");
    smb_table_printf(table, SMB_STYLE_DIM, smb_vendor_say(report->analysis->vendor, "  warp %u"),
                     w);
    smb_table_cell(table, SMB_STYLE_PLAIN, "");
    add_tally(table, report, &access->warps[w]);
    smb_table_end_row(table);
  }
}

// @compiled: (nullable)
static void
write_total_row(SmbTable *table, const SmbAnalyzeReport *report, const char *name,
                const SmbTally *total, const SmbTally *compiled) {
  if (total->requests == 0 && (!compiled || compiled->requests == 0))
    return;
  smb_table_cell(table, SMB_STYLE_PLAIN, "");
  smb_table_cell(table, SMB_STYLE_BOLD, "total");
  smb_table_cell(table, SMB_STYLE_PLAIN, name);
  add_tally(table, report, total);
  if (compiled)
    add_compiled_tally(table, compiled);
  smb_table_end_row(table);
}

static void
write_shared(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbAnalysis *analysis = report->analysis;
  g_autoptr(SmbTable) table =
      smb_table_new(smb_arch_say(cli->arch, "line>|shared access|op|per launch: requests>|"
                                            "wavefronts>|ideal>|excess>|per request: worst>"));
  const SmbAnalysis *compiled =
      smb_compiled_count_has(report->compiled) ? report->compiled->analysis : NULL;
  if (smb_analyze_has_idle(report))
    smb_table_columns(table, ": idle issues>");
  if (compiled)
    smb_table_columns(table, "compiled: wavefronts>|excess>");
  if (smb_analyze_is_timed(report))
    smb_table_columns(table, SMB_ANALYZE_COST_COLUMN);
  guint n;
  g_autoptr(GArray) gathered = smb_analyze_gather(analysis->accesses, report->by_warp);
  g_autoptr(GArray) rows = smb_analyze_shared_rows(report, gathered, &n);
  for (guint i = 0; i < rows->len; i++) {
    const SmbSharedRow *row = &g_array_index(rows, SmbSharedRow, i);
    if (row->row)
      write_access_row(table, row->row, report);
    else
      add_compiled_row(table, report, row->line);
  }
  smb_table_rule(table);
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    write_total_row(table, report, smb_op_class_name((SmbOpClass)c), &analysis->totals[c],
                    compiled ? &compiled->totals[c] : NULL);
  write_total_row(table, report, "async", &analysis->copies, compiled ? &compiled->copies : NULL);
  smb_table_write(table, cli->out, cli->colour);
  smb_view_write_rest(smb_analyze_view(report), n, cli->out);
  if (smb_compiled_count_shares(report->compiled, analysis))
    smb_spool_puts(cli->out, SMB_ANALYZE_SAME_LINE_LEGEND "\n");
}

// A table with @n rows in all, apart from what is above it.
static void
write_next_table(SmbCli *cli, const SmbAnalyzeReport *report, const SmbTable *table, guint n,
                 gboolean *is_first) {
  smb_spool_puts(cli->out, *is_first ? "" : "\n");
  *is_first = FALSE;
  smb_table_write(table, cli->out, cli->colour);
  smb_view_write_rest(smb_analyze_view(report), n, cli->out);
}

static void
write_global_text(SmbCli *cli, const SmbAnalyzeReport *report, gboolean *is_first) {
  const SmbAnalysis *analysis = report->analysis;
  g_autofree char *columns = g_strdup_printf("line>|global access|op|per launch: requests>|%s>|"
                                             "ideal>|excess>|per request: worst>",
                                             smb_analyze_segment_name(cli->arch));
  g_autoptr(SmbTable) table = smb_table_new(columns);
  g_autoptr(GArray) rows = smb_analyze_gather_global(analysis->globals);
  g_autoptr(GArray) described = g_array_new(FALSE, FALSE, sizeof(SmbViewRow));
  for (guint i = 0; i < rows->len; i++) {
    const SmbGlobalAccess *total = &g_array_index(rows, SmbAnalyzeGlobalRow, i).total;
    SmbViewRow row = {total->site, total->segments - total->ideal, total->segments, total->requests,
                      0};
    g_array_append_val(described, row);
  }
  g_autoptr(GArray) order = smb_view_order(smb_analyze_view(report), described);
  for (guint i = 0; i < order->len; i++) {
    const SmbAnalyzeGlobalRow *row =
        &g_array_index(rows, SmbAnalyzeGlobalRow, g_array_index(order, guint, i));
    add_sites(table, row->total.site, row->n);
    smb_analyze_add_global(table, &row->total);
  }
  write_next_table(cli, report, table, rows->len, is_first);
}

static void
write_constants_text(SmbCli *cli, const SmbAnalyzeReport *report, gboolean *is_first) {
  const GArray *constants = report->analysis->constants;
  g_autoptr(SmbTable) table = smb_table_new("line>|constant access|op|per launch: requests>|words>|"
                                            "ideal>|excess>|per request: worst>");
  g_autoptr(GArray) described = g_array_new(FALSE, FALSE, sizeof(SmbViewRow));
  for (guint i = 0; i < constants->len; i++) {
    const SmbConstantAccess *access = &g_array_index(constants, SmbConstantAccess, i);
    SmbViewRow row = {access->site, access->total.excess, access->total.wavefronts,
                      access->total.requests, 0};
    g_array_append_val(described, row);
  }
  g_autoptr(GArray) order = smb_view_order(smb_analyze_view(report), described);
  for (guint i = 0; i < order->len; i++) {
    const SmbConstantAccess *access =
        &g_array_index(constants, SmbConstantAccess, g_array_index(order, guint, i));
    add_sites(table, access->site, 1);
    smb_analyze_add_words(table, access);
  }
  write_next_table(cli, report, table, constants->len, is_first);
}

static void
add_traffic_row(SmbTable *table, const SmbAnalyzeTrafficRow *row, guint vendor,
                gboolean has_packets) {
  char bytes[32];
  guint64 wavefronts = 0;
  smb_analyze_describe_bytes(&row->total, bytes, sizeof bytes);
  add_sites(table, row->total.site, row->n);
  smb_table_cell(table, SMB_STYLE_PLAIN, smb_traffic_name(row->total.kind));
  smb_table_number(table, SMB_STYLE_PLAIN, row->total.executions);
  smb_table_cell(table, SMB_STYLE_PLAIN, bytes);
  if (smb_other_traffic_wavefronts(&row->total, vendor, &wavefronts))
    smb_table_number(table, SMB_STYLE_PLAIN, wavefronts);
  else
    smb_table_cell(table, SMB_STYLE_DIM, "-");
  if (has_packets && row->total.packets) {
    smb_table_number(table, SMB_STYLE_PLAIN, row->total.packets);
    smb_table_number(table, SMB_STYLE_PLAIN, row->total.ideal_packets);
  } else if (has_packets) {
    smb_table_cell(table, SMB_STYLE_DIM, "-");
    smb_table_cell(table, SMB_STYLE_DIM, "-");
  }
}

static gboolean
asks_other_blocks(const GArray *traffic) {
  for (guint i = 0; i < traffic->len; i++) {
    if (g_array_index(traffic, SmbOtherTraffic, i).packets > 0)
      return TRUE;
  }
  return FALSE;
}

static void
write_traffic_text(SmbCli *cli, const SmbAnalyzeReport *report, gboolean *is_first) {
  const SmbAnalysis *analysis = report->analysis;
  gboolean has_packets = asks_other_blocks(analysis->traffic);
  g_autoptr(SmbTable) table = smb_table_new(smb_arch_say(
      cli->arch, has_packets ? "line>|other shared traffic|op|kind|per launch: executions>|bytes>|"
                               "wavefronts>|packets>|ideal>"
                             : "line>|other shared traffic|op|kind|per launch: executions>|bytes>|"
                               "wavefronts>"));
  g_autoptr(GArray) rows = smb_analyze_gather_traffic(analysis->traffic);
  g_autoptr(GArray) described = g_array_new(FALSE, FALSE, sizeof(SmbViewRow));
  for (guint i = 0; i < rows->len; i++) {
    const SmbOtherTraffic *total = &g_array_index(rows, SmbAnalyzeTrafficRow, i).total;
    SmbViewRow row = {total->site, 0, 0, total->executions, 0};
    smb_other_traffic_wavefronts(total, analysis->vendor, &row.wavefronts);
    g_array_append_val(described, row);
  }
  g_autoptr(GArray) order = smb_view_order(smb_analyze_view(report), described);
  for (guint i = 0; i < order->len; i++)
    add_traffic_row(table,
                    &g_array_index(rows, SmbAnalyzeTrafficRow, g_array_index(order, guint, i)),
                    analysis->vendor, has_packets);
  write_next_table(cli, report, table, rows->len, is_first);
}

// Whether a line has an access or declares an array.
static gboolean
is_counted(const SmbAnalyzeReport *report, guint line) {
  const SmbProgram *kernel = report->target->kernel;
  const GArray *accesses = report->analysis->accesses;
  gboolean counted = FALSE;
  for (guint i = 0; i < accesses->len; i++)
    counted |= g_array_index(accesses, SmbAccess, i).site->line == line;
  for (guint i = 0; i < smb_program_n_arrays(kernel); i++)
    counted |= smb_program_array(kernel, i)->line == line;
  return counted;
}

// The lines that are counted, of a kernel that the user did not write: a tile was given by numbers. They begin
// with the function and what stands in it before the first directive.
static void
write_tile_lines(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbSource *source = smb_program_source(report->target->kernel);
  gboolean is_head = FALSE;
  for (guint i = 1; i <= smb_source_n_lines(source); i++) {
    g_autofree char *line = smb_source_line(source, i);
    is_head = (is_head || g_str_has_prefix(line, "__global__")) && *line != '#';
    if (is_head || is_counted(report, i))
      smb_spool_printf(cli->out, "%4u  %s\n", i, line);
  }
  smb_spool_puts(cli->out, "\n");
}

void
smb_analyze_write_which(SmbCli *cli, const SmbAnalyzeReport *report) {
  if (!smb_compiled_count_has(report->compiled))
    return;
  g_autofree char *sentence = smb_compiled_count_tell(report->compiled, report->analysis);
  smb_text_wrap(cli->out, sentence);
  smb_spool_puts(cli->out, "\n");
}

// The sentences about the costliest access are next to the table that it is in.
static void
write_tables(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbAnalysis *analysis = report->analysis;
  guint tables = smb_analyze_view(report)->tables;
  gboolean has_shared =
      analysis->accesses->len > 0 || smb_analyze_judged(report)->accesses->len > 0;
  gboolean is_first = !has_shared || !(tables & 1u << SMB_TABLE_SHARED);
  if (!is_first)
    write_shared(cli, report);
  if (has_shared)
    smb_analyze_write_worst(cli, smb_analyze_told(report), report->compiled, &is_first);
  if (analysis->globals->len > 0 && (tables & 1u << SMB_TABLE_GLOBAL))
    write_global_text(cli, report, &is_first);
  if (analysis->constants->len > 0 && (tables & 1u << SMB_TABLE_CONSTANT))
    write_constants_text(cli, report, &is_first);
  if (analysis->traffic->len > 0 && (tables & 1u << SMB_TABLE_OTHER))
    write_traffic_text(cli, report, &is_first);
  if (!has_shared)
    smb_analyze_write_worst(cli, smb_analyze_told(report), report->compiled, &is_first);
}

// The verdict, and with a predicted time what conflicts cost of it.
static void
write_quietly(SmbCli *cli, const SmbAnalyzeReport *report) {
  g_autofree char *verdict = smb_analyze_verdict(smb_analyze_judged(report));
  g_autofree char *time = report->time ? smb_launch_time_tell(report->time) : NULL;
  smb_text_wrap(cli->out, verdict);
  if (time)
    smb_text_wrap(cli->out, time);
}

void
smb_analyze_write_text(SmbCli *cli, gconstpointer result) {
  const SmbAnalyzeReport *report = result;
  if (smb_analyze_view(report)->quiet) {
    write_quietly(cli, report);
    return;
  }
  smb_analyze_write_careful_heading(cli, report->target, report->analysis, report->compiled);
  smb_analyze_write_verdict(cli, smb_analyze_judged(report));
  smb_analyze_write_which(cli, report);
  smb_launch_time_write(cli, report->time);
  if (report->target->tile)
    write_tile_lines(cli, report);
  write_tables(cli, report);
  smb_analyze_write_end(cli, smb_analyze_told(report));
  smb_analyze_write_proof(cli, report);
  if (report->part)
    smb_shard_write_text(&report->part->shard, cli->out);
}
