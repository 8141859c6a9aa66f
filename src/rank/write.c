// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A ranking in each format.
#include <math.h>

#include "src/analysis/launch-time.h"
#include "src/out/csv.h"
#include "src/out/describe.h"
#include "src/out/json.h"
#include "src/out/markdown.h"
#include "src/out/table.h"
#include "src/rank/rank.h"

gboolean
smb_ranking_has_durations(const SmbRanking *ranking) {
  gboolean found = FALSE;
  for (guint i = 0; i < ranking->rows->len; i++)
    found |= ((const SmbRankRow *)ranking->rows->pdata[i])->launch->nanoseconds >= 0;
  return found;
}

// "3", or "3 and 11 others".
static char *
describe_numbers(const SmbRankRow *row) {
  guint more = row->numbers->len - 1;
  guint64 first = row->launch->number;
  return more ? g_strdup_printf("%" G_GUINT64_FORMAT " +%u", first, more)
              : g_strdup_printf("%" G_GUINT64_FORMAT, first);
}

// " Predicted on an H100: 1.24 ms (typically ±28 %), of which bank conflicts cost 310 µs (25%)."
static void
append_times(GString *text, const SmbRanking *ranking) {
  double all = 0, cost = 0;
  guint lacking = 0;
  const SmbChip *chip = NULL;
  for (guint i = 0; i < ranking->rows->len; i++) {
    const SmbRankRow *row = ranking->rows->pdata[i];
    chip = row->time ? row->chip : chip;
    all += row->time ? row->numbers->len * smb_time_microseconds(row->time, row->time->cycles) : 0;
    cost += row->numbers->len * smb_rank_row_cost(row);
    lacking += row->time && row->time->unplaced->len ? row->numbers->len : 0;
  }
  if (!chip)
    return;
  g_autofree char *sum = smb_time_describe(all), *part = smb_time_describe(cost);
  g_autofree char *device = smb_time_device(chip->title, smb_chip_is_measured(chip));
  g_autofree char *range = smb_time_range(lacking ? 0 : chip->error);
  g_string_append_printf(text, " Predicted on %s: %s%s, of which bank conflicts cost %s (%.0f%%).",
                         device, sum, range, part, 100 * cost / all);
  if (lacking)
    g_string_append_printf(text,
                           " In %s, accesses to global memory that are not known take no time.",
                           smb_count(lacking, "launch").text);
}

char *
smb_ranking_summarize(const SmbRanking *ranking) {
  guint64 excess = 0, wavefronts = 0;
  guint refused = 0;
  for (guint i = 0; i < ranking->rows->len; i++) {
    const SmbRankRow *row = ranking->rows->pdata[i];
    refused += row->refused ? row->numbers->len : 0;
    excess += row->numbers->len * row->total.excess;
    wavefronts += row->numbers->len * row->total.wavefronts;
  }
  GString *text = g_string_new(NULL);
  guint64 n = ranking->n_launches;
  g_string_append_printf(text, "%" G_GUINT64_FORMAT " %s, %u different: ", n,
                         n == 1 ? "launch" : "launches", ranking->rows->len);
  g_string_append_printf(
      text, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " wavefronts (%.0f%%) are in excess.",
      excess, wavefronts, wavefronts ? 100.0 * (double)excess / (double)wavefronts : 0);
  if (refused)
    g_string_append_printf(text, " %u %s not counted.", refused, refused == 1 ? "is" : "are");
  append_times(text, ranking);
  return g_string_free(text, FALSE);
}

static const char *
describe_captured_command(const SmbRanking *ranking, char **text) {
  *text = g_strjoinv(" ", ranking->command);
  return *text;
}

// How many rows a person sees.
static guint
count_shown_launches(const SmbRanking *ranking) {
  guint n = ranking->rows->len;
  return ranking->quiet ? 0 : ranking->top ? MIN(ranking->top, n) : n;
}

static void
write_ranking_rest(const SmbRanking *ranking, SmbSpool *out) {
  guint n = ranking->rows->len - count_shown_launches(ranking);
  if (n && !ranking->quiet)
    smb_spool_printf(out, "%s not shown: --top %u\n", smb_count(n, "more row").text, ranking->top);
}

// --- text

static void
write_more_text(const SmbCli *cli, const SmbRanking *ranking, SmbSpool *out) {
  if (!ranking->more)
    return;
  smb_spool_puts(out, out == cli->out ? "\n" : "");
  ranking->more->text(ranking->more->user, out);
}

