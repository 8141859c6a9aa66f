// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A comparison of results as tables of what changed, as JSON, CSV and Markdown.
#include "src/compare/changed-row.h"

#include <string.h>

#include "src/analysis/launch-time.h"
#include "src/finding/finding.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/markdown.h"
#include "src/out/table.h"

static SmbStyle
find_style(SmbChange change) {
  static const SmbStyle styles[SMB_N_CHANGES] = {
      [SMB_CHANGE_WORSE] = SMB_STYLE_BAD,  [SMB_CHANGE_BETTER] = SMB_STYLE_GOOD,
      [SMB_CHANGE_SAME] = SMB_STYLE_PLAIN, [SMB_CHANGE_ADDED] = SMB_STYLE_PLAIN,
      [SMB_CHANGE_GONE] = SMB_STYLE_PLAIN, [SMB_CHANGE_LOST] = SMB_STYLE_BAD,
      [SMB_CHANGE_REFUSED] = SMB_STYLE_BAD};
  return styles[change];
}

// "32 -> 1024"; one number if it is there once, or the same.
static char *
describe_step(const SmbComparedAccess *access, guint64 before, guint64 now) {
  if (!access->old_access || (access->new_access && before == now))
    return g_strdup_printf("%" G_GUINT64_FORMAT, now);
  if (!access->new_access)
    return g_strdup_printf("%" G_GUINT64_FORMAT, before);
  return g_strdup_printf("%" G_GUINT64_FORMAT " -> %" G_GUINT64_FORMAT, before, now);
}

// "4 × tile[x][y] (LDS)"
static char *
describe_changed_name(const SmbChangedRow *row) {
  return row->n > 1 ? g_strdup_printf("%u × %s", row->n, row->name) : g_strdup(row->name);
}

// Whether there is anything to say of its accesses.
static gboolean
is_case_compared(const SmbComparedCase *one) {
  return one->change != SMB_CHANGE_LOST && one->change != SMB_CHANGE_REFUSED;
}

// ", 32 -> 1024 wavefronts, …"; "" of a case that is not compared
static char *
describe_total(const SmbComparedCase *one) {
  if (!is_case_compared(one))
    return g_strdup("");
  return g_strdup_printf(smb_vendor_say(one->vendor, ", %" G_GUINT64_FORMAT " -> %" G_GUINT64_FORMAT
                                                     " wavefronts, %" G_GUINT64_FORMAT
                                                     " -> %" G_GUINT64_FORMAT " in excess"),
                         one->old_cost.wavefronts, one->new_cost.wavefronts, one->old_cost.excess,
                         one->new_cost.excess);
}

// "Time on an H100: 8.14 µs -> 22.1 µs (typically ±28 %), 2.7 times as long; bank conflicts cost 0 µs -> 13.9 µs of it."; NULL if not both are known
static char *
describe_slower(const SmbComparedCase *one) {
  const SmbComparedTime *before = &one->old_time, *now = &one->new_time;
  if (!before->device || !now->device)
    return NULL;
  g_autofree char *old_all = smb_time_describe(before->all), *all = smb_time_describe(now->all);
  g_autofree char *old_part = smb_time_describe(before->conflicts);
  g_autofree char *part = smb_time_describe(now->conflicts);
  gboolean is_slower = now->all > before->all;
  double ratio = is_slower ? now->all / before->all : before->all / now->all;
  g_autofree char *change =
      smb_compared_case_times(one) == 0
          ? g_strdup("of another device, clock or cache, which says nothing of the kernel")
      : ratio < 1.005 ? g_strdup("as before")
                      : g_strdup_printf("%.*f times as %s", ratio < 1.1 ? 2 : 1, ratio,
                                        is_slower ? "long" : "fast");
  g_autofree char *old_device = smb_time_device_named(before->device, before->is_measured);
  g_autofree char *device = smb_time_device_named(now->device, now->is_measured);
  g_autofree char *range = smb_time_range(now->error > before->error ? now->error : before->error);
  gboolean is_one = g_str_equal(old_device, device);
  return g_strdup_printf("Time on %s%s%s: %s -> %s%s, %s; bank conflicts cost %s -> %s of it.",
                         old_device, is_one ? "" : " and ", is_one ? "" : device, old_all, all,
                         range, change, old_part, part);
}

static char *
describe_verdict(const SmbResultComparison *comparison) {
  g_autoptr(GStrvBuilder) parts = g_strv_builder_new();
  for (guint c = 0; c < SMB_N_CHANGES; c++) {
    g_autofree char *part =
        g_strdup_printf("%u %s", comparison->n[c], smb_change_name((SmbChange)c));
    if (comparison->n[c])
      g_strv_builder_add(parts, part);
  }
  g_auto(GStrv) list = g_strv_builder_end(parts);
  g_autofree char *all = g_strjoinv(", ", list);
  return g_strdup_printf("%s: %s.", smb_count(comparison->cases->len, "case").text,
                         *all ? all : "nothing to compare");
}

