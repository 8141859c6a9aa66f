// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which bank maps a page has.
#include "src/report/impl.h"

#include "sim/base/order.h"
#include "src/cli/hint.h"

static int
compare_maps(gconstpointer a, gconstpointer b) {
  const SmbReportMap *x = a, *y = b;
  return smb_order(x->access, y->access) ?: smb_order(x->warp, y->warp);
}

// The costliest request of each warp of each access; of equals the first.
static GArray *
find_worst(const SmbArch *arch, const SmbAnalysis *analysis) {
  GArray *worst = g_array_new(FALSE, FALSE, sizeof(SmbReportMap));
  guint32 excess = 0; // of the last of them
  for (guint i = 0; i < analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(analysis->requests, SmbAccessRequest, i);
    guint32 cost = smb_wavefronts_count(arch, &made->request).excess;
    SmbReportMap map = {made->access, made->warp, made->block, made->count, made->request};
    SmbReportMap *last = worst->len ? &g_array_index(worst, SmbReportMap, worst->len - 1) : NULL;
    gboolean same = last && last->access == map.access && last->warp == map.warp;
    if (cost == 0 || (same && cost <= excess))
      continue;
    if (same)
      *last = map;
    else
      g_array_append_val(worst, map);
    excess = cost;
  }
  return worst;
}

// What an analysis always knows, also if it could not keep all requests. @maps are in order.
static void
add_known_launch(GArray *maps, const SmbAnalysis *analysis) {
  guint n = maps->len, at = 0;
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *known = &g_array_index(analysis->accesses, SmbAccess, i);
    SmbReportMap map = {i, known->worst_warp, known->worst_block, 0, known->worst};
    while (at < n && compare_maps(&g_array_index(maps, SmbReportMap, at), &map) < 0)
      at++;
    gboolean has = at < n && compare_maps(&g_array_index(maps, SmbReportMap, at), &map) == 0;
    if (known->worst_cost.excess > 0 && !has)
      g_array_append_val(maps, map);
  }
  g_array_sort(maps, compare_maps);
}

// What other paddings do to the arrays that have conflicts.
static void
find_neighbours(SmbReport *report) {
  const SmbAnalysis *analysis = report->analysis;
  for (guint i = 0; i < analysis->accesses->len && analysis->requests_dropped == 0; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    SmbArrayUse *use = smb_array_uses_of(report->uses, &access->worst, access->site->opcode);
    if (access->total.excess > 0 && use && use->array->n_dimensions > 0 &&
        !g_hash_table_contains(report->neighbours, use))
      g_hash_table_insert(report->neighbours, use,
                          smb_neighbours_new(report->arch, use, 0, report->target->tile));
  }
}

// What a conflict costs: as compiled, then in the text.
typedef struct {
  SmbReportConflict conflict;
  guint64 compiled, excess;
} Weight;

static int
compare_weights(gconstpointer a, gconstpointer b) {
  const Weight *x = a, *y = b;
  return smb_order(y->compiled, x->compiled) ?: smb_order(y->excess, x->excess)
                                             ?: smb_order(x->conflict.access, y->conflict.access);
}

guint
smb_report_index(const SmbReport *report, const SmbAccess *access) {
  return (guint)(access - &g_array_index(report->analysis->accesses, SmbAccess, 0));
}

// What conflicts, the costliest first.
static GArray *
find_report_conflicts(const SmbReport *report) {
  const GArray *accesses = report->analysis->accesses;
  GArray *conflicts = g_array_new(FALSE, FALSE, sizeof(SmbReportConflict));
  g_autoptr(GArray) rows = smb_analyze_gather(accesses, FALSE);
  g_autoptr(GArray) weights = g_array_new(FALSE, FALSE, sizeof(Weight));
  for (guint i = 0; i < rows->len; i++) {
    const SmbAnalyzeRow *row = &g_array_index(rows, SmbAnalyzeRow, i);
    const SmbCompiledLine *line = smb_compiled_count_has(report->compiled)
                                      ? smb_compiled_count_line(report->compiled, row->access)
                                      : NULL;
    guint worst = smb_report_index(report, smb_analyze_row_worst(accesses, row));
    const Weight weight = {{worst, *row}, line ? line->total.excess : 0, row->total.excess};
    if (row->total.excess > 0)
      g_array_append_val(weights, weight);
  }
  g_array_sort(weights, compare_weights);
  for (guint i = 0; i < weights->len; i++)
    g_array_append_val(conflicts, g_array_index(weights, Weight, i).conflict);
  return conflicts;
}

