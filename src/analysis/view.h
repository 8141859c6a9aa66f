// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How much of a result a person wants to see (-q, --top, --sort, --tables), and the order of the rows of its tables.
#pragma once

#include "sim/program/program.h"
#include "src/cli/cli.h"

/** What rows are in the order of. */
typedef enum {
  SMB_SORT_LINE,       /* files as they come, the lines of each ascending */
  SMB_SORT_EXCESS,     /* this and the following: the most first; of equals as they come */
  SMB_SORT_WAVEFRONTS, /* of global memory sectors, of constant memory words */
  SMB_SORT_REQUESTS,
  SMB_SORT_COST, /* cycles of the launch's predicted time */
} SmbSort;

/** The tables of an analysis. */
typedef enum {
  SMB_TABLE_SHARED,
  SMB_TABLE_GLOBAL,
  SMB_TABLE_CONSTANT,
  SMB_TABLE_OTHER, /* shared traffic that makes no requests */
} SmbTableKind;
#define SMB_N_TABLE_KINDS 4

/** SmbView: @quiet: only the verdict; @top: rows of each table; @tables: a bit for each SmbTableKind that is shown */
typedef struct {
  gboolean quiet;
  guint top;
  SmbSort sort;
  guint tables;
} SmbView;

/** The options, for SmbCliUsage.groups. */
extern const SmbCliGroup smb_view_group;

/** All of a result, by lines. */
extern const SmbView smb_view_all;

/** smb_view_parse: @view: (out): what was typed, after smb_cli_parse(); @error: SMB_ERROR_USAGE */
gboolean smb_view_parse(SmbView *view, GError **error);

/** smb_view_asked: Returns: (nullable) (transfer none): the first of these options that was given */
const char *smb_view_asked(void);

/** SmbViewRow: of a table: where it is, and what it may be sorted by */
typedef struct {
  const SmbSite *site;
  guint64 excess, wavefronts, requests;
  double cost;
} SmbViewRow;

/**
 * smb_view_order:
 * @rows: (element-type SmbViewRow)
 *
 * Returns: (transfer full) (element-type guint): the indices of the rows that are shown, in their order
 */
GArray *smb_view_order(const SmbView *view, const GArray *rows);

/** Writes how many of @n rows are not shown; nothing if all are. */
void smb_view_write_rest(const SmbView *view, guint n, SmbSpool *out);
