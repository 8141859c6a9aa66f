// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// layout: what the accesses to a layout cost, without a kernel. A layout with its accesses is a program (sim/layout/front-end.h), which
// is counted, explained and written as any other.
#include <string.h>

#include "sim/base/error.h"
#include "src/analysis/limit.h"
#include "src/analysis/warning.h"
#include "src/commands.h"
#include "src/finding/finding.h"
#include "src/layout/report.h"
#include "src/out/json.h"

static char **option_access;
static char *option_element, *option_shape, *option_find;

/* As SmbLayoutFind. */
#define FINDS "swizzle|pad"

static const GOptionEntry options[] = {
    {"access", 0, 0, G_OPTION_ARG_STRING_ARRAY, &option_access,
     "what a warp does, such as 'store row vec=8', column, ldmatrix.x4; may be given several times",
     "ACCESS"},
    {"element", 0, 0, G_OPTION_ARG_STRING, &option_element,
     "type of an element, if the layout does not say it (default f32; f16 if only ldmatrix and "
     "stmatrix access it)",
     "TYPE"},
    {"shape", 0, 0, G_OPTION_ARG_STRING, &option_shape,
     "rows and columns of the tile, if the layout does not say them", "ROWSxCOLUMNS"},
    {"find", 0, 0, G_OPTION_ARG_STRING, &option_find,
     "find the layout that takes the fewest wavefronts for all accesses, and prove it", FINDS},
    G_OPTION_ENTRY_NULL,
};

static void
write_layout_counts(SmbCli *cli, gconstpointer report) {
  smb_layout_write_text(cli, report);
}

static void
write_tile_layout_json(SmbCli *cli, gconstpointer report) {
  const SmbLayoutReport *layout = report;
  JsonBuilder *json = smb_analyze_begin_json(cli, &layout->counts);
  if (layout->found)
    smb_layout_found_json(json, layout->found, layout->others);
  smb_json_end(json, cli->out);
}

static void
write_layout_csv(SmbCli *cli, gconstpointer report) {
  const SmbLayoutReport *layout = report;
  if (layout->found)
    smb_layout_found_csv(cli, layout->found);
  else
    smb_analyze_write_csv(cli, &layout->counts);
}

static void
write_layout_markdown(SmbCli *cli, gconstpointer report) {
  const SmbLayoutReport *layout = report;
  smb_analyze_write_markdown(cli, &layout->counts);
  if (layout->found)
    smb_layout_found_markdown(cli, layout->found);
}

static void
write_layout_findings(SmbCli *cli, gconstpointer report) {
  smb_analyze_write_findings(cli, &((const SmbLayoutReport *)report)->counts);
}

static const SmbFormat formats[] = {{"text", write_layout_counts, NULL},
                                    {"json", write_tile_layout_json, NULL},
                                    {"csv", write_layout_csv, NULL},
                                    {"sarif", write_layout_findings, &smb_findings_sarif},
                                    {"github", write_layout_findings, &smb_findings_github},
                                    {"gitlab", write_layout_findings, &smb_findings_gitlab},
                                    {"markdown", write_layout_markdown, NULL},
                                    {NULL, NULL, NULL}};

static const SmbFormat viewed_layouts[] = {{"text", write_layout_counts, NULL},
                                           {"markdown", write_layout_markdown, NULL},
                                           {NULL, NULL, NULL}};

static const SmbCliGroup *const groups[] = {&smb_view_group, &smb_analyze_limit_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "LAYOUT",
    .description =
        "Counts what accesses to a tile in shared memory cost in a layout, without a kernel. "
        "LAYOUT "
        "is one of\n  CuTe       'Swizzle<3,3,3> o (64,64):(64,1) xf16'\n  Triton     "
        "'#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}> 64x64xf16'\n  TMA   "
        "     'tma:128B 64x64xf16'\n  a formula  'r*72 + (c ^ r%8*8) 64x64xf16'\nA FILE with the "
        "same "
        "in lines, 'layout …' and 'access …', is read by the commands that take a kernel.",
    .min_arguments = 1,
    .max_arguments = 1,
    .n_results = 1,
    .has_arch = TRUE,
    .formats = formats,
    .groups = groups,
    .example = "smembank layout '(32,32):(33,1)' --access row --access column",
};

// The options as the text of a program.
static SmbSource *
write_source(const SmbCli *cli, GError **error) {
  GString *text = g_string_new(NULL);
  if (option_element)
    g_string_append_printf(text, "element %s\n", option_element);
  if (option_shape)
    g_string_append_printf(text, "shape %s\n", option_shape);
  g_autofree char *layout = g_strdelimit(g_strdup(cli->arguments[0]), "\n", ' ');
  g_string_append_printf(text, "layout %s\n", layout);
  for (guint i = 0; option_access[i]; i++) {
    g_autofree char *access = g_strdelimit(g_strdup(option_access[i]), "\n", ' ');
    g_string_append_printf(text, "access %s\n", access);
  }
  g_autoptr(GBytes) bytes = g_string_free_to_bytes(text);
  return smb_source_new("layout", bytes, error);
}

