// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What layout --find has found, as CSV and as Markdown.
#include "src/layout/report.h"
#include "src/out/csv.h"
#include "src/out/markdown.h"

void
smb_layout_found_csv(SmbCli *cli, const SmbLayoutFound *found) {
  SmbCsv csv =
      smb_csv_begin(cli->out, "wavefronts,excess_wavefronts,cute,triton,c,proved,by,holds_for");
  SMB_CSV_NUMBERS(&csv, found->wavefronts, found->excess);
  smb_csv_text(&csv, found->cute);
  smb_csv_text(&csv, found->triton);
  smb_csv_text(&csv, found->c);
  smb_csv_text(&csv, found->is_proved ? "yes" : "no");
  smb_csv_text(&csv, found->by);
  smb_csv_text(&csv, found->holds_for);
  smb_csv_end_row(&csv);
}

static void
write_found_row(SmbSpool *out, const char *notation, const char *layout) {
  if (!layout)
    return;
  smb_spool_printf(out, "| %s | ", notation);
  smb_markdown_code(out, layout);
  smb_spool_puts(out, " |\n");
}

void
smb_layout_found_markdown(SmbCli *cli, const SmbLayoutFound *found) {
  smb_spool_printf(
      cli->out,
      "\nThe best layout takes %s, %s in excess, with `i` for the number of an element "
      "row by row:\n\n| notation | layout |\n|---|---|\n",
      smb_count(found->wavefronts, "wavefront").text, smb_number(found->excess).text);
  write_found_row(cli->out, "CuTe", found->cute);
  write_found_row(cli->out, "Triton", found->triton);
  write_found_row(cli->out, "C", found->c);
  smb_spool_printf(cli->out, "\n%s for ", found->is_proved ? "Proved" : "Not proved");
  smb_markdown_text(cli->out, found->holds_for);
  smb_spool_puts(cli->out, ". ");
  smb_markdown_text(cli->out, found->proof);
  smb_spool_puts(cli->out, "\n");
}
