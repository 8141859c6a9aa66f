// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Comma-separated values: quoted as RFC 4180 says (section 2, rules 5 to 7), lines ended by a line feed
// as other Unix tools end them. What a text may not show is escaped (sim/base/text.h). A text that a spreadsheet would take for a
// formula (it begins with =, +, - or @ and is not a number) has an apostrophe in front. An absent value is an empty field.
#pragma once

#include <glib.h>

#include "src/out/spool.h"

/** A writer of rows; a plain value. @in_row: whether the row has a field already. */
typedef struct {
  SmbSpool *out;
  gboolean in_row;
} SmbCsv;

/** Begins with the row of names, which have commas between. */
SmbCsv smb_csv_begin(SmbSpool *out, const char *names);

/** Adds a field; NULL is an absent value. */
void smb_csv_text(SmbCsv *csv, const char *text);

/** Adds a field that holds a whole number. */
void smb_csv_number(SmbCsv *csv, guint64 number);

/** As smb_csv_number(), if it is known: else an absent value. */
void smb_csv_number_if(SmbCsv *csv, gboolean known, guint64 number);

/** Adds a field for each whole number. */
#define SMB_CSV_NUMBERS(csv, ...)                                                                  \
  smb_csv_numbers(csv, (const guint64[]){__VA_ARGS__},                                             \
                  sizeof((const guint64[]){__VA_ARGS__}) / sizeof(guint64))
void smb_csv_numbers(SmbCsv *csv, const guint64 *numbers, gsize n);

/** Adds as many absent values. */
void smb_csv_skip(SmbCsv *csv, guint n);

void smb_csv_end_row(SmbCsv *csv);
