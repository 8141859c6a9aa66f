// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/trace-rows.h"

#include "src/describe.h"
#include "src/out-json.h"
#include "src/target-json.h"

void
smb_trace_rows_begin(SmbTraceRows *rows, SmbCli *cli) {
  static const char *const names[] = {"line",
                                      "op",
                                      "width",
                                      "active_lanes",
                                      "wavefronts",
                                      "ideal_wavefronts",
                                      "excess_wavefronts",
                                      "degree",
                                      "cycles",
                                      "recorded",
                                      "conflict",
                                      NULL};
  switch (cli->format) {
  case SMB_FORMAT_TEXT:
    smb_spool_puts(cli->out, "  line  op           width  lanes  wavefronts  ideal  excess  worst  "
                             "cycles  conflict\n");
    break;
  case SMB_FORMAT_CSV:
    rows->csv = smb_csv_begin(cli->out, names);
    break;
  case SMB_FORMAT_JSON:
    break;
  }
}

static guint
count_active(const SmbRequest *request) {
  return (guint)__builtin_popcount(smb_request_lanes(request));
}

static void
write_text(SmbCli *cli, const SmbTraceBatch *batch, gsize i, const SmbWavefronts *cost,
           const char *conflict) {
  const SmbRequest *request = &batch->requests[i];
  smb_spool_printf(cli->out,
                   "%6" G_GUINT64_FORMAT "  %-11s  %5u  %5u  %10u  %5u  %6u  %2u-way  %6u%s%s",
                   batch->lines[i], smb_op_name((SmbOp)request->op), request->width,
                   count_active(request), cost->wavefronts, cost->ideal, cost->excess, cost->degree,
                   cost->cycles, *conflict ? "  " : "", conflict);
  if (batch->expected[i] != SMB_TRACE_NO_COUNT && batch->expected[i] != cost->wavefronts)
    smb_spool_printf(cli->out, "  (recorded: %" G_GINT64_FORMAT ")", batch->expected[i]);
  smb_spool_puts(cli->out, "\n");
}

static void
write_csv(SmbCsv *csv, const SmbTraceBatch *batch, gsize i, const SmbWavefronts *cost,
          const char *conflict) {
  const SmbRequest *request = &batch->requests[i];
  smb_csv_number(csv, batch->lines[i]);
  smb_csv_text(csv, smb_op_name((SmbOp)request->op));
  smb_csv_number(csv, request->width);
  smb_csv_number(csv, count_active(request));
  smb_csv_number(csv, cost->wavefronts);
  smb_csv_number(csv, cost->ideal);
  smb_csv_number(csv, cost->excess);
  smb_csv_number(csv, cost->degree);
  smb_csv_number(csv, cost->cycles);
  if (batch->expected[i] == SMB_TRACE_NO_COUNT)
    smb_csv_text(csv, NULL);
  else
    smb_csv_number(csv, (guint64)batch->expected[i]);
  smb_csv_text(csv, *conflict ? conflict : NULL);
  smb_csv_end_row(csv);
}

static void
write_json(SmbSpool *elements, const SmbTraceBatch *batch, gsize i, const SmbWavefronts *cost,
           const char *conflict) {
  const SmbRequest *request = &batch->requests[i];
  JsonBuilder *json = smb_json_begin_element();
  smb_json_number(json, "line", (gint64)batch->lines[i]);
  smb_json_text(json, "op", smb_op_name((SmbOp)request->op));
  smb_json_number(json, "width", request->width);
  smb_json_number(json, "active_lanes", count_active(request));
  smb_json_number(json, "wavefronts", cost->wavefronts);
  smb_json_number(json, "ideal_wavefronts", cost->ideal);
  smb_json_number(json, "excess_wavefronts", cost->excess);
  smb_json_number(json, "degree", cost->degree);
  smb_json_number(json, "cycles", cost->cycles);
  if (batch->expected[i] == SMB_TRACE_NO_COUNT)
    smb_json_null(json, "recorded");
  else
    smb_json_number(json, "recorded", batch->expected[i]);
  smb_json_text(json, "conflict", *conflict ? conflict : NULL);
  smb_json_end_element(json, elements);
}

void
smb_trace_rows_add(SmbTraceRows *rows, SmbCli *cli, const SmbTraceBatch *batch,
                   const SmbWavefronts *counts) {
  g_autoptr(GString) conflict = g_string_new(NULL);
  for (gsize i = 0; i < batch->n; i++) {
    g_string_truncate(conflict, 0);
    smb_describe_meeting(conflict, cli->arch, &batch->requests[i]);
    switch (cli->format) {
    case SMB_FORMAT_TEXT:
      write_text(cli, batch, i, &counts[i], conflict->str);
      break;
    case SMB_FORMAT_CSV:
      write_csv(&rows->csv, batch, i, &counts[i], conflict->str);
      break;
    case SMB_FORMAT_JSON:
      write_json(rows->elements, batch, i, &counts[i], conflict->str);
      break;
    }
  }
}

void
smb_trace_rows_end(SmbTraceRows *rows, SmbCli *cli, const char *file) {
  if (cli->format != SMB_FORMAT_JSON)
    return;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_text(json, "file", file);
  smb_json_arch(json, cli->arch);
  smb_json_end_streamed(json, "requests", rows->elements, cli->out);
}