// The worst map of each access first, the costliest access first; then the others as long as there is room.
static void
choose_page(SmbReport *report, const GArray *maps) {
  g_autofree guint *first = g_new0(guint, report->analysis->accesses->len + 1); // of each access
  for (guint i = maps->len; i > 0; i--)
    first[g_array_index(maps, SmbReportMap, i - 1).access] = i - 1;
  for (guint i = 0; i < 2 * report->conflicts->len; i++) {
    guint access =
        g_array_index(report->conflicts, SmbReportConflict, i % report->conflicts->len).access;
    for (guint at = first[access]; at < maps->len; at++) {
      const SmbReportMap *map = &g_array_index(maps, SmbReportMap, at);
      if (map->access != access)
        break;
      guint worst = g_array_index(report->analysis->accesses, SmbAccess, access).worst_warp;
      if ((map->warp == worst) != (i < report->conflicts->len))
        continue;
      if (report->maps->len < SMB_REPORT_MAX_MAPS)
        g_array_append_vals(report->maps, map, 1);
      else
        report->left_out[access]++;
    }
  }
  g_array_sort(report->maps, compare_maps);
}

// Searches layouts of the arrays. The page is written in any case, with the reason if that fails.
static void
find_advice(SmbReport *report) {
  const SmbAdviseSearch search = {.arrays = (const char *const *)report->target->arrays,
                                  .top = 1,
                                  .max_counts = SMB_REPORT_MAX_COUNTS,
                                  .compiles = TRUE,
                                  .writes = TRUE};
  g_autoptr(GError) error = NULL;
  if (report->conflicts->len == 0)
    return;
  report->advice = smb_advise_report_new(report->target, report->arch, &search, &error);
  if (!report->advice)
    report->advice_failure = smb_cli_error_text(error);
}

// A launch of one block is what it is if nobody gave a grid: its time says little, and is predicted only if it is asked for.
static void
find_time(SmbReport *report) {
  gboolean is_compiled = smb_compiled_count_has(report->compiled);
  const SmbTarget *code = is_compiled ? report->compiled->target : report->target;
  const guint *grid = code->launch.grid;
  gboolean has_time =
      smb_program_is_machine_code(code->kernel) && (guint64)grid[0] * grid[1] * grid[2] > 1;
  if (smb_launch_time_is_wanted(has_time))
    report->time = smb_launch_time_predict(code, report->arch, NULL);
}

static void
note_file(SmbReport *report, const SmbSite *site) {
  if (smb_origins_find(report->origins, site->file) &&
      !g_ptr_array_find_with_equal_func(report->files, site->file, g_str_equal, NULL))
    g_ptr_array_add(report->files, (gpointer)site->file);
}

// The files at hand that the program was compiled from.
static void
find_files(SmbReport *report) {
  const SmbAnalysis *analysis = report->analysis;
  report->origins = smb_origins_new(report->target->kernel, report->target->files);
  report->files = g_ptr_array_new();
  for (guint i = 0; i < analysis->accesses->len; i++)
    note_file(report, g_array_index(analysis->accesses, SmbAccess, i).site);
  for (guint i = 0; i < analysis->globals->len; i++)
    note_file(report, g_array_index(analysis->globals, SmbGlobalAccess, i).site);
  for (guint i = 0; i < analysis->constants->len; i++)
    note_file(report, g_array_index(analysis->constants, SmbConstantAccess, i).site);
}

SmbReport *
smb_report_new(SmbArch *arch, const SmbTarget *target, const SmbAnalysis *analysis,
               const SmbCompiledCount *compiled) {
  SmbReport *report = g_new0(SmbReport, 1);
  report->arch = arch;
  report->target = target;
  report->analysis = analysis;
  report->prefix = "";
  report->maps = g_array_new(FALSE, FALSE, sizeof(SmbReportMap));
  report->compiled = compiled;
  report->conflicts = find_report_conflicts(report);
  report->left_out = g_new0(guint, analysis->accesses->len + 1);
  g_autoptr(GArray) worst = find_worst(arch, analysis);
  add_known_launch(worst, analysis);
  choose_page(report, worst);
  find_advice(report);
  find_time(report);
  find_files(report);
  report->uses = smb_array_uses_new(target->kernel, &target->launch, analysis);
  report->neighbours = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)smb_neighbours_free);
  find_neighbours(report);
  return report;
}

void
smb_report_free(SmbReport *report) {
  if (!report)
    return;
  g_array_unref(report->maps);
  g_array_unref(report->conflicts);
  smb_advise_report_free(report->advice);
  smb_launch_time_free(report->time);
  g_free(report->advice_failure);
  g_free(report->left_out);
  g_hash_table_unref(report->neighbours);
  smb_array_uses_free(report->uses);
  smb_origins_free(report->origins);
  g_ptr_array_unref(report->files);
  g_free(report);
}
