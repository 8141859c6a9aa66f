// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// explain as JSON and as CSV. Keys are only ever added.
#include <math.h>

#include "sim/arch/rule.h"
#include "src/analysis/access-json.h"
#include "src/analysis/peer-access.h"
#include "src/analysis/placed.h"
#include "src/analysis/verdict.h"
#include "src/analysis/warning.h"
#include "src/explain/lane.h"
#include "src/explain/report.h"
#include "src/explain/words.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/target/origin.h"
#include "src/target/target-json.h"

static void
write_explained_access(JsonBuilder *json, const SmbExplanation *e) {
  g_autoptr(SmbOrigins) origins = smb_origins_new(e->target->kernel, e->target->files);
  g_autofree char *line = smb_origins_line(origins, e->access->site);
  smb_json_object(json, "access");
  smb_analyze_json_access(json, e->target->kernel, e->access);
  smb_json_text(json, "source", line);
  json_builder_end_object(json);
}

static void
write_request_json(JsonBuilder *json, const SmbExplanation *e) {
  smb_json_object(json, "request");
  smb_json_number(json, "warp", e->warp);
  smb_json_number(json, "block", (gint64)e->block);
  smb_json_number_if(json, "count", e->count > 0, (gint64)e->count);
  smb_json_text(json, "op", smb_op_name((SmbOp)e->request.op));
  smb_json_number(json, "mask", (gint64)e->request.mask);
  g_autofree char *mask = g_strdup_printf("%0*" G_GINT64_MODIFIER "x",
                                          (int)smb_arch_info(e->arch)->lanes / 4, e->request.mask);
  smb_json_text(json, "mask_hex", mask);
  smb_json_number(json, "wavefronts", e->cost.wavefronts);
  smb_json_number(json, "ideal_wavefronts", e->cost.ideal);
  smb_json_number(json, "excess_wavefronts", e->cost.excess);
  smb_json_number(json, "degree", e->cost.degree);
  smb_json_number(json, "cycles", e->cost.cycles);
  smb_json_number(json, "passes", e->passes.n);
  smb_json_boolean(json, "merged", e->rule->merges && e->plan == &e->rule->merged);
  smb_json_number(json, "group_lanes", smb_lanes_count(smb_plan_group_lanes(e->plan, 0)));
  json_builder_end_object(json);
}

static void
write_lane_set(JsonBuilder *json, const char *key, SmbLanes lanes) {
  smb_json_array(json, key);
  for (; lanes; lanes &= lanes - 1)
    smb_json_number(json, NULL, smb_lanes_first(lanes));
  json_builder_end_array(json);
}

static void
write_lane_json(JsonBuilder *json, const SmbExplanation *e, guint number) {
  SmbExplainLane lane = smb_explain_lane(e, number);
  smb_json_object(json, NULL);
  smb_json_number(json, "lane", number);
  smb_json_extent(json, "thread", lane.thread);
  smb_json_text(json, "array", lane.array ? lane.array->name : NULL);
  smb_json_array(json, "indices");
  for (guint i = 0; i < lane.n_indices; i++)
    smb_json_number(json, NULL, (gint64)lane.index[i]);
  json_builder_end_array(json);
  smb_json_number(json, "offset", lane.offset);
  smb_json_number(json, "word", lane.word);
  smb_json_number(json, "words", lane.n_words);
  smb_json_number(json, "bank", lane.bank);
  smb_json_number(json, "group", lane.group);
  smb_json_number_if(json, "pass", e->passes.n > 0, lane.pass);
  write_lane_set(json, "shares_with", lane.sharers);
  json_builder_end_object(json);
}

