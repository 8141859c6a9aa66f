// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// check as a table with a verdict, as JSON and as CSV.
#include <string.h>

#include "src/analysis/launch-time.h"
#include "src/analysis/vendor.h"
#include "src/check/part.h"
#include "src/finding/finding.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/markdown.h"
#include "src/out/table.h"

static const SmbStyle verdict_styles[SMB_N_VERDICTS] = {
    [SMB_VERDICT_PASSED] = SMB_STYLE_GOOD,
    [SMB_VERDICT_FAILED] = SMB_STYLE_BAD,
    [SMB_VERDICT_NO_LIMIT] = SMB_STYLE_DIM,
    [SMB_VERDICT_ERROR] = SMB_STYLE_BAD,
};

// "40.0 µs (47%)": what conflicts cost of a launch; "" if its time is not known (transfer full).
static char *
describe_checked_cost(const SmbCheckedCosts *costs) {
  g_autofree char *cost = smb_time_describe(costs->conflicts);
  return costs->is_timed
             ? g_strdup_printf("%s (%.0f%%)", cost, 100 * costs->conflicts / costs->microseconds)
             : g_strdup("");
}

// "84.6 µs"; "" if that is not known (transfer full).
static char *
describe_checked_time(const SmbCheckedCosts *costs) {
  return costs->is_timed ? smb_time_describe(costs->microseconds) : g_strdup("");
}

static void
add_time_cells(SmbTable *table, const SmbCheckedCosts *costs) {
  g_autofree char *time = describe_checked_time(costs), *cost = describe_checked_cost(costs);
  smb_table_cell(table, SMB_STYLE_PLAIN, time);
  smb_table_cell(table, costs->conflicts >= 0.005 ? SMB_STYLE_BAD : SMB_STYLE_GOOD, cost);
}

static void
add_checked_row(SmbTable *table, const SmbChecked *checked, gboolean is_timed) {
  SmbCheckedCosts costs;
  gboolean counted = smb_checked_costs(checked, &costs);
  smb_table_cell(table, SMB_STYLE_PLAIN, checked->one->name);
  smb_table_cell(table, SMB_STYLE_PLAIN, counted ? costs.kernel : "");
  const guint64 numbers[] = {costs.requests, costs.wavefronts, costs.ideal, costs.excess};
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    if (counted)
      smb_table_number(table, SMB_STYLE_PLAIN, numbers[i]);
    else
      smb_table_cell(table, SMB_STYLE_DIM, "-");
  }
  if (counted)
    smb_table_printf(table, SMB_STYLE_PLAIN, "%u-way", costs.max_degree);
  else
    smb_table_cell(table, SMB_STYLE_DIM, "-");
  if (is_timed)
    add_time_cells(table, &costs);
  smb_table_cell(table, verdict_styles[checked->verdict], smb_verdict_name(checked->verdict));
}

// "a, b and c": the cases with a verdict (transfer full).
static char *
list_cases(const SmbCheck *check, SmbCaseVerdict verdict) {
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  for (guint i = 0; i < check->cases->len; i++) {
    const SmbChecked *checked = check->cases->pdata[i];
    if (checked->verdict == verdict)
      g_strv_builder_add(names, checked->one->name);
  }
  g_auto(GStrv) list = g_strv_builder_end(names);
  return smb_cli_list((const char *const *)list, " and ");
}

// Sentences for all cases (transfer full).
static char *
describe_check_verdict(const SmbCheck *check) {
  const guint *n = check->n;
  if (n[SMB_VERDICT_PASSED] == check->cases->len)
    return g_strdup_printf("Passed: %s.", smb_count(check->cases->len, "case").text);
  if (n[SMB_VERDICT_NO_LIMIT] == check->cases->len)
    return g_strdup("Nothing was checked: no case has a limit, such as max-cost or max-ways.");
  g_autofree char *failed = list_cases(check, SMB_VERDICT_FAILED);
  g_autofree char *broken = list_cases(check, SMB_VERDICT_ERROR);
  g_autofree char *free_ones = list_cases(check, SMB_VERDICT_NO_LIMIT);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%u of %s passed.", n[SMB_VERDICT_PASSED],
                         smb_count(check->cases->len, "case").text);
  if (*failed)
    g_string_append_printf(text, check->has_baseline ? " Failed: %s." : " Limits failed: %s.",
                           failed);
  if (*broken)
    g_string_append_printf(text, " Not counted: %s.", broken);
  if (*free_ones)
    g_string_append_printf(text, " Without a limit: %s.", free_ones);
  return g_string_free(text, FALSE);
}

