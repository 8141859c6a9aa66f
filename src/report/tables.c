// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/analysis/placed.h"
#include "src/analysis/row.h"
#include "src/analysis/view.h"
#include "src/draw/bank-map.h"
#include "src/report/impl.h"

// @more: heads of more columns
static void
begin_page_table(SmbSpool *page, const char *title, const char *label, const char *unit,
                 const char *more) {
  smb_spool_printf(
      page,
      "<h3>%s</h3>\n<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n"
      "<table class=\"accesses\">\n<thead><tr><th scope=\"col\" class=\"line\">line</th>"
      "<th scope=\"col\" class=\"word op\">op</th><th scope=\"col\" class=\"code\">access</th>"
      "<th scope=\"col\">requests</th><th scope=\"col\">%s</th><th scope=\"col\">ideal</th>"
      "<th scope=\"col\">excess</th>"
      "<th scope=\"col\">worst</th>%s</tr></thead>\n<tbody>\n",
      title, label, unit, more);
}

// @n: how many alike instructions the row stands for
static void
write_sites(const SmbReport *report, SmbSpool *page, const SmbSite *site, guint n, const char *link,
            guint number) {
  g_autofree char *text = smb_analyze_row_text(site, n);
  smb_spool_puts(page, "<tr><td class=\"line\">");
  smb_report_write_place(report, page, site, "");
  smb_spool_printf(page, "</td><td class=\"word op\">%s</td><td class=\"code\">",
                   smb_op_class_name(site->op_class));
  if (link)
    smb_spool_printf(page, "<a href=\"#%s%s-%u\">", report->prefix, link, number);
  smb_html_text(page, text);
  smb_spool_puts(page, link ? "</a>" : "");
  smb_report_write_origin(report, page, site);
  smb_spool_puts(page, "</td>");
}

static void
write_page_tally(SmbSpool *page, const SmbTally *tally, gboolean exact) {
  const char *judgement = tally->excess ? "bad" : "good";
  smb_html_number(page, NULL, tally->requests);
  smb_spool_printf(page, "<td>%s%" G_GUINT64_FORMAT "</td>", exact ? "" : "≥ ", tally->wavefronts);
  smb_html_number(page, NULL, tally->ideal);
  smb_html_number(page, judgement, tally->excess);
  smb_spool_printf(page, "<td class=\"%s\">%u-way</td>", judgement, tally->max_degree);
}

// What is compiled of a row: @tally: (nullable): another row has it.
static void
write_page_compiled(const SmbReport *report, SmbSpool *page, const SmbTally *tally) {
  if (!smb_compiled_count_has(report->compiled))
    return;
  if (!tally) {
    smb_spool_puts(page, "<td>↑</td><td>↑</td>");
    return;
  }
  smb_html_number(page, NULL, tally->wavefronts);
  smb_html_number(page, tally->excess ? "bad" : "good", tally->excess);
}

static void
write_page_total(const SmbReport *report, SmbSpool *page, const char *op, const char *all,
                 const SmbTally *total, const SmbTally *compiled) {
  if (total->requests + (compiled ? compiled->requests : 0) == 0)
    return;
  smb_spool_printf(page,
                   "<tr><td class=\"line\"></td><td class=\"word op\">%s</td>"
                   "<td class=\"code\">all %s</td>",
                   op, all);
  write_page_tally(page, total, TRUE);
  write_page_compiled(report, page, compiled);
  smb_spool_puts(page, "</tr>\n");
}

// What only compiled code has.
static void
write_compiled_row(const SmbReport *report, SmbSpool *page, const SmbSite *place,
                   const SmbCompiledLine *line) {
  write_sites(report, page, place, line->n, NULL, 0);
  smb_spool_puts(page, "<td></td><td></td><td></td><td></td><td></td>");
  write_page_compiled(report, page, &line->total);
  smb_spool_puts(page, "</tr>\n");
}

