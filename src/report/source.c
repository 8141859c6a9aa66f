// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include <math.h>

#include "src/analysis/line.h"
#include "src/analysis/row.h"

#include "sim/arch/words.h"
#include "src/out/describe.h"
#include "src/report/impl.h"
#include "src/report/shown-lines.h"

static void
write_count_cell(SmbSpool *page, const char *css_class, guint64 count) {
  if (count)
    smb_html_number(page, css_class, count);
  else
    smb_spool_puts(page, "<td></td>");
}

static void
write_line_counts(SmbSpool *page, const SmbLineTally *line) {
  const SmbTally *shared = &line->shared;
  write_count_cell(page, NULL, shared->requests);
  write_count_cell(page, NULL, shared->wavefronts);
  write_count_cell(page, "bad", shared->excess);
  if (shared->requests)
    smb_spool_printf(page, "<td class=\"%s\">%u-way</td>", shared->excess ? "bad" : "good",
                     shared->max_degree);
  else
    smb_spool_puts(page, "<td></td>");
  write_count_cell(page, NULL, line->segments);
}

// A text whose lines are listed.
typedef struct {
  const SmbSource *source;
  const char *file; // that the program was compiled from, or NULL: its own text
  char *anchor;     // "line" or "file-1-line": what is ahead of the number of a line
  GArray *lines;    // SmbLineTally
  GArray *compiled; // the same of what a compiler makes of them, or NULL
  GArray *timed;    // which of both has what conflicts cost, or NULL
} Listing;

// @line: of Listing.compiled
static void
write_compiled_counts(SmbSpool *page, const SmbLineTally *line) {
  write_count_cell(page, NULL, line->shared.wavefronts);
  write_count_cell(page, "bad", line->shared.excess);
}

static void
write_cost_cell(const Listing *listing, double cycles, SmbSpool *page) {
  if (listing->timed)
    write_count_cell(page, "bad", (guint64)round(cycles));
}

static void
write_source_line(const SmbReport *report, const Listing *listing, guint number, SmbSpool *page) {
  const SmbLineTally *line = &g_array_index(listing->lines, SmbLineTally, number);
  g_autofree char *text = smb_source_line(listing->source, number);
  const SmbAccess *worst = line->worst; // the line leads to it
  smb_spool_printf(page, "<tr id=\"%s%s-%u\"%s>", report->prefix, listing->anchor, number,
                   worst ? " class=\"conflicts\"" : "");
  write_line_counts(page, line);
  if (listing->compiled)
    write_compiled_counts(page, &g_array_index(listing->compiled, SmbLineTally, number));
  if (listing->timed)
    write_cost_cell(listing, g_array_index(listing->timed, SmbLineTally, number).cost, page);
  if (worst)
    smb_spool_printf(page,
                     "<th scope=\"row\"><a href=\"#%saccess-%u\">%u</a></th><td class=\"code\">",
                     report->prefix, smb_report_index(report, worst), number);
  else
    smb_spool_printf(page, "<th scope=\"row\">%u</th><td class=\"code\">", number);
  smb_html_text(page, text);
  smb_spool_puts(page, "</td></tr>\n");
}

// A link to a line, or, if the page does not have it, only what it says.
void
smb_report_write_place(const SmbReport *report, SmbSpool *page, const SmbSite *site,
                       const char *word) {
  guint file = 0;
  g_autofree char *name = site->file ? smb_describe_file(site->file) : NULL;
  g_autofree char *place = name ? g_strdup_printf("%s:%u", name, site->line) : smb_site_place(site);
  if (site->line && !site->file) {
    smb_spool_printf(page, "<a href=\"#%sline-%u\">%s%u</a>", report->prefix, site->line, word,
                     site->line);
  } else if (site->file &&
             g_ptr_array_find_with_equal_func(report->files, site->file, g_str_equal, &file)) {
    smb_spool_printf(page, "<a href=\"#%sfile-%u-line-%u\">", report->prefix, file + 1, site->line);
    smb_html_text(page, place);
    smb_spool_puts(page, "</a>");
  } else if (site->opcode && smb_program_source(report->target->kernel)) {
    smb_spool_printf(page, "<a href=\"#%sline-%u\">", report->prefix, site->pc);
    smb_html_text(page, place);
    smb_spool_puts(page, "</a>");
  } else {
    smb_html_text(page, place);
  }
}

void
smb_report_write_origin(const SmbReport *report, SmbSpool *page, const SmbSite *site) {
  g_autofree char *line = smb_origins_line(report->origins, site);
  if (line)
    smb_html_within(page, "<span class=\"origin\">", line, "</span>");
}

static void
write_listing_head(const SmbReport *report, const Listing *listing, SmbSpool *page) {
  smb_spool_printf(
      page,
      smb_arch_say(
          report->arch,
          "<div class=\"box source-box\" tabindex=\"0\" role=\"region\" aria-label=\"annotated "
          "source\">\n<table class=\"source%s\">\n"
          "<thead><tr><th scope=\"col\">requests</th><th scope=\"col\">wavefronts</th>"
          "<th scope=\"col\">excess</th><th scope=\"col\">worst</th><th scope=\"col\">%s</th>%s%s"
          "<th scope=\"col\">line</th><th scope=\"col\" class=\"code\">source</th></tr></thead>\n"),
      listing->compiled ? " beside" : "", smb_analyze_segment_name(report->arch),
      listing->compiled ? "<th scope=\"col\">compiled: wavefronts</th>"
                          "<th scope=\"col\">compiled: excess</th>"
                        : "",
      listing->timed ? "<th scope=\"col\">cost in cycles</th>" : "");
}

