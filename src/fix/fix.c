// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/fix/fix.h"

#include <string.h>

#include "sim/base/order.h"
#include "src/advise/text.h"
#include "src/analysis/verdict.h"
#include "src/cli/hint.h"
#include "src/compile/compile.h"
#include "src/compile/read.h"
#include "src/explain/explain.h"
#include "src/explain/words.h"
#include "src/target/origin.h"
#include "src/target/profile.h"

static void
free_line(SmbFixLine *line) {
  g_free(line->source);
  g_free(line->reason);
  g_free(line->why);
  g_clear_pointer(&line->arrays, g_ptr_array_unref);
  g_free(line);
}

void
smb_fix_free(SmbFix *fix) {
  if (!fix)
    return;
  g_clear_pointer(&fix->lines, g_ptr_array_unref);
  g_clear_pointer(&fix->code, g_ptr_array_unref);
  g_clear_pointer(&fix->advice, smb_advise_report_free);
  g_clear_pointer(&fix->analysis, smb_analysis_free);
  g_clear_pointer(&fix->machine, smb_target_free);
  g_free(fix->advice_failure);
  g_free(fix);
}

const SmbTarget *
smb_fix_code(const SmbFix *fix) {
  return fix->machine ? fix->machine : fix->target;
}

static gboolean
is_same_line(const SmbCodeLine *a, const SmbCodeLine *b) {
  return a->file && b->file ? a->line == b->line && strcmp(a->file, b->file) == 0 : a->pc == b->pc;
}

// The line of an instruction, which is added if it is new.
static SmbFixLine *
find_fix_line(GPtrArray *lines, const SmbCodeLine *code) {
  for (guint i = 0; i < lines->len; i++) {
    SmbFixLine *line = g_ptr_array_index(lines, i);
    if (is_same_line(line->code, code))
      return line;
  }
  SmbFixLine *line = g_new0(SmbFixLine, 1);
  line->code = code;
  line->arrays = g_ptr_array_new();
  g_ptr_array_add(lines, line);
  return line;
}

// What is predicted of an instruction. Returns: whether it is known of any of its requests that lanes conflict.
static void
add_predicted(SmbFixLine *line, const SmbAnalysis *analysis, guint64 pc) {
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access->site->pc != pc)
      continue;
    smb_tally_add(&line->predicted, &access->total);
    if (!access->exact && !line->reason)
      line->reason = smb_analyze_describe_reason(access);
  }
}

static void
collect_lines(SmbFix *fix) {
  for (guint i = 0; i < fix->profile->instructions->len; i++) {
    const SmbProfileInstruction *measured =
        &g_array_index(fix->profile->instructions, SmbProfileInstruction, i);
    if (measured->wavefronts == 0 || i >= fix->code->len)
      continue;
    SmbFixLine *line = find_fix_line(fix->lines, g_ptr_array_index(fix->code, i));
    guint64 excess =
        measured->wavefronts > measured->ideal ? measured->wavefronts - measured->ideal : 0;
    line->instructions++;
    line->wavefronts += measured->wavefronts;
    line->ideal += measured->ideal;
    line->excess += excess;
    fix->wavefronts += measured->wavefronts;
    fix->excess += excess;
    add_predicted(line, fix->analysis, measured->pc);
  }
  for (guint i = fix->lines->len; i > 0; i--) {
    const SmbFixLine *line = g_ptr_array_index(fix->lines, i - 1);
    if (line->excess == 0)
      g_ptr_array_remove_index(fix->lines, i - 1);
  }
}

static int
compare_lines(gconstpointer a, gconstpointer b) {
  const SmbFixLine *x = *(const SmbFixLine *const *)a, *y = *(const SmbFixLine *const *)b;
  return smb_order(y->excess, x->excess) ?: smb_order(x->code->pc, y->code->pc);
}

// Which lanes of the line's costliest request conflict where, and by which arithmetic.
static void
explain_line(SmbFix *fix, SmbArch *arch, SmbFixLine *line, SmbOrigins *origins) {
  const SmbSite site = {
      .file = line->code->file, .line = line->code->line, .opcode = line->code->text};
  const SmbExplainQuestion question = {.file = line->code->file, .line = line->code->line};
  line->source = smb_origins_line(origins, &site);
  if (line->predicted.excess == 0)
    return;
  g_autoptr(SmbExplanation) explanation =
      line->code->file
          ? smb_explanation_new(smb_fix_code(fix), arch, fix->analysis, &question, NULL)
          : NULL;
  if (!explanation)
    return;
  g_autofree char *meeting = smb_explain_meeting(explanation);
  g_autofree char *reason =
      smb_explain_is_copy(explanation) ? g_strdup("") : smb_explain_reason(explanation);
  line->why = g_strconcat(meeting, *meeting && *reason ? " " : "", reason, NULL);
}

// Whether a site of the text, or of the machine code, is in the line. A text does not name itself.
static gboolean
is_in_line(const SmbFix *fix, const SmbSite *site, const SmbFixLine *line) {
  g_autofree char *own = g_path_get_basename(site->file ? site->file : fix->target->file);
  g_autofree char *compiled = g_path_get_basename(line->code->file ? line->code->file : "");
  return line->code->file ? site->line == line->code->line && strcmp(own, compiled) == 0
                          : site->pc == line->code->pc;
}