static gboolean
is_row_exact(const GArray *accesses, const SmbAnalyzeRow *row) {
  gboolean is_bound = FALSE;
  for (guint i = 0; i < accesses->len; i++) {
    const SmbAccess *access = &g_array_index(accesses, SmbAccess, i);
    is_bound |= smb_analyze_is_one_row(row->access, access) && smb_access_is_lower_bound(access);
  }
  return !is_bound;
}

static void
write_page_row(const SmbReport *report, SmbSpool *page, const SmbAnalyzeRow *row) {
  SmbTally compiled;
  const GArray *accesses = report->analysis->accesses;
  gboolean is_first = smb_compiled_count_share(report->compiled, row->access, &compiled);
  write_sites(report, page, row->access->site, row->n, row->total.excess ? "access" : NULL,
              smb_report_index(report, smb_analyze_row_worst(accesses, row)));
  write_page_tally(page, &row->total, is_row_exact(accesses, row));
  write_page_compiled(report, page, is_first ? &compiled : NULL);
  smb_spool_puts(page, "</tr>\n");
}

// Accesses, and what only compiled code has, by their lines.
static void
write_shared_rows(const SmbReport *report, SmbSpool *page) {
  g_autoptr(GArray) gathered = smb_analyze_gather(report->analysis->accesses, FALSE);
  const GArray *lines = smb_compiled_count_has(report->compiled) ? report->compiled->lines : NULL;
  g_autofree SmbSite *places = g_new0(SmbSite, lines ? lines->len + 1 : 1);
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(SmbViewRow));
  for (guint i = 0; i < gathered->len; i++) {
    SmbViewRow row = {.site = g_array_index(gathered, SmbAnalyzeRow, i).access->site};
    g_array_append_val(rows, row);
  }
  for (guint i = 0; lines && i < lines->len; i++) {
    SmbViewRow row = {.site = &places[i]};
    places[i] = *g_array_index(lines, SmbCompiledLine, i).site;
    if (g_strcmp0(places[i].file, smb_program_file(report->target->kernel)) == 0)
      places[i].file = NULL; // as the rows of the text have it
    g_array_append_val(rows, row);
  }
  g_autoptr(GArray) order = smb_view_order(&smb_view_all, rows);
  for (guint r = 0; r < order->len; r++) {
    guint i = g_array_index(order, guint, r), at = i - gathered->len;
    if (i < gathered->len)
      write_page_row(report, page, &g_array_index(gathered, SmbAnalyzeRow, i));
    else if (!g_array_index(lines, SmbCompiledLine, at).first)
      write_compiled_row(report, page, &places[at], &g_array_index(lines, SmbCompiledLine, at));
  }
}

static void
write_shared_table(const SmbReport *report, SmbSpool *page) {
  const SmbAnalysis *analysis = report->analysis;
  const SmbAnalysis *made =
      smb_compiled_count_has(report->compiled) ? report->compiled->analysis : NULL;
  begin_page_table(page, smb_arch_say(report->arch, "Shared memory, whole launch"),
                   smb_arch_say(report->arch, "accesses to shared memory"),
                   smb_arch_say(report->arch, "wavefronts"),
                   made ? "<th scope=\"col\">compiled: wavefronts</th>"
                          "<th scope=\"col\">compiled: excess</th>"
                        : "");
  write_shared_rows(report, page);
  smb_spool_puts(page, "</tbody>\n<tfoot>\n");
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
    const char *op = smb_op_class_name((SmbOpClass)c);
    write_page_total(report, page, op, smb_noun(2, op).text, &analysis->totals[c],
                     made ? &made->totals[c] : NULL);
  }
  write_page_total(report, page, "async", "asynchronous copies", &analysis->copies,
                   made ? &made->copies : NULL);
  smb_spool_puts(page, "</tfoot>\n</table>\n</div>\n");
  if (smb_compiled_count_shares(report->compiled, analysis))
    smb_spool_puts(
        page, "<p class=\"note\">↑: counted in the first row of its line and operation.</p>\n");
}

