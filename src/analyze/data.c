// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// analyze as JSON and as CSV. Keys are only ever added.

#include <math.h>

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "sim/layout/tile-program.h"
#include "src/analysis/access-json.h"
#include "src/analysis/limit.h"
#include "src/analysis/vendor.h"
#include "src/analysis/verdict.h"
#include "src/analysis/warning.h"
#include "src/analyze/part.h"
#include "src/finding/finding.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/target/target-json.h"

static void
write_global_json(JsonBuilder *json, const SmbGlobalAccess *access) {
  smb_json_number(json, "requests", (gint64)access->requests);
  smb_json_number(json, "segments", (gint64)access->segments);
  smb_json_number(json, "ideal_segments", (gint64)access->ideal);
  smb_json_number(json, "excess_segments", (gint64)(access->segments - access->ideal));
  smb_json_number(json, "max_segments", access->max_segments);
  smb_json_number(json, "uncounted_requests", (gint64)access->uncounted);
}

static void
write_globals(JsonBuilder *json, const SmbAnalyzeReport *report, const SmbArch *arch) {
  const SmbAnalysis *analysis = report->analysis;
  smb_json_object(json, "global");
  smb_json_number(json, "segment_bytes", smb_arch_info(arch)->global_segment_bytes);
  smb_json_array(json, "accesses");
  for (guint i = 0; i < analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(analysis->globals, SmbGlobalAccess, i);
    smb_json_object(json, NULL);
    smb_analyze_json_place(json, report->target->kernel, access->site, "buffer", access->buffer);
    write_global_json(json, access);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_object(json, "totals");
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
    smb_json_object(json, smb_op_class_name((SmbOpClass)c));
    write_global_json(json, &analysis->global_totals[c]);
    json_builder_end_object(json);
  }
  json_builder_end_object(json);
  json_builder_end_object(json);
}

// The numbers of loads of constant memory: words are what other memory has wavefronts for.
static void
write_words_json(JsonBuilder *json, const SmbTally *tally) {
  smb_json_number(json, "requests", (gint64)tally->requests);
  smb_json_number(json, "words", (gint64)tally->wavefronts);
  smb_json_number(json, "ideal_words", (gint64)tally->ideal);
  smb_json_number(json, "excess_words", (gint64)tally->excess);
  smb_json_number(json, "max_words", tally->max_degree);
  smb_json_number(json, "cycles", (gint64)tally->cycles);
}

