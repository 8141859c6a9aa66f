// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a kernel costs, as rows for other languages.
#include <string.h>

#include "sim/binding/impl.h"

#include "sim/arch/words.h"

struct _SmbCounts {
  SmbRun run;
  SmbSums totals[SMB_N_OP_CLASSES];
  SmbGlobalCounts global_totals[SMB_N_OP_CLASSES];
  SmbSums constant_total;
  GArray *accesses;  // SmbAccessCounts
  GArray *globals;   // SmbGlobalCounts
  GArray *constants; // SmbConstantCounts
  GArray *traffic;   // SmbTrafficCounts
  GArray *warnings;  // SmbKernelWarning
  GArray *hints;     // SmbMessageHint: of the first of them
};

SmbSums
smb_sums(const SmbTally *tally) {
  return (SmbSums){tally->requests, tally->wavefronts, tally->ideal,
                   tally->excess,   tally->cycles,     tally->max_degree};
}

// The file that has the line of a site; NULL: that is not known. A text does not name itself.
static const char *
find_site_file(const SmbCounts *counts, const SmbSite *site) {
  return site->file ? site->file : site->line ? smb_program_file(counts->run.program) : NULL;
}

static void
add_access_counts(SmbCounts *counts, const SmbAccess *access) {
  const SmbSite *site = access->site;
  const SmbAccessCounts row = {.file = find_site_file(counts, site),
                               .line = site->line,
                               .column = site->column,
                               .expression = site->expression,
                               .array = access->array,
                               .op = smb_op_class_name(site->op_class),
                               .width = site->width,
                               .opcode = site->opcode,
                               .pc = site->pc,
                               .is_copy = smb_access_is_copy(access) != 0,
                               .exact = access->exact != 0,
                               .reason = access->reason,
                               .depends_on_data = smb_access_depends_on_data(access) != 0,
                               .uncounted = access->uncounted,
                               .sums = smb_sums(&access->total)};
  g_array_append_val(counts->accesses, row);
}

// The numbers of an access to global memory.
static SmbGlobalCounts
make_global_counts(const SmbGlobalAccess *access) {
  return (SmbGlobalCounts){.requests = access->requests,
                           .segments = access->segments,
                           .ideal = access->ideal,
                           .excess = access->segments - access->ideal,
                           .bytes = access->bytes,
                           .max_segments = access->max_segments,
                           .uncounted = access->uncounted};
}

static void
add_global_counts(SmbCounts *counts, const SmbGlobalAccess *access) {
  const SmbSite *site = access->site;
  SmbGlobalCounts row = make_global_counts(access);
  row.file = find_site_file(counts, site);
  row.line = site->line;
  row.column = site->column;
  row.expression = site->expression;
  row.buffer = access->buffer;
  row.op = smb_op_class_name(site->op_class);
  row.width = site->width;
  row.opcode = site->opcode;
  row.pc = site->pc;
  g_array_append_val(counts->globals, row);
}

static void
add_constant_counts(SmbCounts *counts, const SmbConstantAccess *access) {
  const SmbSite *site = access->site;
  const SmbConstantCounts row = {.file = find_site_file(counts, site),
                                 .line = site->line,
                                 .column = site->column,
                                 .expression = site->expression,
                                 .variable = access->variable,
                                 .width = site->width,
                                 .opcode = site->opcode,
                                 .pc = site->pc,
                                 .exact = access->reason == NULL,
                                 .reason = access->reason,
                                 .uncounted = access->uncounted,
                                 .sums = smb_sums(&access->total)};
  g_array_append_val(counts->constants, row);
}