// Lines that are hidden until the reader asks for them; without a script all are there.
static void
write_fold(const Listing *listing, guint first, guint last, SmbSpool *page) {
  guint columns = 7 + (listing->compiled ? 2 : 0) + (listing->timed ? 1 : 0);
  smb_spool_printf(page,
                   "</tbody>\n<tbody class=\"fold\"><tr><td class=\"all\" colspan=\"%u\">"
                   "<button type=\"button\" aria-expanded=\"false\">lines %u to %u</button>"
                   "</td></tr></tbody>\n<tbody class=\"rest\">\n",
                   columns, first, last);
}

// The lines of the functions in which something is counted; runs of others are folded, unless they are short.
static void
write_listing_lines(const SmbReport *report, const Listing *listing, SmbSpool *page) {
  enum {
    LEAST_FOLD = 4,
  };
  g_autoptr(GByteArray) shown = smb_shown_lines_new(listing->source, listing->lines);
  guint n = shown->len - 1;
  smb_spool_puts(page, "<tbody>\n");
  for (guint i = 1, last; i <= n; i = last + 1) {
    for (last = i; last < n && shown->data[last + 1] == shown->data[i];)
      last++;
    gboolean is_folded = !shown->data[i] && last - i + 1 >= LEAST_FOLD;
    if (is_folded)
      write_fold(listing, i, last, page);
    for (guint line = i; line <= last; line++)
      write_source_line(report, listing, line, page);
    if (is_folded)
      smb_spool_puts(page, "</tbody>\n<tbody>\n");
  }
  smb_spool_puts(page, "</tbody>\n");
}

static void
write_listing(const SmbReport *report, const Listing *listing, SmbSpool *page) {
  SmbLineTally total = {0}, compiled = {0};
  write_listing_head(report, listing, page);
  write_listing_lines(report, listing, page);
  for (guint i = listing->file ? 1 : 0; i < listing->lines->len; i++) {
    const SmbLineTally *line = &g_array_index(listing->lines, SmbLineTally, i);
    smb_tally_add(&total.shared, &line->shared);
    total.segments += line->segments;
    if (listing->compiled)
      smb_tally_add(&compiled.shared, &g_array_index(listing->compiled, SmbLineTally, i).shared);
  }
  smb_spool_puts(page, "<tfoot><tr>");
  write_line_counts(page, &total);
  if (listing->compiled)
    write_compiled_counts(page, &compiled);
  write_cost_cell(listing, smb_launch_time_conflicts(report->time), page);
  smb_spool_puts(page, "<th></th><td class=\"code\">total</td></tr></tfoot>\n</table>\n</div>\n");
}

// The text of the program, or a file that it was compiled from.
static void
write_file(const SmbReport *report, const SmbSource *source, const char *file, guint number,
           SmbSpool *page) {
  Listing listing = {.source = source, .file = file};
  listing.anchor = file ? g_strdup_printf("file-%u-line", number) : g_strdup("line");
  gboolean has_compiled = smb_compiled_count_has(report->compiled);
  gboolean is_timed = report->time && report->time->time;
  listing.lines = smb_analyze_sum_lines(report->analysis, file, smb_source_n_lines(source),
                                        has_compiled ? NULL : report->time);
  if (!file && has_compiled)
    listing.compiled =
        smb_analyze_sum_lines(report->compiled->analysis, smb_program_file(report->target->kernel),
                              smb_source_n_lines(source), report->time);
  if (is_timed)
    listing.timed = has_compiled ? listing.compiled : listing.lines;
  write_listing(report, &listing, page);
  g_array_unref(listing.lines);
  g_clear_pointer(&listing.compiled, g_array_unref);
  g_free(listing.anchor);
}

gboolean
smb_report_has_source(const SmbReport *report) {
  return report->files->len > 0 || smb_program_source(report->target->kernel);
}

void
smb_report_write_source(const SmbReport *report, SmbSpool *page) {
  const SmbSource *source = smb_program_source(report->target->kernel);
  if (!smb_report_has_source(report))
    return;
  smb_spool_printf(page, "<section id=\"%ssource\">\n<h2>Source, counts of the whole launch</h2>\n",
                   report->prefix);
  for (guint i = 0; i < report->files->len; i++) {
    const char *file = g_ptr_array_index(report->files, i);
    smb_html_within(page, "<h3><code>", file, "</code></h3>\n");
    write_file(report, smb_origins_find(report->origins, file), file, i + 1, page);
  }
  if (source && report->files->len > 0)
    smb_html_within(page, "<h3><code>", smb_program_file(report->target->kernel), "</code></h3>\n");
  if (source)
    write_file(report, source, NULL, 0, page);
  smb_spool_puts(page, "</section>\n");
}
