// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The padding neighbours of an access: what it would cost with a little more or less padding, as a table and
// as small maps of its costliest request, side by side.
#include "sim/neighbour.h"
#include "src/bank-map.h"
#include "src/report-impl.h"

static const char *
name_misfit(SmbLayoutFit fit) {
  switch (fit) {
  case SMB_LAYOUT_FITS:
    return "";
  case SMB_LAYOUT_OUTSIDE:
    return "not counted: a lane accesses something that is not an element of the array";
  case SMB_LAYOUT_TORN:
    return "invalid: it would split a vector access";
  case SMB_LAYOUT_MISALIGNED:
    return "invalid: it would misalign a vector access";
  }
  return "";
}

static const char *
name_room(SmbRoom room) {
  switch (room) {
  case SMB_ROOM_ENOUGH:
    return "";
  case SMB_ROOM_OPT_IN:
    return "needs dynamic shared memory, opted in";
  case SMB_ROOM_TOO_SMALL:
    return "more shared memory than a block can have";
  }
  return "";
}

static void
write_row(const SmbNeighbour *neighbour, SmbSpool *page) {
  const char *judgement = neighbour->access.excess ? "bad" : "good";
  const char *remark =
      neighbour->fit == SMB_LAYOUT_FITS ? name_room(neighbour->room) : name_misfit(neighbour->fit);
  smb_html_markup(page, "<tr%s><th scope=\"row\">%" G_GUINT64_FORMAT "</th>",
                  neighbour->present ? " class=\"present\"" : "", neighbour->pad);
  if (neighbour->fit == SMB_LAYOUT_FITS) {
    smb_html_number(page, NULL, neighbour->access.wavefronts);
    smb_html_number(page, judgement, neighbour->access.excess);
    smb_html_markup(page, "<td class=\"%s\">%u-way</td>", judgement, neighbour->access.max_degree);
    smb_html_number(page, NULL, neighbour->array.wavefronts);
    smb_html_number(page, neighbour->array.excess ? "bad" : "good", neighbour->array.excess);
  } else {
    smb_spool_puts(page, "<td></td><td></td><td></td><td></td><td></td>");
  }
  smb_html_number(page, neighbour->room == SMB_ROOM_TOO_SMALL ? "bad" : NULL,
                  neighbour->shared_bytes);
  smb_html_markup(page, "<td class=\"word\">%s%s%s</td></tr>\n",
                  neighbour->present ? "as it is" : "", neighbour->present && *remark ? "; " : "",
                  remark);
}

static void
write_table(const GArray *neighbours, SmbSpool *page) {
  smb_spool_puts(page,
                 "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"paddings\">\n"
                 "<table class=\"neighbours\">\n<thead><tr><th scope=\"col\">padding</th>"
                 "<th scope=\"col\">wavefronts</th><th scope=\"col\">excess</th>"
                 "<th scope=\"col\">worst</th><th scope=\"col\">array: wavefronts</th>"
                 "<th scope=\"col\">array: excess</th><th scope=\"col\">shared bytes</th>"
                 "<th scope=\"col\" class=\"word\"></th></tr></thead>\n<tbody>\n");
  for (guint i = 0; i < neighbours->len; i++)
    write_row(&g_array_index(neighbours, SmbNeighbour, i), page);
  smb_spool_puts(page, "</tbody>\n</table>\n</div>\n");
}

// The costliest request of the access under each padding that it fits.
static void
write_pictures(const SmbReport *report, const SmbAccess *access, const SmbArray *array,
               const SmbLayout *present, const GArray *neighbours, SmbSpool *page) {
  smb_spool_puts(page, "<div class=\"side-by-side\">\n");
  for (guint i = 0; i < neighbours->len; i++) {
    const SmbNeighbour *neighbour = &g_array_index(neighbours, SmbNeighbour, i);
    SmbLayout layout = *present;
    SmbRequest moved;
    layout.pad = neighbour->pad;
    if (neighbour->fit != SMB_LAYOUT_FITS ||
        smb_layout_move(present, &layout, array->base, &access->worst, &moved) != SMB_LAYOUT_FITS)
      continue;
    g_autoptr(SmbBankMap) map = smb_bank_map_new(report->arch, &moved);
    smb_html_markup(page, "<figure%s>", neighbour->present ? " class=\"present\"" : "");
    smb_bank_map_write_svg(map, SMB_BANK_MAP_ALL, SMB_BANK_MAP_MINI, page);
    smb_html_markup(page,
                    "<figcaption>padding %" G_GUINT64_FORMAT "%s: <span class=\"%s\">%u "
                    "wavefront%s</span></figcaption></figure>\n",
                    neighbour->pad, neighbour->present ? ", as it is" : "",
                    map->cost.excess ? "bad" : "good", map->cost.wavefronts,
                    map->cost.wavefronts == 1 ? "" : "s");
  }
  smb_spool_puts(page, "</div>\n");
}

static void
write_rows(SmbRows rows, const SmbArray *array, const SmbLayout *present, SmbSpool *page) {
  smb_spool_puts(page, "<p>Padding adds unused elements at the end of each row. A row of <code>");
  smb_html_text(page, array->name);
  smb_html_markup(page, "</code> has %" G_GUINT64_FORMAT " elements now (%s)",
                  present->columns + present->pad,
                  rows == SMB_ROWS_STRIDE ? "a guess from the stride of this access"
                                          : "the innermost dimension");
  if (present->pad > 0)
    smb_html_markup(page, ", of which the last %" G_GUINT64_FORMAT " %s touched by no request",
                    present->pad, present->pad == 1 ? "is" : "are");
  smb_spool_puts(page,
                 ". The same requests are counted with other row lengths; computing the indices "
                 "is not counted.</p>\n");
}

void
smb_report_write_neighbours(const SmbReport *report, guint index, guint *drawn, SmbSpool *page) {
  const SmbAnalysis *analysis = report->analysis;
  const SmbProgram *kernel = report->target->kernel;
  const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, index);
  const SmbArray *array = smb_neighbour_array(kernel, analysis, index);
  SmbLayout present;
  SmbRows rows =
      array ? smb_neighbour_rows(kernel, analysis, index, array, 0, &present) : SMB_ROWS_UNKNOWN;
  smb_spool_puts(page, "<h4>Other paddings</h4>\n");
  if (rows == SMB_ROWS_UNKNOWN || analysis->requests_dropped > 0) {
    smb_html_markup(page, "<p class=\"note\">Not counted: %s.</p>\n",
                    !array                     ? "the access touches more than one array"
                    : rows == SMB_ROWS_UNKNOWN ? "the array has no rows that are known"
                                               : "not all requests could be kept");
    return;
  }
  g_autoptr(GArray) neighbours =
      smb_neighbours_count(kernel, report->arch, analysis, index, array, &present);
  write_rows(rows, array, &present, page);
  write_table(neighbours, page);
  if ((*drawn)++ < SMB_REPORT_MAX_NEIGHBOURS)
    write_pictures(report, access, array, &present, neighbours, page);
  else
    smb_html_markup(page, "<p class=\"note\">Drawn for the first %d accesses only.</p>\n",
                    SMB_REPORT_MAX_NEIGHBOURS);
}
