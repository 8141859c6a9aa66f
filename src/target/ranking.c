// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/target/ranking.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/parallel.h"
#include "sim/base/text.h"
#include "sim/program/symbol.h"
#include "src/cli/hint.h"
#include "src/target/captured.h"

// What workers share.
typedef struct {
  const SmbCli *cli;
  const SmbTargetOptions *options;
  SmbCapture *capture;
  GPtrArray *rows;   // SmbRankRow
  GHashTable *archs; // of launches, by their names: (element-type utf8 SmbArch)
  SmbProgress *progress;
  guint threads; // of each analysis
  SmbRankNote note;
} Work;

static void
free_row(gpointer data) {
  SmbRankRow *row = data;
  g_clear_pointer(&row->numbers, g_array_unref);
  g_free(row->name);
  g_free(row->bounds);
  g_ptr_array_unref(row->unsaid);
  g_ptr_array_unref(row->warnings);
  g_clear_pointer(&row->notes, g_ptr_array_unref);
  g_free(row->refused);
  g_free(row->arch);
  g_clear_pointer(&row->own, smb_capture_launch_free);
  smb_chip_free(row->chip);
  smb_time_free(row->time);
  g_free(row->untimed);
  g_free(row);
}

void
smb_ranking_free(SmbRanking *ranking) {
  if (!ranking)
    return;
  g_ptr_array_unref(ranking->rows);
  g_clear_pointer(&ranking->known, g_hash_table_unref);
  smb_capture_free(ranking->capture);
  g_free(ranking->file);
  g_strfreev(ranking->command);
  g_free(ranking->started);
  g_free(ranking->status);
  g_free(ranking);
}

// --- which launches are equal

static void
add_rank_variables(GString *key, const SmbCaptureLaunch *launch) {
  for (guint i = 0; i < launch->variables->len; i++) {
    const SmbCaptureVariable *variable = &g_array_index(launch->variables, SmbCaptureVariable, i);
    g_string_append_printf(key, "|%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, variable->name,
                           variable->address, variable->bytes);
    for (guint h = 0; variable->hashes && h < variable->hashes->len; h++)
      g_string_append_printf(key, " %s",
                             variable->hashes->pdata[h] ? (char *)variable->hashes->pdata[h] : "0");
  }
}

static void
add_memory(GString *key, const SmbCaptureMemory *memory) {
  g_string_append_printf(key, "|%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, memory->address,
                         memory->bytes);
  for (guint i = 0; i < memory->pieces->len; i++) {
    const SmbCapturePiece *piece = &g_array_index(memory->pieces, SmbCapturePiece, i);
    g_string_append_printf(key, " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s", piece->offset,
                           piece->bytes, piece->hash ? piece->hash : "0");
  }
}

// All that what is counted depends on, in a text of its own for different launches; notes are part of what is said of them.
static char *
make_launch_key(const SmbCaptureLaunch *launch) {
  GString *key = g_string_new(NULL);
  gsize n = 0;
  const guchar *data = launch->parameters ? g_bytes_get_data(launch->parameters, &n) : NULL;
  g_string_append_printf(key, "%s %s %s %" G_GUINT64_FORMAT " %d", launch->image, launch->kernel,
                         launch->arch, launch->dynamic_bytes, launch->is_cooperative);
  for (guint i = 0; i < 3; i++)
    g_string_append_printf(key, " %u %u %u", launch->grid[i], launch->block[i], launch->cluster[i]);
  g_string_append(key, "|");
  for (gsize i = 0; i < n; i++)
    g_string_append_printf(key, "%02x", data[i]);
  add_rank_variables(key, launch);
  for (guint i = 0; i < launch->memory->len; i++)
    add_memory(key, &g_array_index(launch->memory, SmbCaptureMemory, i));
  for (guint i = 0; launch->notes[i]; i++)
    g_string_append_printf(key, "|%s", launch->notes[i]);
  return g_string_free(key, FALSE);
}

static SmbRankRow *
new_rank_row(const SmbCaptureLaunch *launch) {
  SmbRankRow *row = g_new0(SmbRankRow, 1);
  row->launch = launch;
  row->numbers = g_array_new(FALSE, FALSE, sizeof(guint64));
  row->name = smb_symbol_demangle(launch->kernel, FALSE);
  row->warnings = g_ptr_array_new_with_free_func(g_free);
  row->unsaid = g_ptr_array_new();
  row->notes = g_ptr_array_new_with_free_func(g_free);
  smb_captured_note(launch, row->notes);
  return row;
}

static void
collect_ranked_launches(SmbRanking *ranking) {
  g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < smb_capture_n_launches(ranking->capture); i++) {
    const SmbCaptureLaunch *launch = smb_capture_launch(ranking->capture, i);
    char *key = make_launch_key(launch);
    SmbRankRow *row = g_hash_table_lookup(known, key);
    if (!row) {
      row = new_rank_row(launch);
      g_ptr_array_add(ranking->rows, row);
      g_hash_table_insert(known, g_strdup(key), row);
    }
    g_free(key);
    g_array_append_val(row->numbers, launch->number);
  }
}

