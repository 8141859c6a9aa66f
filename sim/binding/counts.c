// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a kernel costs, as rows for other languages.
#include <string.h>

#include "sim/binding/impl.h"

struct _SmbCounts {
  SmbRun run;
  SmbSums totals[SMB_N_OP_CLASSES];
  GArray *accesses; // SmbAccessCounts
  GArray *warnings; // SmbKernelWarning
};

SmbSums
smb_sums(const SmbTally *tally) {
  return (SmbSums){tally->requests, tally->wavefronts, tally->ideal,
                   tally->excess,   tally->cycles,     tally->max_degree};
}

static void
add_access(SmbCounts *counts, const SmbAccess *access) {
  const SmbSite *site = access->site;
  const char *file = site->line ? smb_program_file(counts->run.program) : NULL;
  const SmbAccessCounts row = {.file = site->file ? site->file : file,
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

static void
add_warnings(SmbCounts *counts) {
  const SmbAnalysis *analysis = counts->run.analysis;
  const SmbProgram *program = counts->run.program;
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    const SmbSite *site = smb_program_site(program, warning->site);
    const SmbKernelWarning row = {smb_warning_name(warning->kind), site->line, site->column,
                                  site->expression, warning->message};
    g_array_append_val(counts->warnings, row);
  }
  if (analysis->idle) {
    SmbKernelWarning row = {.kind = "idle", .message = analysis->idle};
    if (smb_program_source(program))
      smb_source_locate(smb_program_source(program), analysis->idle_place, &row.line, &row.column);
    g_array_append_val(counts->warnings, row);
  }
  if (counts->run.assumes_block) {
    const SmbKernelWarning row = {
        .kind = "block", .message = "a block of one warp is assumed: give the kernel's own"};
    g_array_append_val(counts->warnings, row);
  }
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
  result->accesses = g_array_new(FALSE, FALSE, sizeof(SmbAccessCounts));
  result->warnings = g_array_new(FALSE, FALSE, sizeof(SmbKernelWarning));
  const GArray *accesses = result->run.analysis->accesses;
  for (guint i = 0; i < accesses->len; i++)
    add_access(result, &g_array_index(accesses, SmbAccess, i));
  for (guint i = 0; i < SMB_N_OP_CLASSES; i++)
    result->totals[i] = smb_sums(&result->run.analysis->totals[i]);
  add_warnings(result);
  *counts = result;
  return SMB_OK;
}

void
smb_counts_free(SmbCounts *counts) {
  if (!counts)
    return;
  g_array_unref(counts->accesses);
  g_array_unref(counts->warnings);
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

const SmbSums *
smb_counts_total(const SmbCounts *counts, const char *op) {
  for (guint i = 0; i < SMB_N_OP_CLASSES; i++) {
    if (strcmp(op, smb_op_class_name((SmbOpClass)i)) == 0)
      return &counts->totals[i];
  }
  return NULL;
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