static void
write_global_table(const SmbReport *report, SmbSpool *page) {
  begin_page_table(page, "Global memory, whole launch", "accesses to global memory",
                   smb_analyze_segment_name(report->arch), "");
  g_autoptr(GArray) rows = smb_analyze_gather_global(report->analysis->globals);
  for (guint i = 0; i < rows->len; i++) {
    const SmbAnalyzeGlobalRow *row = &g_array_index(rows, SmbAnalyzeGlobalRow, i);
    const SmbGlobalAccess *total = &row->total;
    const char *judgement = total->segments > total->ideal ? "bad" : "good";
    write_sites(report, page, total->site, row->n, NULL, 0);
    smb_html_number(page, NULL, total->requests);
    smb_html_number(page, NULL, total->segments);
    smb_html_number(page, NULL, total->ideal);
    smb_html_number(page, judgement, total->segments - total->ideal);
    smb_html_number(page, judgement, total->max_segments);
    smb_spool_puts(page, "</tr>\n");
  }
  smb_spool_puts(page, "</tbody>\n</table>\n</div>\n");
}

static void
write_constant_table(const SmbReport *report, SmbSpool *page) {
  const SmbAnalysis *analysis = report->analysis;
  begin_page_table(page, "Constant memory, whole launch", "accesses to constant memory", "words",
                   "");
  for (guint i = 0; i < analysis->constants->len; i++) {
    const SmbConstantAccess *access = &g_array_index(analysis->constants, SmbConstantAccess, i);
    const SmbTally *tally = &access->total;
    const char *judgement = tally->excess ? "bad" : "good";
    write_sites(report, page, access->site, 1, NULL, 0);
    smb_html_number(page, NULL, tally->requests);
    smb_html_number(page, NULL, tally->wavefronts);
    smb_html_number(page, NULL, tally->ideal);
    smb_html_number(page, judgement, tally->excess);
    smb_html_number(page, judgement, tally->max_degree);
    smb_spool_puts(page, "</tr>\n");
  }
  smb_spool_puts(page, "</tbody>\n</table>\n</div>\n");
}

static void
write_traffic_table(const SmbReport *report, SmbSpool *page) {
  const SmbAnalysis *analysis = report->analysis;
  smb_spool_puts(
      page,
      smb_arch_say(
          report->arch,
          "<h3>Other shared traffic, whole launch</h3>\n<div class=\"box\" tabindex=\"0\" "
          "role=\"region\" aria-label=\"other shared traffic\">\n"
          "<table class=\"accesses\">\n<thead><tr><th scope=\"col\" class=\"line\">line</th>"
          "<th scope=\"col\" class=\"word op\">op</th><th scope=\"col\" "
          "class=\"code\">instruction</th>"
          "<th scope=\"col\">kind</th><th scope=\"col\">executions</th>"
          "<th scope=\"col\">bytes</th><th scope=\"col\">wavefronts</th></tr></thead>\n<tbody>\n"));
  g_autoptr(GArray) rows = smb_analyze_gather_traffic(analysis->traffic);
  for (guint i = 0; i < rows->len; i++) {
    const SmbAnalyzeTrafficRow *row = &g_array_index(rows, SmbAnalyzeTrafficRow, i);
    const SmbOtherTraffic *traffic = &row->total;
    char bytes[32];
    smb_analyze_describe_bytes(traffic, bytes, sizeof bytes);
    write_sites(report, page, traffic->site, row->n, NULL, 0);
    smb_spool_printf(page, "<td>%s</td>", smb_traffic_name(traffic->kind));
    smb_html_number(page, NULL, traffic->executions);
    smb_spool_printf(page, "<td>%s</td>", bytes);
    guint64 wavefronts = 0;
    if (smb_other_traffic_wavefronts(traffic, analysis->vendor, &wavefronts))
      smb_html_number(page, NULL, wavefronts);
    else
      smb_spool_puts(page, "<td>-</td>");
    smb_spool_puts(page, "</tr>\n");
  }
  smb_spool_puts(
      page,
      smb_arch_say(report->arch,
                   "</tbody>\n</table>\n</div>\n<p class=\"words\">Other shared traffic makes no "
                   "requests of a warp, and is in no count of wavefronts.</p>\n"));
}

