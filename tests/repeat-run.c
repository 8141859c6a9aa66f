// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/repeat-run.h"

#include <string.h>

#include "tests/suite.h"

static void
dump_tally(GString *out, const SmbTally *t) {
  g_string_append_printf(out,
                         " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                         " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %u %u",
                         t->requests, t->wavefronts, t->ideal, t->excess, t->cycles, t->max_degree,
                         t->max_queue);
}

static void
dump_loops(GString *out, const SmbLoopTally *t) {
  g_string_append_printf(out,
                         " loops %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                         " %" G_GUINT64_FORMAT,
                         t->requests, t->loads, t->load_wavefronts, t->swaps);
}

static void
dump_request(GString *out, const SmbRequest *request) {
  g_string_append_printf(out, " %u %u", request->op, request->width);
  for (guint lane = 0; lane < smb_request_span(request); lane++) {
    if (request->mask >> lane & 1)
      g_string_append_printf(out, " %u:%u", lane, request->offset[lane]);
  }
}

static void
dump_global(GString *out, const SmbGlobalAccess *g) {
  g_string_append_printf(out,
                         "global %s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                         " %u %" G_GUINT64_FORMAT "\n",
                         g->buffer ? g->buffer : "", g->requests, g->segments, g->ideal,
                         g->max_segments, g->bytes);
}

static void
dump_access(GString *out, const SmbAccess *access, guint n_warps) {
  g_string_append_printf(out, "access %s %d %s %d", access->site->expression,
                         access->site->op_class, access->array, access->exact);
  dump_tally(out, &access->total);
  dump_loops(out, &access->loops);
  for (guint w = 0; w < n_warps; w++)
    dump_tally(out, &access->warps[w]);
  g_string_append_printf(out, " worst %" G_GUINT64_FORMAT " %u", access->worst_block,
                         access->worst_warp);
  dump_request(out, &access->worst);
  g_string_append_c(out, '\n');
}

// All that an analysis says, but for how many blocks were run.
static char *
dump(const SmbAnalysis *analysis) {
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < analysis->accesses->len; i++)
    dump_access(out, &g_array_index(analysis->accesses, SmbAccess, i), analysis->n_warps);
  for (guint i = 0; i < analysis->globals->len; i++)
    dump_global(out, &g_array_index(analysis->globals, SmbGlobalAccess, i));
  for (guint i = 0; i < SMB_N_OP_CLASSES; i++) {
    dump_tally(out, &analysis->totals[i]);
    dump_global(out, &analysis->global_totals[i]);
  }
  dump_loops(out, &analysis->loops);
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *w = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    g_string_append_printf(out, "\nwarning %d %u %u %" G_GUINT64_FORMAT " %s", w->kind, w->site,
                           w->other, w->block, w->message);
  }
  for (guint i = 0; i < analysis->requests->len; i++) {
    const SmbAccessRequest *r = &g_array_index(analysis->requests, SmbAccessRequest, i);
    g_string_append_printf(out, "\nrequest %u %u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
                           r->access, r->warp, r->block, r->count);
    dump_request(out, &r->request);
  }
  g_string_append_printf(out, "\ndropped %" G_GUINT64_FORMAT " idle %s %u\n",
                         analysis->requests_dropped, analysis->idle ? analysis->idle : "",
                         analysis->idle_at.offset);
  return g_string_free(out, FALSE);
}

static char *
run(Subject *subject, const SmbArch *arch, gboolean every_block) {
  g_autoptr(GError) error = NULL;
  SmbAnalysisOptions options = {
      .limits = subject->limits, .threads = 1, .keep_requests = TRUE, .every_block = every_block};
  g_autoptr(SmbAnalysis) analysis =
      smb_analysis_run(subject->program, arch, &subject->launch, &options, &error);
  ck_assert((analysis == NULL) == (error != NULL));
  subject->n_run = analysis ? analysis->n_blocks_run : 0;
  subject->n_blocks = analysis ? analysis->n_blocks : 0;
  return analysis ? dump(analysis) : g_strdup(error->message);
}

// Runs it both ways; whether blocks were counted that were not run.
gboolean
repeat_check(Subject *subject, const SmbArch *arch, const char *text) {
  g_autofree char *all = run(subject, arch, TRUE);
  ck_assert_uint_eq(subject->n_run, subject->n_blocks);
  g_autofree char *some = run(subject, arch, FALSE);
  if (strcmp(all, some) != 0)
    ck_abort_msg("%s\ngrid %u,%u,%u\n--- all %" G_GUINT64_FORMAT
                 " blocks:\n%s\n--- %" G_GUINT64_FORMAT " of them:\n%s",
                 text, subject->launch.grid[0], subject->launch.grid[1], subject->launch.grid[2],
                 subject->n_blocks, all, subject->n_run, some);
  return subject->n_run < subject->n_blocks;
}

SmbProgram *
repeat_program(const char *name, const char *text) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new(name, bytes, NULL);
  SmbProgram *program = smb_program_read(source, &(SmbProgramOptions){.cuda_arch = 900}, &error);
  ck_assert_msg(program != NULL, "%s\n%s", error ? error->message : "", text);
  return program;
}
