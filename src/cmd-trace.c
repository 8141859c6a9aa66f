// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// trace FILE|-: counts the requests of a trace, of any length in constant memory.
#include "src/commands.h"

#include <string.h>

#include "sim/trace.h"
#include "sim/wavefront.h"
#include "src/input.h"
#include "src/trace-report.h"
#include "src/trace-rows.h"

static gboolean option_counts, option_requests;

static const GOptionEntry options[] = {
    {"counts", 0, 0, G_OPTION_ARG_NONE, &option_counts,
     "write the wavefronts of each request, one number a line, and no summary", NULL},
    {"requests", 0, 0, G_OPTION_ARG_NONE, &option_requests,
     "write a row for each request: what it costs, and which lanes meet where", NULL},
    G_OPTION_ENTRY_NULL,
};

static void
write_counts(SmbSpool *out, const SmbWavefronts *counts, gsize n) {
  for (gsize i = 0; i < n; i++) {
    smb_spool_number(out, counts[i].wavefronts);
    smb_spool_write(out, "\n", 1);
  }
}

static gboolean
count_trace(SmbCli *cli, SmbTraceReader *reader, SmbTraceReport *report, SmbTraceRows *rows,
            GError **error) {
  SmbCounter counter = smb_counter_best();
  g_autofree SmbTraceBatch *batch = g_new(SmbTraceBatch, 1);
  SmbWavefronts counts[SMB_TRACE_BATCH_REQUESTS];
  do {
    if (!smb_trace_reader_next(reader, batch, error))
      return FALSE;
    smb_wavefronts_count_span(cli->arch, counter, batch->requests, batch->n, counts);
    smb_trace_report_add(report, cli->format, batch, counts);
    if (option_counts)
      write_counts(cli->out, counts, batch->n);
    else if (option_requests)
      smb_trace_rows_add(rows, cli, batch, counts);
  } while (batch->n > 0);
  return TRUE;
}

gboolean
smb_cmd_trace(SmbCli *cli, GError **error) {
  static const SmbCliUsage usage = {
      "FILE|-",
      "Counts the wavefronts of a trace: one warp request a line,\n"
      "  OP WIDTH MASK OFF0 … OFF31 [= WAVEFRONTS]\n"
      "with the width and the offsets in bytes and the mask of active lanes in hexadecimal; # "
      "starts a\n"
      "comment. 'smembank list ops' shows the operations. A count behind '=' is compared with the\n"
      "prediction: a difference is shown, and the exit status is 1.",
      1,
      1,
      SMB_CLI_FORMAT | SMB_CLI_ARCH,
  };
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  if (option_counts && cli->format != SMB_FORMAT_TEXT)
    return smb_cli_usage_error(error, "--counts writes text: leave out --format");
  if (option_counts && option_requests)
    return smb_cli_usage_error(error, "expected one of --counts and --requests");

  const char *path = cli->arguments[0];
  g_autoptr(GInputStream) stream = smb_input_open(path, error);
  if (!stream)
    return FALSE;
  g_autoptr(SmbTraceReader) reader = smb_trace_reader_new(stream, smb_input_name(path), cli->arch);
  g_autoptr(SmbSpool) mismatches = smb_spool_new();
  g_autofree SmbTraceReport *report = g_new0(SmbTraceReport, 1);
  report->mismatches = mismatches;
  g_autoptr(SmbSpool) elements = smb_spool_new();
  SmbTraceRows rows = {.elements = elements};
  if (option_requests)
    smb_trace_rows_begin(&rows, cli);
  if (!count_trace(cli, reader, report, &rows, error))
    return FALSE;
  if (report->mismatched > 0)
    cli->status = SMB_EXIT_DIFFERS;
  if (!option_counts && !option_requests)
    return smb_trace_report_write(report, cli, path, error);
  if (option_requests)
    smb_trace_rows_end(&rows, cli, path);
  smb_spool_append(cli->messages, mismatches);
  return TRUE;
}
