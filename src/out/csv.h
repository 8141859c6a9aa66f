// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Comma-separated values: quoted as RFC 4180 says (section 2, rules 5 to 7), lines ended by a line feed
// as other Unix tools end them. What a text may not show is escaped (sim/base/text.h). An absent value is an empty field.
#pragma once

#include <glib.h>

#include "src/out/spool.h"

G_BEGIN_DECLS

/** A writer of rows; a plain value. @in_row: whether the row has a field already. */
typedef struct {
  SmbSpool *out;
  gboolean in_row;
} SmbCsv;

/** Begins with the row of names, ending with NULL. */
SmbCsv smb_csv_begin(SmbSpool *out, const char *const *names);

/** Adds a field; NULL is an absent value. */
void smb_csv_text(SmbCsv *csv, const char *text);

/** Adds a field that holds a whole number. */
void smb_csv_number(SmbCsv *csv, guint64 number);

void smb_csv_end_row(SmbCsv *csv);

G_END_DECLS