static void
add_traffic(SmbCounts *counts, const SmbOtherTraffic *traffic) {
  const SmbSite *site = traffic->site;
  guint64 wavefronts = 0;
  gboolean has_wavefronts =
      smb_other_traffic_wavefronts(traffic, counts->run.analysis->vendor, &wavefronts);
  const SmbTrafficCounts row = {.file = find_site_file(counts, site),
                                .line = site->line,
                                .column = site->column,
                                .expression = site->expression,
                                .opcode = site->opcode,
                                .pc = site->pc,
                                .kind = smb_traffic_name(traffic->kind),
                                .executions = traffic->executions,
                                .bytes = traffic->bytes,
                                .unsized = traffic->unsized,
                                .wavefronts = wavefronts,
                                .has_wavefronts = has_wavefronts != 0,
                                .exact = smb_other_traffic_is_exact(traffic) != 0};
  g_array_append_val(counts->traffic, row);
}

static void
add_count_warnings(SmbCounts *counts) {
  const SmbAnalysis *analysis = counts->run.analysis;
  const SmbProgram *program = counts->run.program;
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    const SmbSite *site = smb_program_site(program, warning->site);
    const SmbKernelWarning row = {smb_warning_name(warning->kind), site->line, site->column,
                                  site->expression, warning->message};
    const SmbMessageHint hint = smb_message_hint_of(&warning->hint);
    g_array_append_val(counts->warnings, row);
    g_array_append_val(counts->hints, hint);
  }
  if (analysis->idle) {
    const SmbSite *site = &analysis->idle_at;
    const SmbKernelWarning row = {"idle", site->line, site->column, site->expression,
                                  analysis->idle};
    g_array_append_val(counts->warnings, row);
  }
  if (counts->run.assumes_block) {
    const SmbKernelWarning row = {
        .kind = "block",
        .message = smb_vendor_say(analysis->vendor,
                                  "a block of one warp is assumed: give the kernel's own")};
    g_array_append_val(counts->warnings, row);
  }
}

static void
add_analysis_counts(SmbCounts *counts, const SmbAnalysis *analysis) {
  counts->accesses = g_array_new(FALSE, FALSE, sizeof(SmbAccessCounts));
  counts->globals = g_array_new(FALSE, FALSE, sizeof(SmbGlobalCounts));
  counts->constants = g_array_new(FALSE, FALSE, sizeof(SmbConstantCounts));
  counts->traffic = g_array_new(FALSE, FALSE, sizeof(SmbTrafficCounts));
  counts->warnings = g_array_new(FALSE, FALSE, sizeof(SmbKernelWarning));
  counts->hints = g_array_new(FALSE, FALSE, sizeof(SmbMessageHint));
  for (guint i = 0; i < analysis->accesses->len; i++)
    add_access_counts(counts, &g_array_index(analysis->accesses, SmbAccess, i));
  for (guint i = 0; i < analysis->globals->len; i++)
    add_global_counts(counts, &g_array_index(analysis->globals, SmbGlobalAccess, i));
  for (guint i = 0; i < analysis->constants->len; i++)
    add_constant_counts(counts, &g_array_index(analysis->constants, SmbConstantAccess, i));
  for (guint i = 0; i < analysis->traffic->len; i++)
    add_traffic(counts, &g_array_index(analysis->traffic, SmbOtherTraffic, i));
  for (guint i = 0; i < SMB_N_OP_CLASSES; i++) {
    counts->totals[i] = smb_sums(&analysis->totals[i]);
    counts->global_totals[i] = make_global_counts(&analysis->global_totals[i]);
    counts->global_totals[i].op = smb_op_class_name((SmbOpClass)i);
  }
  counts->constant_total = smb_sums(&analysis->constant_total);
}

SmbStatus
smb_kernel_count(const SmbModel *model, const SmbKernelLaunch *launch, SmbCounts **counts,
                 char **error) {
  GError *failure = NULL;
  g_auto(SmbRun) run = {0};
  if (!smb_run_kernel(model, launch, FALSE, &run, &failure))
    return smb_status_of(failure, error);
  SmbCounts *result = g_new0(SmbCounts, 1);
  result->run = run;
  run = (SmbRun){0};
  result->run.launch.arguments = NULL; // the caller's
  add_analysis_counts(result, result->run.analysis);
  add_count_warnings(result);
  *counts = result;
  return SMB_OK;
}