static void
write_compared_case(SmbCli *cli, const SmbComparedCase *one) {
  g_autoptr(SmbTable) table =
      smb_table_new(smb_vendor_say(one->vendor, "change|place|access|op|wavefronts>|excess>"));
  g_autoptr(GArray) rows = smb_changed_rows_new(one);
  for (guint i = 0; i < rows->len; i++) {
    const SmbChangedRow *row = &g_array_index(rows, SmbChangedRow, i);
    const SmbComparedAccess *sum = &row->sum;
    g_autofree char *wavefronts =
        describe_step(sum, sum->old_cost.wavefronts, sum->new_cost.wavefronts);
    g_autofree char *excess = describe_step(sum, sum->old_cost.excess, sum->new_cost.excess);
    smb_table_cell(table, find_style(sum->change), smb_change_name(sum->change));
    smb_table_cell(table, SMB_STYLE_PLAIN, row->place);
    g_autofree char *name = describe_changed_name(row);
    smb_table_cell(table, SMB_STYLE_PLAIN, name);
    smb_table_cell(table, SMB_STYLE_PLAIN,
                   smb_json_get_text(smb_compared_access_object(sum), "op"));
    smb_table_cell(table, SMB_STYLE_PLAIN, wavefronts);
    smb_table_cell(table, SMB_STYLE_PLAIN, excess);
  }
  g_autofree char *total = describe_total(one);
  smb_spool_puts(cli->out, "\n");
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, one->name);
  smb_spool_puts(cli->out, ": ");
  smb_style_write(cli->out, find_style(one->change), cli->colour, smb_change_name(one->change));
  smb_spool_printf(cli->out, "%s\n", total);
  g_autofree char *times = describe_slower(one);
  if (times)
    smb_spool_printf(cli->out, "%s\n", times);
  if (one->note)
    smb_spool_printf(cli->out, "%s\n", one->note);
  if (rows->len > 0)
    smb_table_write(table, cli->out, cli->colour);
}

static void
write_compare_text(SmbCli *cli, gconstpointer result) {
  const SmbResultComparison *comparison = result;
  g_autofree char *verdict = describe_verdict(comparison);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, verdict);
  smb_spool_puts(cli->out, "\n");
  for (guint i = 0; i < comparison->cases->len; i++)
    write_compared_case(cli, comparison->cases->pdata[i]);
}

static void
write_json_cost(JsonBuilder *json, const char *key, gboolean is_there,
                const SmbComparedCost *cost) {
  if (!smb_json_object_if(json, key, is_there))
    return;
  smb_json_number(json, "requests", (gint64)cost->requests);
  smb_json_number(json, "wavefronts", (gint64)cost->wavefronts);
  smb_json_number(json, "excess_wavefronts", (gint64)cost->excess);
  json_builder_end_object(json);
}

static void
write_json_time(JsonBuilder *json, const char *key, const SmbComparedTime *time) {
  if (!time->device)
    return;
  smb_json_object(json, key);
  smb_json_text(json, "device", time->device);
  smb_json_double(json, "microseconds", time->all);
  smb_json_double(json, "conflict_microseconds", time->conflicts);
  json_builder_end_object(json);
}

static void
write_json_access(JsonBuilder *json, const SmbComparedAccess *access) {
  JsonObject *object = smb_compared_access_object(access), *before = access->old_access;
  JsonObject *now = access->new_access;
  smb_json_object(json, NULL);
  smb_json_text(json, "change", smb_change_name(access->change));
  smb_json_text(json, "file", smb_json_get_text(object, "file"));
  smb_json_number_if(json, "old_line", before != NULL, smb_json_get_number(before, "line"));
  smb_json_number_if(json, "new_line", now != NULL, smb_json_get_number(now, "line"));
  smb_json_text(json, "array", smb_json_get_text(object, "array"));
  smb_json_text(json, "op", smb_json_get_text(object, "op"));
  smb_json_text(json, "expression", smb_json_get_text(object, "expression"));
  write_json_cost(json, "old", before != NULL, &access->old_cost);
  write_json_cost(json, "new", now != NULL, &access->new_cost);
  json_builder_end_object(json);
}

