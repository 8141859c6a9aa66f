// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// trace --from FILE: the requests of a kernel, block by block, in the order in which they are made, as a trace.
#include "src/trace/from.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "sim/trace/trace.h"
#include "src/analysis/verdict.h"
#include "src/analysis/warning.h"

// What takes the requests. @block: of the last one; @line: room
typedef struct {
  SmbCli *cli;
  const SmbTarget *target;
  GString *line;
  guint64 block;
  guint64 n_requests;
} Writer;

// A comment holds no line feed, whatever names are in it.
static void
write_comment(Writer *writer, const char *text) {
  g_autofree char *flat = g_strdelimit(g_strdup(text), "\n\r", ' ');
  smb_spool_puts(writer->cli->out, "# ");
  smb_spool_puts(writer->cli->out, flat);
  smb_spool_puts(writer->cli->out, "\n");
}

static void
begin_block(Writer *writer, guint64 block) {
  const guint *grid = writer->target->launch.grid;
  g_autofree char *text =
      g_strdup_printf(smb_arch_say(writer->cli->arch, "block %u,%u,%u"), (guint)(block % grid[0]),
                      (guint)(block / grid[0] % grid[1]), (guint)(block / grid[0] / grid[1]));
  writer->block = block;
  write_comment(writer, text);
}

static void
write_trace_request(gpointer user, guint64 block, guint warp, const SmbSite *site,
                    const SmbRequest *request) {
  Writer *writer = user;
  guint n_lanes = smb_arch_info(writer->cli->arch)->lanes;
  SmbLanes asked = smb_request_lanes(request);
  SmbRequest plain = *request;
  for (guint lane = 0; lane < n_lanes; lane++)
    plain.offset[lane] = asked >> lane & 1 ? request->offset[lane] : 0;
  if (writer->n_requests++ == 0 || block != writer->block)
    begin_block(writer, block);
  g_string_truncate(writer->line, 0);
  smb_trace_append_request(writer->line, &plain, n_lanes);
  g_string_append_c(writer->line, ' ');
  smb_spool_write(writer->cli->out, writer->line->str, writer->line->len);
  g_autofree char *place = smb_site_place(site);
  g_autofree char *comment =
      g_strdup_printf(smb_arch_say(writer->cli->arch, "%s, warp %u"), place, warp);
  write_comment(writer, comment);
}

static void
write_head(Writer *writer) {
  const SmbTarget *target = writer->target;
  const guint *block = target->launch.block, *grid = target->launch.grid;
  g_autofree char *text =
      g_strdup_printf(smb_arch_say(writer->cli->arch,
                                   "%s of %s, block %u,%u,%u, grid %u,%u,%u, by the rules of %s"),
                      target->name, target->file, block[0], block[1], block[2], grid[0], grid[1],
                      grid[2], smb_arch_info(writer->cli->arch)->name);
  write_comment(writer, text);
}

// Of what is written: which requests are missing, or may be others.
static void
write_tail(Writer *writer, const SmbAnalysis *analysis) {
  g_autoptr(GString) bounds = g_string_new(NULL);
  smb_analyze_append_bounds(bounds, analysis, NULL);
  if (bounds->len > 0)
    write_comment(writer, bounds->str);
  if (writer->n_requests == 0)
    smb_spool_printf(
        writer->cli->messages,
        smb_arch_say(writer->cli->arch,
                     analysis->accesses->len
                         ? "smembank trace: no shared-memory request of %s is counted\n"
                         : "smembank trace: %s makes no shared-memory requests\n"),
        writer->target->name);
}

gboolean
smb_trace_from(SmbCli *cli, const char *file, GError **error) {
  g_autoptr(SmbTarget) target = smb_target_open_file(cli, file, error);
  if (!target)
    return FALSE;
  g_autoptr(GString) line = g_string_new(NULL);
  Writer writer = {cli, target, line, 0, 0};
  target->options.request = write_trace_request;
  target->options.user = &writer;
  write_head(&writer);
  g_autoptr(SmbAnalysis) analysis = smb_target_analyze(target, cli->arch, error);
  if (!analysis)
    return FALSE;
  smb_analyze_write_warnings(target, analysis, cli->messages);
  write_tail(&writer, analysis);
  return TRUE;
}