static void
write_banks_json(JsonBuilder *json, const SmbExplanation *e) {
  smb_json_array(json, "banks");
  for (guint i = 0; i < e->banks->len; i++) {
    const SmbExplainBank *bank = &g_array_index(e->banks, SmbExplainBank, i);
    smb_json_object(json, NULL);
    smb_json_number(json, "group", bank->group);
    smb_json_number(json, "bank", bank->bank);
    smb_json_number(json, "words", bank->words);
    smb_json_number(json, "passes", bank->passes);
    write_lane_set(json, "lanes", bank->lanes);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

static void
write_affine(JsonBuilder *json, const SmbExplanation *e) {
  static const char *const kinds[] = {"irregular", "stride", "runs"};
  const SmbAffine *affine = &e->affine;
  smb_json_object(json, "structure");
  smb_json_text(json, "kind", kinds[affine->kind]);
  write_lane_set(json, "lanes", affine->lanes);
  gboolean runs = affine->kind == SMB_AFFINE_RUNS;
  smb_json_number_if(json, "stride", affine->kind != SMB_AFFINE_IRREGULAR, affine->stride);
  smb_json_number_if(json, "run", runs, affine->run);
  smb_json_number_if(json, "run_stride", runs, affine->run_stride);
  json_builder_end_object(json);
}

// @tally: (nullable): of a layout that does not fit
static void
write_degree(JsonBuilder *json, const char *key, const SmbTally *tally) {
  if (!smb_json_object_if(json, key, tally != NULL))
    return;
  smb_json_tally(json, tally);
  smb_json_number(json, "max_degree", tally->max_degree);
  json_builder_end_object(json);
}

static void
write_neighbour(JsonBuilder *json, const SmbExplanation *e, const SmbNeighbour *neighbour) {
  static const char *const fits[] = {"fits", "outside", "torn", "misaligned"};
  static const char *const rooms[] = {"enough", "opt-in", "too small"};
  const SmbCandidate *candidate = neighbour->candidate;
  smb_json_object(json, NULL);
  smb_json_number(json, "pad", (gint64)candidate->layout.pad);
  smb_json_boolean(json, "present", neighbour->present);
  smb_json_text(json, "fit", fits[candidate->fit]);
  smb_json_number(json, "shared_bytes", (gint64)neighbour->shared_bytes);
  smb_json_text(json, "room", rooms[neighbour->room]);
  gboolean fits_in = candidate->fit == SMB_LAYOUT_FITS;
  write_degree(json, "access",
               fits_in ? &g_array_index(candidate->accesses, SmbTally, e->index) : NULL);
  write_degree(json, "array", fits_in ? &candidate->total : NULL);
  json_builder_end_object(json);
}

static void
write_padding_json(JsonBuilder *json, const SmbExplanation *e) {
  static const char *const sources[] = {NULL, "given", "dimension", "search"};
  if (!smb_json_object_if(json, "padding",
                          e->neighbours && e->neighbours->rows != SMB_ROWS_UNKNOWN))
    return;
  smb_json_text(json, "array", e->array->name);
  smb_json_text(json, "rows_from", sources[e->neighbours->rows]);
  smb_json_number(json, "columns", (gint64)e->neighbours->layout.columns);
  smb_json_number(json, "pad", (gint64)e->neighbours->layout.pad);
  smb_json_array(json, "choices");
  for (guint i = 0; i < e->neighbours->all->len; i++)
    write_neighbour(json, e, g_ptr_array_index(e->neighbours->all, i));
  json_builder_end_array(json);
  json_builder_end_object(json);
}

static void
write_cost(JsonBuilder *json, const SmbExplainReport *report) {
  const SmbExplanation *e = report->explanation;
  SmbExplainCost cost = smb_explain_cost(e);
  smb_json_object(json, "cost");
  smb_json_number(json, "all_wavefronts", (gint64)cost.all_wavefronts);
  smb_json_number(json, "cycles", (gint64)cost.cycles);
  smb_json_number_if(json, "ideal_cycles", cost.ideal_cycles > 0, (gint64)cost.ideal_cycles);
  smb_json_number_if(json, "source_view_ideal", cost.view_ideal > 0, (gint64)cost.view_ideal);
  if (report->time && report->time->time)
    smb_json_number(json, "cost_cycles",
                    (gint64)round(smb_access_cost(report->time, report->compiled, e->access)));
  json_builder_end_object(json);
}

// A sentence, which is released.
static void
write_explained_words(JsonBuilder *json, const char *key, char *text) {
  smb_json_text(json, key, text);
  g_free(text);
}

static void
write_texts(JsonBuilder *json, const SmbExplainReport *report) {
  const SmbExplanation *e = report->explanation;
  smb_json_object(json, "text");
  write_explained_words(json, "choice", smb_explain_choice(e));
  write_explained_words(json, "rule", smb_explain_rule(e));
  write_explained_words(json, "example", smb_explain_example(e));
  write_explained_words(json, "meeting", smb_explain_meeting(e));
  write_explained_words(json, "sharing", smb_explain_sharing(e));
  write_explained_words(json, "reason", smb_explain_reason(e));
  write_explained_words(json, "padding", smb_explain_padding(e));
  write_explained_words(json, "cost", smb_explain_describe_cost(e));
  if (report->time)
    write_explained_words(json, "time", smb_explain_time(report));
  if (smb_compiled_count_has(report->compiled)) {
    write_explained_words(json, "compiled",
                          smb_compiled_count_tell_line(report->compiled, e->access));
  }
  json_builder_end_object(json);
}

static void
write_nothing(JsonBuilder *json) {
  static const char *const keys[] = {"access",    "request", "lanes", "banks",
                                     "structure", "padding", "cost",  "text"};
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    smb_json_null(json, keys[i]);
}

// Boxes and operands; nothing if there are none.
static void
write_tiles_json(JsonBuilder *json, const SmbExplainReport *report, const SmbArch *arch) {
  if (!report->tiles || report->tiles->len == 0)
    return;
  smb_json_array(json, "rows");
  for (guint i = 0; i < report->tiles->len; i++) {
    const SmbPlacedRows *rows = &g_array_index(report->tiles, SmbPlacedRows, i);
    const SmbWavefronts cost = smb_wavefronts_count(arch, &rows->request);
    const char operand[] = {rows->name, '\0'};
    g_autofree char *text = smb_placed_rows_describe(arch, rows);
    json_builder_begin_object(json);
    smb_json_text(json, "file", rows->site->file);
    smb_json_number(json, "line", rows->site->line);
    smb_json_text(json, "instruction", rows->site->expression);
    smb_json_text(json, "operand", rows->name == '-' ? NULL : operand);
    smb_json_array(json, "offsets");
    for (SmbLanes lanes = smb_request_lanes(&rows->request); lanes; lanes &= lanes - 1)
      smb_json_number(json, NULL, rows->request.offset[smb_lanes_first(lanes)]);
    json_builder_end_array(json);
    smb_json_number(json, "ldmatrix_wavefronts", cost.wavefronts);
    smb_json_number(json, "ldmatrix_excess", cost.excess);
    smb_json_text(json, "text", text);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

// Accesses to other blocks; nothing if there are none.
static void
write_peers_json(JsonBuilder *json, const SmbExplainReport *report) {
  if (!report->peers || report->peers->len == 0)
    return;
  smb_json_array(json, "cluster_accesses");
  for (guint i = 0; i < report->peers->len; i++) {
    const SmbPeerAccess *access = &g_array_index(report->peers, SmbPeerAccess, i);
    g_autofree char *text = smb_peer_access_describe(access);
    json_builder_begin_object(json);
    smb_json_text(json, "file", access->site->file);
    smb_json_number(json, "line", access->site->line);
    smb_json_text(json, "instruction", access->site->expression);
    smb_json_number(json, "warp", access->warp);
    smb_json_number(json, "width", access->width);
    smb_json_array(json, "lanes");
    for (SmbLanes rest = access->lanes; rest; rest &= rest - 1) {
      guint lane = smb_lanes_first(rest);
      smb_json_object(json, NULL);
      smb_json_number(json, "lane", lane);
      smb_json_number(json, "block", access->rank[lane]);
      smb_json_number(json, "offset", access->offset[lane]);
      json_builder_end_object(json);
    }
    json_builder_end_array(json);
    smb_json_number(json, "packets", smb_peer_access_packets(access));
    smb_json_text(json, "text", text);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

void
smb_explain_write_json(SmbCli *cli, gconstpointer result) {
  const SmbExplainReport *report = result;
  const SmbExplanation *e = report->explanation;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_target(json, report->target, report->analysis->shared_bytes);
  smb_json_text(json, "exact_of", smb_analyze_exact_of(report->target->kernel));
  smb_json_arch(json, cli->arch);
  if (e) {
    write_explained_access(json, e);
    write_request_json(json, e);
    smb_json_array(json, "lanes");
    for (SmbLanes lanes = smb_request_lanes(&e->request); lanes; lanes &= lanes - 1)
      write_lane_json(json, e, smb_lanes_first(lanes));
    json_builder_end_array(json);
    write_banks_json(json, e);
    write_affine(json, e);
    write_padding_json(json, e);
    write_cost(json, report);
    write_texts(json, report);
  } else {
    write_nothing(json);
  }
  write_tiles_json(json, report, cli->arch);
  write_peers_json(json, report);
  smb_analyze_json_compiled(json, report->target->kernel, report->compiled, FALSE,
                            e ? e->access : NULL, report->time);
  smb_launch_time_json(json, report->time);
  smb_analyze_json_warnings(json, report->target, report->analysis);
  smb_json_end(json, cli->out);
}

static void
write_csv_lane(SmbCsv *csv, const SmbExplanation *e, guint number) {
  SmbExplainLane lane = smb_explain_lane(e, number);
  g_autofree char *element = smb_explain_element(&lane);
  g_autoptr(GString) sharers = g_string_new(NULL);
  for (SmbLanes rest = lane.sharers; rest; rest &= rest - 1)
    g_string_append_printf(sharers, "%s%u", sharers->len ? " " : "", smb_lanes_first(rest));
  SMB_CSV_NUMBERS(csv, number, lane.thread[0], lane.thread[1], lane.thread[2]);
  smb_csv_text(csv, element);
  SMB_CSV_NUMBERS(csv, lane.offset, lane.word, lane.n_words, lane.bank, lane.group);
  smb_csv_number_if(csv, e->passes.n > 0, lane.pass);
  smb_csv_text(csv, sharers->len ? sharers->str : NULL);
  smb_csv_end_row(csv);
}

void
smb_explain_write_csv(SmbCli *cli, gconstpointer result) {
  const SmbExplainReport *report = result;
  const SmbExplanation *e = report->explanation;
  SmbCsv csv = smb_csv_begin(cli->out, "lane,thread_x,thread_y,thread_z,element,offset,"
                                       "word,words,bank,group,pass,shares_with");
  for (SmbLanes lanes = e ? smb_request_lanes(&e->request) : 0; lanes; lanes &= lanes - 1)
    write_csv_lane(&csv, e, smb_lanes_first(lanes));
}
