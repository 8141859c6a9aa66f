// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What Nsight Compute measured of each instruction of a kernel, beside what is predicted of it.
#include "src/validate/comparison-impl.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"

// What of a file is compared with what.
typedef struct {
  SmbComparison *comparison;
  const SmbTarget *target;
  const SmbAnalysis *analysis;
  const SmbArch *arch;
  const char *file;
} Pair;

// "LDS.128" of "@!P0 LDS.128 R4, [R2]".
static char *
find_opcode(const char *text) {
  if (*text == '@')
    text += strcspn(text, " ");
  text += strspn(text, " ");
  return g_strndup(text, strcspn(text, " ;"));
}

// Where the code of a launch is another one than that of the kernel; -1: nowhere. What is behind its end only fills it up.
static gint64
find_difference(const SmbProfileLaunch *launch, const GPtrArray *code) {
  guint n = launch->instructions->len;
  for (guint i = 0; i < MAX(n, code->len); i++) {
    const SmbCodeLine *own = i < code->len ? g_ptr_array_index(code, i) : NULL;
    const SmbProfileInstruction *other =
        i < n ? &g_array_index(launch->instructions, SmbProfileInstruction, i) : NULL;
    g_autofree char *a = find_opcode(own ? own->text : "NOP");
    g_autofree char *b = find_opcode(other ? other->text : "NOP");
    if (strcmp(a, b) != 0 || (own && other && own->pc != other->pc))
      return i;
  }
  return -1;
}

static gboolean
fail_name(const Pair *pair, const SmbProfile *profile, GError **error) {
  g_autoptr(GString) names = g_string_new(NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < profile->launches->len; i++) {
    const SmbProfileLaunch *launch = g_ptr_array_index(profile->launches, i);
    if (g_hash_table_add(seen, (gpointer)launch->kernel))
      g_string_append_printf(names, "%s'%s'", names->len ? ", " : "", launch->kernel);
  }
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no launch of '%s': it has %s", pair->file,
                  pair->target->name, names->str);
}

static gboolean
fail_code(const Pair *pair, const SmbProfileLaunch *launch, const GPtrArray *code, gint64 at,
          GError **error) {
  const SmbCodeLine *own = at < code->len ? g_ptr_array_index(code, (guint)at) : NULL;
  const SmbProfileInstruction *other =
      at < launch->instructions->len
          ? &g_array_index(launch->instructions, SmbProfileInstruction, at)
          : NULL;
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "%s:%u: other code than that of %s: its instruction %" G_GINT64_FORMAT
                  " is '%s', not '%s': it is of another build, or for another architecture",
                  pair->file, launch->line, pair->target->file, at,
                  other ? other->text : "behind its end", own ? own->text : "behind its end");
}

// The launch that is meant. @number: from 1; 0: all that fit are alike.
static const SmbProfileLaunch *
choose_launch(const Pair *pair, const SmbProfile *profile, const GPtrArray *code, guint number,
              GError **error) {
  g_autoptr(GPtrArray) named = g_ptr_array_new(), fitting = g_ptr_array_new();
  gboolean differ = FALSE;
  for (guint i = 0; i < profile->launches->len; i++) {
    SmbProfileLaunch *launch = g_ptr_array_index(profile->launches, i);
    if (!smb_profile_is_of(launch, pair->target->name))
      continue;
    g_ptr_array_add(named, launch);
    if (find_difference(launch, code) < 0)
      g_ptr_array_add(fitting, launch);
  }
  for (guint i = 1; i < fitting->len; i++)
    differ = differ ||
             !smb_profile_is_equal(g_ptr_array_index(fitting, 0), g_ptr_array_index(fitting, i));
  if (named->len == 0)
    fail_name(pair, profile, error);
  else if (fitting->len == 0)
    fail_code(pair, g_ptr_array_index(named, 0), code,
              find_difference(g_ptr_array_index(named, 0), code), error);
  else if (number > fitting->len)
    smb_cli_usage_error(error, "--ncu-launch %u: %s has %u launches of '%s'", number, pair->file,
                        fitting->len, pair->target->name);
  else if (number == 0 && differ)
    smb_cli_usage_error(error,
                        "%s has %u launches of '%s', with different counts: choose one with "
                        "--ncu-launch",
                        pair->file, fitting->len, pair->target->name);
  else
    return g_ptr_array_index(fitting, MAX(number, 1) - 1);
  return NULL;
}

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
  g_autoptr(GPtrArray) code = smb_program_instructions(target->kernel);
  if (!code)
    return smb_cli_usage_error(error,
                               "--ncu is for machine code: %s is %s (--nvcc '' compiles CUDA C)",
                               target->file, smb_program_level(target->kernel));
  Pair pair = {comparison, target, NULL, arch, file};
  const SmbProfileLaunch *launch = choose_launch(&pair, profile, code, number, error);
  g_autoptr(SmbAnalysis) analysis = launch ? smb_target_analyze(target, arch, error) : NULL;
  if (!analysis)
    return FALSE;
  pair.analysis = analysis;
  compare_launch(&pair, launch);
  return TRUE;
}
