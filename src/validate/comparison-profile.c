// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What Nsight Compute measured of each instruction of a kernel, beside what is predicted of it.
#include "src/validate/comparison-impl.h"

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

// What is not exact is the least: measured more is explained. @is_partial: some requests are not counted.
static void
compare_instruction(const Pair *pair, const SmbProfileInstruction *instruction,
                    const SmbTally *predicted, const SmbAccess *access) {
  gboolean equal = predicted->wavefronts == instruction->wavefronts;
  gboolean more = instruction->wavefronts > predicted->wavefronts;
  gboolean is_least = access && !access->exact;
  add_row(pair, instruction, "wavefronts", (double)predicted->wavefronts,
          (double)instruction->wavefronts,
          equal              ? SMB_OUTCOME_MATCH
          : is_least && more ? SMB_OUTCOME_EXPLAINED
                             : SMB_OUTCOME_MISMATCH,
          access ? access->reason : "no request to shared memory is predicted");
  // Without an active lane an instruction is executed, and asks for nothing.
  gboolean same = predicted->requests == instruction->executed;
  gboolean idle = instruction->executed > predicted->requests && (equal || is_least);
  add_row(pair, instruction, "executed", (double)predicted->requests, (double)instruction->executed,
          same   ? SMB_OUTCOME_MATCH
          : idle ? SMB_OUTCOME_EXPLAINED
                 : SMB_OUTCOME_MISMATCH,
          idle ? "some warps execute it with no lane active, which asks for nothing" : NULL);
}

static void
compare_launch(const Pair *pair, const SmbProfileLaunch *launch) {
  const GArray *accesses = pair->analysis->accesses;
  for (guint i = 0; i < launch->instructions->len; i++) {
    const SmbProfileInstruction *instruction =
        &g_array_index(launch->instructions, SmbProfileInstruction, i);
    SmbTally predicted = {.requests = 0};
    const SmbAccess *first = NULL;
    for (guint j = 0; j < accesses->len; j++) {
      const SmbAccess *access = &g_array_index(accesses, SmbAccess, j);
      if (access->site->pc != instruction->pc)
        continue;
      smb_tally_add(&predicted, &access->total);
      first = !first || first->exact ? access : first;
    }
    if (first || instruction->wavefronts > 0)
      compare_instruction(pair, instruction, &predicted, first);
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
