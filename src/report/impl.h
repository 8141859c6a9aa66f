// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The parts of the page, each in a file of its own. Private to src/report.
#pragma once

#include "sim/arch/words.h"
#include "src/out/html.h"
#include "src/report/report.h"

// The index of an access in SmbAnalysis.accesses, which names its place in the page.
G_GNUC_INTERNAL guint smb_report_index(const SmbReport *report, const SmbAccess *access);

// From the first line of a page to the beginning of its body.
G_GNUC_INTERNAL gboolean smb_report_write_head(const char *title, SmbVendor vendor, SmbSpool *page,
                                               GError **error);

// A report as a part of a page, from its heading to its data.
G_GNUC_INTERNAL void smb_report_write_part(const SmbReport *report, SmbSpool *page);

// From the script to the end of the page.
G_GNUC_INTERNAL gboolean smb_report_write_script(SmbSpool *page, GError **error);

// The best layouts of the arrays that conflict.
G_GNUC_INTERNAL void smb_report_write_advice(const SmbReport *report, SmbSpool *page);

// How long the launch takes: a picture of what is busy, and what the conflicts of each line cost. Nothing without a prediction; the
// heading says it in words.
G_GNUC_INTERNAL void smb_report_write_time(const SmbReport *report, SmbSpool *page);

// Whether there is a text to show: the program's own, or one that it was compiled from.
G_GNUC_INTERNAL gboolean smb_report_has_source(const SmbReport *report);

// The source with the counts of each line in the margin; lines that conflict lead to their access.
G_GNUC_INTERNAL void smb_report_write_source(const SmbReport *report, SmbSpool *page);

// The place of a site: a link to its line, whose number is after @word; or what it has for a line.
G_GNUC_INTERNAL void smb_report_write_place(const SmbReport *report, SmbSpool *page,
                                            const SmbSite *site, const char *word);

// The line of the source that compiled code was compiled from, if it is at hand, as a line of its own.
G_GNUC_INTERNAL void smb_report_write_origin(const SmbReport *report, SmbSpool *page,
                                             const SmbSite *site);

// What each access costs, and the totals.
G_GNUC_INTERNAL void smb_report_write_tables(const SmbReport *report, SmbSpool *page);

// An article for each access that conflicts.
G_GNUC_INTERNAL void smb_report_write_conflicts(const SmbReport *report, SmbSpool *page);

// What other paddings of the array of an access would cost; @drawn: articles that have pictures so far.
G_GNUC_INTERNAL void smb_report_write_neighbours(const SmbReport *report, guint access,
                                                 guint *drawn, SmbSpool *page);