// The option that a line of that text is, from 1, as messages call it (transfer full). @lead: (out): bytes in front of it
static char *
name_line(guint line, guint *lead) {
  guint first = 1 + (option_element != NULL) + (option_shape != NULL);
  const char *name = line > first                  ? "access"
                     : line == first               ? "layout"
                     : line == 1 && option_element ? "element"
                                                   : "shape";
  *lead = (guint)strlen(name) + 1;
  return line > first + 1 || (line > first && option_access[1])
             ? g_strdup_printf("%s %u", name, line - first)
             : g_strdup(name);
}

// Nobody wrote that text: an error in it is one of an option. "layout:3:8: error: …" with its line becomes "access 2:1: error: …" with
// what was written.
static void
place_in_options(GError *error) {
  g_autoptr(GRegex) form =
      g_regex_new("^layout:([0-9]+):([0-9]+): (.*)\n *[0-9]+ \\| [a-z]+ (.*)\n *\\| ([ \t]*)\\^$",
                  G_REGEX_RAW, (GRegexMatchFlags)0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  if (!g_regex_match(form, error->message, (GRegexMatchFlags)0, &match))
    return;
  g_auto(GStrv) parts = g_match_info_fetch_all(match);
  guint lead, at = (guint)g_ascii_strtoull(parts[2], NULL, 10);
  g_autofree char *name = name_line((guint)g_ascii_strtoull(parts[1], NULL, 10), &lead);
  const char *ahead = parts[5] + MIN(lead, strlen(parts[5])); // of the caret: tabs stay
  char *message = g_strdup_printf("%s:%u: %s\n  %s\n  %s^", name, at > lead ? at - lead : 1,
                                  parts[3], parts[4], ahead);
  g_free(error->message);
  error->message = message;
}

static void
write_layout_limits(SmbCli *cli, const SmbAnalyzeReport *report) {
  for (guint i = 0; i < report->failed->len; i++) {
    const SmbFailedLimit *failure = &g_array_index(report->failed, SmbFailedLimit, i);
    cli->status = SMB_EXIT_DIFFERS;
    smb_spool_printf(cli->messages, "smembank layout: %-s\n", failure->message);
  }
}

static gboolean
count_layout_accesses(SmbCli *cli, const SmbTarget *target, const GArray *limits, guint what,
                      const SmbView *view, GError **error) {
  g_autoptr(SmbAnalysis) analysis = smb_target_analyze(target, cli->arch, error);
  if (!analysis)
    return FALSE;
  g_autoptr(GArray) failed = smb_limits_check(limits, target->kernel, analysis, NULL, NULL);
  const SmbExplainQuestion question = {0};
  g_autoptr(SmbExplanation) explanation =
      smb_explanation_new(target, cli->arch, analysis, &question, error);
  if (!explanation)
    return FALSE;
  static const SmbAdviseKinds kinds[] = {SMB_ADVISE_SWIZZLE, SMB_ADVISE_PAD};
  g_autoptr(SmbLayoutOthers) others =
      smb_layout_others_new(target, cli->arch, option_find ? kinds[what] : 0);
  g_autoptr(SmbLayoutFound) found =
      option_find ? smb_layout_find_best(others, target, cli->arch, (SmbLayoutFind)what, error)
                  : NULL;
  if (option_find && !found)
    return FALSE;
  const SmbLayoutReport report = {
      {.target = target, .analysis = analysis, .limits = limits, .failed = failed, .view = view},
      explanation,
      others,
      found};
  cli->format->write(cli, &report);
  write_layout_limits(cli, &report.counts);
  return TRUE;
}

gboolean
smb_cmd_layout(SmbCli *cli, GError **error) {
  static const SmbTargetOptions none = {0};
  guint what = 0;
  SmbView view;
  if (!smb_cli_parse(cli, &usage, options, error) ||
      !smb_cli_choice("--find", option_find, FINDS, &what, error) ||
      !smb_view_parse(&view, error) ||
      (smb_view_asked() && !smb_cli_view(cli, smb_view_asked(), viewed_layouts, error)))
    return FALSE;
  if (!option_access)
    return smb_cli_usage_error(error, "missing --access: expected what a warp does, such as row, "
                                      "column or ldmatrix.x4");
  g_autoptr(GArray) limits = smb_limits_new(smb_limit_options(), error);
  if (limits && (smb_limits_need_time(limits) || view.sort == SMB_SORT_COST))
    return smb_cli_usage_error(error, "%s: a layout without a kernel has no predicted time",
                               view.sort == SMB_SORT_COST ? "--sort cost" : "--max-cost");
  g_autoptr(SmbSource) source = limits ? write_source(cli, error) : NULL;
  g_autoptr(SmbTarget) target =
      source ? smb_target_new_from_source(&none, source, cli->arch, error) : NULL;
  if (!target) {
    if (source && error)
      place_in_options(*error);
    return FALSE;
  }
  target->options.keep_requests = TRUE;
  return count_layout_accesses(cli, target, limits, what, &view, error);
}
