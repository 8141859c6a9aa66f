// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/analysis/verdict.h"
#include "src/draw/bank-map.h"
#include "src/out/describe.h"
#include "src/report/impl.h"

// What the accesses cost, and which lanes of their costliest request conflict.
static void
write_sentences(const SmbReport *report, const SmbReportConflict *conflict, SmbSpool *page) {
  const SmbAccess *access = &g_array_index(report->analysis->accesses, SmbAccess, conflict->access);
  const SmbTally *total = &conflict->row.total;
  g_autoptr(GString) meeting = g_string_new(NULL);
  smb_analyze_append_meeting(meeting, report->arch, access);
  smb_spool_printf(page,
                   smb_arch_say(report->arch, "<p>Whole launch: %s, %s%" G_GUINT64_FORMAT
                                              " wavefronts, ideal %" G_GUINT64_FORMAT
                                              ", <strong class=\"bad\">%" G_GUINT64_FORMAT
                                              " in excess</strong>, %u-way.%s</p>\n"),
                   smb_count(total->requests, "request").text,
                   smb_access_is_lower_bound(access) ? "at least " : "", total->wavefronts,
                   total->ideal, total->excess, total->max_degree, meeting->str);
  if (smb_compiled_count_has(report->compiled)) {
    g_autofree char *made = smb_compiled_count_tell_line(report->compiled, access);
    smb_html_within(page, "<p>", made, "</p>\n");
  }
  if (access->is_loop)
    smb_spool_puts(
        page, "<p>This atomic is a loop of loads and swaps: its count is a lower bound.</p>\n");
  if (smb_access_depends_on_data(access)) {
    g_autofree char *reason = smb_analyze_describe_reason(access);
    smb_html_within(page, "<p>", reason, "</p>\n");
  }
}

// The maps of an access stand together; @n: (out): how many there are.
static const SmbReportMap *
find_maps(const SmbReport *report, guint access, guint *n) {
  const SmbReportMap *maps = (const SmbReportMap *)(gpointer)report->maps->data;
  guint first = 0, end;
  while (first < report->maps->len && maps[first].access != access)
    first++;
  for (end = first; end < report->maps->len && maps[end].access == access;)
    end++;
  *n = end - first;
  return maps + first;
}

static void
write_conflict_warps(const SmbReport *report, const SmbReportMap *maps, guint n, SmbSpool *page) {
  guint access = maps->access;
  const SmbAccess *worst = &g_array_index(report->analysis->accesses, SmbAccess, access);
  smb_spool_printf(
      page, smb_arch_say(report->arch, "<label>Warp <select class=\"warps\" id=\"%swarps-%u\">"),
      report->prefix, access);
  for (guint i = 0; i < n; i++) {
    guint32 cost = smb_wavefronts_count(report->arch, &maps[i].request).wavefronts;
    smb_spool_printf(page, "<option value=\"%u\"%s>%u: %s</option>", maps[i].warp,
                     maps[i].warp == worst->worst_warp ? " selected" : "", maps[i].warp,
                     smb_count(cost, smb_arch_say(report->arch, "wavefront")).text);
  }
  smb_spool_puts(page, "</select></label>\n");
}

static void
write_controls(const SmbReport *report, const SmbReportMap *maps, guint n, SmbSpool *page) {
  smb_spool_puts(page, "<div class=\"controls\">\n");
  write_conflict_warps(report, maps, n, page);
  smb_spool_puts(
      page, smb_arch_say(
                report->arch,
                "<span class=\"steps\" role=\"group\" aria-label=\"passes\">"
                "<button type=\"button\" class=\"back\" aria-label=\"previous pass\">←</button>"
                "<button type=\"button\" class=\"next\" aria-label=\"next pass\">→</button>"
                "<button type=\"button\" class=\"whole\" aria-pressed=\"false\">whole "
                "request</button></span>\n"
                "</div>\n<div class=\"lanes\" role=\"toolbar\" aria-label=\"lanes of the warp\">"));
  for (guint lane = 0; lane < smb_arch_info(report->arch)->lanes; lane++)
    smb_spool_printf(page,
                     "<button type=\"button\" data-lane=\"%u\" aria-label=\"lane %u\">%u</button>",
                     lane, lane, lane);
  smb_spool_puts(page, "</div>\n");
}