void
smb_predicted_clear(SmbPredicted *predicted) {
  g_free(predicted->time);
  g_free(predicted->cost);
  g_free(predicted->percent);
}

SmbPredicted
smb_rank_predicted(const SmbRankRow *row) {
  const SmbTime *time = row->time;
  if (!time)
    return (SmbPredicted){g_strdup(""), g_strdup(""), g_strdup("")};
  double cost = smb_rank_row_cost(row), all = smb_time_microseconds(time, time->cycles);
  return (SmbPredicted){smb_time_describe(all),
                        cost < 0.005 ? g_strdup("0") : smb_time_describe(cost),
                        g_strdup_printf("%.0f%%", 100 * cost / all)};
}

static void
add_predicted_cells(SmbTable *table, const SmbRankRow *row) {
  g_auto(SmbPredicted) predicted = smb_rank_predicted(row);
  SmbStyle style = smb_rank_row_cost(row) > 0 ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_cell(table, SMB_STYLE_PLAIN, predicted.time);
  smb_table_cell(table, style, predicted.cost);
  smb_table_cell(table, style, predicted.percent);
}

static void
add_ranking_row(SmbTable *table, const SmbRankRow *row, gboolean has_durations, gboolean is_timed) {
  g_autofree char *numbers = describe_numbers(row);
  g_autofree char *grid = smb_describe_extent(row->launch->grid);
  g_autofree char *block = smb_describe_extent(row->launch->block);
  g_autofree char *time = smb_rank_duration(row->launch);
  SmbStyle style = row->refused ? SMB_STYLE_DIM : SMB_STYLE_PLAIN;
  smb_table_cell(table, style, numbers);
  smb_table_cell(table, SMB_STYLE_BOLD, row->name);
  smb_table_cell(table, style, grid);
  smb_table_cell(table, style, block);
  if (row->refused) {
    for (guint i = 0; i < 4; i++)
      smb_table_cell(table, style, "-");
  } else {
    SmbStyle cost = row->total.excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
    smb_table_number(table, style, row->total.requests);
    smb_table_number(table, style, row->total.wavefronts);
    smb_table_number(table, cost, row->total.excess);
    smb_table_printf(table, cost, "%.0f%%", smb_rank_percent(row));
  }
  if (has_durations)
    smb_table_cell(table, style, time);
  if (is_timed)
    add_predicted_cells(table, row);
  smb_table_cell(table, style,
                 row->refused ? "not counted"
                 : row->bounds || row->warnings->len || row->notes->len || row->untimed
                     ? "see below"
                     : "exact");
}

enum {
  KERNEL_COLUMN = 1,
  MOST_OF_NAME = 100, // of an instance of a template; CSV and JSON have all of it
};

static void
write_ranking_text(SmbCli *cli, gconstpointer result) {
  const SmbRanking *ranking = result;
  gboolean is_timed = smb_ranking_is_timed(ranking);
  gboolean has_durations = smb_ranking_has_durations(ranking);
  g_autoptr(SmbTable) table =
      smb_table_new("launch>|kernel|grid|block|requests>|wavefronts>|excess>|%>");
  smb_table_limit(table, KERNEL_COLUMN, MOST_OF_NAME);
  smb_table_columns(table, has_durations ? "duration>" : "");
  smb_table_columns(table, is_timed ? "predicted>|conflicts>|%>|count" : "count");
  g_autofree char *summary = smb_ranking_summarize(ranking), *command = NULL;
  if (ranking->file)
    smb_spool_printf(cli->out, "%s: ", ranking->file);
  smb_spool_printf(cli->out, "%s\n\n", describe_captured_command(ranking, &command));
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, summary);
  smb_spool_puts(cli->out, ranking->quiet ? "\n" : "\n\n");
  guint n = count_shown_launches(ranking);
  for (guint i = 0; i < n; i++)
    add_ranking_row(table, ranking->rows->pdata[i], has_durations, is_timed);
  if (n)
    smb_table_write(table, cli->out, cli->colour);
  write_ranking_rest(ranking, cli->out);
  gboolean has_remark = FALSE;
  for (guint i = 0; i < n; i++) {
    const SmbRankRow *row = ranking->rows->pdata[i];
    g_autofree char *remark = smb_rank_remark(row);
    if (!*remark)
      continue;
    smb_spool_puts(cli->out, has_remark ? "" : "\n");
    has_remark = TRUE;
    smb_text_wrap_printf(cli->out, "launch %" G_GUINT64_FORMAT ": %s", row->launch->number, remark);
  }
  write_more_text(cli, ranking, cli->output ? cli->out : cli->messages);
}

