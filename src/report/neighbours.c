// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The padding neighbours of an access: what it would cost with a little more or less padding, as a table and
// as small maps of its costliest request, side by side.
#include "sim/advise/neighbour.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/draw/bank-map.h"
#include "src/report/impl.h"

static const char *const misfits[] = {
    [SMB_LAYOUT_FITS] = "",
    [SMB_LAYOUT_OUTSIDE] =
        "not counted: a lane accesses something that is not an element of the array",
    [SMB_LAYOUT_TORN] = "invalid: it would split a vector access",
    [SMB_LAYOUT_MISALIGNED] = "invalid: it would misalign a vector access",
};
static const char *const rooms[] = {
    [SMB_ROOM_ENOUGH] = "",
    [SMB_ROOM_OPT_IN] = "needs dynamic shared memory, opted in",
    [SMB_ROOM_TOO_SMALL] = "invalid: more shared memory than a block can have",
};

// The class of what a layout has in excess, where @now are the wavefronts there are: what is better is not red.
static const char *
judge_padding(guint64 excess, guint64 wavefronts, guint64 now) {
  return excess == 0 || wavefronts < now ? "good" : "bad";
}

// @now: (nullable): the present padding
static void
write_neighbour_row(const SmbNeighbour *neighbour, const SmbCandidate *now, guint access,
                    SmbSpool *page) {
  const SmbCandidate *candidate = neighbour->candidate;
  const SmbTally *own = &g_array_index(candidate->accesses, SmbTally, access);
  const SmbTally *present = now ? &g_array_index(now->accesses, SmbTally, access) : own;
  const SmbTally *all = now ? &now->total : &candidate->total;
  const char *judgement = judge_padding(own->excess, own->wavefronts, present->wavefronts);
  gboolean fits = candidate->fit == SMB_LAYOUT_FITS;
  const char *remark = fits ? rooms[neighbour->room] : misfits[candidate->fit];
  smb_spool_printf(page, "<tr%s><th scope=\"row\">%" G_GUINT64_FORMAT "</th>",
                   neighbour->present ? " class=\"present\"" : "", candidate->layout.pad);
  if (fits) {
    smb_html_number(page, NULL, own->wavefronts);
    smb_html_number(page, judgement, own->excess);
    smb_spool_printf(page, "<td class=\"%s\">%u-way</td>", judgement, own->max_degree);
    smb_html_number(page, NULL, candidate->total.wavefronts);
    smb_html_number(
        page, judge_padding(candidate->total.excess, candidate->total.wavefronts, all->wavefronts),
        candidate->total.excess);
  } else {
    smb_spool_puts(page, "<td></td><td></td><td></td><td></td><td></td>");
  }
  smb_html_number(page, neighbour->room == SMB_ROOM_TOO_SMALL ? "bad" : NULL,
                  neighbour->shared_bytes);
  smb_spool_printf(page, "<td class=\"word\">%s%s%s</td></tr>\n", neighbour->present ? "now" : "",
                   neighbour->present && *remark ? "; " : "", remark);
}

// Returns: (nullable): the padding that the array has
static const SmbCandidate *
find_present_padding(const SmbNeighbours *neighbours) {
  for (guint i = 0; i < neighbours->all->len; i++) {
    const SmbNeighbour *neighbour = g_ptr_array_index(neighbours->all, i);
    if (neighbour->present && neighbour->candidate->fit == SMB_LAYOUT_FITS)
      return neighbour->candidate;
  }
  return NULL;
}

static void
write_padding_table(const SmbReport *report, const SmbNeighbours *neighbours, guint access,
                    SmbSpool *page) {
  smb_spool_puts(
      page,
      smb_arch_say(report->arch,
                   "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"paddings\">\n"
                   "<table class=\"neighbours\">\n<thead><tr><th scope=\"col\">padding</th>"
                   "<th scope=\"col\">wavefronts</th><th scope=\"col\">excess</th>"
                   "<th scope=\"col\">worst</th><th scope=\"col\">array: wavefronts</th>"
                   "<th scope=\"col\">array: excess</th><th scope=\"col\">shared bytes</th>"
                   "<th scope=\"col\" class=\"word\"></th></tr></thead>\n<tbody>\n"));
  const SmbCandidate *now = find_present_padding(neighbours);
  for (guint i = 0; i < neighbours->all->len; i++)
    write_neighbour_row(g_ptr_array_index(neighbours->all, i), now, access, page);
  smb_spool_puts(page, "</tbody>\n</table>\n</div>\n");
}

