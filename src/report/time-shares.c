// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long the launch is predicted to take, as a picture: how busy each unit is, with bank conflicts and without, and which lines cost
// the time that conflicts cost.
#include "sim/base/order.h"
#include "sim/base/text.h"
#include "src/report/impl.h"

// Units that work less have no row.
static const double least_share = 0.005;

// A bar, and its percentage. @is_limit: whether the unit limits the launch
static void
write_bar(SmbSpool *page, const char *name, double share, gboolean is_limit) {
  smb_spool_printf(page, "<div class=\"share %s%s\"><i style=\"--share: %.3f\"></i>%.0f %%</div>",
                   name, is_limit ? " limit" : "", CLAMP(share, 0, 1), 100 * share);
}

static void
write_unit_row(const SmbTime *time, guint u, SmbSpool *page) {
  gboolean limits_now = u == time->limit;
  gboolean limits_then = time->has_conflicts && u == time->without_limit;
  if (MAX(time->busy[u], time->without_busy[u]) < least_share)
    return;
  smb_spool_printf(page, "<tr><th scope=\"row\"%s>%s</th><td>",
                   limits_now || limits_then ? " class=\"limit\"" : "", smb_unit_name((SmbUnit)u));
  write_bar(page, "with", time->busy[u], limits_now);
  if (time->has_conflicts)
    write_bar(page, "without", time->without_busy[u], limits_then);
  smb_spool_puts(page, "</td></tr>\n");
}

static void
write_units(const SmbTime *time, SmbSpool *page) {
  smb_spool_puts(page, "<figure class=\"map\">\n");
  if (time->has_conflicts)
    smb_spool_puts(page, "<ul class=\"legend\"><li><span class=\"swatch with\"></span>as it is</li>"
                         "<li><span class=\"swatch without\"></span>without bank conflicts</li>"
                         "</ul>\n");
  smb_spool_puts(page, "<table class=\"shares\" aria-label=\"how busy each unit is\"><tbody>\n");
  for (guint u = 0; u < SMB_N_UNITS; u++)
    write_unit_row(time, u, page);
  smb_spool_puts(page,
                 "</tbody></table>\n<figcaption>Share of the launch's time in which each unit "
                 "works. The one that works most limits it.</figcaption></figure>\n");
}

// What the conflicts of a line cost. @first: the first of its sites; @n: how many have conflicts
typedef struct {
  const SmbSite *first;
  guint n;
  double cycles;
} Line;

static int
compare_line_costs(gconstpointer a, gconstpointer b) {
  const Line *x = a, *y = b;
  return smb_order((guint64)y->cycles, (guint64)x->cycles)
             ?: smb_order(x->first->line, y->first->line);
}

static gboolean
is_cost_of_line(const Line *line, const SmbSite *site) {
  return line->first->line == site->line && g_strcmp0(line->first->file, site->file) == 0 &&
         (site->line || line->first == site);
}

// Lines whose conflicts cost time, the costliest first (element-type Line).
static GArray *
sum_line_costs(const SmbLaunchTime *launch) {
  GArray *lines = g_array_new(FALSE, FALSE, sizeof(Line));
  double most = launch->time->cycles - launch->time->without;
  for (guint i = 0; i < launch->time->sites->len; i++) {
    const SmbSiteTime *cost = &g_array_index(launch->time->sites, SmbSiteTime, i);
    const SmbSite *site = smb_program_site(launch->target->kernel, cost->site);
    guint at = 0;
    while (at < lines->len && !is_cost_of_line(&g_array_index(lines, Line, at), site))
      at++;
    if (at == lines->len)
      g_array_append_val(lines, ((Line){.first = site}));
    Line *line = &g_array_index(lines, Line, at);
    line->n++;
    line->cycles = MIN(most, line->cycles + cost->cycles);
  }
  g_array_sort(lines, compare_line_costs);
  return lines;
}

static void
write_line_costs(const SmbReport *report, SmbSpool *page) {
  const SmbTime *time = report->time->time;
  g_autoptr(GArray) lines = sum_line_costs(report->time);
  if (lines->len == 0)
    return;
  smb_spool_puts(
      page,
      "<h3>What conflicts cost</h3>\n<div class=\"box\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"what conflicts cost\">\n<table class=\"costs\"><thead><tr>"
      "<th scope=\"col\" class=\"code\">line</th><th scope=\"col\">instructions</th>"
      "<th scope=\"col\">cycles</th><th scope=\"col\">µs</th>"
      "<th scope=\"col\">of the launch</th><th scope=\"col\" class=\"bar\"></th></tr></thead>\n"
      "<tbody>\n");
  for (guint i = 0; i < lines->len; i++) {
    const Line *line = &g_array_index(lines, Line, i);
    smb_spool_puts(page, "<tr><td class=\"code\">");
    smb_report_write_place(report, page, line->first, "");
    smb_report_write_origin(report, page, line->first);
    double percent = 100 * line->cycles / time->cycles;
    smb_spool_printf(page,
                     "</td><td>%u</td><td>%.0f</td><td>%.3g</td><td class=\"%s\">%.1f %%</td>"
                     "<td class=\"bar\"><i style=\"width: %.1f%%\"></i></td></tr>\n",
                     line->n, line->cycles, smb_time_microseconds(time, line->cycles),
                     line->cycles >= least_share * time->cycles ? "bad" : "good", percent,
                     MAX(0, percent));
  }
  smb_spool_puts(page,
                 "</tbody></table>\n</div>\n<p class=\"words\">What the launch gains if the "
                 "accesses of that line alone have no conflicts. Accesses wait for each other: "
                 "all together need not cost the sum.</p>\n");
}

void
smb_report_write_time(const SmbReport *report, SmbSpool *page) {
  if (!report->time || !report->time->time)
    return;
  smb_spool_printf(page, "<section id=\"%stime\">\n<h2>Time</h2>\n", report->prefix);
  write_units(report->time->time, page);
  write_line_costs(report, page);
  smb_spool_puts(page, "</section>\n");
}