static void
write_conflict_key(SmbSpool *page, const char *css_class, const char *text) {
  smb_spool_printf(page, "<li><span class=\"swatch %s\"></span>%s</li>", css_class, text);
}

// The colours of the lane groups by which one request is served.
static void
write_conflict_groups(const SmbBankMap *map, SmbSpool *page) {
  if (map->plan->n_groups == 1 || map->plan->conflict == SMB_CONFLICT_LOOP)
    return;
  smb_spool_puts(page, "<ul class=\"legend\">");
  for (guint group = 0; group < map->plan->n_groups; group++) {
    g_autofree char *colour = g_strdup_printf("g%u", group % 4);
    g_autoptr(GString) text = g_string_new(NULL);
    smb_describe_lanes(text, smb_plan_group_lanes(map->plan, group));
    write_conflict_key(page, colour, text->str);
  }
  smb_spool_puts(page, "</ul>\n");
}

// What the states of a word look like.
static void
write_map_legend(const SmbPlan *plan, SmbSpool *page) {
  const char *turn = smb_vendor_say(plan->vendor, smb_describe_turn(plan));
  g_autofree char *served = g_strdup_printf("served in this %s", turn);
  g_autofree char *clash = g_strdup_printf("its bank needs more than one %s (whole request)", turn);
  smb_spool_puts(page, "<ul class=\"legend\">");
  write_conflict_key(page, "g0 now", served);
  write_conflict_key(page, "g0 wait", "waits");
  write_conflict_key(page, "g0 done", "served before");
  write_conflict_key(page, "g0 clash", clash);
  smb_spool_puts(page,
                 "</ul>\n<p class=\"words\">The number in a word is the lane that accesses it; "
                 "“3+” is lane 3 and others. ");
  if (plan->conflict == SMB_CONFLICT_LOOP)
    smb_spool_puts(page, "A round is a load and a swap.</p>\n");
  else
    smb_spool_printf(
        page,
        smb_vendor_say(plan->vendor, "In one %s, each bank serves one word of a lane group.</p>\n"),
        turn);
}

static void
write_map_figure(const SmbReport *report, const SmbReportMap *map, SmbSpool *page) {
  g_autoptr(SmbBankMap) drawn = smb_bank_map_new(report->arch, &map->request);
  g_autofree char *whole = smb_bank_map_caption(drawn, SMB_BANK_MAP_ALL);
  g_autofree char *first = smb_bank_map_caption(drawn, 0);
  smb_spool_printf(
      page,
      smb_arch_say(report->arch, "<figure class=\"map\" data-warp=\"%u\">\n<figcaption>Warp %u"),
      map->warp, map->warp);
  if (map->block > 0)
    smb_spool_printf(page, smb_arch_say(report->arch, " of block %" G_GUINT64_FORMAT), map->block);
  if (map->count > 1)
    smb_spool_printf(page, ", %" G_GUINT64_FORMAT " times", map->count);
  smb_spool_printf(
      page,
      smb_arch_say(
          report->arch,
          ". %s. <span class=\"caption\" aria-live=\"polite\">%s</span></figcaption>\n"
          "<div class=\"box stage\" tabindex=\"0\" role=\"group\" aria-label=\"bank map of "
          "warp %u; the arrow keys step through its passes\">\n"),
      whole, first, map->warp);
  smb_bank_map_write_svg(drawn, 0, SMB_BANK_MAP_BARE, page);
  smb_spool_puts(page, "</div>\n");
  write_conflict_groups(drawn, page);
  smb_spool_puts(page, "</figure>\n");
}