enum {
  MOST_PLACED = 8, // that are drawn
};

// Where rows of boxes and of operands lie.
static void
write_placed_rows(const SmbReport *report, SmbSpool *page) {
  g_autoptr(GArray) all = smb_placed_rows_choose(report->target->kernel, report->analysis, NULL, 0);
  if (all->len > 0)
    smb_spool_puts(page, "<h3>Boxes of tensors and operands of products, on the banks</h3>\n");
  for (guint i = 0; i < MIN(all->len, MOST_PLACED); i++) {
    const SmbPlacedRows *rows = &g_array_index(all, SmbPlacedRows, i);
    g_autofree char *name = smb_placed_rows_name(rows);
    g_autofree char *words = smb_placed_rows_describe(report->arch, rows);
    g_autoptr(SmbBankMap) map = smb_bank_map_new(report->arch, &rows->request);
    smb_spool_puts(page, "<figure>\n<figcaption>");
    smb_html_text(page, name);
    smb_spool_puts(page, ". ");
    smb_html_text(page, words);
    smb_spool_puts(page, "</figcaption>\n<div class=\"box\" tabindex=\"0\" role=\"region\" "
                         "aria-label=\"bank map of rows\">\n");
    smb_bank_map_write_svg(map, SMB_BANK_MAP_ALL, SMB_BANK_MAP_BARE, page);
    smb_spool_puts(page, "</div>\n</figure>\n");
  }
  if (all->len > MOST_PLACED)
    smb_spool_printf(
        page,
        "<p class=\"words\">%u more are not drawn: <code>smembank explain --line</code> "
        "draws those of a line.</p>\n",
        all->len - MOST_PLACED);
}

// What counts as a word of N-way, on devices where not every word does.
static void
write_word_kinds(const SmbReport *report, SmbSpool *page) {
  const SmbArchInfo *info = smb_arch_info(report->arch);
  const SmbRule *bytes = smb_arch_rule(report->arch, SMB_OP_ST, 1);
  if (info->row_bytes > info->banks * info->bank_bytes)
    smb_spool_printf(page, "; words of one row of %u bytes count once", info->row_bytes);
  if (bytes && bytes->plan.conflict == SMB_CONFLICT_ADDRESSES)
    smb_spool_puts(page, "; of stores of less than a word, the most distinct addresses");
}

void
smb_report_write_tables(const SmbReport *report, SmbSpool *page) {
  smb_spool_printf(page, "<section id=\"%saccesses\">\n<h2>Accesses</h2>\n", report->prefix);
  if (report->analysis->accesses->len > 0)
    write_shared_table(report, page);
  if (report->analysis->globals->len > 0)
    write_global_table(report, page);
  if (report->analysis->constants->len > 0)
    write_constant_table(report, page);
  if (report->analysis->traffic->len > 0)
    write_traffic_table(report, page);
  write_placed_rows(report, page);
  gboolean has_nvprof = smb_arch_info(report->arch)->vendor == SMB_VENDOR_NVIDIA;
  smb_spool_printf(
      page,
      smb_arch_say(
          report->arch,
          "<p class=\"words\">A <dfn>request</dfn> is one execution of a memory instruction "
          "by one warp, a <dfn>wavefront</dfn> one pass of it through the shared-memory "
          "data stage%s. <dfn>Ideal</dfn> is what the request takes "
          "without bank conflicts; <dfn>excess</dfn>, the rest, is what profilers count as "
          "bank conflicts. <dfn>N-way</dfn>: one lane group accesses N distinct words of "
          "one bank"),
      has_nvprof ? " (nvprof: transaction)" : "");
  write_word_kinds(report, page);
  smb_spool_puts(page, ".</p>\n</section>\n");
}