// " Times are predicted for an H200 and a B200, which was not measured."; "" if none is known (transfer full).
static char *
describe_timed_devices(const SmbCheck *check) {
  g_autoptr(GPtrArray) devices = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < check->cases->len; i++) {
    SmbCheckedCosts costs;
    if (!smb_checked_costs(check->cases->pdata[i], &costs) || !costs.is_timed)
      continue;
    char *device = smb_time_device_named(costs.device, costs.is_measured);
    if (g_ptr_array_find_with_equal_func(devices, device, g_str_equal, NULL))
      g_free(device);
    else
      g_ptr_array_add(devices, device);
  }
  g_ptr_array_add(devices, NULL);
  g_autofree char *all = smb_cli_list((const char *const *)devices->pdata, " and ");
  return *all ? g_strdup_printf(" Times are predicted for %s.", all) : g_strdup("");
}

// A message that has no place in a kernel is about the case, which is where its section begins.
static void
write_placeless(SmbCli *cli, const SmbChecked *checked, const char *kind, const char *message) {
  smb_spool_printf(cli->messages, "%s:%u: %s: case %s: %-s\n", checked->one->path,
                   checked->one->line, kind, checked->one->name, message);
}

// A message of a case. One with a place stands alone on its line, as that of a compiler does; below it, indented, the line that it is about.
static void
write_message(SmbCli *cli, const SmbChecked *checked, const char *message) {
  g_autofree char *placed = smb_cli_place_error(cli, message);
  if (placed || g_ascii_isspace(*message))
    smb_spool_printf(cli->messages, "%-s\n", message);
  else
    write_placeless(cli, checked, "warning", message);
}

// By which rules a case was counted that are assumed.
static void
note_checked_assumed(SmbCli *cli, const SmbChecked *checked) {
  JsonObject *result = checked->result ? json_node_get_object(checked->result) : NULL;
  g_autofree char *assumed = result ? smb_analyze_read_assumed(result) : NULL;
  if (assumed)
    write_placeless(cli, checked, "note", assumed);
}

// What analyze said of the cases.
static void
write_check_messages(SmbCli *cli, const SmbCheck *check) {
  for (guint i = 0; i < check->cases->len; i++) {
    const SmbChecked *checked = check->cases->pdata[i];
    g_autofree char *placed = checked->error ? smb_cli_place_error(cli, checked->error) : NULL;
    if (placed)
      smb_spool_printf(cli->messages, "%-s\n", placed);
    else if (checked->error)
      write_placeless(cli, checked, "error", checked->error);
    for (guint j = 0; checked->messages[j]; j++)
      write_message(cli, checked, checked->messages[j]);
    note_checked_assumed(cli, checked);
  }
}

// What the passes of all cases are called. @is_timed: (out): whether the time of any is known
static const char *
name_passes(const SmbCheck *check, gboolean *is_timed) {
  guint vendors = 0;
  *is_timed = FALSE;
  for (guint i = 0; i < check->cases->len; i++) {
    SmbCheckedCosts costs;
    if (!smb_checked_costs(check->cases->pdata[i], &costs))
      continue;
    vendors |= 1u << costs.vendor;
    *is_timed |= costs.is_timed;
  }
  return smb_vendors_passes(vendors);
}