static void
write_constants_json(JsonBuilder *json, const SmbAnalyzeReport *report) {
  const SmbAnalysis *analysis = report->analysis;
  smb_json_object(json, "constant");
  smb_json_array(json, "accesses");
  for (guint i = 0; i < analysis->constants->len; i++) {
    const SmbConstantAccess *access = &g_array_index(analysis->constants, SmbConstantAccess, i);
    smb_json_object(json, NULL);
    smb_analyze_json_place(json, report->target->kernel, access->site, "variable",
                           access->variable);
    write_words_json(json, &access->total);
    smb_json_boolean(json, "exact", !access->reason);
    smb_json_text(json, "reason", access->reason);
    smb_json_number(json, "uncounted_requests", (gint64)access->uncounted);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_object(json, "totals");
  write_words_json(json, &analysis->constant_total);
  json_builder_end_object(json);
  json_builder_end_object(json);
}

// What is in no total, since it makes no request that is counted.
static void
write_traffic_json(JsonBuilder *json, const SmbAnalyzeReport *report) {
  const GArray *all = report->analysis->traffic;
  smb_json_array(json, "other_shared_traffic");
  for (guint i = 0; i < all->len; i++) {
    const SmbOtherTraffic *traffic = &g_array_index(all, SmbOtherTraffic, i);
    smb_json_object(json, NULL);
    smb_analyze_json_place(json, report->target->kernel, traffic->site, NULL, NULL);
    smb_json_text(json, "kind", smb_traffic_name(traffic->kind));
    smb_json_number(json, "executions", (gint64)traffic->executions);
    smb_json_number(json, "bytes", (gint64)traffic->bytes);
    guint64 wavefronts = 0;
    gboolean has_rule =
        smb_other_traffic_wavefronts(traffic, report->analysis->vendor, &wavefronts);
    smb_json_number_if(json, "wavefronts", has_rule, (gint64)wavefronts);
    smb_json_number_if(json, "packets", traffic->packets > 0, (gint64)traffic->packets);
    smb_json_number_if(json, "ideal_packets", traffic->packets > 0, (gint64)traffic->ideal_packets);
    smb_json_number(json, "executions_of_unknown_size", (gint64)traffic->unsized);
    smb_json_boolean(json, "exact", smb_other_traffic_is_exact(traffic));
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

// --max-ways for the whole launch.
static void
write_limit(JsonBuilder *json, const SmbAnalyzeReport *report) {
  const SmbAnalysis *analysis = smb_analyze_judged(report);
  guint max_ways = smb_limits_ways(report->limits);
  if (max_ways == G_MAXUINT)
    return;
  smb_json_object(json, "limit");
  smb_json_number(json, "max_ways", max_ways);
  smb_json_array(json, "exceeded");
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (smb_analyze_ways(access) <= max_ways)
      continue;
    smb_json_object(json, NULL);
    smb_json_number(json, "line", access->site->line);
    smb_json_number(json, "column", access->site->column);
    smb_json_text(json, "op", smb_op_class_name(access->site->op_class));
    smb_json_number(json, "ways", smb_analyze_ways(access));
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_number(json, "uncounted_requests", (gint64)smb_analyze_uncounted(analysis));
  smb_json_boolean(json, "depends_on_data", smb_analyze_assumes(analysis));
  smb_json_boolean(json, "vacuous", analysis->idle != NULL);
  json_builder_end_object(json);
}

static void
write_failed(JsonBuilder *json, const SmbProgram *program, const SmbCompiledCount *compiled,
             const SmbFailedLimit *failure) {
  const SmbSite *written =
      failure->access ? smb_compiled_count_written(compiled, failure->access) : NULL;
  const SmbSite *site = written ? written : failure->access ? failure->access->site : NULL;
  smb_json_object(json, NULL);
  smb_json_text(json, "option", failure->limit->option);
  smb_json_text(json, "place", failure->limit->where);
  smb_json_number(json, "limit", (gint64)failure->limit->most);
  smb_json_boolean(json, "percent", failure->limit->is_percent);
  if (failure->has_value && failure->limit->is_percent)
    smb_json_double(json, "value", failure->value);
  else
    smb_json_number_if(json, "value", failure->has_value, (gint64)failure->value);
  smb_json_text(json, "file", site ? smb_analyze_site_file(program, site) : NULL);
  smb_json_number_if(json, "line", site != NULL, site ? site->line : 0);
  smb_json_number_if(json, "column", site != NULL, site ? site->column : 0);
  smb_json_text(json, "array", failure->access ? failure->access->array : NULL);
  smb_json_text(json, "op", site ? smb_op_class_name(site->op_class) : NULL);
  smb_json_text(json, "message", failure->message);
  json_builder_end_object(json);
}

static void
write_failures(JsonBuilder *json, const SmbAnalyzeReport *report) {
  if (report->limits->len == 0)
    return;
  smb_json_array(json, "failed_limits");
  for (guint i = 0; i < report->failed->len; i++)
    write_failed(json, report->target->kernel, report->compiled,
                 &g_array_index(report->failed, SmbFailedLimit, i));
  json_builder_end_array(json);
}

// Of a program that is a layout with its accesses: both as they were understood.
static void
write_tile_json(JsonBuilder *json, const SmbProgram *program) {
  const SmbTile *tile = smb_layout_program_tile(program);
  const GPtrArray *accesses = tile ? smb_layout_program_accesses(program) : NULL;
  if (!tile)
    return;
  smb_json_object(json, "layout");
  smb_json_text(json, "text", tile->text);
  smb_json_text(json, "element", tile->element->name);
  smb_json_array(json, "shape");
  for (guint i = 0; i < tile->rank; i++)
    smb_json_number(json, NULL, (gint64)tile->extent[i]);
  json_builder_end_array(json);
  smb_json_text(json, "shape_from", tile->is_measured ? "accesses" : "layout");
  smb_json_number(json, "bytes", (gint64)tile->bytes);
  smb_json_number(json, "elements_at_one_place", (gint64)tile->n_shared);
  json_builder_end_object(json);
  smb_json_array(json, "access");
  for (guint i = 0; i < accesses->len; i++) {
    const SmbTileAccess *access = accesses->pdata[i];
    const SmbTileCoverage coverage = smb_tile_access_coverage(access, tile);
    smb_json_object(json, NULL);
    smb_json_text(json, "text", access->text);
    smb_json_text(json, "op", smb_op_name(access->op));
    smb_json_number(json, "width", smb_program_site(program, i)->width);
    smb_json_number(json, "warps", access->n_warps);
    smb_json_number(json, "elements", (gint64)coverage.elements);
    smb_json_number(json, "threads_on_one_element", coverage.most_threads);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

JsonBuilder *
smb_analyze_begin_json(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbAnalysis *analysis = report->analysis;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_target(json, report->target, analysis->shared_bytes);
  write_tile_json(json, report->target->kernel);
  smb_json_text(json, "level", smb_program_level(report->target->kernel));
  smb_json_text(json, "exact_of", smb_analyze_exact_of(report->target->kernel));
  smb_json_number(json, "blocks_counted", (gint64)analysis->n_blocks_run);
  smb_json_arch(json, cli->arch);
  smb_analyze_json_accesses(json, report->target->kernel, analysis, report->by_warp,
                            report->compiled, report->time);
  smb_json_totals(json, analysis->totals, &analysis->copies);
  smb_analyze_json_compiled(json, report->target->kernel, report->compiled, report->by_warp, NULL,
                            report->time);
  smb_launch_time_json(json, report->time);
  smb_analyze_json_vendor(json, cli->arch, analysis);
  write_globals(json, report, cli->arch);
  write_constants_json(json, report);
  write_traffic_json(json, report);
  write_limit(json, report);
  write_failures(json, report);
  smb_analyze_json_warnings(json, report->target, report->analysis);
  g_autoptr(GPtrArray) findings = smb_analyze_findings(report, cli->arch);
  smb_findings_json(json, findings);
  g_autofree char *sentence = smb_compiled_count_summarize(report->compiled, analysis, cli->arch);
  smb_json_text(json, "summary", sentence);
  smb_analyze_json_proof(json, report);
  if (report->part)
    smb_analyze_json_part(json, report);
  return json;
}

void
smb_analyze_write_json(SmbCli *cli, gconstpointer result) {
  smb_json_end(smb_analyze_begin_json(cli, result), cli->out);
}

// A row of CSV, of any kind of memory: one of @shared, @global and @traffic is there, and what is NULL stays empty.
// @array: or the buffer, the variable, the kind of traffic
// @warp: its number; -1: all together
// @shared: also of constant memory, whose words stand where shared memory has its wavefronts
// @exact, @depends: yes or no
// @compiled: what is compiled of it, if that is counted and this row is the first that it stands for
// @cost: of conflicts, in cycles
typedef struct {
  const char *memory, *array;
  const SmbSite *site;
  gint64 warp;
  const SmbTally *shared;
  const SmbGlobalAccess *global;
  const SmbOtherTraffic *traffic;
  const char *exact, *reason, *depends;
  const guint64 *uncounted;
  const SmbTally *compiled;
  const double *cost;
} Row;

static const char *
say(gboolean so) {
  return so ? "yes" : "no";
}

// Traffic that makes no request has executions, and wavefronts where there is a rule.
static void
write_csv_counts(SmbCsv *csv, const SmbAnalyzeReport *report, const Row *row) {
  guint64 wavefronts = 0;
  if (row->shared) {
    SMB_CSV_NUMBERS(csv, row->shared->requests, row->shared->wavefronts, row->shared->ideal,
                    row->shared->excess, row->shared->max_degree, row->shared->cycles);
    smb_csv_skip(csv, 3);
  } else if (row->global) {
    smb_csv_number(csv, row->global->requests);
    smb_csv_skip(csv, 5);
    SMB_CSV_NUMBERS(csv, row->global->segments, row->global->ideal, row->global->max_segments);
  } else if (!row->traffic) { // only compiled code has it
    smb_csv_skip(csv, 9);
  } else {
    smb_csv_number(csv, row->traffic->executions);
    if (smb_other_traffic_wavefronts(row->traffic, report->analysis->vendor, &wavefronts))
      SMB_CSV_NUMBERS(csv, wavefronts, wavefronts, 0);
    else
      smb_csv_skip(csv, 3);
    smb_csv_skip(csv, 5);
  }
}

static void
write_csv_fields(SmbCsv *csv, const SmbAnalyzeReport *report, const Row *row) {
  const SmbSite *site = row->site;
  smb_csv_text(csv, row->memory);
  SMB_CSV_NUMBERS(csv, site->line, site->column);
  smb_csv_text(csv, row->array);
  smb_csv_text(csv, smb_op_class_name(site->op_class));
  smb_csv_number(csv, site->width);
  smb_csv_text(csv, site->expression);
  smb_csv_number_if(csv, row->warp >= 0, (guint64)row->warp);
  write_csv_counts(csv, report, row);
  smb_csv_text(csv, row->exact);
  smb_csv_text(csv, smb_analyze_site_file(report->target->kernel, site));
  smb_csv_number_if(csv, site->opcode != NULL, site->pc);
  smb_csv_text(csv, site->opcode);
  smb_csv_text(csv, row->reason);
  smb_csv_text(csv, row->depends);
  smb_csv_number_if(csv, row->uncounted != NULL, row->uncounted ? *row->uncounted : 0);
  if (row->compiled)
    SMB_CSV_NUMBERS(csv, row->compiled->requests, row->compiled->wavefronts, row->compiled->ideal,
                    row->compiled->excess, row->compiled->max_degree);
  else
    smb_csv_skip(csv, 5);
  smb_csv_number_if(csv, row->cost != NULL, row->cost ? (guint64)round(*row->cost) : 0);
  smb_csv_number_if(csv, row->shared != NULL, row->shared ? row->shared->idle_issues : 0);
  smb_csv_end_row(csv);
}

static void
write_csv_access(SmbCsv *csv, const SmbAccess *access, const SmbAnalyzeReport *report) {
  SmbTally compiled;
  gboolean is_first = smb_compiled_count_share(report->compiled, access, &compiled);
  Row row = {.memory = "shared",
             .array = access->array,
             .site = access->site,
             .warp = -1,
             .shared = &access->total,
             .exact = say(access->exact),
             .reason = access->reason,
             .depends = say(smb_access_depends_on_data(access)),
             .uncounted = &access->uncounted,
             .compiled = is_first ? &compiled : NULL};
  double cost = 0;
  if (smb_analyze_is_timed(report) && (is_first || !smb_compiled_count_has(report->compiled))) {
    cost = smb_access_cost(report->time, report->compiled, access);
    row.cost = &cost;
  }
  write_csv_fields(csv, report, &row);
  row.compiled = NULL;
  row.cost = NULL;
  for (guint w = 0; report->by_warp && w < report->analysis->n_warps; w++) {
    row.warp = w;
    row.shared = &access->warps[w];
    if (row.shared->requests > 0)
      write_csv_fields(csv, report, &row);
  }
}

// What only compiled code has.
static void
write_csv_compiled(SmbCsv *csv, const SmbAnalyzeReport *report) {
  for (guint i = 0; smb_compiled_count_has(report->compiled) && i < report->compiled->lines->len;
       i++) {
    const SmbCompiledLine *line = &g_array_index(report->compiled->lines, SmbCompiledLine, i);
    double cost = smb_analyze_is_timed(report)
                      ? smb_compiled_line_cost(report->time, report->compiled, line)
                      : 0;
    if (!line->first)
      write_csv_fields(csv, report,
                       &(Row){.memory = "shared",
                              .array = line->array,
                              .site = line->site,
                              .warp = -1,
                              .compiled = &line->total,
                              .cost = smb_analyze_is_timed(report) ? &cost : NULL});
  }
}

// One row an access; the rows of global memory count segments where those of shared memory count
// wavefronts, and those of constant memory words.
void
smb_analyze_write_csv(SmbCli *cli, gconstpointer result) {
  const SmbAnalyzeReport *report = result;
  const SmbAnalysis *analysis = report->analysis;
  SmbCsv csv = smb_csv_begin(cli->out, "memory,line,column,array,op,width,expression,warp,"
                                       "requests,wavefronts,ideal_wavefronts,"
                                       "excess_wavefronts,max_degree,cycles,segments,"
                                       "ideal_segments,max_segments,exact,file,pc,opcode,"
                                       "reason,depends_on_data,uncounted_requests,"
                                       "compiled_requests,compiled_wavefronts,"
                                       "compiled_ideal_wavefronts,"
                                       "compiled_excess_wavefronts,compiled_max_degree,cost_cycles,"
                                       "idle_issues");
  for (guint i = 0; i < analysis->accesses->len; i++)
    write_csv_access(&csv, &g_array_index(analysis->accesses, SmbAccess, i), report);
  write_csv_compiled(&csv, report);
  for (guint i = 0; i < analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(analysis->globals, SmbGlobalAccess, i);
    write_csv_fields(&csv, report,
                     &(Row){"global", access->buffer, access->site, -1, .global = access,
                            .uncounted = access->uncounted ? &access->uncounted : NULL});
  }
  for (guint i = 0; i < analysis->constants->len; i++) {
    const SmbConstantAccess *access = &g_array_index(analysis->constants, SmbConstantAccess, i);
    write_csv_fields(&csv, report,
                     &(Row){"constant", access->variable, access->site, -1, &access->total,
                            .exact = say(!access->reason), .reason = access->reason,
                            .uncounted = &access->uncounted});
  }
  for (guint i = 0; i < analysis->traffic->len; i++) {
    const SmbOtherTraffic *traffic = &g_array_index(analysis->traffic, SmbOtherTraffic, i);
    write_csv_fields(&csv, report,
                     &(Row){"other", smb_traffic_name(traffic->kind), traffic->site, -1,
                            .traffic = traffic, .exact = say(smb_other_traffic_is_exact(traffic))});
  }
}
