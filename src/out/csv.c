// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/csv.h"

#include <string.h>

#include "sim/base/text.h"

static void
begin_field(SmbCsv *csv) {
  if (csv->in_row)
    smb_spool_puts(csv->out, ",");
  csv->in_row = TRUE;
}

// Whether a spreadsheet would take a field for a formula. A number with its sign is none.
static gboolean
is_formula(const char *text) {
  char *end = NULL;
  if (!*text || !strchr("=+-@\t\r", *text))
    return FALSE;
  g_ascii_strtod(text, &end);
  return end == text || *end;
}

void
smb_csv_text(SmbCsv *csv, const char *text) {
  begin_field(csv);
  if (!text)
    return;
  g_autofree char *guarded = is_formula(text) ? g_strconcat("'", text, NULL) : NULL;
  // A field has no lines: what begins one could be a command to who runs this program.
  g_autofree char *line = smb_text_escape_lines(guarded ? guarded : text);
  text = line;
  if (!strpbrk(text, ",\"")) {
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
smb_csv_numbers(SmbCsv *csv, const guint64 *numbers, gsize n) {
  for (gsize i = 0; i < n; i++)
    smb_csv_number(csv, numbers[i]);
}

void
smb_csv_number_if(SmbCsv *csv, gboolean known, guint64 number) {
  if (known)
    smb_csv_number(csv, number);
  else
    smb_csv_text(csv, NULL);
}

void
smb_csv_skip(SmbCsv *csv, guint n) {
  for (guint i = 0; i < n; i++)
    begin_field(csv);
}

void
smb_csv_end_row(SmbCsv *csv) {
  smb_spool_puts(csv->out, "\n");
  csv->in_row = FALSE;
}

SmbCsv
smb_csv_begin(SmbSpool *out, const char *names) {
  smb_spool_printf(out, "%s\n", names);
  return (SmbCsv){out, FALSE};
}
