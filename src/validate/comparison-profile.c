// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What Nsight Compute measured of each instruction of a kernel, beside what is predicted of it.
#include "src/validate/comparison-impl.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "src/cli/profile.h"

// What of a file is compared with what.
typedef struct {
  SmbComparison *comparison;
  const SmbTarget *target;
  const SmbAnalysis *analysis;
  const SmbArch *arch;
  const char *file;
} Pair;

static void
add_row(const Pair *pair, const SmbProfileInstruction *instruction, const char *metric,
        double predicted, double measured, SmbOutcome outcome, const char *note) {
  SmbComparison *comparison = pair->comparison;
  g_autofree char *name = g_strdup_printf("%s@0x%" G_GINT64_MODIFIER "x", metric, instruction->pc);
  SmbComparisonRow *row =
      smb_comparison_row(SMB_ROW_INSTRUCTION, smb_comparison_keep(comparison, name));
  row->kernel = smb_comparison_keep(comparison, pair->target->name);
  row->instruction = smb_comparison_keep(comparison, instruction->text);
  row->predicted = predicted;
  row->measured = measured;
  row->gpu = "a GPU that ncu measured";
  row->source = row->place = smb_comparison_keep(comparison, pair->file);
  row->arch = smb_comparison_keep(comparison, smb_arch_info(pair->arch)->name);
  row->note = smb_comparison_keep(comparison, note);
  row->outcome = outcome;
  smb_comparison_take(comparison, row);
}

// What is predicted of one instruction.
typedef struct {
  SmbTally tally;
  guint64 lanes;
  const SmbAccess *access; // of those at its place, one that is not exact, if any is; NULL: none
  gboolean is_least;
  const char *reason; // why, or that there is none
} Prediction;

// Why more lanes may take part in an instruction than a request has; NULL: they may not.
static const char *
find_others(const char *text) {
  static const char *const generic[] = {"LD", "ST", "ATOM", "RED"};
  g_autofree char *opcode = smb_profile_opcode(text);
  if (strstr(opcode, ".CAST"))
    return "of the lanes that compare at one address only the one that may swap is counted";
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
  if (predicted->is_least)
    note = predicted->reason;
  else if (instruction->threads > predicted->lanes)
    note = find_others(instruction->text);
  gboolean equal = instruction->threads == predicted->lanes;
  add_row(pair, instruction, "active_lanes", (double)predicted->lanes, (double)instruction->threads,
          equal  ? SMB_OUTCOME_MATCH
          : note ? SMB_OUTCOME_EXPLAINED
                 : SMB_OUTCOME_MISMATCH,
          equal ? NULL : note);
}

static void
compare_instruction(const Pair *pair, const SmbProfileInstruction *instruction,
                    const Prediction *predicted) {
  guint64 wavefronts = predicted->tally.wavefronts, requests = predicted->tally.requests;
  gboolean more = predicted->is_least && instruction->wavefronts > wavefronts;
  SmbOutcome outcome = instruction->wavefronts == wavefronts ? SMB_OUTCOME_MATCH
                       : more                                ? SMB_OUTCOME_EXPLAINED
                                                             : SMB_OUTCOME_MISMATCH;
  add_row(pair, instruction, "wavefronts", (double)wavefronts, (double)instruction->wavefronts,
          outcome, predicted->reason);
  // Without an active lane an instruction is executed, and asks for nothing.
  gboolean idle = instruction->executed > requests && outcome != SMB_OUTCOME_MISMATCH;
  add_row(pair, instruction, "executed", (double)requests, (double)instruction->executed,
          instruction->executed == requests ? SMB_OUTCOME_MATCH
          : idle                            ? SMB_OUTCOME_EXPLAINED
                                            : SMB_OUTCOME_MISMATCH,
          idle ? "some warps execute it with no lane active, which asks for nothing" : NULL);
  compare_lanes(pair, instruction, predicted);
}

// Of an instruction that asks for nothing here: that on a device it may, in another order of threads; NULL: it may not.
static const char *
find_warning(const Pair *pair, guint64 pc) {
  const GArray *warnings = pair->analysis->warnings;
  for (guint i = 0; i < warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(warnings, SmbAnalysisWarning, i);
    if ((warning->kind == SMB_WARNING_ORDER || warning->kind == SMB_WARNING_TIMING) &&
        smb_program_site(pair->target->kernel, warning->site)->pc == pc)
      return warning->message;
  }
  return NULL;
}

static Prediction
predict(const Pair *pair, guint64 pc) {
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
  }
  // What is not exact is the least: measured more is explained.
  predicted.is_least = predicted.access && !predicted.access->exact;
  predicted.reason = predicted.access ? predicted.access->reason : find_warning(pair, pc);
  if (!predicted.access && predicted.reason)
    predicted.is_least = TRUE;
  else if (!predicted.access)
    predicted.reason = "no request to shared memory is predicted";
  return predicted;
}

static void
compare_launch(const Pair *pair, const SmbProfileLaunch *launch) {
  for (guint i = 0; i < launch->instructions->len; i++) {
    const SmbProfileInstruction *instruction =
        &g_array_index(launch->instructions, SmbProfileInstruction, i);
    Prediction predicted = predict(pair, instruction->pc);
    if (predicted.access || instruction->wavefronts > 0)
      compare_instruction(pair, instruction, &predicted);
  }
}

gboolean
smb_comparison_add_profile(SmbComparison *comparison, const SmbProfile *profile, const char *file,
                           guint number, const SmbTarget *target, const SmbArch *arch,
                           GError **error) {
  Pair pair = {comparison, target, NULL, arch, file};
  const SmbProfileLaunch *launch = smb_target_find_profile(target, profile, file, number, error);
  g_autoptr(SmbAnalysis) analysis = launch ? smb_target_analyze(target, arch, error) : NULL;
  if (!analysis)
    return FALSE;
  pair.analysis = analysis;
  compare_launch(&pair, launch);
  return TRUE;
}