static void
write_check_text(SmbCli *cli, gconstpointer result) {
  const SmbCheck *check = result;
  gboolean is_timed;
  const char *passes = name_passes(check, &is_timed);
  g_autofree char *columns = g_strdup_printf(
      "case|kernel|per launch: requests>|%s>|ideal>|excess>|per request: worst>|%s", passes,
      is_timed ? "predicted: time>|conflicts cost>|: verdict" : ": verdict");
  g_autoptr(SmbTable) table = smb_table_new(columns);
  write_check_messages(cli, check);
  for (guint i = 0; i < check->cases->len; i++)
    add_checked_row(table, check->cases->pdata[i], is_timed);
  smb_table_write(table, cli->out, cli->colour);
  smb_spool_puts(cli->out, "\n");
  g_autofree char *verdict = describe_check_verdict(check);
  g_autofree char *devices = describe_timed_devices(check);
  g_autofree char *sentences = g_strconcat(verdict, devices, NULL);
  smb_text_wrap(cli->out, sentences);
  if (check->part)
    smb_shard_write_text(&check->part->shard, cli->out);
}

static void
write_checked_case(JsonBuilder *json, const SmbChecked *checked) {
  smb_json_object(json, NULL);
  smb_json_text(json, "name", checked->one->name);
  smb_json_number(json, "line", checked->one->line);
  smb_json_text(json, "verdict", smb_verdict_name(checked->verdict));
  smb_json_copy(json, "result", checked->result);
  smb_json_text(json, "error", checked->error);
  smb_json_strv(json, "messages", (const char *const *)checked->messages);
  json_builder_end_object(json);
}

static void
write_check_json(SmbCli *cli, gconstpointer result) {
  const SmbCheck *check = result;
  JsonBuilder *json = smb_json_begin("check");
  smb_json_text(json, "project", check->project->path);
  smb_json_array(json, "cases");
  for (guint i = 0; i < check->cases->len; i++)
    write_checked_case(json, check->cases->pdata[i]);
  json_builder_end_array(json);
  smb_json_object(json, "summary");
  smb_json_number(json, "cases", check->cases->len);
  smb_json_number(json, "passed", check->n[SMB_VERDICT_PASSED]);
  smb_json_number(json, "failed", check->n[SMB_VERDICT_FAILED]);
  smb_json_number(json, "without_limit", check->n[SMB_VERDICT_NO_LIMIT]);
  smb_json_number(json, "errors", check->n[SMB_VERDICT_ERROR]);
  json_builder_end_object(json);
  if (check->part)
    smb_check_json_part(json, check->part);
  smb_json_end(json, cli->out);
}

static void
write_check_csv(SmbCli *cli, gconstpointer result) {
  const SmbCheck *check = result;
  SmbCsv csv = smb_csv_begin(cli->out, "case,kernel,requests,wavefronts,ideal_wavefronts,"
                                       "excess_wavefronts,max_degree,verdict,error,"
                                       "predicted_nanoseconds,conflict_nanoseconds");
  write_check_messages(cli, check);
  for (guint i = 0; i < check->cases->len; i++) {
    const SmbChecked *checked = check->cases->pdata[i];
    SmbCheckedCosts costs;
    gboolean counted = smb_checked_costs(checked, &costs);
    smb_csv_text(&csv, checked->one->name);
    smb_csv_text(&csv, costs.kernel);
    smb_csv_number_if(&csv, counted, costs.requests);
    smb_csv_number_if(&csv, counted, costs.wavefronts);
    smb_csv_number_if(&csv, counted, costs.ideal);
    smb_csv_number_if(&csv, counted, costs.excess);
    smb_csv_number_if(&csv, counted, costs.max_degree);
    smb_csv_text(&csv, smb_verdict_name(checked->verdict));
    smb_csv_text(&csv, checked->error);
    smb_csv_number_if(&csv, costs.is_timed, (guint64)(1000 * costs.microseconds + 0.5));
    smb_csv_number_if(&csv, costs.is_timed, (guint64)(1000 * costs.conflicts + 0.5));
    smb_csv_end_row(&csv);
  }
}

