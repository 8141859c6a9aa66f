// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/engines.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/cuda/tree/ast.h"

enum {
  COMPARED_BYTES = 1 << 16, // of each buffer
};

static void
write_site(GString *out, const SmbSite *site) {
  g_string_append_printf(out, "%u:%u %s", site->line, site->column, site->expression);
}

static void
write_bytes(GString *out, gconstpointer data, gsize length) {
  const guchar *bytes = data;
  for (gsize i = 0; i < length; i++)
    g_string_append_printf(out, "%02x", bytes[i]);
  g_string_append_c(out, '\n');
}

static void
write_request(GString *out, const SmbRequest *request) {
  g_string_append_printf(out, " mask %" G_GINT64_MODIFIER "x op %u width %u at", request->mask,
                         request->op, request->width);
  for (guint lane = 0; lane < SMB_MAX_LANES; lane++)
    if (request->mask >> lane & 1)
      g_string_append_printf(out, " %u", request->offset[lane]);
  g_string_append_c(out, '\n');
}

static void
write_access(GString *out, const SmbAccess *access) {
  write_site(out, access->site);
  g_string_append_printf(out,
                         " %s exact %d %s order %d loop %d data %s source %d uncounted "
                         "%" G_GUINT64_FORMAT " lanes %" G_GUINT64_FORMAT
                         " worst %" G_GUINT64_FORMAT ".%u",
                         access->array, access->exact, access->reason, access->is_by_order,
                         access->is_loop, access->data_source, access->no_source, access->uncounted,
                         access->lanes, access->worst_block, access->worst_warp);
  write_request(out, &access->worst);
  write_bytes(out, &access->total, sizeof access->total);
  write_bytes(out, &access->loops, sizeof access->loops);
  write_bytes(out, access->warps, sizeof access->warps);
}

static void
write_globals(GString *out, const SmbAnalysis *analysis) {
  for (guint i = 0; i < analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(analysis->globals, SmbGlobalAccess, i);
    write_site(out, access->site);
    g_string_append_printf(out, " %s", access->buffer);
    write_bytes(out, &access->requests,
                sizeof *access - G_STRUCT_OFFSET(SmbGlobalAccess, requests));
  }
  for (guint i = 0; i < analysis->constants->len; i++) {
    const SmbConstantAccess *access = &g_array_index(analysis->constants, SmbConstantAccess, i);
    write_site(out, access->site);
    g_string_append_printf(out, " %s %" G_GUINT64_FORMAT " %s", access->variable, access->uncounted,
                           access->reason);
    write_bytes(out, &access->total, sizeof access->total);
  }
  for (guint i = 0; i < analysis->traffic->len; i++) {
    const SmbOtherTraffic *traffic = &g_array_index(analysis->traffic, SmbOtherTraffic, i);
    write_site(out, traffic->site);
    write_bytes(out, &traffic->executions, 3 * sizeof traffic->executions);
  }
}

// All that an analysis says (transfer full).
static GString *
describe(const KernelRun *run) {
  GString *out = g_string_new(NULL);
  const SmbAnalysis *analysis = run->analysis;
  if (!analysis) {
    g_string_append_printf(out, "%d %s", run->error->code, run->error->message);
    return out;
  }
  for (guint i = 0; i < analysis->accesses->len; i++)
    write_access(out, &g_array_index(analysis->accesses, SmbAccess, i));
  write_globals(out, analysis);
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    g_string_append_printf(out, "warning %d %u %u %" G_GUINT64_FORMAT " %s\n", warning->kind,
                           warning->site, warning->other, warning->block, warning->message);
  }
  for (guint i = 0; analysis->requests && i < analysis->requests->len; i++) {
    const SmbAccessRequest *request = &g_array_index(analysis->requests, SmbAccessRequest, i);
    g_string_append_printf(out, "request %u %u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
                           request->access, request->warp, request->block, request->count);
    write_request(out, &request->request);
  }
  g_string_append_printf(out,
                         "idle %s %u order %s blocks %" G_GUINT64_FORMAT " run %" G_GUINT64_FORMAT
                         " shared %" G_GSIZE_FORMAT "\n",
                         analysis->idle, analysis->idle ? analysis->idle_at.offset : 0,
                         analysis->order, analysis->n_blocks, analysis->n_blocks_run,
                         analysis->shared_bytes);
  for (guint i = 0; run->global && i < smb_program_n_parameters(run->kernel); i++) {
    SmbParameter parameter = smb_program_parameter(run->kernel, i);
    if (!parameter.is_pointer)
      continue;
    gsize length = MIN(smb_global_reach(run->global, i), COMPARED_BYTES);
    g_autofree guchar *bytes = g_malloc(length + 1);
    smb_global_read(run->global, i, 0, bytes, length);
    g_string_append_printf(out, "%s ", parameter.name);
    write_bytes(out, bytes, length);
  }
  return out;
}

static void
report(const SmbProgram *program) {
  const char *path = g_getenv("SMEMBANK_ENGINES");
  const SmbKernel *kernel = smb_cuda_kernel(program);
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  fprintf(file, "%s\n", kernel->lowered ? "lowered" : kernel->not_lowered);
  fclose(file);
}

// The first line that differs, cut short.
static void
refuse(const char *name, const char *text, const char *a, const char *b) {
  g_auto(GStrv) as = g_strsplit(a, "\n", -1), bs = g_strsplit(b, "\n", -1);
  guint i = 0;
  while (as[i] && bs[i] && strcmp(as[i], bs[i]) == 0)
    i++;
  ck_abort_msg("%s: the executors differ:\n%.600s\n%.600s\nof\n%.2000s", name, as[i] ? as[i] : "",
               bs[i] ? bs[i] : "", text);
}

void
engines_compare(const KernelRun *run, const char *name, const char *text,
                const KernelSetup *setup) {
  g_auto(KernelRun) other = {.kernel = NULL};
  KernelSetup in_steps = *setup;
  if (!run->kernel || !smb_cuda_kernel(run->kernel))
    return;
  in_steps.in_steps = TRUE;
  kernel_run(&other, name, text, &in_steps);
  report(other.kernel);
  g_autoptr(GString) a = describe(run), b = describe(&other);
  if (!g_string_equal(a, b))
    refuse(name, text, a->str, b->str);
}
