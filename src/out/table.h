// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tables of text for a person: columns as wide as their longest cell, colours by meaning.
#pragma once

#include <glib.h>

#include "sim/base/text.h"
#include "sim/program/program.h"
#include "src/out/spool.h"

/** What a piece of text means to the reader; a terminal shows it by colour or weight. */
typedef enum {
  SMB_STYLE_PLAIN,
  SMB_STYLE_GOOD, /* as good as it can be */
  SMB_STYLE_BAD,  /* costs something, or does not match */
  SMB_STYLE_DIM,  /* beside the point */
  SMB_STYLE_BOLD, /* a heading */
} SmbStyle;

typedef enum {
  SMB_ALIGN_LEFT,  /* words */
  SMB_ALIGN_RIGHT, /* numbers */
} SmbAlign;

typedef struct _SmbTable SmbTable;

/** smb_table_new: Returns: (transfer full): a table with these columns, as smb_table_columns() adds them */
SmbTable *smb_table_new(const char *columns);
void smb_table_free(SmbTable *table);

/**
 * smb_table_columns:
 * @columns: their headers with bars between; one that ends with > stands over numbers: "line>|op|access". "" adds none.
 *   "per launch: requests>" says what that column and those after it are counts of, above their headers; ": access"
 *   ends that
 *
 * Adds columns, before the first cell.
 */
void smb_table_columns(SmbTable *table, const char *columns);

/** Adds a column with any header, before the first cell. */
void smb_table_column(SmbTable *table, const char *header, SmbAlign align);

/** Texts of a column are cut to @most columns, also where rows may be of any width: of names that somebody else has in full. */
void smb_table_limit(SmbTable *table, guint column, guint most);

/** Adds the next cell of the row; after the last column a new row begins. */
void smb_table_cell(SmbTable *table, SmbStyle style, const char *text);

/** Adds a cell that holds a whole number. */
void smb_table_number(SmbTable *table, SmbStyle style, guint64 number);

/** Adds a cell for a line: of @file, or of the file that all is about if that is %NULL. */
void smb_table_place(SmbTable *table, const SmbSite *site);

/** Adds a cell that holds a formatted text. */
void smb_table_printf(SmbTable *table, SmbStyle style, const char *format, ...) G_GNUC_PRINTF(3, 4);

/** Leaves the rest of the row empty; does nothing at the start of a row. */
void smb_table_end_row(SmbTable *table);

/** Draws a line before the next row: before totals, say. */
void smb_table_rule(SmbTable *table);

/**
 * smb_table_write:
 * @out: takes the header, a line and the rows; no line ends in spaces. Where its columns are known
 *   (smb_spool_table_columns()), a table that is wider has its texts cut, the longest first; if that is not enough, its
 *   columns are written in parts below each other, each with the first column
 * @colour: whether styles are shown
 */
void smb_table_write(const SmbTable *table, SmbSpool *out, gboolean colour);

/** Breaks the cells of the last column between words, so that lines fit the spool; without room they stand below. */
void smb_table_wrap(SmbTable *table);

/** Writes a line in a style, with line feeds before and after it; others, of a name, are shown as "\n". */
void smb_style_write(SmbSpool *out, SmbStyle style, gboolean colour, const char *text);

/** As smb_text_wrap(), where the line has @column columns already; the others begin at @indent. */
void smb_text_wrap_at(SmbSpool *out, const char *text, guint column, guint indent);

/** smb_text_wrap: writes words, broken between them into lines that fit @out, and a line feed. Line feeds of @text are as of
 * smb_style_write(). */
void smb_text_wrap(SmbSpool *out, const char *text);

/** Writes a formatted text, likewise. */
void smb_text_wrap_printf(SmbSpool *out, const char *format, ...) G_GNUC_PRINTF(2, 3);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTable, smb_table_free)
