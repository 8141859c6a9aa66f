// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What was measured of each instruction of a kernel, by Nsight Compute or just now, beside what is predicted of it.
#include "src/validate/comparison-impl.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "src/target/profile.h"

// What is compared with what. @like: the rows are of the same kernel, device and source.
typedef struct {
  SmbComparison *comparison;
  const SmbProgram *program;
  const SmbAnalysis *analysis;
  const SmbComparisonRow *like;
} Pair;

static void
add_profile_row(const Pair *pair, const SmbProfileInstruction *instruction, const char *metric,
                double predicted, double measured, SmbOutcome outcome, const char *note) {
  SmbComparison *comparison = pair->comparison;
  g_autofree char *name = g_strdup_printf("%s@0x%" G_GINT64_MODIFIER "x", metric, instruction->pc);
  SmbComparisonRow *row =
      smb_comparison_row(SMB_ROW_INSTRUCTION, smb_comparison_keep(comparison, name));
  row->kernel = pair->like->kernel;
  row->instruction = smb_comparison_keep(comparison, instruction->text);
  row->predicted = predicted;
  row->measured = measured;
  row->gpu = pair->like->gpu;
  row->source = row->place = pair->like->source;
  row->arch = pair->like->arch;
  row->recording = pair->like->recording;
  row->recorded = pair->like->recorded;
  row->note = smb_comparison_keep(comparison, note);
  row->outcome = outcome;
  smb_comparison_take(comparison, row);
}

// What is predicted of one instruction.
typedef struct {
  SmbTally tally;
  guint64 lanes;
  const SmbAccess *access; // of those at its place, one that is not exact, if any is; NULL: none
  gboolean is_least;       // measured more is explained
  gboolean is_by_order;    // so is less
  const char *reason;      // why, or that there is none
} Prediction;

// Why more lanes may take part in an instruction than a request has; NULL: they may not.
static const char *
find_others(const char *text) {
  static const char *const generic[] = {"LD", "ST", "ATOM", "RED"};
  g_autofree char *opcode = smb_profile_opcode(text);
  if (strstr(opcode, ".CAST"))
    return "if lanes compare at one address, only the one that may swap is counted";
  opcode[strcspn(opcode, ".")] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS(generic); i++) {
    if (strcmp(opcode, generic[i]) == 0)
      return "the addresses of some lanes are not in shared memory";
  }
  return NULL;
}

// Of what is not exact, more or fewer lanes may come to an instruction.
static void
compare_lanes(const Pair *pair, const SmbProfileInstruction *instruction,
              const Prediction *predicted) {
  const char *note = NULL;
  if (predicted->is_least || predicted->is_by_order)
    note = predicted->reason;
  else if (instruction->threads > predicted->lanes)
    note = find_others(instruction->text);
  gboolean equal = instruction->threads == predicted->lanes;
  add_profile_row(pair, instruction, "active_lanes", (double)predicted->lanes,
                  (double)instruction->threads,
                  equal  ? SMB_OUTCOME_MATCH
                  : note ? SMB_OUTCOME_EXPLAINED
                         : SMB_OUTCOME_MISMATCH,
                  equal ? NULL : note);
}

static void
compare_instruction(const Pair *pair, const SmbProfileInstruction *instruction,
                    const Prediction *predicted) {
  guint64 wavefronts = predicted->tally.wavefronts, requests = predicted->tally.requests;
  gboolean is_explained =
      predicted->is_by_order || (predicted->is_least && instruction->wavefronts > wavefronts);
  SmbOutcome outcome = instruction->wavefronts == wavefronts ? SMB_OUTCOME_MATCH
                       : is_explained                        ? SMB_OUTCOME_EXPLAINED
                                                             : SMB_OUTCOME_MISMATCH;
  add_profile_row(pair, instruction, "wavefronts", (double)wavefronts,
                  (double)instruction->wavefronts, outcome, predicted->reason);
  if (instruction->executed == SMB_PROFILE_NOT_COUNTED)
    return;
  // Without an active lane an instruction is executed, and asks for nothing.
  gboolean idle = instruction->executed > requests && outcome != SMB_OUTCOME_MISMATCH;
  const char *why = predicted->is_by_order ? predicted->reason
                    : idle ? "some warps execute it with no lane active, which makes no request"
                           : NULL;
  add_profile_row(pair, instruction, "executed", (double)requests, (double)instruction->executed,
                  instruction->executed == requests ? SMB_OUTCOME_MATCH
                  : why                             ? SMB_OUTCOME_EXPLAINED
                                                    : SMB_OUTCOME_MISMATCH,
                  why);
  compare_lanes(pair, instruction, predicted);
}

// Of an instruction that asks for nothing here: that on a device it may, in another order of threads; NULL: it may not.
static const char *
find_warning(const Pair *pair, guint64 pc) {
  const GArray *warnings = pair->analysis->warnings;
  for (guint i = 0; i < warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(warnings, SmbAnalysisWarning, i);
    if (smb_warning_is_of_order(warning) &&
        smb_program_site(pair->program, warning->site)->pc == pc)
      return warning->message;
  }
  return NULL;
}