void
smb_counts_free(SmbCounts *counts) {
  if (!counts)
    return;
  g_array_unref(counts->accesses);
  g_array_unref(counts->globals);
  g_array_unref(counts->constants);
  g_array_unref(counts->traffic);
  g_array_unref(counts->warnings);
  g_array_unref(counts->hints);
  smb_run_clear(&counts->run);
  g_free(counts);
}

const char *
smb_counts_kernel(const SmbCounts *counts) {
  return smb_program_name(counts->run.program);
}

const char *
smb_counts_level(const SmbCounts *counts) {
  return smb_program_level(counts->run.program);
}

uint64_t
smb_counts_shared_bytes(const SmbCounts *counts) {
  return counts->run.analysis->shared_bytes;
}

size_t
smb_counts_n_accesses(const SmbCounts *counts) {
  return counts->accesses->len;
}

const SmbAccessCounts *
smb_counts_access(const SmbCounts *counts, size_t index) {
  return index < counts->accesses->len ? &g_array_index(counts->accesses, SmbAccessCounts, index)
                                       : NULL;
}

// The index of an operation by its name; SMB_N_OP_CLASSES: there is none such.
static guint
find_op(const char *op) {
  guint i = 0;
  while (i < SMB_N_OP_CLASSES && strcmp(op, smb_op_class_name((SmbOpClass)i)) != 0)
    i++;
  return i;
}

const SmbSums *
smb_counts_total(const SmbCounts *counts, const char *op) {
  guint i = find_op(op);
  return i < SMB_N_OP_CLASSES ? &counts->totals[i] : NULL;
}

uint32_t
smb_counts_segment_bytes(const SmbCounts *counts) {
  return counts->run.analysis->segment_bytes;
}

size_t
smb_counts_n_globals(const SmbCounts *counts) {
  return counts->globals->len;
}

const SmbGlobalCounts *
smb_counts_global(const SmbCounts *counts, size_t index) {
  return index < counts->globals->len ? &g_array_index(counts->globals, SmbGlobalCounts, index)
                                      : NULL;
}

const SmbGlobalCounts *
smb_counts_global_total(const SmbCounts *counts, const char *op) {
  guint i = find_op(op);
  return i < SMB_N_OP_CLASSES ? &counts->global_totals[i] : NULL;
}

size_t
smb_counts_n_constants(const SmbCounts *counts) {
  return counts->constants->len;
}

const SmbConstantCounts *
smb_counts_constant(const SmbCounts *counts, size_t index) {
  return index < counts->constants->len
             ? &g_array_index(counts->constants, SmbConstantCounts, index)
             : NULL;
}

const SmbSums *
smb_counts_constant_total(const SmbCounts *counts) {
  return &counts->constant_total;
}

size_t
smb_counts_n_traffic(const SmbCounts *counts) {
  return counts->traffic->len;
}

const SmbTrafficCounts *
smb_counts_traffic(const SmbCounts *counts, size_t index) {
  return index < counts->traffic->len ? &g_array_index(counts->traffic, SmbTrafficCounts, index)
                                      : NULL;
}

size_t
smb_counts_n_warnings(const SmbCounts *counts) {
  return counts->warnings->len;
}

const SmbKernelWarning *
smb_counts_warning(const SmbCounts *counts, size_t index) {
  return index < counts->warnings->len ? &g_array_index(counts->warnings, SmbKernelWarning, index)
                                       : NULL;
}

const SmbMessageHint *
smb_counts_warning_hint(const SmbCounts *counts, size_t index) {
  const SmbMessageHint *hint =
      index < counts->hints->len ? &g_array_index(counts->hints, SmbMessageHint, index) : NULL;
  return hint && strcmp(hint->kind, smb_hint_name(SMB_HINT_NONE)) != 0 ? hint : NULL;
}
