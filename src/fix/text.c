// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/text.h"
#include "src/advise/text.h"
#include "src/analysis/heading.h"
#include "src/fix/fix.h"
#include "src/out/table.h"

// What was measured of the whole kernel, beside the model.
static void
write_fix_metrics(SmbCli *cli, const SmbFix *fix) {
  const GArray *metrics = fix->measured->metrics;
  g_autoptr(SmbTable) table = smb_table_new("metric|measured>|predicted>|");
  guint n = 0;
  for (guint i = 0; i < metrics->len; i++) {
    const SmbKernelMetric *metric = &g_array_index(metrics, SmbKernelMetric, i);
    double predicted, slack;
    if (!smb_kernel_metric_predict(metric->name, fix->analysis, &predicted, &slack))
      continue;
    double more = metric->value - predicted;
    gboolean is_equal = !(more < 0 || more > 0), is_noise = more > 0 && more <= slack;
    smb_table_cell(table, SMB_STYLE_PLAIN, metric->name);
    smb_table_printf(table, SMB_STYLE_PLAIN, "%.15g", metric->value);
    smb_table_printf(table, is_equal || is_noise ? SMB_STYLE_GOOD : SMB_STYLE_BAD, "%.15g",
                     predicted);
    smb_table_cell(table, SMB_STYLE_DIM,
                   is_equal   ? ""
                   : is_noise ? "the counter also sees lost arbitration"
                              : "differs: is the launch the one that was measured?");
    smb_table_end_row(table);
    n++;
  }
  if (n > 0)
    smb_table_write(table, cli->out, cli->colour);
  if (n < metrics->len)
    smb_text_wrap_printf(cli->out, "%s: not of shared memory, or not predicted.",
                         smb_count(metrics->len - n, "other metric").text);
}

static void
write_fix_measured(SmbCli *cli, const SmbFixResult *result) {
  const SmbFix *fix = result->fix;
  SmbTally predicted = smb_analysis_total(fix->analysis);
  const char *kernel;
  guint place = smb_fix_place(fix, &kernel);
  if (fix->measured) {
    smb_text_wrap_printf(cli->out,
                         "Measured of the whole kernel (%s:%u). Metrics have no lines: which lines "
                         "conflict is predicted: %s, %s in excess%s%s.",
                         result->file, place, smb_count(predicted.wavefronts, "wavefront").text,
                         smb_number(predicted.excess).text, fix->lines->len > 0 ? ", in " : "",
                         fix->lines->len > 0 ? smb_count(fix->lines->len, "line").text : "");
    smb_spool_puts(cli->out, "\n");
    write_fix_metrics(cli, fix);
    return;
  }
  smb_text_wrap_printf(cli->out,
                       "Measured (%s:%u): %s of shared memory, %s in excess%s%s. "
                       "Predicted: %s, %s in excess.",
                       result->file, place, smb_count(fix->wavefronts, "wavefront").text,
                       smb_number(fix->excess).text, fix->lines->len > 0 ? ", in " : "",
                       fix->lines->len > 0 ? smb_count(fix->lines->len, "line").text : "",
                       smb_count(predicted.wavefronts, "wavefront").text,
                       smb_number(predicted.excess).text);
}

static void
write_predicted(SmbCli *cli, const SmbFixLine *line) {
  if (line->predicted.wavefronts != line->wavefronts)
    smb_text_wrap_printf(cli->out, "Predicted: %s. Is the launch the one that was measured?",
                         smb_count(line->predicted.wavefronts, "wavefront").text);
  if (line->reason)
    smb_text_wrap_printf(cli->out, "The prediction is not exact: %s", line->reason);
}

static void
write_fix_remedies(SmbCli *cli, const SmbFix *fix, const SmbFixLine *line) {
  for (guint i = 0; i < line->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(line->arrays, i);
    g_autofree char *declaration = smb_advise_declare(array->search->use->array);
    g_autoptr(GPtrArray) remedies = smb_fix_remedies(fix, array);
    smb_spool_puts(cli->out, "\n");
    smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, declaration);
    smb_spool_puts(cli->out, "\n");
    for (guint j = 0; j < remedies->len; j++)
      smb_text_wrap(cli->out, g_ptr_array_index(remedies, j));
  }
  if (line->arrays->len == 0 && fix->advice)
    smb_text_wrap(cli->out, "No layout of an array was searched for this line.");
}

static void
write_fix_line(SmbCli *cli, const SmbFix *fix, const SmbFixLine *line) {
  g_autofree char *place = line->code->file
                               ? g_strdup_printf("%s:%u", line->code->file, line->code->line)
                               : g_strdup_printf("0x%x %s", line->code->pc, line->code->text);
  smb_spool_puts(cli->out, "\n");
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, place);
  smb_spool_printf(cli->out, ": %s of %s in excess, %.0f %% of the kernel's%s\n",
                   smb_number(line->excess).text, smb_count(line->wavefronts, "wavefront").text,
                   100.0 * (double)line->excess / (double)fix->excess,
                   fix->measured ? " (predicted)" : "");
  if (line->source)
    smb_spool_printf(cli->out, "  %s\n", line->source);
  write_predicted(cli, line);
  if (line->why)
    smb_text_wrap(cli->out, line->why);
  write_fix_remedies(cli, fix, line);
}

void
smb_fix_write_text(SmbCli *cli, gconstpointer data) {
  const SmbFixResult *result = data;
  const SmbFix *fix = result->fix;
  smb_analyze_write_heading(cli, smb_fix_code(fix), fix->analysis);
  write_fix_measured(cli, result);
  if (fix->advice_failure)
    smb_text_wrap_printf(cli->out, "No layouts were searched: %s", fix->advice_failure);
  guint64 hidden = 0;
  for (guint i = 0; i < fix->lines->len; i++) {
    const SmbFixLine *line = g_ptr_array_index(fix->lines, i);
    if (i < result->top)
      write_fix_line(cli, fix, line);
    else
      hidden += line->excess;
  }
  if (hidden > 0)
    smb_spool_printf(cli->out, "\n%s more, with %s in excess: --top N\n",
                     smb_count(fix->lines->len - result->top, "line").text,
                     smb_count(hidden, "wavefront").text);
}
