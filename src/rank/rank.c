// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/rank/rank.h"

#include "sim/base/text.h"
#include "src/analysis/launch-time.h"
#include "src/analysis/vendor.h"
#include "src/analysis/verdict.h"
#include "src/analysis/warning.h"

void
smb_rank_time(SmbRankRow *row, const SmbTarget *target, const SmbArch *arch) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbLaunchTime) time = smb_launch_time_total(target, arch, &error);
  if (time) {
    row->chip = g_steal_pointer(&time->chip);
    row->time = g_steal_pointer(&time->time);
    row->untimed = g_steal_pointer(&time->why);
  } else {
    row->untimed = g_strdup(error->message);
  }
}

gboolean
smb_ranking_is_timed(const SmbRanking *ranking) {
  for (guint i = 0; i < ranking->rows->len; i++) {
    const SmbRankRow *row = ranking->rows->pdata[i];
    if (row->time || row->untimed)
      return TRUE;
  }
  return FALSE;
}

// Warnings for a reader of the ranking, who is told of one place that depends on the order of threads, and how many others do.
static void
note_warnings(SmbRankRow *row, const SmbProgram *program, const SmbAnalysis *analysis) {
  guint ordered = 0;
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    char *text = smb_analyze_tell_warning(program, analysis->warnings, i);
    if (!text)
      continue;
    g_ptr_array_add(row->warnings, text);
    if (smb_analyze_bounds_tell(analysis, warning))
      continue;
    ordered += warning->kind == SMB_WARNING_ORDER;
    if (warning->kind != SMB_WARNING_ORDER || ordered == 1)
      g_ptr_array_add(row->unsaid, text);
  }
  if (ordered > 1)
    g_ptr_array_add(row->notes, g_strdup_printf("%s depend%s on the order of threads as well",
                                                smb_count(ordered - 1, "other instruction").text,
                                                ordered == 2 ? "s" : ""));
}

void
smb_rank_note(SmbRankRow *row, const SmbTarget *target, const SmbProgram *program,
              const SmbArch *arch, const SmbAnalysis *analysis) {
  g_autoptr(GString) bounds = g_string_new(NULL);
  smb_analyze_append_bounds(bounds, analysis, NULL);
  row->bounds = bounds->len ? g_strdup(bounds->str) : NULL;
  note_warnings(row, program, analysis);
  g_autofree char *assumed = smb_analyze_describe_assumed(arch, analysis);
  if (*assumed)
    g_ptr_array_add(row->notes, g_steal_pointer(&assumed));
  if (target && smb_launch_time_is_asked())
    smb_rank_time(row, target, arch);
}

static void
append_sentences(GString *text, const GPtrArray *sentences, const char *before) {
  for (guint i = 0; i < sentences->len; i++) {
    const char *sentence = sentences->pdata[i];
    g_autofree char *first = smb_text_capitalize(sentence);
    g_string_append_printf(text, "%s%s%s", text->len ? " " : "", before,
                           *before ? sentence : first);
    if (!g_str_has_suffix(sentence, "."))
      g_string_append_c(text, '.');
  }
}

char *
smb_rank_remark(const SmbRankRow *row) {
  GString *text = g_string_new(NULL);
  if (row->refused) // the first line, without the excerpt of the source
    g_string_append_printf(text, "Not counted: %.*s", (int)strcspn(row->refused, "\n"),
                           row->refused);
  else if (row->bounds)
    g_string_append(text, row->bounds);
  append_sentences(text, row->unsaid, "");
  append_sentences(text, row->notes, "");
  if (row->untimed)
    g_string_append_printf(text, "%sTime not known: %s%s", text->len ? " " : "", row->untimed,
                           g_str_has_suffix(row->untimed, "?") ? "" : ".");
  return g_string_free(text, FALSE);
}

double
smb_rank_percent(const SmbRankRow *row) {
  return row->total.wavefronts ? 100.0 * (double)row->total.excess / (double)row->total.wavefronts
                               : 0;
}

char *
smb_rank_duration(const SmbCaptureLaunch *launch) {
  return launch->nanoseconds < 0 ? g_strdup("")
                                 : g_strdup_printf("%.1f µs", launch->nanoseconds / 1000);
}