// --- counting

// Reads the architectures of all launches, each once. One that cannot be read is told with each of its launches.
static void
load_archs(Work *work) {
  for (guint i = 0; i < work->rows->len; i++) {
    const SmbRankRow *row = g_ptr_array_index(work->rows, i);
    if (g_hash_table_contains(work->archs, row->launch->arch))
      continue;
    SmbArch *arch = smb_captured_arch(work->cli, row->launch, NULL);
    if (arch)
      g_hash_table_insert(work->archs, row->launch->arch, arch);
  }
}

static SmbArch *
find_launch_arch(const Work *work, const SmbRankRow *row, GError **error) {
  SmbArch *arch = g_hash_table_lookup(work->archs, row->launch->arch);
  return arch ? smb_arch_ref(arch) : smb_captured_arch(work->cli, row->launch, error);
}

static gboolean
count_ranked_launch(const Work *work, SmbRankRow *row, GError **error) {
  g_autoptr(SmbArch) arch = find_launch_arch(work, row, error);
  if (!arch)
    return FALSE;
  row->arch = g_strdup(smb_arch_info(arch)->name);
  g_autoptr(SmbTarget) target =
      smb_captured_target(work->options, work->capture, row->launch, arch, NULL, error);
  if (!target)
    return FALSE;
  target->options.threads = work->threads;
  g_autoptr(SmbAnalysis) analysis = smb_target_analyze(target, arch, error);
  if (!analysis)
    return FALSE;
  row->total = smb_analysis_total(analysis);
  if (work->note)
    work->note(row, target, target->kernel, arch, analysis);
  return TRUE;
}

static void
count_row(gpointer user, guint item) {
  const Work *work = user;
  SmbRankRow *row = g_ptr_array_index(work->rows, item);
  g_autoptr(GError) error = NULL;
  if (!count_ranked_launch(work, row, &error))
    row->refused = smb_cli_error_text(error);
  smb_progress_add(work->progress, 1);
}

double
smb_rank_row_cost(const SmbRankRow *row) {
  return row->time ? smb_time_microseconds(row->time, row->time->cycles - row->time->without) : 0;
}

static guint64
picoseconds(const SmbRankRow *row) {
  return (guint64)(smb_rank_row_cost(row) * 1e6);
}

static gint
compare_rank_rows(gconstpointer a, gconstpointer b) {
  const SmbRankRow *one = *(SmbRankRow *const *)a, *other = *(SmbRankRow *const *)b;
  return smb_order(one->refused != NULL, other->refused != NULL)
             ?: smb_order(picoseconds(other), picoseconds(one))
             ?: smb_order(other->total.excess, one->total.excess)
             ?: smb_order(one->launch->number, other->launch->number);
}

// Launches of the same code, one after the other, have it read once.
static gint
compare_code(gconstpointer a, gconstpointer b) {
  const SmbRankRow *one = *(SmbRankRow *const *)a, *other = *(SmbRankRow *const *)b;
  return strcmp(one->launch->image, other->launch->image)
             ?: strcmp(one->launch->kernel, other->launch->kernel)
             ?: strcmp(one->launch->arch, other->launch->arch)
             ?: smb_order(one->launch->number, other->launch->number);
}

// Several launches at a time; what processors are left over are for the blocks of each.
static void
count_rows(Work *work, guint processors) {
  guint n = work->rows->len, workers = CLAMP(n, 1, processors);
  work->threads = MAX(1, processors / workers);
  smb_parallel_run(n, workers, count_row, work);
}

static SmbRanking *
describe_captured(SmbCapture *capture) {
  const SmbCaptureHeader *header = smb_capture_header(capture);
  const SmbCaptureEnd *end = smb_capture_end(capture);
  SmbRanking *ranking = g_new0(SmbRanking, 1);
  *ranking = (SmbRanking){.capture = smb_capture_ref(capture),
                          .file = g_strdup(smb_capture_path(capture)),
                          .command = g_strdupv(header->command),
                          .started = g_strdup(header->started),
                          .status = end ? g_strdup(end->status) : NULL,
                          .n_launches = smb_capture_n_launches(capture),
                          .rows = g_ptr_array_new_with_free_func(free_row)};
  return ranking;
}

SmbRanking *
smb_ranking_new(SmbCli *cli, const SmbTargetOptions *options, SmbCapture *capture,
                SmbRankNote note) {
  SmbRanking *ranking = describe_captured(capture);
  SmbAnalysisOptions limits = {.threads = 0};
  collect_ranked_launches(ranking);
  smb_target_parse_limits(options, &limits, NULL); // what is wrong with them is told of each launch
  g_autoptr(GHashTable) archs =
      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)smb_arch_unref);
  Work work = {cli, options, capture, ranking->rows, archs, smb_cli_progress(cli), 1, note};
  load_archs(&work);
  g_ptr_array_sort(ranking->rows, compare_code);
  smb_progress_begin(work.progress, "launches", ranking->rows->len);
  count_rows(&work, limits.threads ? limits.threads : g_get_num_processors());
  smb_progress_begin(work.progress, NULL, 0);
  g_ptr_array_sort(ranking->rows, compare_rank_rows);
  return ranking;
}