static Prediction
predict_profile(const Pair *pair, guint64 pc) {
  const GArray *accesses = pair->analysis->accesses;
  Prediction predicted = {.lanes = 0};
  for (guint i = 0; i < accesses->len; i++) {
    const SmbAccess *access = &g_array_index(accesses, SmbAccess, i);
    if (access->site->pc != pc)
      continue;
    smb_tally_add(&predicted.tally, &access->total);
    predicted.lanes += access->lanes;
    if (!predicted.access || predicted.access->exact)
      predicted.access = access;
    predicted.is_by_order |= access->is_by_order;
  }
  predicted.is_least = predicted.access && !predicted.access->exact;
  predicted.reason = predicted.access ? predicted.access->reason : find_warning(pair, pc);
  if (!predicted.access && predicted.reason)
    predicted.is_by_order = TRUE;
  else if (!predicted.access)
    predicted.reason = "no request to shared memory is predicted";
  return predicted;
}

void
smb_comparison_add_instructions(SmbComparison *comparison, const SmbProgram *program,
                                const SmbAnalysis *analysis, const SmbComparisonRow *like,
                                const GArray *instructions) {
  const Pair pair = {comparison, program, analysis, like};
  for (guint i = 0; i < instructions->len; i++) {
    const SmbProfileInstruction *instruction =
        &g_array_index(instructions, SmbProfileInstruction, i);
    Prediction predicted = predict_profile(&pair, instruction->pc);
    if (predicted.access || instruction->wavefronts > 0)
      compare_instruction(&pair, instruction, &predicted);
  }
}

gboolean
smb_comparison_add_profile(SmbComparison *comparison, const SmbProfile *profile, const char *file,
                           guint number, const SmbTarget *target, const SmbArch *arch,
                           GError **error) {
  const SmbProfileLaunch *launch = smb_target_find_profile(target, profile, file, number, error);
  g_autoptr(SmbAnalysis) analysis = launch ? smb_target_analyze(target, arch, error) : NULL;
  if (!analysis)
    return FALSE;
  const SmbComparisonRow like = {.kernel = smb_comparison_keep(comparison, target->name),
                                 .gpu = "a GPU that ncu measured",
                                 .source = smb_comparison_keep(comparison, file),
                                 .arch =
                                     smb_comparison_keep(comparison, smb_arch_info(arch)->name)};
  smb_comparison_add_instructions(comparison, target->kernel, analysis, &like,
                                  launch->instructions);
  return TRUE;
}

// Why a device may count something else than the model; NULL: it may not.
static const char *
explain_metric(const SmbAnalysis *analysis, double more, double slack) {
  if (more > 0 && more <= slack)
    return "counters of l1tex also count lost arbitration with other users of L1; those of "
           "smsp__sass_… "
           "do not";
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (!access->exact && (access->is_by_order || more > 0))
      return access->reason;
  }
  return NULL;
}

static SmbComparisonRow *
make_metric_row(SmbComparison *comparison, const SmbKernelMetric *metric,
                const SmbAnalysis *analysis, double predicted, double slack) {
  SmbComparisonRow *row =
      smb_comparison_row(SMB_ROW_INSTRUCTION, smb_comparison_keep(comparison, metric->name));
  double more = metric->value - predicted;
  const char *why = explain_metric(analysis, more, slack);
  row->instruction = "whole kernel";
  row->predicted = predicted;
  row->measured = metric->value;
  row->outcome = !(more < 0 || more > 0) ? SMB_OUTCOME_MATCH
                 : why                   ? SMB_OUTCOME_EXPLAINED
                                         : SMB_OUTCOME_MISMATCH;
  row->note = row->outcome == SMB_OUTCOME_EXPLAINED ? smb_comparison_keep(comparison, why) : NULL;
  return row;
}

gboolean
smb_comparison_add_metrics(SmbComparison *comparison, const SmbKernelMetrics *metrics,
                           const char *file, guint number, SmbTarget *target, const SmbArch *arch,
                           GError **error) {
  const SmbMeasuredLaunch *launch = smb_target_find_metrics(target, metrics, file, number, error);
  g_autoptr(SmbAnalysis) analysis = launch ? smb_target_analyze(target, arch, error) : NULL;
  guint n = 0;
  for (guint i = 0; analysis && i < launch->metrics->len; i++) {
    const SmbKernelMetric *metric = &g_array_index(launch->metrics, SmbKernelMetric, i);
    double predicted, slack;
    if (!smb_kernel_metric_predict(metric->name, analysis, &predicted, &slack))
      continue;
    SmbComparisonRow *row = make_metric_row(comparison, metric, analysis, predicted, slack);
    row->kernel = smb_comparison_keep(comparison, target->name);
    row->gpu = "a GPU that ncu measured";
    row->source = row->place = smb_comparison_keep(comparison, file);
    row->arch = smb_comparison_keep(comparison, smb_arch_info(arch)->name);
    smb_comparison_take(comparison, row);
    n++;
  }
  return !analysis || n > 0
             ? analysis != NULL
             : smb_fail(
                   error, SMB_ERROR, SMB_ERROR_INPUT,
                   "%s:%u:1: no metric that is predicted: expected wavefronts or bank conflicts of "
                   "shared memory, such as "
                   "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                   file, launch->line);
}