// The costliest request of the access under each padding that it fits.
static void
write_pictures(const SmbReport *report, const SmbAccess *access, const SmbNeighbours *neighbours,
               SmbSpool *page) {
  const SmbArray *array = neighbours->use->array;
  smb_spool_puts(page, "<div class=\"side-by-side\">\n");
  for (guint i = 0; i < neighbours->all->len; i++) {
    const SmbNeighbour *neighbour = g_ptr_array_index(neighbours->all, i);
    const SmbCandidate *candidate = neighbour->candidate;
    SmbRequest moved;
    if (candidate->fit != SMB_LAYOUT_FITS ||
        smb_layout_move(&neighbours->layout, &candidate->layout, array->base, &access->worst,
                        &moved) != SMB_LAYOUT_FITS)
      continue;
    g_autoptr(SmbBankMap) map = smb_bank_map_new(report->arch, &moved);
    smb_spool_printf(page, "<figure%s>", neighbour->present ? " class=\"present\"" : "");
    smb_bank_map_write_svg(map, SMB_BANK_MAP_ALL, SMB_BANK_MAP_MINI, page);
    smb_spool_printf(
        page,
        "<figcaption>padding %" G_GUINT64_FORMAT
        "%s: <span class=\"%s\">%s</span></figcaption></figure>\n",
        candidate->layout.pad, neighbour->present ? ", now" : "",
        judge_padding(map->cost.excess, map->cost.wavefronts, access->worst_cost.wavefronts),
        smb_count(map->cost.wavefronts, smb_arch_say(report->arch, "wavefront")).text);
  }
  smb_spool_puts(page, "</div>\n");
}

static void
write_row_length(const SmbReport *report, const SmbNeighbours *neighbours, SmbSpool *page) {
  const SmbLayout *present = &neighbours->layout;
  smb_spool_puts(page, "<p>Padding adds unused elements at the end of each row. ");
  smb_html_within(page, neighbours->rows == SMB_ROWS_SEARCHED ? "For <code>" : "A row of <code>",
                  neighbours->use->array->name, "");
  if (neighbours->rows == SMB_ROWS_SEARCHED)
    smb_spool_printf(
        page,
        smb_arch_say(report->arch,
                     "</code>, which has one dimension, padding after every %" G_GUINT64_FORMAT
                     " elements takes the fewest wavefronts"),
        present->columns);
  else
    smb_spool_printf(page, "</code> has %" G_GUINT64_FORMAT " elements now",
                     present->columns + present->pad);
  if (present->pad > 0)
    smb_spool_printf(page, ", of which no request accesses the last %" G_GUINT64_FORMAT,
                     present->pad);
  smb_spool_puts(page, ".");
  if (!neighbours->best && neighbours->searched)
    smb_spool_puts(page, smb_arch_say(report->arch, " No padding takes fewer wavefronts."));
  smb_spool_puts(page, "</p>\n");
}

// Why there is no table.
static const char *
refuse_neighbour(const SmbReport *report, const SmbNeighbours *neighbours) {
  if (report->analysis->requests_dropped > 0)
    return "Not counted: the kernel makes too many different requests.";
  if (!neighbours)
    return "There are no rows to pad: the access is to several arrays, or a single variable.";
  return neighbours->searched
             ? smb_arch_say(report->arch,
                            "The array has one dimension, and padding it after any power-of-two "
                            "number of elements takes no fewer wavefronts.")
             : "Not counted: the array has one dimension, and there are too many paddings to "
               "count.";
}

void
smb_report_write_neighbours(const SmbReport *report, guint index, guint *drawn, SmbSpool *page) {
  const SmbAccess *access = &g_array_index(report->analysis->accesses, SmbAccess, index);
  const SmbArrayUse *use = smb_array_uses_of(report->uses, &access->worst, access->site->opcode);
  const SmbNeighbours *neighbours = use ? g_hash_table_lookup(report->neighbours, use) : NULL;
  smb_spool_puts(page, "<h4>Other paddings</h4>\n");
  if (!neighbours || neighbours->rows == SMB_ROWS_UNKNOWN) {
    smb_spool_printf(page, "<p class=\"note\">%s</p>\n", refuse_neighbour(report, neighbours));
    return;
  }
  write_row_length(report, neighbours, page);
  write_padding_table(report, neighbours, index, page);
  if ((*drawn)++ < SMB_REPORT_MAX_NEIGHBOURS)
    write_pictures(report, access, neighbours, page);
  else
    smb_spool_printf(page, "<p class=\"note\">Drawn for the first %d accesses only.</p>\n",
                     SMB_REPORT_MAX_NEIGHBOURS);
}