static void
write_compare_json(SmbCli *cli, gconstpointer result) {
  const SmbResultComparison *comparison = result;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_text(json, "old", comparison->old_result->path);
  smb_json_text(json, "new", comparison->new_result->path);
  smb_json_array(json, "cases");
  for (guint i = 0; i < comparison->cases->len; i++) {
    const SmbComparedCase *one = comparison->cases->pdata[i];
    smb_json_object(json, NULL);
    smb_json_text(json, "name", one->name);
    smb_json_text(json, "change", smb_change_name(one->change));
    smb_json_text(json, "note", one->note);
    write_json_cost(json, "old", is_case_compared(one), &one->old_cost);
    write_json_cost(json, "new", is_case_compared(one), &one->new_cost);
    write_json_time(json, "old_time", &one->old_time);
    write_json_time(json, "new_time", &one->new_time);
    smb_json_array(json, "accesses");
    for (guint a = 0; a < one->accesses->len; a++)
      write_json_access(json, &g_array_index(one->accesses, SmbComparedAccess, a));
    json_builder_end_array(json);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_boolean(json, "worse", smb_result_comparison_is_worse(comparison));
  smb_json_end(json, cli->out);
}

static void
write_compare_csv(SmbCli *cli, gconstpointer result) {
  const SmbResultComparison *comparison = result;
  SmbCsv csv = smb_csv_begin(cli->out, "case,change,place,array,op,expression,old_wavefronts,"
                                       "new_wavefronts,old_excess,new_excess");
  for (guint i = 0; i < comparison->cases->len; i++) {
    const SmbComparedCase *one = comparison->cases->pdata[i];
    for (guint a = 0; a < one->accesses->len; a++) {
      const SmbComparedAccess *access = &g_array_index(one->accesses, SmbComparedAccess, a);
      JsonObject *object = smb_compared_access_object(access);
      g_autofree char *place = smb_compared_access_place(access);
      smb_csv_text(&csv, one->name);
      smb_csv_text(&csv, smb_change_name(access->change));
      smb_csv_text(&csv, place);
      smb_csv_text(&csv, smb_json_get_text(object, "array"));
      smb_csv_text(&csv, smb_json_get_text(object, "op"));
      smb_csv_text(&csv, smb_json_get_text(object, "expression"));
      smb_csv_number_if(&csv, access->old_access != NULL, access->old_cost.wavefronts);
      smb_csv_number_if(&csv, access->new_access != NULL, access->new_cost.wavefronts);
      smb_csv_number_if(&csv, access->old_access != NULL, access->old_cost.excess);
      smb_csv_number_if(&csv, access->new_access != NULL, access->new_cost.excess);
      smb_csv_end_row(&csv);
    }
  }
}

// @vendors: of whose words the head of the table is, which stands before the first row of all cases
static void
write_markdown_case(SmbSpool *out, const SmbComparedCase *one, guint vendors, gboolean *has_head) {
  g_autoptr(GArray) rows = smb_changed_rows_new(one);
  if (rows->len > 0 && !*has_head)
    smb_spool_printf(out,
                     "\n| case | change | place | access | op | %s | excess |\n"
                     "|---|---|---|---|---|---:|---:|\n",
                     smb_vendors_passes(vendors));
  *has_head |= rows->len > 0;
  for (guint i = 0; i < rows->len; i++) {
    const SmbChangedRow *row = &g_array_index(rows, SmbChangedRow, i);
    const SmbComparedAccess *sum = &row->sum;
    g_autofree char *wavefronts =
        describe_step(sum, sum->old_cost.wavefronts, sum->new_cost.wavefronts);
    g_autofree char *excess = describe_step(sum, sum->old_cost.excess, sum->new_cost.excess);
    smb_spool_puts(out, "| ");
    smb_markdown_text(out, one->name);
    smb_spool_printf(out, " | %s | ", smb_change_name(sum->change));
    smb_markdown_text(out, row->place);
    smb_spool_puts(out, " | ");
    g_autofree char *name = describe_changed_name(row);
    smb_markdown_code(out, name);
    smb_spool_printf(out, " | %s | ", smb_json_get_text(smb_compared_access_object(sum), "op"));
    smb_markdown_text(out, wavefronts);
    smb_spool_puts(out, " | ");
    smb_markdown_text(out, excess);
    smb_spool_puts(out, " |\n");
  }
}

static void
write_compare_markdown(SmbCli *cli, gconstpointer result) {
  const SmbResultComparison *comparison = result;
  g_autofree char *verdict = describe_verdict(comparison);
  smb_spool_puts(cli->out, "**");
  smb_markdown_text(cli->out, verdict);
  smb_spool_puts(cli->out, "**\n\n");
  guint vendors = 0;
  gboolean has_head = FALSE;
  for (guint i = 0; i < comparison->cases->len; i++) {
    const SmbComparedCase *one = comparison->cases->pdata[i];
    vendors |= 1u << one->vendor;
    g_autofree char *total = describe_total(one), *times = describe_slower(one);
    g_autofree char *text = g_strdup_printf(
        "%s: %s%s%s%s%s%s", one->name, smb_change_name(one->change), total, one->note ? "; " : "",
        one->note ? one->note : "", times ? ". " : "", times ? times : "");
    smb_spool_puts(cli->out, "- ");
    smb_markdown_text(cli->out, text);
    smb_spool_puts(cli->out, "\n");
  }
  for (guint i = 0; i < comparison->cases->len; i++)
    write_markdown_case(cli->out, comparison->cases->pdata[i], vendors, &has_head);
}

const SmbFormat smb_result_comparison_formats[] = {
    {"text", write_compare_text, NULL},
    {"json", write_compare_json, NULL},
    {"csv", write_compare_csv, NULL},
    {"sarif", smb_result_comparison_write_findings, &smb_findings_sarif},
    {"github", smb_result_comparison_write_findings, &smb_findings_github},
    {"gitlab", smb_result_comparison_write_findings, &smb_findings_gitlab},
    {"markdown", write_compare_markdown, NULL},
    {NULL, NULL, NULL}};