// What draws the requests of an access, if the page has room for one.
static void
write_maps(const SmbReport *report, const SmbReportMap *maps, guint n, SmbSpool *page) {
  if (n == 0)
    return;
  write_controls(report, maps, n, page);
  for (guint i = 0; i < n; i++)
    write_map_figure(report, &maps[i], page);
  smb_spool_puts(page, "<p class=\"lit\" aria-live=\"polite\"></p>\n");
  write_map_legend(smb_wavefronts_plan(report->arch, &maps->request), page);
}

static void
write_left_out(const SmbReport *report, guint access, gboolean any, SmbSpool *page) {
  guint n = report->left_out[access];
  if (n > 0 && any)
    smb_spool_printf(page,
                     "<p class=\"note\">The maps of %s are left out: a page has at most %d "
                     "maps.</p>\n",
                     smb_count(n, smb_arch_say(report->arch, "more warp")).text,
                     SMB_REPORT_MAX_MAPS);
  else if (n > 0)
    smb_spool_printf(
        page,
        "<p class=\"note\">The bank maps of this access are left out: a page has at most %d "
        "maps.</p>\n",
        SMB_REPORT_MAX_MAPS);
}

// "the load of tile[x][y]"; of several instructions "4 × LDS, the worst of them LDS R15, [R12]"
static void
write_conflict_name(const SmbReportConflict *conflict, const SmbSite *site, SmbSpool *page) {
  g_autofree char *several = smb_analyze_row_text(site, conflict->row.n);
  if (conflict->row.n > 1)
    smb_html_within(page, "<code>", several, "</code>, the worst of them <code>");
  else
    smb_spool_printf(page, "the %s of <code>", smb_op_class_name(site->op_class));
  smb_html_text(page, site->expression);
  smb_spool_puts(page, "</code>");
}

static void
write_article(const SmbReport *report, const SmbReportConflict *conflict, guint *drawn,
              SmbSpool *page) {
  guint index = conflict->access, n;
  const SmbAccess *access = &g_array_index(report->analysis->accesses, SmbAccess, index);
  const SmbReportMap *maps = find_maps(report, index, &n);
  smb_spool_printf(page, "<article class=\"access\" id=\"%saccess-%u\" data-access=\"%u\">\n<h3>",
                   report->prefix, index, index);
  smb_report_write_place(report, page, access->site, "Line ");
  smb_spool_puts(page, ": ");
  write_conflict_name(conflict, access->site, page);
  smb_report_write_origin(report, page, access->site);
  smb_spool_puts(page, "</h3>\n");
  write_sentences(report, conflict, page);
  write_maps(report, maps, n, page);
  write_left_out(report, index, n > 0, page);
  smb_report_write_neighbours(report, index, drawn, page);
  smb_spool_puts(page, "</article>\n");
}

void
smb_report_write_conflicts(const SmbReport *report, SmbSpool *page) {
  guint drawn = 0;
  smb_spool_printf(page, "<section id=\"%sconflicts\">\n<h2>Conflicts</h2>\n", report->prefix);
  for (guint i = 0; i < report->conflicts->len; i++)
    write_article(report, &g_array_index(report->conflicts, SmbReportConflict, i), &drawn, page);
  if (report->conflicts->len == 0)
    smb_spool_puts(page, "<p>No bank conflicts.</p>\n");
  if (report->conflicts->len > 1)
    smb_spool_puts(page, "<p>The costliest access comes first.</p>\n");
  if (report->analysis->requests_dropped > 0)
    smb_spool_printf(
        page,
        "<p class=\"note\">%" G_GUINT64_FORMAT
        " requests were too varied to keep one by one: a map shows the costliest of those "
        "that were kept.</p>\n",
        report->analysis->requests_dropped);
  smb_spool_puts(page, "</section>\n");
}
