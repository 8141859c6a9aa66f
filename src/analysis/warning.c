// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/warning.h"

#include <string.h>

#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/out/json.h"
#include "src/target/captured.h"

char *
smb_analyze_describe_warning(const SmbProgram *program, const SmbAnalysisWarning *warning) {
  const SmbSite *site = smb_program_site(program, warning->site);
  return warning->kind == SMB_WARNING_UNCOUNTED
             ? g_strdup_printf("%s is not counted: %s", site->expression, warning->message)
             : g_strdup(warning->message);
}

char *
smb_analyze_describe_idle(const SmbAnalysis *analysis) {
  return analysis->idle_at.opcode
             ? g_strdup(analysis->idle)
             : g_strdup_printf(smb_vendor_say(analysis->vendor,
                                              "no thread reaches an access to shared memory: %s"),
                               analysis->idle);
}

// Whether both say that one variable is read before it is written: they begin with its name in quotes.
static gboolean
is_same_unset(const SmbAnalysisWarning *a, const SmbAnalysisWarning *b) {
  gsize length = a->message[0] == '\'' ? strcspn(a->message + 1, "'") + 2 : 0;
  return a->kind == SMB_WARNING_UNSET && b->kind == SMB_WARNING_UNSET && length > 0 &&
         strncmp(a->message, b->message, length) == 0;
}

// Whether both say that one copy is not waited for.
static gboolean
is_same_copy(const SmbProgram *program, const SmbAnalysisWarning *a, const SmbAnalysisWarning *b) {
  return a->kind == SMB_WARNING_PENDING && b->kind == SMB_WARNING_PENDING &&
         smb_site_shares_line(smb_program_site(program, a->other),
                              smb_program_site(program, b->other));
}

// Whether both say the same of the rows of one copy, as instructions of one product do that a compiler has unrolled.
static gboolean
is_same_descriptor(const SmbAnalysisWarning *a, const SmbAnalysisWarning *b) {
  return a->kind == SMB_WARNING_DESCRIPTOR && b->kind == SMB_WARNING_DESCRIPTOR &&
         g_str_equal(a->message, b->message);
}

// Whether both say the same of one place, as of the load and the store of "bins[i]++".
static gboolean
is_same_place(const SmbProgram *program, const SmbAnalysisWarning *a, const SmbAnalysisWarning *b) {
  const SmbSite *of_a = smb_program_site(program, a->site);
  const SmbSite *of_b = smb_program_site(program, b->site);
  return a->kind == b->kind && of_a->line && of_a->line == of_b->line &&
         of_a->column == of_b->column && of_a->pc == of_b->pc &&
         g_strcmp0(of_a->file, of_b->file) == 0 && g_str_equal(a->message, b->message);
}

char *
smb_analyze_tell_warning(const SmbProgram *program, const GArray *warnings, guint index) {
  const SmbAnalysisWarning *warning = &g_array_index(warnings, SmbAnalysisWarning, index);
  g_autofree char *message = smb_analyze_describe_warning(program, warning);
  guint others = 0;
  for (guint i = 0; i < warnings->len; i++) {
    const SmbAnalysisWarning *other = &g_array_index(warnings, SmbAnalysisWarning, i);
    gboolean is_again = i != index && is_same_place(program, warning, other);
    if (i == index ||
        !(is_again || is_same_unset(warning, other) || is_same_copy(program, warning, other) ||
          is_same_descriptor(warning, other)))
      continue;
    if (i < index)
      return NULL;
    others += !is_again;
  }
  return others == 0
             ? g_steal_pointer(&message)
             : g_strdup_printf("%s, and at %s", message, smb_count(others, "other place").text);
}

void
smb_analyze_write_warning(const SmbProgram *program, const SmbSite *site, const char *message,
                          SmbSpool *out) {
  g_autofree char *text = g_strconcat("warning: ", message, NULL);
  g_autofree char *placed = smb_program_site_message(program, site, text);
  g_autofree char *shortened = smb_text_shorten_quotes(placed);
  const char *file = site->file ? site->file : smb_program_file(program);
  smb_spool_printf(out, "%s%-s\n", smb_text_ahead(file), shortened);
}

void
smb_analyze_write_warnings(const SmbTarget *target, const SmbAnalysis *analysis, SmbSpool *out) {
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    const SmbSite *site = smb_program_site(target->kernel, warning->site);
    g_autofree char *message = smb_analyze_tell_warning(target->kernel, analysis->warnings, i);
    if (message)
      smb_analyze_write_warning(target->kernel, site, message, out);
  }
  if (analysis->idle) {
    g_autofree char *message = smb_analyze_describe_idle(analysis);
    smb_analyze_write_warning(target->kernel, &analysis->idle_at, message, out);
  }
  smb_captured_write_notes(target, out);
  if (target->assumes_block)
    smb_spool_printf(
        out, smb_vendor_say(analysis->vendor, "%s%s: warning: " SMB_TARGET_ASSUMED_BLOCK "\n"),
        smb_text_ahead(target->file), target->file);
  g_auto(GStrv) unused = smb_program_unused_defines(target->kernel);
  for (guint i = 0; unused[i] && !target->shape; i++)
    smb_spool_printf(out, "%s%s: warning: -D %s: the text has no such macro\n",
                     smb_text_ahead(target->file), target->file, unused[i]);
}

const char *
smb_analyze_site_file(const SmbProgram *program, const SmbSite *site) {
  return site->file ? site->file : site->line ? smb_program_file(program) : NULL;
}

static void
json_warning(JsonBuilder *json, const char *kind, guint line, guint column, const char *message) {
  smb_json_object(json, NULL);
  smb_json_text(json, "kind", kind);
  smb_json_number(json, "line", line);
  smb_json_number(json, "column", column);
  smb_json_text(json, "message", message);
  json_builder_end_object(json);
}

void
smb_analyze_json_warnings(JsonBuilder *json, const SmbTarget *target, const SmbAnalysis *analysis) {
  const SmbProgram *program = target->kernel;
  smb_json_array(json, "warnings");
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    const SmbSite *site = smb_program_site(program, warning->site);
    g_autofree char *text = smb_analyze_describe_warning(program, warning);
    json_warning(json, smb_warning_name(warning->kind), site->line, site->column, text);
  }
  if (analysis->idle)
    json_warning(json, "idle", analysis->idle_at.line, analysis->idle_at.column, analysis->idle);
  if (target->assumes_block)
    json_warning(json, "block", 0, 0, smb_vendor_say(analysis->vendor, SMB_TARGET_ASSUMED_BLOCK));
  json_builder_end_array(json);
}
