// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rows of the tables of accesses: instructions that a compiler made of one line, and that are alike, are one; and the
// numbers in them.
#pragma once

#include "sim/analysis/analysis.h"
#include "src/out/table.h"

/**
 * SmbAnalyzeRow: accesses to shared memory that one row stands for
 * @access: the first of them
 * @n: how many
 * @total: of all
 */
typedef struct {
  const SmbAccess *access;
  guint n;
  SmbTally total;
} SmbAnalyzeRow;

/** The same of global memory; the site of @total is that of the first. */
typedef struct {
  guint n;
  SmbGlobalAccess total;
} SmbAnalyzeGlobalRow;

/**
 * smb_analyze_gather:
 * @accesses: (element-type SmbAccess)
 * @each: a row for each, whatever they have in common
 *
 * Accesses with the same line of the source, the same opcode and the same array are one row, unless only one of them is counted.
 *
 * Returns: (transfer full) (element-type SmbAnalyzeRow): in the order of the first of each
 */
GArray *smb_analyze_gather(const GArray *accesses, gboolean each);

/**
 * smb_analyze_row_worst:
 * @accesses: (element-type SmbAccess): that the row was gathered of
 *
 * Returns: (transfer none): of those that the row stands for the one with the most excess wavefronts, of equals the first
 */
const SmbAccess *smb_analyze_row_worst(const GArray *accesses, const SmbAnalyzeRow *row);

/** smb_analyze_is_one_row: Returns: whether two accesses, if both are counted, are one row */
gboolean smb_analyze_is_one_row(const SmbAccess *one, const SmbAccess *other);

/** smb_analyze_gather_global: @globals: (element-type SmbGlobalAccess)
 *
 * Returns: (transfer full) (element-type SmbAnalyzeGlobalRow): the same
 */
GArray *smb_analyze_gather_global(const GArray *globals);

/** The same of other shared traffic. */
typedef struct {
  guint n;
  SmbOtherTraffic total;
} SmbAnalyzeTrafficRow;

/** smb_analyze_gather_traffic: @traffic: (element-type SmbOtherTraffic)
 *
 * Returns: (transfer full) (element-type SmbAnalyzeTrafficRow): the same
 */
GArray *smb_analyze_gather_traffic(const GArray *traffic);

/** smb_analyze_row_text: Returns: (transfer full): the access at @site; of several "4 × LDS.128" */
char *smb_analyze_row_text(const SmbSite *site, guint n);

/** "sectors" or "lines": what global requests are counted in (transfer none). */
const char *smb_analyze_segment_name(const SmbArch *arch);

/** Adds the numbers of a row: requests, wavefronts (of global memory: sectors or lines), ideal, excess, worst. */
void smb_analyze_add_tally(SmbTable *table, const SmbTally *tally);

void smb_analyze_add_global(SmbTable *table, const SmbGlobalAccess *access);

/** The same of an access to constant memory: requests, words, ideal, excess, the most words of a request. */
void smb_analyze_add_words(SmbTable *table, const SmbConstantAccess *access);

/** The bytes of traffic in words: "≥ 512" of a lower bound; "not known". */
void smb_analyze_describe_bytes(const SmbOtherTraffic *traffic, char *text, gsize size);