static void
assign_arrays(SmbFix *fix, SmbFixLine *line) {
  for (guint i = 0; fix->advice && i < fix->advice->arrays->len; i++) {
    SmbAdviseArray *array = g_ptr_array_index(fix->advice->arrays, i);
    gboolean found = FALSE;
    for (guint a = 0; a < fix->advice->analysis->accesses->len && !found; a++) {
      const SmbSite *site = g_array_index(fix->advice->analysis->accesses, SmbAccess, a).site;
      found = g_array_index(array->now->candidate->accesses, SmbTally, a).requests > 0 &&
              is_in_line(fix, site, line);
    }
    if (found)
      g_ptr_array_add(line->arrays, array);
  }
}

static gboolean
open_code(SmbFix *fix, SmbArch *arch, GError **error) {
  const SmbTarget *target = fix->target;
  if (strcmp(smb_program_level(target->kernel), "text") == 0 &&
      !(fix->machine = smb_target_compile(target, NULL, target->launch.dynamic_bytes, arch, error)))
    return FALSE;
  fix->code = smb_program_instructions(smb_fix_code(fix)->kernel);
  return TRUE;
}

static gboolean
analyze(SmbFix *fix, SmbArch *arch, GError **error) {
  SmbAnalysisOptions options = smb_fix_code(fix)->options;
  options.keep_requests = TRUE;
  fix->analysis = smb_analysis_run(smb_fix_code(fix)->kernel, arch, &smb_fix_code(fix)->launch,
                                   &options, error);
  return fix->analysis != NULL;
}

// What removes the excess of the lines, and why it is there.
static void
finish_fix(SmbFix *fix, SmbArch *arch, const SmbAdviseSearch *search) {
  g_ptr_array_sort(fix->lines, compare_lines);
  g_autoptr(GError) failure = NULL;
  if (fix->lines->len > 0 &&
      !(fix->advice = smb_advise_report_new(fix->target, arch, search, &failure)))
    fix->advice_failure = smb_cli_error_text(failure);
  g_autoptr(SmbOrigins) origins =
      smb_origins_new(smb_fix_code(fix)->kernel, smb_fix_code(fix)->files);
  for (guint i = 0; i < fix->lines->len; i++) {
    explain_line(fix, arch, g_ptr_array_index(fix->lines, i), origins);
    assign_arrays(fix, g_ptr_array_index(fix->lines, i));
  }
}

static SmbFix *
begin_fix(const SmbTarget *target) {
  SmbFix *fix = g_new0(SmbFix, 1);
  fix->target = target;
  fix->lines = g_ptr_array_new_with_free_func((GDestroyNotify)free_line);
  return fix;
}

SmbFix *
smb_fix_new(const SmbTarget *target, SmbArch *arch, const SmbProfile *profile, const char *file,
            guint number, const SmbAdviseSearch *search, GError **error) {
  g_autoptr(SmbFix) fix = begin_fix(target);
  if (!open_code(fix, arch, error) ||
      !(fix->profile = smb_target_find_profile(smb_fix_code(fix), profile, file, number, error)) ||
      !analyze(fix, arch, error))
    return NULL;
  collect_lines(fix);
  finish_fix(fix, arch, search);
  return g_steal_pointer(&fix);
}

// The accesses that are predicted to conflict, line by line.
static void
collect_predicted(SmbFix *fix) {
  const GArray *accesses = fix->analysis->accesses;
  fix->code = g_ptr_array_new_with_free_func((GDestroyNotify)smb_code_line_free);
  for (guint i = 0; i < accesses->len; i++) {
    const SmbAccess *access = &g_array_index(accesses, SmbAccess, i);
    fix->wavefronts += access->total.wavefronts;
    fix->excess += access->total.excess;
    if (access->total.excess == 0)
      continue;
    SmbCodeLine *code = g_new0(SmbCodeLine, 1);
    code->pc = (guint32)access->site->pc;
    code->text = g_strdup(access->site->opcode ? access->site->opcode : access->site->expression);
    code->file = g_strdup(access->site->file                    ? access->site->file
                          : access->site->line && !fix->machine ? smb_fix_code(fix)->file
                                                                : NULL);
    code->line = access->site->line;
    g_ptr_array_add(fix->code, code);
    SmbFixLine *line = find_fix_line(fix->lines, code);
    line->instructions++;
    line->wavefronts += access->total.wavefronts;
    line->ideal += access->total.ideal;
    line->excess += access->total.excess;
    smb_tally_add(&line->predicted, &access->total);
    if (!access->exact && !line->reason)
      line->reason = smb_analyze_describe_reason(access);
  }
}

SmbFix *
smb_fix_new_metrics(const SmbTarget *target, SmbArch *arch, const SmbMeasuredLaunch *measured,
                    const SmbAdviseSearch *search, GError **error) {
  g_autoptr(SmbFix) fix = begin_fix(target);
  g_autofree char *nvcc = smb_compile_find_nvcc();
  gboolean is_text = strcmp(smb_program_level(target->kernel), "text") == 0;
  fix->measured = measured;
  if (is_text && nvcc && smb_compile_is_for(arch) &&
      !(fix->machine = smb_target_compile(target, NULL, target->launch.dynamic_bytes, arch, error)))
    return NULL;
  if (!analyze(fix, arch, error))
    return NULL;
  collect_predicted(fix);
  finish_fix(fix, arch, search);
  return g_steal_pointer(&fix);
}

guint
smb_fix_place(const SmbFix *fix, const char **kernel) {
  *kernel = fix->profile ? fix->profile->kernel : fix->measured->kernel;
  return fix->profile ? fix->profile->line : fix->measured->line;
}

GPtrArray *
smb_fix_remedies(const SmbFix *fix, const SmbAdviseArray *array) {
  GPtrArray *remedies = smb_advise_describe_verdict(fix->advice, array);
  if (remedies->len == 0)
    g_ptr_array_add(remedies, smb_advise_describe(fix->advice, array));
  return remedies;
}