const SmbRankRow *
smb_ranking_worst(const SmbRanking *ranking, GError **error) {
  const SmbRankRow *first = ranking->rows->len ? ranking->rows->pdata[0] : NULL;
  if (first && !first->refused)
    return first;
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s%s",
           ranking->file ? ranking->file : ranking->command[0],
           first ? "no launch could be counted: the first: " : "no launch",
           first ? first->refused : "");
  return NULL;
}

// --- a program that runs

SmbRanking *
smb_ranking_begin(const char *const *command) {
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  SmbRanking *ranking = g_new0(SmbRanking, 1);
  *ranking = (SmbRanking){.command = g_strdupv((GStrv)command),
                          .started = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ"),
                          .rows = g_ptr_array_new_with_free_func(free_row),
                          .known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
  return ranking;
}

// All that a row says of its launches, but for their numbers.
static char *
make_result_key(const SmbCaptureLaunch *launch, const SmbRankRow *row, const char *more) {
  const SmbTally *total = &row->total;
  GString *key = g_string_new(launch->kernel);
  g_string_append_printf(key, "|%s|", more ? more : "");
  g_string_append_printf(key, " %s %" G_GUINT64_FORMAT, row->arch ? row->arch : "",
                         launch->dynamic_bytes);
  for (guint i = 0; i < 3; i++)
    g_string_append_printf(key, " %u %u %u", launch->grid[i], launch->block[i], launch->cluster[i]);
  g_string_append_printf(
      key, " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
      total->requests, total->wavefronts, total->ideal, total->excess);
  g_string_append_printf(key, "|%s|%s", row->bounds ? row->bounds : "",
                         row->refused ? row->refused : "");
  for (guint i = 0; i < row->warnings->len; i++)
    g_string_append_printf(key, "|%s", (const char *)row->warnings->pdata[i]);
  return g_string_free(key, FALSE);
}

static SmbCaptureLaunch *
copy_launch_shape(const SmbCaptureLaunch *launch, guint64 number) {
  SmbCaptureLaunch *copy = smb_capture_launch_new();
  copy->number = number;
  copy->kernel = g_strdup(launch->kernel);
  copy->dynamic_bytes = launch->dynamic_bytes;
  copy->nanoseconds = -1;
  for (guint i = 0; i < 3; i++) {
    copy->grid[i] = launch->grid[i];
    copy->block[i] = launch->block[i];
    copy->cluster[i] = launch->cluster[i];
  }
  return copy;
}

// A row of its own for a launch.
static void
add_run_row(SmbRanking *ranking, const SmbCaptureLaunch *launch, SmbRankRow *row) {
  row->own = copy_launch_shape(launch, ranking->n_launches);
  row->launch = row->own;
  row->numbers = g_array_new(FALSE, FALSE, sizeof(guint64));
  row->name = smb_symbol_demangle(launch->kernel, FALSE);
  smb_captured_note(launch, row->notes);
  g_ptr_array_add(ranking->rows, row);
}

SmbRankRow *
smb_ranking_add(SmbRanking *ranking, const SmbCaptureLaunch *launch, const SmbProgram *program,
                const SmbArch *arch, const SmbAnalysis *analysis, SmbRankNote note,
                const char *refused, const char *more) {
  SmbRankRow *row = g_new0(SmbRankRow, 1);
  ranking->n_launches++;
  row->warnings = g_ptr_array_new_with_free_func(g_free);
  row->unsaid = g_ptr_array_new();
  row->notes = g_ptr_array_new_with_free_func(g_free);
  row->refused = g_strdup(refused);
  row->arch = arch ? g_strdup(smb_arch_info(arch)->name) : NULL;
  if (analysis) {
    row->total = smb_analysis_total(analysis);
    note(row, NULL, program, arch, analysis);
  }
  char *key = make_result_key(launch, row, more);
  SmbRankRow *known = g_hash_table_lookup(ranking->known, key);
  if (known) {
    g_free(key);
    free_row(row);
    row = known;
  } else {
    add_run_row(ranking, launch, row);
    g_hash_table_insert(ranking->known, key, row);
  }
  g_array_append_val(row->numbers, ranking->n_launches);
  return row;
}

void
smb_ranking_end(SmbRanking *ranking, const char *status) {
  ranking->status = g_strdup(status);
  g_ptr_array_sort(ranking->rows, compare_rank_rows);
}

const SmbCaptureLaunch *
smb_ranking_launch(const SmbRanking *ranking, const SmbRankRow *row, guint i) {
  guint64 number = g_array_index(row->numbers, guint64, i);
  return ranking->capture ? smb_capture_launch(ranking->capture, (guint)number - 1) : row->launch;
}
