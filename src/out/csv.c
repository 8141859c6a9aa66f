// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/csv.h"

#include <string.h>

static void
begin_field(SmbCsv *csv) {
  if (csv->in_row)
    smb_spool_puts(csv->out, ",");
  csv->in_row = TRUE;
}

void
smb_csv_text(SmbCsv *csv, const char *text) {
  begin_field(csv);
  if (!text)
    return;
  if (!strpbrk(text, ",\"\r\n")) {
    smb_spool_puts(csv->out, text);
    return;
  }
  g_auto(GStrv) parts = g_strsplit(text, "\"", -1);
  g_autofree char *doubled = g_strjoinv("\"\"", parts);
  smb_spool_puts(csv->out, "\"");
  smb_spool_puts(csv->out, doubled);
  smb_spool_puts(csv->out, "\"");
}

void
smb_csv_number(SmbCsv *csv, guint64 number) {
  begin_field(csv);
  smb_spool_number(csv->out, number);
}

void
smb_csv_end_row(SmbCsv *csv) {
  smb_spool_puts(csv->out, "\n");
  csv->in_row = FALSE;
}

SmbCsv
smb_csv_begin(SmbSpool *out, const char *const *names) {
  SmbCsv csv = {out, FALSE};
  for (guint i = 0; names[i]; i++)
    smb_csv_text(&csv, names[i]);
  smb_csv_end_row(&csv);
  return csv;
}