// --- JSON

static void
write_ranked_launch(JsonBuilder *json, const SmbRankRow *row) {
  const SmbCaptureLaunch *launch = row->launch;
  gboolean is_counted = row->refused == NULL;
  json_builder_begin_object(json);
  smb_json_number(json, "number", (gint64)launch->number);
  smb_json_array(json, "numbers");
  for (guint i = 0; i < row->numbers->len; i++)
    smb_json_number(json, NULL, (gint64)g_array_index(row->numbers, guint64, i));
  json_builder_end_array(json);
  smb_json_text(json, "kernel", row->name);
  smb_json_text(json, "symbol", launch->kernel);
  smb_json_extent(json, "grid", launch->grid);
  smb_json_extent(json, "block", launch->block);
  smb_json_number(json, "dynamic_bytes", (gint64)launch->dynamic_bytes);
  smb_json_text(json, "arch", row->arch);
  smb_json_number_if(json, "requests", is_counted, (gint64)row->total.requests);
  smb_json_number_if(json, "wavefronts", is_counted, (gint64)row->total.wavefronts);
  smb_json_number_if(json, "ideal_wavefronts", is_counted, (gint64)row->total.ideal);
  smb_json_number_if(json, "excess_wavefronts", is_counted, (gint64)row->total.excess);
  if (row->time || row->untimed) {
    const SmbLaunchTime time = {row->chip, row->time, row->untimed, NULL};
    smb_launch_time_json(json, &time);
  }
  smb_json_double_if(json, "nanoseconds", launch->nanoseconds >= 0, launch->nanoseconds);
  smb_json_number(json, "left_out_bytes", (gint64)smb_capture_left_out(launch));
  smb_json_boolean(json, "exact", is_counted && !row->bounds);
  smb_json_text(json, "reason", row->bounds);
  smb_json_texts(json, "warnings", row->warnings);
  smb_json_texts(json, "notes", row->notes);
  smb_json_text(json, "error", row->refused);
  json_builder_end_object(json);
}

void
smb_rank_write_json(SmbCli *cli, gconstpointer result) {
  const SmbRanking *ranking = result;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_object(json, "capture");
  smb_json_text(json, "file", ranking->file);
  smb_json_strv(json, "command", (const char *const *)ranking->command);
  smb_json_text(json, "started", ranking->started);
  smb_json_text(json, "status", ranking->status);
  smb_json_number(json, "launches", (gint64)ranking->n_launches);
  json_builder_end_object(json);
  smb_json_array(json, "ranking");
  for (guint i = 0; i < ranking->rows->len; i++)
    write_ranked_launch(json, ranking->rows->pdata[i]);
  json_builder_end_array(json);
  if (ranking->more)
    ranking->more->json(ranking->more->user, json);
  smb_json_end(json, cli->out);
}

// --- CSV