// The findings of all cases, and those that could not be counted.
static void
write_findings(SmbCli *cli, gconstpointer result) {
  const SmbCheck *check = result;
  const SmbFindingsFormat *format = cli->format->methods;
  g_autoptr(GPtrArray) findings = smb_findings_new();
  write_check_messages(cli, check);
  for (guint i = 0; i < check->cases->len; i++) {
    const SmbChecked *checked = check->cases->pdata[i];
    const SmbFinding uncounted = {.kind = SMB_FINDING_UNCOUNTED, .line = checked->one->line};
    if (checked->result)
      smb_findings_add_json(findings, checked->result, checked->one->name);
    if (checked->error)
      smb_findings_add(findings, checked->one->path, &uncounted, g_strdup(checked->one->name),
                       g_strdup_printf("case %s: %s", checked->one->name, checked->error));
  }
  smb_findings_finish(findings);
  format->write(findings, cli->out);
}

// Why cases were not counted, a line each.
static void
write_check_errors(SmbCli *cli, const SmbCheck *check) {
  for (guint i = 0; i < check->cases->len; i++) {
    const SmbChecked *checked = check->cases->pdata[i];
    if (!checked->error)
      continue;
    g_autofree char *first = g_strndup(checked->error, strcspn(checked->error, "\n"));
    smb_spool_puts(cli->out, "\nNot counted: ");
    smb_markdown_text(cli->out, checked->one->name);
    smb_spool_puts(cli->out, ": ");
    smb_markdown_text(cli->out, first);
    smb_spool_puts(cli->out, "\n");
  }
}

static void
write_check_markdown(SmbCli *cli, gconstpointer result) {
  const SmbCheck *check = result;
  write_check_messages(cli, check);
  g_autofree char *verdict = describe_check_verdict(check);
  g_autofree char *devices = describe_timed_devices(check);
  smb_markdown_text(cli->out, verdict);
  smb_markdown_text(cli->out, devices);
  gboolean is_timed;
  const char *passes = name_passes(check, &is_timed);
  smb_spool_printf(cli->out,
                   "\n\n| case | kernel | requests | %s | ideal | excess | worst | %sverdict |\n"
                   "|---|---|--:|--:|--:|--:|--:|%s---|\n",
                   passes, is_timed ? "predicted time | conflicts cost | " : "",
                   is_timed ? "--:|--:|" : "");
  for (guint i = 0; i < check->cases->len; i++) {
    const SmbChecked *checked = check->cases->pdata[i];
    SmbCheckedCosts costs;
    smb_spool_puts(cli->out, "| ");
    smb_markdown_text(cli->out, checked->one->name);
    smb_spool_puts(cli->out, " | ");
    if (smb_checked_costs(checked, &costs)) {
      smb_markdown_code(cli->out, costs.kernel);
      smb_spool_printf(cli->out,
                       " | %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT
                       " | %" G_GUINT64_FORMAT " | %u-way | ",
                       costs.requests, costs.wavefronts, costs.ideal, costs.excess,
                       costs.max_degree);
    } else {
      smb_spool_puts(cli->out, " | | | | | | ");
    }
    g_autofree char *time = describe_checked_time(&costs), *cost = describe_checked_cost(&costs);
    if (is_timed)
      smb_spool_printf(cli->out, "%s | %s | ", time, cost);
    smb_spool_printf(cli->out, "%s |\n", smb_verdict_name(checked->verdict));
  }
  write_check_errors(cli, check);
}

const SmbFormat smb_check_formats[] = {{"text", write_check_text, NULL},
                                       {"json", write_check_json, NULL},
                                       {"csv", write_check_csv, NULL},
                                       {"sarif", write_findings, &smb_findings_sarif},
                                       {"github", write_findings, &smb_findings_github},
                                       {"gitlab", write_findings, &smb_findings_gitlab},
                                       {"markdown", write_check_markdown, NULL},
                                       {NULL, NULL, NULL}};

void
smb_check_write(SmbCli *cli, const SmbCheck *check) {
  cli->format->write(cli, check);
  if (check->n[SMB_VERDICT_ERROR] > 0)
    cli->status = SMB_EXIT_INPUT;
  else if (check->n[SMB_VERDICT_FAILED] > 0)
    cli->status = SMB_EXIT_DIFFERS;
}