// A row for each launch, equal ones too: in the order of the ranking.
static void
write_ranking_csv(SmbCli *cli, gconstpointer result) {
  const SmbRanking *ranking = result;
  SmbCsv csv = smb_csv_begin(
      cli->out, "launch,kernel,symbol,grid,block,dynamic_bytes,requests,wavefronts,"
                "ideal_wavefronts,excess_wavefronts,nanoseconds,exact,reason,error,same_as,"
                "predicted_nanoseconds,conflict_nanoseconds");
  for (guint i = 0; i < ranking->rows->len; i++) {
    const SmbRankRow *row = ranking->rows->pdata[i];
    g_autofree char *grid = smb_describe_extent(row->launch->grid);
    g_autofree char *block = smb_describe_extent(row->launch->block);
    gboolean is_counted = row->refused == NULL;
    for (guint k = 0; k < row->numbers->len; k++) {
      guint64 number = g_array_index(row->numbers, guint64, k);
      const SmbCaptureLaunch *own = smb_ranking_launch(ranking, row, k);
      smb_csv_number(&csv, number);
      smb_csv_text(&csv, row->name);
      smb_csv_text(&csv, own->kernel);
      smb_csv_text(&csv, grid);
      smb_csv_text(&csv, block);
      smb_csv_number(&csv, own->dynamic_bytes);
      smb_csv_number_if(&csv, is_counted, row->total.requests);
      smb_csv_number_if(&csv, is_counted, row->total.wavefronts);
      smb_csv_number_if(&csv, is_counted, row->total.ideal);
      smb_csv_number_if(&csv, is_counted, row->total.excess);
      smb_csv_number_if(&csv, own->nanoseconds >= 0, (guint64)(MAX(own->nanoseconds, 0) + 0.5));
      smb_csv_text(&csv, is_counted && !row->bounds ? "yes" : "no");
      smb_csv_text(&csv, row->bounds);
      smb_csv_text(&csv, row->refused);
      smb_csv_number_if(&csv, k > 0, row->launch->number);
      smb_csv_number_if(
          &csv, row->time != NULL,
          row->time ? (guint64)round(1000 * smb_time_microseconds(row->time, row->time->cycles))
                    : 0);
      smb_csv_number_if(&csv, row->time != NULL, (guint64)round(1000 * smb_rank_row_cost(row)));
      smb_csv_end_row(&csv);
    }
  }
  write_more_text(cli, ranking, cli->messages);
}

// --- Markdown

static void
write_ranking_markdown(SmbCli *cli, gconstpointer result) {
  const SmbRanking *ranking = result;
  gboolean is_timed = smb_ranking_is_timed(ranking);
  g_autofree char *summary = smb_ranking_summarize(ranking), *command = NULL;
  smb_spool_puts(cli->out, "### ");
  smb_markdown_code(cli->out, describe_captured_command(ranking, &command));
  smb_spool_puts(cli->out, "\n\n**");
  smb_markdown_text(cli->out, summary);
  smb_spool_puts(cli->out, "**\n");
  if (ranking->quiet)
    return;
  gboolean has_durations = smb_ranking_has_durations(ranking);
  smb_spool_puts(cli->out,
                 "\n| launch | kernel | grid | block | requests | wavefronts | excess | % |");
  smb_spool_puts(cli->out, has_durations ? " duration |" : "");
  smb_spool_puts(cli->out, is_timed ? " predicted | conflicts | % | remark |\n" : " remark |\n");
  smb_spool_printf(cli->out, "|--:|---|---|---|--:|--:|--:|--:|%s%s---|\n",
                   has_durations ? "--:|" : "", is_timed ? "--:|--:|--:|" : "");
  for (guint i = 0; i < count_shown_launches(ranking); i++) {
    const SmbRankRow *row = ranking->rows->pdata[i];
    g_autofree char *numbers = describe_numbers(row), *remark = smb_rank_remark(row);
    g_autofree char *grid = smb_describe_extent(row->launch->grid);
    g_autofree char *block = smb_describe_extent(row->launch->block);
    g_autofree char *time = smb_rank_duration(row->launch);
    smb_spool_printf(cli->out, "| %s | ", numbers);
    smb_markdown_code(cli->out, row->name);
    smb_spool_printf(cli->out, " | %s | %s |", grid, block);
    if (row->refused)
      smb_spool_puts(cli->out, " | | | |");
    else
      smb_spool_printf(
          cli->out,
          " %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT " | %.0f |",
          row->total.requests, row->total.wavefronts, row->total.excess, smb_rank_percent(row));
    g_auto(SmbPredicted) predicted = smb_rank_predicted(row);
    if (has_durations)
      smb_spool_printf(cli->out, " %s |", time);
    smb_spool_puts(cli->out, " ");
    if (is_timed)
      smb_spool_printf(cli->out, "%s | %s | %s | ", predicted.time, predicted.cost,
                       predicted.percent);
    smb_markdown_text(cli->out, remark);
    smb_spool_puts(cli->out, " |\n");
  }
  if (count_shown_launches(ranking) < ranking->rows->len)
    smb_spool_puts(cli->out, "\n");
  write_ranking_rest(ranking, cli->out);
  if (ranking->more)
    ranking->more->markdown(ranking->more->user, cli->out);
}

const SmbFormat smb_rank_formats[] = {{"text", write_ranking_text, NULL},
                                      {"json", smb_rank_write_json, NULL},
                                      {"csv", write_ranking_csv, NULL},
                                      {"markdown", write_ranking_markdown, NULL},
                                      {NULL, NULL, NULL}};
